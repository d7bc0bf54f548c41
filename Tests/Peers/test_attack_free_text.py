"""Card numbers in every text that comes from outside, written in every way that people and programs write them: none
may be in a file, a log or an answer, and a shop's own numbers stay what they are."""
import pathlib
import random
import re

import pytest
import requests
import yaml

import counter

PAN = "4539148803436467"
OTHER = "5555555555554444"
DIGITS = {ord(str(n)): chr(0xFF10 + n) for n in range(10)}
ARABIC = {ord(str(n)): chr(0x0660 + n) for n in range(10)}
GROUPS = [PAN[i:i + 4] for i in range(0, 16, 4)]
WAYS = {
    "plain": PAN,
    "spaces": " ".join(GROUPS),
    "dashes": "-".join(GROUPS),
    "points": ".".join(GROUPS),
    "slashes": "/".join(GROUPS),
    "colons": ":".join(GROUPS),
    "no-break spaces": "\u00a0".join(GROUPS),
    "lines": "\n".join(GROUPS),
    "digits alone": " ".join(PAN),
    "full width": PAN.translate(DIGITS),
    "Arabic": PAN.translate(ARABIC),
    "zero width": "\u200b".join(PAN),
    "soft hyphens": "\u00ad".join(GROUPS),
    "two in a row": PAN + " " + OTHER,
    "two without space": PAN + OTHER,
    "in a sentence": f"card no.{PAN},exp 12/30",
    "after a number": f"3 x 1 {PAN}",
    "with letters": f"PAN{PAN}PAN",
    "entity": "&#52;" + PAN[1:],
}
# No card begins like these, they are too long or too short, or their check digit is another.
OWN = ["4539148803436468", "2026112312345678", "123456789012", "1732398000000", "41111111111111110",
       "00340434161094042557", "DE89370400440532013000", "2026-11-23 21:45:12.123456"]


def digits_of(text):
    """Digits of every script, without what stands between."""
    out = []
    for character in text:
        if character.isdecimal():
            out.append(str(int(character)))
        elif not (character.isalpha() or character == "*" or character == "•"):
            continue
        else:
            out.append("x")
    return "".join(out)


def holds(data):
    """Whether the number is in the bytes, in whatever way it is written."""
    text = data.decode("utf-8", "ignore")
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m.group(1), 16)), text)
    return any(PAN in digits_of(part) or OTHER in digits_of(part) for part in (text, plain))


def test_the_search_finds_every_way():
    for name, way in WAYS.items():
        if name != "entity":
            assert holds(f"x {way} y".encode()), name
    assert not holds(b"************6467")


def search(folder):
    return [str(file) for file in pathlib.Path(folder).rglob("*") if file.is_file() and holds(file.read_bytes())]


def schemas():
    """Every text field of every request that the page describes, by route: (method, path, names down to the field)."""
    page = yaml.safe_load((counter.ROOT / "Sources/TillFeatures/Page/Assets/Docs/openapi.yaml").read_text())
    parts = page["components"]["schemas"]

    def walk(schema, names, seen):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if name not in seen:
                yield from walk(parts.get(name, {}), names, seen | {name})
            return
        for word in ("oneOf", "anyOf", "allOf"):
            for one in schema.get(word, []):
                yield from walk(one, names, seen)
        kind = schema.get("type")
        if (kind == "string" or isinstance(kind, list) and "string" in kind) and "enum" not in schema:
            yield names
        for name, one in (schema.get("properties") or {}).items():
            yield from walk(one, (*names, name), seen)
        if "items" in schema:
            yield from walk(schema["items"], (*names, 0), seen)

    for path, methods in page["paths"].items():
        for method, operation in methods.items():
            content = (operation.get("requestBody") or {}).get("content") if isinstance(operation, dict) else None
            for schema in (content or {}).values():
                for names in dict.fromkeys(walk(schema.get("schema", {}), (), frozenset())):
                    if names:
                        yield method, path, names


FIELDS = list(schemas())


def body_with(names, value):
    for name in reversed(names):
        value = [value] if name == 0 else {name: value}
    return value


def complete(path, body, payment):
    """What else such a request must have, so that it is taken."""
    more = {
        "/v1/payments": {"amount": 100, "currency": "EUR"},
        "/v1/payments/{id}/refunds": {"amount": 1},
        "/v1/payments/{id}/confirm": {"tender": {"type": "reader", "reader": "simulated"}},
        "/v1/terminal/payments": {"order_id": "o-terminal", "amount": 100, "currency": "EUR"},
        "/v1/tap/card": {"card": "visa"},
        "/v1/keys": {"scopes": ["read"]},
    }.get(path, {})
    if "order" in body:
        more = {}
        body = {"order": {"id": "7", "currency": "EUR", "total": "1.00", "line_items": [
            {"name": "Tea", "quantity": 1, "subtotal": "1.00", "total": "1.00", "total_tax": "0.00"}], **body["order"]}}
    return {**more, **body}


def test_no_text_field_of_any_route_keeps_a_card_number(tmp_path):
    assert len(FIELDS) > 40
    store = tmp_path / "store"
    store.mkdir()
    answers = {}
    with counter.Server(store, env={"TILL_LOG_LEVEL": "trace", "LOG_LEVEL": "trace"}) as server:
        paid = server.create("o-paid", "k-paid").json()["id"]
        assert server.confirm(paid, "k-confirm").ok
        randomly = random.Random(20261123)
        for number, (method, path, names) in enumerate(FIELDS):
            for name in [*randomly.sample(sorted(WAYS), 3), "plain"]:
                address = path.replace("{id}", paid).replace("{number}", "1")
                body = complete(path, body_with(names, WAYS[name]), paid)
                session = requests.Session() if path == "/session" else None
                headers = {"X-Till-Page": "1"}
                answer = (session.post(server.url + path, json=body, headers=headers, timeout=30) if session else
                          server.request(method.upper(), address, body, f"k-{number}-{name.replace(' ', '-')}"))
                assert answer.status_code < 500, (path, names, name, answer.text)
                answers[f"{path} {names} {name}"] = answer.content + str(answer.headers).encode()
        for name, way in WAYS.items():
            if name != "entity":
                key = requests.utils.quote(way)
                answers["key " + name] = server.create("o-key", key).content
                answers["query " + name] = server.request("GET", "/v1/payments?order_id=" + key).content
                answers["path " + name] = server.request("GET", "/v1/payments/" + key).content
        answers["description"] = server.request("POST", "/v1/payments", {
            "order_id": "o-kept", "amount": 100, "currency": "EUR", "description": f"Tea for {PAN}"}, "k-kept").content
        for path in ("/metrics", "/v1/payments", f"/v1/payments/{paid}", "/v1/incidents", "/v1/attention", "/v1/keys"):
            answers[path] = server.request("GET", path).content
        assert b"************6467" in answers["description"] and b"Tea for" in answers["description"]
        live = search(tmp_path)
    found = [name for name, answer in answers.items() if holds(answer)]
    assert not found, found[:10]
    assert not live and not search(tmp_path)
    assert any(file.name.startswith("journal.db") for file in store.iterdir())


def test_a_number_that_is_split_over_fields_is_not_kept_whole(server):
    """An order's name stays what it is, so nothing is left of the rest."""
    for number, cut in enumerate((4, 6, 8, 12)):
        answer = server.create(PAN[:cut], f"k-{number}", description=PAN[cut:] + " for tea")
        assert answer.status_code == 201, answer.text
        assert answer.json()["description"] == "*" * (16 - cut) + " for tea", answer.text
    paid = server.create("4539 is a table".replace(" ", "-"), "k-own", description="table 12, seats 34").json()
    assert paid["description"] == "table 12, seats 34"


@pytest.mark.parametrize("way", [w for w in WAYS if w not in ("entity",)])
def test_an_order_is_never_named_after_a_card(tmp_path, way):
    """Masked it would be another order's name, so it is refused, with a way out."""
    text = WAYS[way]
    if any(ord(character) > 0x7E or ord(character) <= 0x20 for character in text):
        text = text.replace(" ", "-") if text.isascii() and "\n" not in text else PAN
    answer = counter.till("sale", "--amount", "1.00", "--currency", "EUR", "--cash", "--order", text, "--journal",
                          tmp_path / "j.db", "--json")
    assert answer.code == 1, answer
    assert "letter" in answer.json["error"]["what"] + answer.json["error"]["next"], answer
    assert not holds((answer.out + answer.err).encode()) and not search(tmp_path)


@pytest.mark.parametrize("number", OWN)
def test_a_shops_own_numbers_stay_what_they_are(tmp_path, number):
    with counter.Server(tmp_path) as server:
        name = number.replace(" ", "_")
        answer = server.request("POST", "/v1/payments", {
            "order_id": name, "amount": 100, "currency": "EUR", "description": f"No. {number}"}, "k-" + name)
        assert answer.status_code == 201, answer.text
        assert answer.json()["order_id"] == name
        shown = server.request("GET", f"/v1/payments/{answer.json()['id']}").text
        assert f"No. {number}" in shown, shown


def test_the_command_line_keeps_no_number_either(tmp_path):
    common = ["--journal", tmp_path / "j.db", "--json"]
    texts = [f"{way}" for name, way in WAYS.items() if name != "lines"]
    for number, text in enumerate(texts):
        sale = counter.succeed("sale", "--amount", "5.00", "--currency", "EUR", "--cash", "--order", f"o-{number}",
                               "--description", text, *common)
        answer = counter.till("payments", "refund", sale["id"], "--amount", "1.00", "--reason", text, *common)
        assert answer.code == 0, answer
        assert not holds((answer.out + answer.err).encode()), (text, answer)
        held = counter.succeed("sale", "--amount", "5.00", "--currency", "EUR", "--reader", "simulated", "--order",
                               f"h-{number}", *counter.MANUAL, *common)
        answer = counter.till("payments", "cancel", held["id"], *common)
        assert answer.code == 0, answer
        answer = counter.till("keys", "create", "--label", text, *common)
        assert not holds((answer.out + answer.err).encode()), (text, answer)
        names = (["staff", "add", text], ["staff", "show", text], ["staff", "set-role", text, "cashier"],
                 ["staff", "add", "Ann", "--role", text], ["roles", "set", text, "--permissions", "sell"],
                 ["roles", "remove", text])
        # Each command with a third of the ways, and each way with two of the commands.
        for named in (names[number % 6], names[(number + 3) % 6]):
            answer = counter.typed(*named, *common, text="604913\n")
            assert answer.code == 1 or text == WAYS["entity"], (named, answer)
            assert not holds((answer.out + answer.err).encode()), (named, answer)
    for named in (["staff", "add", PAN], ["roles", "set", PAN, "--permissions", "sell"]):
        assert counter.typed(*named, *common, text="604913\n").json["error"]["code"] == "card_number_refused"
    assert not search(tmp_path)
    assert counter.succeed("journal", "verify", *common)["ok"] is True


def test_a_card_number_as_the_name_of_a_request_is_replaced(server):
    answer = server.request("GET", "/v1/payments", **{"X-Request-ID": counter.CARD})
    assert answer.ok and counter.CARD not in answer.headers["X-Request-ID"]
    assert counter.CARD not in server.log.read_text()
