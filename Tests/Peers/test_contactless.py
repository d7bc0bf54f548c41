"""Data objects against pyemv, and the virtual cards' signatures against arithmetic that is not ours."""
import hashlib
import json
import random
import re
import socket
import struct
import subprocess

import pytest
from pyemv import tlv

import counter

PRIMITIVE = ["82", "84", "87", "94", "95", "9A", "9C", "5F24", "5F2A", "5F34", "9F02", "9F03", "9F10", "9F1A", "9F26",
             "9F27", "9F33", "9F34", "9F36", "9F37", "9F66", "9F6C", "9F6E", "9F7C", "DF8104", "9F38", "8C", "9F8173"]
CONSTRUCTED = ["6F", "70", "77", "61", "A5", "BF0C", "E1", "FF8105"]


def wish_list(random):
    return b"".join(
        bytes.fromhex(random.choice(PRIMITIVE)) + bytes([random.randrange(0, 12)])
        for _ in range(random.randrange(1, 9))
    )


def template(random, depth=0):
    made = {}
    for _ in range(random.randrange(1, 7)):
        if depth < 4 and random.random() < 0.3:
            made[random.choice(CONSTRUCTED)] = template(random, depth + 1)
            continue
        tag = random.choice(PRIMITIVE)
        rare = random.random() < 0.1
        length = random.choice([0, 1, 2, 6, 8, 20, 127, 128, 255, 256, 300] if rare else [0, 1, 2, 3, 5, 8])
        made[tag] = wish_list(random) if tag in ("9F38", "8C") else random.randbytes(length)
    return made


def flat(value, depth=0):
    for tag, inner in value.items():
        if isinstance(inner, dict):
            yield depth, tag, None
            yield from flat(inner, depth + 1)
        else:
            yield depth, tag, bytes(inner).hex().upper()


def wishes(text):
    """A list of tags and lengths, read here a second time."""
    data, at, found = bytes.fromhex(text), 0, []
    while at < len(data):
        start = at
        at += 1
        if data[start] & 0x1F == 0x1F:
            while data[at] & 0x80:
                at += 1
            at += 1
        found.append(f"{data[start:at].hex().upper()}:{data[at]}")
        at += 1
    return " ".join(found)


def decode(lines):
    done = subprocess.run(
        [counter.binary(), "emv", "decode", "--each-line"], input="\n".join(lines) + "\n", capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_ten_thousand_templates_read_as_pyemv_reads_them():
    source = random.Random(20261121)
    messages = [tlv.encode(template(source)) for _ in range(10_000)]
    answers = decode([message.hex() for message in messages])
    assert len(answers) == len(messages)
    lists = 0
    for message, answer in zip(messages, answers):
        expected = list(flat(tlv.decode(message)))
        assert [(o["depth"], o["tag"]) for o in answer["objects"]] == [(d, t) for d, t, _ in expected], message.hex()
        for given, (_, tag, value) in zip(answer["objects"], expected):
            # What might be a card number in a tag that nobody knows is masked.
            if value is not None and "•" not in given["value"]:
                assert given["value"] == value, message.hex()
            if tag in ("9F38", "8C"):
                assert given["meaning"] == wishes(value), message.hex()
                lists += 1
    assert lists > 3_000


def test_broken_templates_are_refused_by_both_or_read_alike():
    source = random.Random(7)
    messages = []
    for _ in range(3_000):
        message = bytearray(tlv.encode(template(source)))
        message[source.randrange(len(message))] ^= 1 << source.randrange(8)
        messages.append(bytes(message[: source.randrange(1, len(message) + 1)]))
    alike = refused = 0
    for message, answer in zip(messages, decode([m.hex() for m in messages])):
        try:
            expected = list(flat(tlv.decode(message)))
        except tlv.DecodeError:
            expected = None
        if expected is None or "error" in answer:
            refused += expected is None and "error" in answer
            continue
        tags = [(d, t) for d, t, _ in expected]
        alike += tags == [(o["depth"], o["tag"]) for o in answer["objects"]]
    # They differ on purpose in the length 80, in padding and where the same tag comes twice.
    assert refused > 1_000 and alike > 100


class Slot:
    """A reader that is not ours: it speaks with the virtual card as pcscd's driver does."""

    def __init__(self, card):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(20)
        port = self.server.getsockname()[1]
        self.process = subprocess.Popen(
            [counter.binary(), "sandbox", "card", "--card", card, "--vpcd", f"127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL
        )
        self.card, _ = self.server.accept()
        self.card.settimeout(20)
        self.send(b"\x01")

    def send(self, data):
        self.card.sendall(struct.pack(">H", len(data)) + data)

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.card.recv(count - len(data))
            assert more, "the card hung up"
            data += more
        return data

    def apdu(self, text):
        self.send(bytes.fromhex(text))
        answer = self.take(struct.unpack(">H", self.take(2))[0])
        assert answer[-2:] == b"\x90\x00", (text, answer.hex())
        return answer[:-2]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.card.close()
        self.server.close()


@pytest.fixture
def slot():
    slots = []

    def make(card):
        slots.append(Slot(card))
        return slots[-1]

    yield make
    for one in slots:
        one.close()


def authority():
    text = (counter.ROOT / "Sources/TillContactless/Virtual/VirtualTestKeys.swift").read_text()
    primes = re.search(r"authority = VirtualPrivateKey\((.*?)\)", text, re.S).group(1).split(",")
    first, second = (int("".join(re.findall(r'"([0-9A-F]+)"', prime)), 16) for prime in primes)
    return first * second


def opened(signature, modulus):
    """RSA's public operation with exponent 3, and EMV's frame around what was signed."""
    size = (modulus.bit_length() + 7) // 8
    assert len(signature) == size
    plain = pow(int.from_bytes(signature, "big"), 3, modulus).to_bytes(size, "big")
    assert plain[0] == 0x6A and plain[-1] == 0xBC
    return plain


def checked(plain, more):
    assert hashlib.sha1(plain[1:-21] + more).digest() == plain[-21:-1]
    return plain


def keys(card, signed):
    issuer = checked(opened(card["90"], authority()), card.get("92", b"") + card["9F32"])
    assert issuer[1] == 2
    first = int.from_bytes((issuer[15:-21] + card.get("92", b""))[: issuer[13]], "big")
    own = checked(opened(card["9F46"], first), card.get("9F48", b"") + card["9F47"] + signed)
    assert own[1] == 4 and own[2:12].hex().upper().rstrip("F") == card["5A"].hex().upper().rstrip("F")
    return int.from_bytes((own[21:-21] + card.get("9F48", b""))[: own[19]], "big")


def test_a_fast_card_signs_as_python_computes_it(slot):
    reader = slot("visa")
    reader.apdu("00A4040007A000000003101000")
    number, amount, currency = "DEADBEEF", "000000001250", "0978"
    asked = "23804000" + amount + "000000000000" + "0276" + "0000000000" + currency + "261121" + "00" + number
    card = tlv.decode(reader.apdu("80A8000023" + "8321" + asked + "00"), flatten=True)
    records = [reader.apdu(f"00B2{n:02X}0C00") for n in (1, 2, 3)]
    for record in records:
        card.update(tlv.decode(record, flatten=True))
    body = records[0][2:] if records[0][1] < 0x80 else records[0][3:]
    key = keys(card, body)
    signed = checked(opened(card["9F4B"], key), bytes.fromhex(number + amount + currency) + card["9F69"])
    assert signed[1] == 5


def test_a_full_card_signs_the_whole_transaction(slot):
    reader = slot("mastercard")
    reader.apdu("00A4040007A000000004101000")
    card = tlv.decode(reader.apdu("80A8000002830000"), flatten=True)
    records = [reader.apdu(f"00B2{n:02X}0C00") for n in (1, 2, 3)]
    for record in records:
        card.update(tlv.decode(record, flatten=True))
    body = records[0][2:] if records[0][1] < 0x80 else records[0][3:]
    key = keys(card, body + card["82"])
    asked = "000000001250" + "000000000000" + "0276" + "0000008000" + "0978" + "261121" + "00" + "DEADBEEF"
    answer = reader.apdu(f"80AE9000{len(asked) // 2:02X}" + asked + "00")
    said = tlv.decode(answer, flatten=True)
    signed = checked(opened(said["9F4B"], key), bytes.fromhex("DEADBEEF"))
    dynamic = signed[4 : 4 + signed[3]]
    after = dynamic[1 + dynamic[0] :]
    assert after[:1] == said["9F27"]
    others = b"".join(tlv.encode({tag: said[tag]}) for tag in ("9F27", "9F36", "9F10"))
    assert hashlib.sha1(bytes.fromhex(asked) + others).digest() == after[9:29]
