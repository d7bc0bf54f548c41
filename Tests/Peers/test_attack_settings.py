"""A settings file that another user of the machine has written, or can write, and keys that would go to somebody else
than their provider. Both ways: a clerk in a folder of somebody else's, and root in a folder of a clerk's."""
import json
import os
import pathlib
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import counter
from tls import Authority

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becomes other users, as root may")

CLERK, STRANGER = 61_001, 61_002  # users of the machine without a name
UNTRUSTED = 78
LIVE_KEY = "sk_live_MARKED_0a1b2c3d4e5f"
SALE = ["sale", "--amount", "12.50", "--currency", "EUR", "--card-number", counter.CARD, "--expiry", "12/30", "--cvc",
        "123", "--provider", "stripe"]


class Thief(BaseHTTPRequestHandler):
    """Whoever waits where a settings file sends the key."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.stolen.append((self.headers.get("Authorization"), body))
        self.send_response(402)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def thief():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Thief)
    server.stolen, server.url = [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def place():
    """A folder that every user can pass, below one that only root can write."""
    with tempfile.TemporaryDirectory(prefix="till-settings-", dir="/var/lib") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def give(path, user, mode):
    os.chown(path, user, user, follow_symlinks=False)
    if not path.is_symlink():
        path.chmod(mode)
    return path


def folder(path, user, mode=0o755):
    path.mkdir()
    return give(path, user, mode)


def written(path, text, user, mode=0o644):
    path.write_text(text)
    return give(path, user, mode)


def till(*arguments, user, cwd, env=None, umask=0o022):
    """The command as another user, in a folder."""
    arguments = [str(a) for a in arguments]
    done = subprocess.run(
        [counter.public_binary(), *arguments], capture_output=True, text=True, timeout=60, cwd=cwd, user=user,
        group=user, extra_groups=[], umask=umask,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "LANG": "C.UTF-8", **(env or {})})
    return counter.Answer(arguments, done)


def refused(answer, what, *words):
    assert answer.code == UNTRUSTED, answer
    error = answer.json["error"]
    assert error["code"] == what and error["money_moved"] == "no", answer
    said = error["what"] + " " + error["next"]
    assert all(word in said for word in words), answer
    return answer


@pytest.mark.parametrize("caller, owner", [(CLERK, STRANGER), (0, CLERK)], ids=["clerk", "root"])
@pytest.mark.parametrize("by", ["here", "option", "variable"])
def test_a_file_of_another_user_sends_no_key_anywhere(place, thief, caller, owner, by):
    trap = folder(place / "trap", owner)
    settings = written(trap / "till.json", json.dumps({"stripe": {"url": thief.url}}), owner)
    home = folder(place / "home", caller)
    env = {"TILL_STRIPE_KEY": LIVE_KEY}
    more = ["--journal", home / "journal.db", "--json"]
    if by == "option":
        more += ["--config", settings]
    if by == "variable":
        env["TILL_CONFIG"] = str(settings)
    answer = till(*SALE, *more, user=caller, cwd=trap if by == "here" else home, env=env)
    refused(answer, "untrusted_file", "till.json", "chown")
    assert not thief.stolen
    assert not (home / "journal.db").exists()
    doctor = till("doctor", *more, user=caller, cwd=trap if by == "here" else home, env=env)
    refused(doctor, "untrusted_file", "till.json")


def layouts(place, user, other):
    """Settings files that others have a hand in, each with the word that its refusal has."""
    text = json.dumps({"store": "Trap"})
    yield written(folder(place / "a", user) / "till.json", text, user, 0o664), "chmod go-w"
    yield written(folder(place / "b", user) / "till.json", text, user, 0o646), "chmod go-w"
    yield written(folder(place / "c", user, 0o775) / "till.json", text, user), "chmod go-w"
    yield written(folder(place / "d", user, 0o777) / "till.json", text, user), "chmod go-w"
    # A folder further up that another user can rename.
    foreign = folder(place / "e", other)
    yield written(folder(foreign / "own", user) / "till.json", text, user), "belongs to"
    # A link that another user has set, in a folder where everybody may, to a file of the caller's.
    shared = folder(place / "f", 0, 0o1777)
    own = written(folder(place / "g", user) / "till.json", text, user)
    link = shared / "till.json"
    link.symlink_to(own)
    yield give(link, other, 0), "belongs to"
    # The caller's own link to what another user wrote.
    theirs = written(folder(place / "h", other) / "till.json", text, other)
    link = folder(place / "i", user) / "till.json"
    link.symlink_to(theirs)
    yield give(link, user, 0), "belongs to"
    # A second name of a file of the caller's, where everybody may put names.
    os.link(own, shared / "second.json")
    yield shared / "second.json", "second name"


@pytest.mark.parametrize("caller, owner", [(CLERK, STRANGER), (0, CLERK)], ids=["clerk", "root"])
def test_a_file_that_others_can_change_or_put_there_is_not_read(place, caller, owner):
    for settings, word in layouts(place, caller, owner):
        answer = till("providers", "--json", "--journal", place / "j.db", "--config", settings, user=caller, cwd="/")
        refused(answer, "untrusted_file", word)


@pytest.mark.parametrize("caller", [CLERK, 0], ids=["clerk", "root"])
def test_files_of_the_caller_and_of_root_are_read(place, caller):
    home = folder(place / "home", caller, 0o700)
    text = json.dumps({"store": "Corner"})
    shared = folder(place / "shared", 0, 0o1777)
    own = written(home / "till.json", text, caller, 0o600)
    link = home / "link.json"
    link.symlink_to("../home/./till.json")
    give(link, caller, 0)
    roots = written(folder(place / "etc", 0) / "till.json", text, 0)
    for settings in (own, link, written(shared / "till.json", text, caller, 0o600), roots):
        answer = till("doctor", "--json", "--journal", home / "j.db", "--config", settings, user=caller, cwd=home)
        assert answer.code == 0, answer
        stores = [entry["value"] for entry in answer.json["settings"] if entry["key"] == "store"]
        assert stores == ["Corner"], answer
    here = till("doctor", "--json", "--journal", home / "j.db", user=caller, cwd=home)
    assert here.json["settings_file"] == "till.json", here
    pipe = home / "pipe.json"
    os.mkfifo(pipe)
    give(pipe, caller, 0o600)
    held = till("doctor", "--json", "--journal", home / "j.db", "--config", pipe, user=caller, cwd=home)
    assert held.code == 1 and held.json["error"]["code"] == "settings_file_unreadable", held


def test_a_secret_that_others_wrote_or_can_read_is_not_taken(place):
    home = folder(place / "home", CLERK)
    more = ["--json", "--journal", home / "j.db"]
    for name, owner, mode, word in (("theirs", STRANGER, 0o600, "unreadable"), ("open", CLERK, 0o644, "chmod o-r"),
                                    ("written", CLERK, 0o620, "chmod go-w")):
        key = written(home / name, "sk_test_of_a_file", owner, mode)
        answer = till("doctor", *more, user=CLERK, cwd=home, env={"TILL_STRIPE_KEY_FILE": str(key)})
        if word == "unreadable":
            assert answer.code == 1 and answer.json["error"]["code"] == "invalid_setting", answer
        else:
            refused(answer, "untrusted_file", word)
            assert "sk_test_of_a_file" not in answer.out + answer.err
    theirs = written(home / "readable", "sk_test_of_a_file", STRANGER, 0o644)
    refused(till("doctor", *more, user=CLERK, cwd=home, env={"TILL_STRIPE_KEY_FILE": str(theirs)}), "untrusted_file",
            "belongs to")
    # Nobody else gets to a file below a folder that only its owner passes.
    closed = folder(home / "closed", CLERK, 0o700)
    for key in (written(closed / "key", "sk_test_of_a_file", CLERK, 0o644),
                written(home / "group", "sk_test_of_a_file", CLERK, 0o640)):
        answer = till("doctor", *more, user=CLERK, cwd=home, env={"TILL_STRIPE_KEY_FILE": str(key)})
        assert answer.code == 0, answer


def test_keys_of_certificates_are_looked_at_like_other_secrets(place):
    home = folder(place / "home", CLERK)
    certificate, key = Authority(home).issue("till")
    for file in (certificate, key):
        give(file, CLERK, 0o644)
    serve = ["serve", "--json", "--port", counter.free_port(), "--journal", home / "j.db", "--tls-certificate",
             certificate, "--tls-key", key]
    refused(till(*serve, user=CLERK, cwd=home), "untrusted_file", "chmod o-r")
    give(key, STRANGER, 0o644)
    refused(till(*serve, user=CLERK, cwd=home), "untrusted_file", "belongs to")
    give(key, CLERK, 0o644)
    apple = written(home / "apple.json", json.dumps({
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP", "domains": [
            {"name": "shop.example", "merchant": "merchant.example", "identities": [
                {"certificate": str(certificate), "key": str(key)}]}]}), CLERK)
    doctor = ["applepay", "doctor", "--settings", apple, "--json"]
    refused(till(*doctor, user=CLERK, cwd=home), "untrusted_file", "chmod o-r")
    give(apple, STRANGER, 0o644)
    refused(till(*doctor, user=CLERK, cwd=home), "untrusted_file", "belongs to")


def test_a_live_key_goes_to_its_providers_own_hosts_only(tmp_path, thief):
    settings = tmp_path / "till.json"
    journal = ["--journal", tmp_path / "journal.db", "--json"]
    live = {"TILL_STRIPE_KEY": LIVE_KEY, "TILL_CONFIG": str(settings)}
    for url in (thief.url, "https://api.stripe.com.example", "https://evil.example"):
        settings.write_text(json.dumps({"stripe": {"url": url}}))
        answer = counter.till(*SALE, *journal, env=live)
        refused(answer, "foreign_provider_host", "live", "TILL_PROVIDER_HOSTS")
        assert LIVE_KEY not in answer.out + answer.err
    # A file cannot say that it may.
    settings.write_text(json.dumps({"stripe": {"url": thief.url}, "provider_hosts": "127.0.0.1"}))
    answer = counter.till(*SALE, *journal, env=live)
    assert answer.code == 1 and answer.json["error"]["code"] == "invalid_setting", answer
    assert not thief.stolen
    # A test key goes to a stand-in on this machine, and to no other.
    settings.write_text(json.dumps({"stripe": {"url": "https://stripe.example"}}))
    test = {"TILL_STRIPE_KEY": "sk_test_marked", "TILL_CONFIG": str(settings)}
    refused(counter.till(*SALE, *journal, env=test), "foreign_provider_host", "stripe.example")
    settings.write_text(json.dumps({"stripe": {"url": thief.url}}))
    counter.till(*SALE, *journal, env=test)
    assert thief.stolen and all(LIVE_KEY not in (key or "") for key, _ in thief.stolen)
    thief.stolen.clear()
    # The operator may say otherwise, where the program is started.
    journal = ["--journal", tmp_path / "live.db", "--json"]
    for more, env in ((["--provider-hosts", "127.0.0.1"], {}), ([], {"TILL_PROVIDER_HOSTS": "127.0.0.1"})):
        counter.till(*SALE, *journal, *more, env={**live, **env})
        assert any(LIVE_KEY in (key or "") for key, _ in thief.stolen)
        thief.stolen.clear()


@pytest.mark.parametrize("env", [
    {"TILL_PAYPAL_CLIENT_ID": "client", "TILL_PAYPAL_SECRET": "secret", "TILL_PAYPAL_URL": "https://paypal.example"},
    {"TILL_BRAINTREE_MERCHANT_ID": "shop", "TILL_BRAINTREE_PUBLIC_KEY": "public",
     "TILL_BRAINTREE_PRIVATE_KEY": "private", "TILL_BRAINTREE_URL": "https://braintree.example"},
    {"TILL_ADYEN_MERCHANT_ACCOUNT": "shop", "TILL_ADYEN_KEY": "key",
     "TILL_ADYEN_URL": "https://x-test.adyen.example/checkout"},
], ids=["paypal", "braintree", "adyen"])
def test_every_provider_has_hosts_of_its_own(tmp_path, env):
    answer = counter.till("doctor", "--json", "--journal", tmp_path / "j.db", env=env)
    refused(answer, "foreign_provider_host", ".example")
