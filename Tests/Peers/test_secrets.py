"""Card numbers, security codes and keys are searched for wherever bytes of ours may lie: no hit, in any form."""
import base64
import concurrent.futures
import functools
import os
import pathlib
import re
import time
import urllib.parse

import pytest
import requests

import counter

PAN = "4539148803436467"
CVC = "973"
API_KEY = "till-key-MARKED-7f3a9c51d2"
STRIPE_KEY = "sk_test_MARKED51c0ffee77aa11"
WEBHOOK_SECRET = "whsec_MARKED90d1e2f3a4b5"
TENDER = {"type": "card", "number": PAN, "expiry": "12/30", "cvc": CVC}


def forms(secret):
    """A secret as it is, and as it looks after the usual ways of writing bytes."""
    raw = secret.encode()
    found = {raw, raw.hex().encode(), raw.hex().upper().encode(), urllib.parse.quote(secret, safe="").encode()}
    found |= {secret.encode("utf-16-le"), "".join(f"%{b:02X}" for b in raw).encode(), raw[::-1]}
    for shift in range(3):  # base64 has three alignments; the edges that depend on neighbours are cut off
        text = base64.b64encode(b"\0" * shift + raw)
        inner = text[(0, 2, 3)[shift] : len(text) - 4]
        found |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    if secret.isdigit():
        groups = [secret[i : i + 4] for i in range(0, len(secret), 4)]
        found |= {separator.join(groups).encode() for separator in (" ", "-", "+", "%20", "\u00a0")}
        packed = bytes.fromhex(secret + "0" * (len(secret) % 2))
        found.add(packed)  # as EMV writes digits
        found.add(int(secret).to_bytes(8, "big"))
        found.add(int(secret).to_bytes(8, "little"))
    return {f for f in found if len(f) >= 6}


def needles(secrets):
    return {form: name for name, secret in secrets.items() for form in forms(secret)}


NEEDLES = needles(
    {"card number": PAN, "API key": API_KEY, "Stripe key": STRIPE_KEY, "webhook secret": WEBHOOK_SECRET})
# What all the other tests use.
EVERYWHERE = needles({
    "card number of the tests": counter.CARD,
    "declined card number": "4000000000009995",
    "API key of the tests": counter.API_KEY,
    "Stripe key of the tests": counter.Stripe("").key,
    "webhook secret of the tests": counter.WEBHOOK_SECRET,
})
# Three digits occur by chance; beside their name they do not.
CODE = re.compile(rb"(?:cvc|cvv|security.?code)(?:%[0-9A-F]{2}|[^0-9]){0,12}" + CVC.encode(), re.IGNORECASE)


def stands(form, data):
    """Whether it is there; one byte again and again, as a packed 4242…, only as a run of just its length: longer ones
    are in the packed streams of pictures."""
    if len(set(form)) > 1 or form not in data:
        return form in data
    byte = re.escape(form[:1])
    return re.search(b"(?<!%s)%s(?!%s)" % (byte, re.escape(form), byte), data) is not None


def hits(data, wanted=NEEDLES):
    lower = {name + f" as {form!r}" for form, name in wanted.items() if stands(form, data)}
    return lower | ({"security code"} if CODE.search(data) else set())


def hits_in(file, wanted):
    return hits(file.read_bytes(), wanted)


@pytest.mark.parametrize(
    "planted",
    [
        f"number={PAN}",
        "4539 1488 0343 6467",
        base64.b64encode(f"x{PAN}".encode()).decode(),
        base64.b64encode(f"xy card {PAN} z".encode()).decode(),
        PAN.encode().hex(),
        f'"cvc" : "{CVC}"',
        f"payment_method_data%5Bcard%5D%5Bcvc%5D={CVC}",
        f"Authorization: Bearer {API_KEY}",
        base64.b64encode(f"{STRIPE_KEY}:".encode()).decode(),
    ],
)
def test_the_search_finds_what_is_planted(planted):
    assert hits(planted.encode())


def test_the_search_is_silent_on_plain_text():
    assert not hits(b"order o-123 amount 1250 EUR, card ending 6467, 973 items")


def test_a_packed_number_of_one_byte_is_found_where_it_stands_alone():
    packed = bytes.fromhex(counter.CARD)
    assert hits(b"\x5a\x08" + packed + b"\x5f", EVERYWHERE)
    assert not hits(b"\x5a\x08" + packed + packed[:1], EVERYWHERE)


class FirstBytes:
    """What a stream says within a moment."""

    def __init__(self, answer):
        self.headers, self.content, end = answer.headers, b"", time.monotonic() + 2
        try:
            for piece in answer.iter_content(chunk_size=None):
                self.content += piece
                if time.monotonic() > end:
                    break
        except requests.RequestException:
            pass


def first_bytes(server, path):
    headers = {"Authorization": "Bearer " + API_KEY, "Accept": "text/event-stream", "Last-Event-ID": "0"}
    return FirstBytes(requests.get(server.url + path, headers=headers, stream=True, timeout=2))


@pytest.mark.parametrize("level", ["info", "trace"])
def test_no_secret_is_written_logged_shown_or_answered(tmp_path, localstripe, level):
    store = tmp_path / "store"
    store.mkdir()
    stripe = counter.Stripe(localstripe.url, STRIPE_KEY)
    answers = {}
    server = counter.Server(
        store, *stripe.flags, api_key=API_KEY,
        env={"LOG_LEVEL": level, "TILL_LOG_LEVEL": level, "TILL_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET},
    ).start()
    try:
        created = server.create("o-secret", "k-secret")
        answers["created"] = created
        payment = created.json()["id"]
        answers["confirmed"] = server.confirm(payment, "k-secret-confirm", TENDER)
        assert answers["confirmed"].ok, answers["confirmed"].text
        answers["replayed"] = server.confirm(payment, "k-secret-confirm", TENDER)
        answers["other body"] = server.confirm(payment, "k-secret-confirm", {**TENDER, "expiry": "11/30"})
        # Mistakes that tempt a server to repeat what it was given.
        other = server.create("o-secret-2", "k-secret-2").json()["id"]
        answers["bad expiry"] = server.confirm(other, "k-3", {**TENDER, "expiry": "99/30"})
        answers["bad luhn"] = server.confirm(other, "k-4", {**TENDER, "number": PAN[:-1] + "8", "unknown": PAN})
        answers["number as number"] = server.confirm(other, "k-5", {**TENDER, "number": int(PAN)})
        answers["unknown field"] = server.request(
            "POST", f"/v1/payments/{other}/confirm", {"tender": TENDER, PAN: CVC}, "k-6"
        )
        answers["broken JSON"] = requests.post(
            f"{server.url}/v1/payments/{other}/confirm", data=f'{{"tender":{{"number":"{PAN}","cvc":"{CVC}"',
            headers={"Authorization": "Bearer " + API_KEY, "Idempotency-Key": "k-7",
            "Content-Type": "application/json"},
            timeout=10,
        )
        answers["number in the path"] = server.request("GET", "/v1/payments/" + PAN)
        answers["number in the query"] = server.request("GET", "/v1/payments?card=" + PAN)
        answers["wrong key"] = requests.get(
            server.url + "/v1/payments", headers={"Authorization": "Bearer " + API_KEY + "x"}, timeout=10
        )
        answers["declined"] = server.confirm(other, "k-8", {**TENDER, "number": "4000000000000341"})
        refused = requests.post(
            server.url + counter.WEBHOOK_PATH, data=f'{{"id":"evt_1","card":"{PAN}"}}', timeout=10,
            headers={"Stripe-Signature": f"t=1,v1={WEBHOOK_SECRET}"})
        assert refused.status_code == 400, refused.text
        answers["webhook refused"] = refused
        answers["refunded"] = server.request(
            "POST", f"/v1/payments/{payment}/refunds", {"amount": 100, "card": PAN}, "k-9")
        answers["canceled"] = server.request("POST", f"/v1/payments/{other}/cancel", {"reason": "no money"}, "k-10")
        answers["stream"] = first_bytes(server, "/v1/events")
        for path in ("/", "/metrics", "/healthz", "/openapi.yaml", "/v1/payments", "/v1/payments/" + payment,
                     "/v1/payments/" + payment + "/events", "/v1/payments/" + payment + "/receipt",
                     "/v1/keys", "/v1/settings", "/v1/settings/providers", "/v1/settings/backups",
                     "/v1/settings/health", "/v1/settings/receipts", "/settings"):
            answers[path] = server.request("GET", path)
        live = {str(f.relative_to(tmp_path)): f.read_bytes() for f in store.rglob("*") if f.is_file()}
    finally:
        server.stop()
    shop = counter.Shop(store, stripe)
    commands = {
        "sale": shop.sale(card=PAN, order="o-secret-cli"),
        "declined sale": shop.sale(card="4000000000000341", order="o-secret-cli-2"),
        "bad sale": shop.sale(card=PAN, order="o-secret-cli-3", amount="x"),
        "list": shop.payments("list"),
        "show": shop.payments("show", payment),
        "verify": counter.till("journal", "verify", "--journal", shop.journal, "--json"),
        "doctor": counter.till("doctor", *shop.common),
        "receipt": counter.till("receipts", "show", payment, *shop.common),
        "refund": shop.payments("refund", payment, "--amount", "1.00"),
        "backup": counter.till("journal", "backup", store / "backup.db", "--journal", shop.journal),
    }
    for name in ("sale", "list", "show", "verify", "receipt", "refund", "backup"):
        assert commands[name].code == 0, f"{name} searched an error only: {commands[name]}"
    found = {}
    for name, data in live.items():
        found["live file " + name] = hits(data)
    for file in store.rglob("*"):
        if file.is_file():
            found["file " + str(file.relative_to(tmp_path))] = hits(file.read_bytes())
    for name, answer in answers.items():
        head = "\n".join(f"{k}: {v}" for k, v in answer.headers.items())
        found["answer: " + name] = hits(answer.content + head.encode())
    for name, answer in commands.items():
        found["command: " + name] = hits((answer.out + answer.err).encode())
    for wanted in ("server.log", "journal.db", "journal.db-wal", "backup.db"):
        assert any(name.endswith(wanted) for name in found), f"no {wanted} was searched"
    assert answers["/metrics"].ok and answers["/"].ok and b"payment." in answers["stream"].content
    assert not {name: what for name, what in found.items() if what}


@pytest.mark.last
def test_after_the_whole_suite_no_secret_lies_anywhere(request, tmp_path_factory, tmp_path):
    """Everything that the whole run has left: journals, WALs, logs of every server, ledgers, pictures, reports. Where
    the suite is run in parts, TILL_PEERS_LEFT names the folder that holds what all of them have left."""
    whole = os.environ.get("TILL_PEERS_LEFT")
    files = [
        file for file in pathlib.Path(whole or tmp_path_factory.getbasetemp()).rglob("*")
        if not file.is_symlink() and file.is_file() and tmp_path not in file.parents]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = dict(zip(files, pool.map(
            functools.partial(hits_in, wanted={**NEEDLES, **EVERYWHERE}), files, chunksize=64)))
    assert not {str(file): what for file, what in found.items() if what}
    searched = {file.name for file in files}
    if whole or len(request.session.items) > 40:  # the whole suite, not a part of it
        assert {"journal.db", "journal.db-wal", "server.log", "ledger.json", "sandbox.log"} <= searched, searched
