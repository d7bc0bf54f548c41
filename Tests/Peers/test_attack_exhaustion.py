"""One account takes all that it can get of what accounts share: streams, sessions, letters, keys, connections. Another
one's sales, streams, sessions and letters go on beside it."""
import asyncio
import concurrent.futures
import contextlib
import sqlite3
import threading
import time

import pytest
import requests

import counter
import mail_server
from tenants import Stranger

STREAMS = 16
# Of the other account, at once: more than the sixteen letters that one account has of 64.
SELLERS = 24


class SlowPost(mail_server.Post):
    """Takes its time for some, and for nobody else."""

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("slow"):
            await asyncio.sleep(8)
        return await super().handle_RCPT(server, session, envelope, address, options)


@pytest.fixture
def post():
    post = SlowPost()
    post.server = mail_server.serve(post)
    yield post
    post.server.stop()


@pytest.fixture
def server(tmp_path, post):
    env = {**mail_server.settings(post.server.port, security="none"), "TILL_LIMITS_STREAMS": str(STREAMS)}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as running:
        yield running


class Owner:
    """Sells, hears of it, and is signed in."""

    def __init__(self, server, tally):
        self.server, self.session, self.heard, self.tally = server, server.session(), [], tally
        self.stream = self.session.get(server.url + "/v1/events", stream=True, timeout=60)
        threading.Thread(target=self.listen, daemon=True).start()
        self.number = 0

    def listen(self):
        with contextlib.suppress(requests.RequestException):
            self.heard.extend(line for line in self.stream.iter_lines(chunk_size=1, decode_unicode=True) if line)

    def listen_to(self, payment):
        return counter.until(lambda: any(payment in line for line in self.heard), 5)

    def sells(self):
        """A sale over the interface, seen in the page's stream and by its session; how long the sale took."""
        self.number += 1
        began = time.monotonic()
        with self.tally.sale():
            made = self.server.create(f"mine-{self.number}", f"c-mine-{self.number}")
            assert made.status_code == 201, made.text
            payment = made.json()["id"]
            done = self.server.confirm(payment, f"s-mine-{self.number}")
            assert done.status_code == 200 and done.json()["status"] == "succeeded", done.text
        took = time.monotonic() - began
        seen = self.session.get(f"{self.server.url}/v1/payments/{payment}", timeout=10)
        assert seen.status_code == 200, seen.text
        return payment, took

    def mails(self, payment):
        return self.server.request("POST", f"/v1/payments/{payment}/receipt/send", {"to": mail_server.CUSTOMER},
                                   "m-" + payment, timeout=60)


def all_goes_on(owner, post, seconds):
    """For so long, and at least three times; the slowest sale."""
    end, slowest, rounds = time.monotonic() + seconds, 0.0, 0
    while time.monotonic() < end or rounds < 3:
        payment, took = owner.sells()
        slowest, rounds = max(slowest, took), rounds + 1
    letters = len(post.letters)
    sent = owner.mails(payment)
    assert sent.status_code == 200 and sent.json()["state"] == "sent", sent.text
    assert len(post.letters) > letters
    return slowest


@pytest.mark.parametrize("what", ["streams", "sessions", "letters", "keys", "payments"])
def test_what_one_account_takes_another_does_not_miss(server, post, what, tally):
    owner, stranger = Owner(server, tally), Stranger(server)
    all_goes_on(owner, post, 0)
    ended = threading.Event()
    statuses, kept = [], []

    def attack(number):
        turn = 0
        while not ended.is_set():
            turn += 1
            name = f"{number}-{turn}"
            if what == "streams":
                answer = stranger.ask("GET", "/v1/events", stream=True)
                kept.append(answer)
                time.sleep(0.05)
            elif what == "sessions":
                answer = requests.post(server.url + "/session", json={"key": stranger.key}, timeout=20,
                                       headers={"X-Till-Page": "1"})
            elif what == "letters":
                answer = stranger.ask("POST", f"/v1/payments/{stranger.payments[number]}/receipt/send",
                                      {"to": f"slow-{name}@customer.example"}, "m-" + name)
            else:
                key = "k-" + name if what == "payments" else f"{name}-" + "k" * 200
                answer = stranger.ask("POST", "/v1/payments", {
                    "order_id": f"x-{name}" if what == "payments" else "x", "amount": 100, "currency": "EUR"}, key)
            statuses.append(answer.status_code)

    stranger.payments = []
    for order in ["x", *(f"y-{number}" for number in range(1, SELLERS))]:
        made = stranger.ask("POST", "/v1/payments", {"order_id": order, "amount": 100, "currency": "EUR"}, order).json()
        paid = stranger.ask("POST", f"/v1/payments/{made['id']}/confirm", {"tender": {"type": "cash"}}, "p-" + order)
        assert paid.status_code == 200, paid.text
        stranger.payments.append(made["id"])
    with concurrent.futures.ThreadPoolExecutor(SELLERS) as pool:
        attackers = [pool.submit(attack, number) for number in range(SELLERS)]
        try:
            time.sleep(1)
            tally.beside()
            slowest = all_goes_on(owner, post, 6)
            more = [requests.get(server.url + "/v1/events", headers={"Authorization": "Bearer " + server.api_key},
                                 stream=True, timeout=20) for _ in range(STREAMS // 2 - 1)]
            assert [stream.status_code for stream in more] == [200] * len(more)
        finally:
            ended.set()
        for attacker in attackers:
            attacker.result()
    for stream in [*kept, *more]:
        stream.close()
    payment, _ = owner.sells()
    assert owner.listen_to(payment), "the stream has ended"
    counts = {status: statuses.count(status) for status in set(statuses)}
    print(f"{what}: {counts}, sales {tally}")
    assert slowest < 5 and len(statuses) > 20
    if what in ("streams", "letters"):
        assert counts.get(429, 0) > 0, "there was no end to it"
    if what == "sessions":
        with sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True) as journal:
            (sessions,) = journal.execute("SELECT count(*) FROM record WHERE collection = 'page_session'").fetchone()
        # At most 16 of the one key, as many as began at the same moment, and the owner's.
        assert 12 < sessions <= 16 + SELLERS + 1, sessions
    assert server.process.poll() is None


def test_one_key_that_may_only_read_takes_nothing_from_the_page_of_its_own_account(server, post, tally):
    """It begins sessions and opens streams without end, and the clerk stays signed in and hears of each sale."""
    owner = Owner(server, tally)
    key = counter.succeed("keys", "create", "--scope", "read", "--journal", server.journal, "--json")["key"]
    bearer, streams = {"Authorization": "Bearer " + key}, []
    owner.sells()
    tally.beside()
    try:
        for _ in range(100):
            begun = requests.post(server.url + "/session", json={"key": key}, timeout=20, headers={"X-Till-Page": "1"})
            assert begun.status_code == 204, begun.text
        for _ in range(4):
            thief = requests.Session()
            begun = thief.post(server.url + "/session", json={"key": key}, headers={"X-Till-Page": "1"}, timeout=20)
            assert begun.status_code == 204, begun.text
            streams += [thief.get(server.url + "/v1/events", stream=True, timeout=20) for _ in range(STREAMS // 4)]
        for _ in range(2 * STREAMS):
            streams.append(requests.get(server.url + "/v1/events", headers=bearer, stream=True, timeout=20))
        assert [stream.status_code for stream in streams].count(200) == STREAMS // 2
        payment, _ = owner.sells()
        assert owner.listen_to(payment), "the clerk's stream has ended"
        with owner.session.get(server.url + "/v1/events", stream=True, timeout=20) as another:
            assert another.status_code == 200
    finally:
        for stream in streams:
            stream.close()
