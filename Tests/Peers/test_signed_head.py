"""The signed head of a journal by another hand: Python's cryptography verifies the line and makes lines of its own, and
files are changed, and put back, as somebody with access to the machine could do it.
"""
import os
import re
import shutil
import stat

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import counter

LINE = re.compile(
    rb"(till-head/2 journal=([0-9a-f]{16}) sequence=([0-9]+) hash=([0-9a-f]{64}) audit=[0-9]+ audit_hash=[0-9a-f]{64}"
    rb" time=(\S+) key=([0-9a-f]{16}))"
    rb" signature=([0-9a-f]{128})\n")


class Till:
    def __init__(self, folder):
        self.folder, self.path = folder, folder / "journal.db"
        self.key, self.line = folder / "signing.key", folder / "line.txt"
        self.public = folder / "signing.key.pub"

    def __call__(self, *arguments, env=None):
        return counter.till(*arguments, "--journal", self.path, "--json", env=env)

    def sell(self, order):
        sold = self("sale", "--amount", "12.50", "--currency", "EUR", "--card-number", counter.CARD, "--expiry",
                    "12/30", "--cvc", "123", "--order", order, "--provider", "sandbox")
        assert sold.code == 0, sold

    def sign(self):
        """The head as it stands now, signed, into the file of the line."""
        made = counter.till("journal", "head", "--sign-with", self.key, "--journal", self.path)
        assert made.code == 0, made
        self.line.write_text(made.out)
        return made.out.encode()

    def verify(self):
        return self("journal", "verify", "--signed-head", self.line, "--public-key", self.public)


@pytest.fixture
def shop(tmp_path):
    shop = Till(tmp_path)
    made = shop("journal", "head", "--new-key", shop.key)
    assert made.code == 0, made
    assert stat.S_IMODE(shop.key.stat().st_mode) == 0o600
    for order in ("one", "two"):
        shop.sell(order)
    return shop


def public_key(shop):
    return serialization.load_pem_public_key(shop.public.read_bytes())


def key_id(key):
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    digest = hashes.Hash(hashes.SHA256())
    digest.update(raw)
    return digest.finalize()[:8].hex().encode()


def test_another_hand_verifies_the_line_and_no_other(shop):
    line = shop.sign()
    signed, journal, sequence, digest, _, key, signature = LINE.fullmatch(line).groups()
    public = public_key(shop)
    public.verify(bytes.fromhex(signature.decode()), signed)
    for place in range(len(signed)):
        changed = bytearray(signed)
        changed[place] ^= 1
        with pytest.raises(InvalidSignature):
            public.verify(bytes.fromhex(signature.decode()), bytes(changed))
    assert key == key_id(public)
    private = serialization.load_pem_private_key(shop.key.read_bytes(), None)
    assert private.public_key() == public
    answer = shop.verify()
    assert answer.code == 0 and answer.json["head"] == f"{sequence.decode()}:{digest.decode()}", answer
    assert answer.json["signed_head"]["key"] == key.decode() and answer.json["journal"] == journal.decode(), answer
    unsigned = shop("journal", "head")
    assert unsigned.json["head"] == answer.json["head"] and unsigned.json["signed_head"] is None, unsigned


@pytest.mark.parametrize("part", ["journal", "sequence", "hash", "time", "key", "signature"])
def test_a_changed_byte_is_refused(shop, part):
    line = shop.sign().decode()
    value = re.search(rf" {part}=(\S+)", line)
    place = value.start(1)
    other = "1" if line[place] != "1" else "2"
    shop.line.write_text(line[:place] + other + line[place + 1:])
    answer = shop.verify()
    assert answer.code == 1, answer
    assert answer.json["error"]["code"] in {
        "signed_head_forged", "signed_head_other_key", "signed_head_unreadable"}, answer
    assert answer.json["error"]["money_moved"] == "no"


def test_a_line_by_another_key_is_refused_and_one_by_python_is_taken(shop):
    signed = LINE.fullmatch(shop.sign()).group(1)
    foreign = Ed25519PrivateKey.generate()
    forged = signed[:-16] + key_id(foreign.public_key())
    shop.line.write_bytes(forged + b" signature=" + foreign.sign(forged).hex().encode() + b"\n")
    answer = shop.verify()
    assert answer.code == 1 and answer.json["error"]["code"] == "signed_head_other_key", answer
    # With our key's name in it and the foreign signature.
    shop.line.write_bytes(signed + b" signature=" + foreign.sign(signed).hex().encode() + b"\n")
    answer = shop.verify()
    assert answer.code == 1 and answer.json["error"]["code"] == "signed_head_forged", answer
    shop.public.write_bytes(foreign.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    shop.line.write_bytes(forged + b" signature=" + foreign.sign(forged).hex().encode() + b"\n")
    assert shop.verify().code == 0


def test_an_older_backup_that_was_put_back_is_found(shop):
    older = shop.folder / "older.db"
    counter.succeed("journal", "backup", older, "--journal", shop.path, "--json")
    shop.sell("three")
    shop.sign()
    assert shop.verify().code == 0
    # Every trace beside the journal goes, too: only the line knows.
    for file in shop.folder.glob("journal.db*"):
        file.unlink()
    shutil.copy(older, shop.path)
    assert shop("journal", "verify").code == 0, "the backup alone is sound"
    answer = shop.verify()
    assert answer.code == 1 and any("its end was cut off" in p for p in answer.json["problems"]), answer


def test_the_line_of_another_journal_is_found(shop):
    shop.sign()
    shop.path = shop.folder / "other.db"
    for order in ("one", "two", "three"):
        shop.sell(order)
    answer = shop.verify()
    assert answer.code == 1, answer
    assert any("is of the journal" in p for p in answer.json["problems"]), answer


def test_a_key_that_others_may_read_signs_nothing(shop):
    for mode in (0o640, 0o604):
        os.chmod(shop.key, mode)
        answer = shop("journal", "head", "--sign-with", shop.key)
        assert answer.code == 1 and answer.json["error"]["code"] == "signing_key_exposed", answer
    env = {"TILL_JOURNAL_SIGNING_KEY": str(shop.key)}
    refused = shop("journal", "backup", shop.folder / "copy.db", env=env)
    assert refused.code == 1 and refused.json["error"]["code"] == "signing_key_exposed", refused
    assert not (shop.folder / "copy.db").exists(), "a key that cannot be used is found before anything is copied"


def test_a_key_is_never_written_over(shop):
    before = shop.key.read_bytes()
    answer = shop("journal", "head", "--new-key", shop.key)
    assert answer.code == 1 and answer.json["error"]["code"] == "file_exists", answer
    assert shop.key.read_bytes() == before


def test_a_backup_gets_its_signed_head(shop):
    copy = shop.folder / "copy.db"
    env = {"TILL_JOURNAL_SIGNING_KEY": str(shop.key)}
    made = shop("journal", "backup", copy, env=env)
    assert made.code == 0, made
    shop.line = shop.folder / "copy.db.signed-head"
    assert made.json["signed_head_file"] == str(shop.line)
    signed, _, sequence, digest, _, _, signature = LINE.fullmatch(shop.line.read_bytes()).groups()
    public_key(shop).verify(bytes.fromhex(signature.decode()), signed)
    assert made.json["head"] == f"{sequence.decode()}:{digest.decode()}"
    shop.sell("three")
    assert shop.verify().code == 0, "the head of the backup is in the chain that went on"
    restored = shop.folder / "restored" / "journal.db"
    counter.succeed("restore", copy, "--head", made.json["head"], "--journal", restored, "--json")
    shop.path = restored
    assert shop.verify().code == 0


@pytest.mark.parametrize("arguments", [
    ["verify", "--signed-head", "x"], ["verify", "--public-key", "x"],
    ["verify", "--head", "1:00", "--signed-head", "x", "--public-key", "y"],
    ["head", "--sign-with", "a", "--new-key", "b"],
])
def test_what_does_not_go_together_is_a_mistake_of_the_command_line(tmp_path, arguments):
    answer = counter.till("journal", *arguments, "--journal", tmp_path / "journal.db")
    assert answer.code == 64 and not (tmp_path / "journal.db").exists(), answer
