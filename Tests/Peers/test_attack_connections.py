"""Connections that are not there to sell: they dribble, wait, or do not read. Sales go on beside them, and so do the
probes of those who run the counter; each connection ends in its time, whatever route it asked."""
import contextlib
import re
import socket
import subprocess
import threading
import time
from datetime import datetime
from itertools import pairwise

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

import counter
from slow_clients import FILES, SOCKETS, Attack

# How long a sale may take on a machine that has other things to do: none may fail, however busy it is.
PATIENCE = 20

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
BODY = (b"POST /session HTTP/1.1\r\nHost: x\r\nX-Till-Page: 1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 4000\r\n\r\n{")
ASKED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
UNREAD = b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 20

GUESS = b"GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n"

# What is sent at once, what then again and again, and how many come anew in a second. Whoever asks for work takes the
# processor, too, which is not what this is about.
ATTACKS = {
    "heads": (HEAD, b"X-A: b\r\n", 400), "bodies": (BODY, b" ", 400), "waiting": (ASKED, b"", 100),
    "unread": (UNREAD, b"", 10), "guesses": (GUESS, GUESS, 50),
}


# How often a request is sent again, with its key, whose connection was closed before it was read. Of two hundred places
# taken by four hundred others a second, one that a busy machine has not looked at for half a second is the oldest.
TRIES = 4


def persistent(server, method, path, body, key):
    for left in reversed(range(TRIES)):
        try:
            return server.request(method, path, body, key, timeout=PATIENCE)
        except requests.ConnectionError:
            if not left:
                raise


def sell(server, order, tally):
    """A sale as a new client makes it, whose connections are new each time."""
    with tally.sale():
        made = persistent(
            server, "POST", "/v1/payments", {"order_id": order, "amount": 1250, "currency": "EUR"}, f"c-{order}")
        assert made.status_code == 201, made.text
        paid = persistent(
            server, "POST", f"/v1/payments/{made.json()['id']}/confirm", {"tender": counter.CARD_TENDER}, f"p-{order}")
        assert paid.status_code == 200 and paid.json()["status"] == "succeeded", paid.text


def sell_in_peace(server, tally):
    for number in range(10):
        sell(server, f"before-{number}", tally)
    tally.beside()


def figures(server):
    text = persistent(server, "GET", "/metrics", None, None).text
    return {
        (sample.name, sample.labels.get("reason")): sample.value
        for family in text_string_to_metric_families(text) if family.name.startswith("till_")
        for sample in family.samples if sample.labels.get("listener", "main") == "main"
    }


@pytest.mark.parametrize("attack", ATTACKS)
def test_sales_and_probes_go_on_while_others_hold_every_connection(tmp_path, attack, tally):
    with counter.Server(tmp_path, "--provider", "sandbox", files=FILES) as server:
        sell_in_peace(server, tally)
        with Attack(server.port, *ATTACKS[attack], reads=attack != "unread") as attacker:
            end, sold = time.monotonic() + 8, 0
            while time.monotonic() < end or sold < 10:
                sell(server, f"{attack}-{sold}", tally)
                for path in ("/healthz", "/readyz", "/metrics"):
                    answer = persistent(server, "GET", path, None, None)
                    assert answer.status_code == 200, (path, answer.text)
                sold += 1
            seen = figures(server)
        assert attacker.opened >= SOCKETS, "the attack was none"
        assert seen["till_connections_refused_total", "made_room"] > 0, seen
        assert seen["till_connections_open", None] < FILES
        print(f"{attack}: {attacker.opened} connections of the attack, sales {tally}")
    log = server.log.read_text()
    said = [datetime.strptime(line[:24], "%Y-%m-%dT%H:%M:%S%z")
            for line in log.splitlines() if "Connections are at their limit" in line]
    assert said, log[-2000:]
    # Once a minute, however many are refused in it. The times are in whole seconds.
    assert all((later - earlier).total_seconds() >= 59 for earlier, later in pairwise(said)), log[-2000:]


def test_a_sale_that_is_worked_on_is_not_closed_for_others(tmp_path):
    """Its provider takes two seconds, and meanwhile everybody else comes."""
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "2s", files=FILES) as server:
        payment = server.create("slow", "c-slow").json()["id"]
        answers = []
        sale = threading.Thread(target=lambda: answers.append(server.confirm(payment, "p-slow", counter.CARD_TENDER)))
        sale.start()
        time.sleep(0.5)
        with Attack(server.port, *ATTACKS["heads"], reads=True) as attacker:
            sale.join(20)
            assert attacker.opened > SOCKETS
        assert answers and answers[0].json()["status"] == "succeeded", answers


def test_one_address_has_its_share(tmp_path):
    """Loopback addresses are near, so this share is theirs, too."""
    env = {"TILL_LIMITS_CONNECTIONS_PER_PROXY": "8"}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        with contextlib.ExitStack() as stack:
            waiting = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(12)]
            assert counter.until(lambda: sum(closed(one) for one in waiting) >= 4)
            # Another address has places of its own.
            other = stack.enter_context(
                socket.create_connection(("127.0.0.1", server.port), source_address=("127.0.0.2", 0)))
            other.sendall(ASKED)
            other.settimeout(5)
            assert other.recv(4096).startswith(b"HTTP/1.1 200")
            assert len([one for one in waiting if not closed(one)]) in (7, 8)


def closed(one):
    one.setblocking(False)
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def ends(one, seconds):
    """Whether the other end closes within the time; what it said is thrown away."""
    one.settimeout(0.1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if not one.recv(65_536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.fixture
def hasty(tmp_path):
    env = {"TILL_LIMITS_HEAD_TIME": "700ms", "TILL_LIMITS_BODY_TIME": "700ms", "TILL_LIMITS_IDLE_TIME": "3s",
           "TILL_LIMITS_UNREAD_TIME": "700ms"}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as running:
        yield running


def dribble(one, what, seconds):
    end = time.monotonic() + seconds
    with contextlib.suppress(OSError):
        while time.monotonic() < end:
            one.sendall(what)
            time.sleep(0.1)


def test_the_head_of_a_later_request_has_its_time_too(hasty):
    with socket.create_connection(("127.0.0.1", hasty.port)) as one:
        one.sendall(ASKED)
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        one.sendall(b"GET /healthz HTTP/1.1\r\n")
        began = time.monotonic()
        dribble(one, b"X-A: b\r\n", 2)
        assert ends(one, 1) and time.monotonic() - began < 3
    assert figures(hasty)["till_connections_closed_total", "slow_head"] == 1


def test_a_body_that_no_route_reads_has_its_time_and_its_size(hasty):
    """The route answers at once, and the answer arrives although the body goes on."""
    for length, drop in ((10_000_000, b"x" * 60_000), (4_000, b"x")):
        with socket.create_connection(("127.0.0.1", hasty.port)) as one:
            one.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % length)
            one.settimeout(5)
            assert one.recv(4096).startswith(b"HTTP/1.1 405"), "answered before the body"
            began = time.monotonic()
            dribble(one, drop, 3)
            assert ends(one, 1) and time.monotonic() - began < 4.5, length
    seen = figures(hasty)
    assert seen["till_connections_closed_total", "unwanted_body"] == 2, seen


def test_silence_between_requests_ends(hasty):
    with socket.create_connection(("127.0.0.1", hasty.port)) as one:
        one.sendall(ASKED)
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        assert not ends(one, 1.5)
        assert ends(one, 3)
    assert figures(hasty)["till_connections_closed_total", "idle"] == 1


def test_who_does_not_read_is_cut_off(hasty):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", hasty.port))
        one.settimeout(1)
        with contextlib.suppress(OSError):
            one.sendall(UNREAD * 5)
        assert counter.until(lambda: figures(hasty)["till_connections_closed_total", "unread_answer"] == 1, 10)


def test_a_client_that_says_it_is_the_last_request_is_let_go(hasty):
    with socket.create_connection(("127.0.0.1", hasty.port)) as one:
        one.sendall(b"GET /counter.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        one.settimeout(5)
        answer = b""
        while part := one.recv(65_536):
            answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        assert len(body) == int(re.search(rb"(?i)content-length: (\d+)", head)[1])


def test_requests_one_after_the_other_are_all_answered(hasty):
    """Sent at once, the last of them with the word that it is the last."""
    with socket.create_connection(("127.0.0.1", hasty.port)) as one:
        last = ASKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        one.sendall(ASKED + ASKED + last)
        one.settimeout(5)
        answer = b""
        while part := one.recv(65_536):
            answer += part
        assert answer.count(b"HTTP/1.1 200") == 3, answer


@pytest.mark.parametrize("kind", ["-H", "-B", "-X"], ids=["slow-heads", "slow-bodies", "slow-readers"])
def test_slowhttptest_does_not_close_the_shop(tmp_path, kind, tally):
    """The attack as others have written it: each sale beside it must succeed."""
    with counter.Server(tmp_path, "--provider", "sandbox", files=FILES) as server:
        sell_in_peace(server, tally)
        attack = subprocess.Popen(
            ["slowhttptest", kind, "-c", str(SOCKETS), "-r", "200", "-i", "1", "-l", "8", "-x", "20", "-p", "3",
             "-u", server.url + ("/session" if kind == "-B" else "/counter.js")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        try:
            sold = 0
            # The counter may have closed all of them before ten sales are made: the rest is sold after it.
            while attack.poll() is None or sold < 10:
                sell(server, f"s-{sold}", tally)
                sold += 1
            told = attack.communicate()[0]
        finally:
            attack.kill()
            attack.wait()
        assert attack.returncode == 0, told[-2000:]


def test_connections_of_the_public_take_none_of_the_clerks(tmp_path, tally):
    port = counter.free_port()
    with counter.Server(tmp_path, "--provider", "sandbox", "--public-listen", f"127.0.0.1:{port}",
                        files=FILES) as server:
        sell_in_peace(server, tally)
        with Attack(port, *ATTACKS["bodies"], reads=True):
            for number in range(10):
                sell(server, f"b-{number}", tally)
        assert figures(server)["till_connections_refused_total", "made_room"] == 0, "the clerk's places were touched"
        sell(server, "after", tally)
