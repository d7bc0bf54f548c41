"""Receipts by e-mail against a mail server by other hands (aiosmtpd), with what can go wrong between."""
import email
import email.policy
import json
import os
import socket
import subprocess
import threading
import time

import pytest
import requests

import counter
import mail_server


@pytest.fixture
def post():
    return mail_server.Post()


@pytest.fixture
def sold(tmp_path):
    def till(*arguments, env=None):
        return subprocess.run(
            [counter.binary(), *map(str, arguments)], capture_output=True, text=True, timeout=60,
            env={**os.environ, "TILL_JOURNAL": str(tmp_path / "journal.sqlite"), "TILL_STORE": "Café “Zur Post”",
                 "TILL_STORE_ADDRESS": "Road 1\\nTown", **(env or {})})

    done = till("sale", "--amount", "12.50", "--currency", "EUR", "--reader", "simulated", "--json",
                "--description", "<script>alert(1)</script>\r\nBcc: eve@example.com")
    assert done.returncode == 0, done.stderr
    till.payment = json.loads(done.stdout)["payment_id"]
    till.folder = tmp_path
    return till


def send(till, env, *more):
    done = till("receipts", "send", till.payment, "--to", mail_server.CUSTOMER, "--json", *more, env=env)
    return done.returncode, json.loads(done.stdout)


def unchanged(till):
    done = till("payments", "show", till.payment, "--json")
    assert json.loads(done.stdout)["status"] == "succeeded"


def nowhere(folder, text):
    """Not in any file that was left, the journal's among them."""
    for file in folder.rglob("*"):
        if file.is_file():
            assert text.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize("excluded", [[], ["PLAIN"]])
def test_a_receipt_arrives_whole_over_tls_with_a_sign_in(sold, post, tmp_path_factory, security, excluded):
    chain, key, authority = mail_server.certificate(tmp_path_factory.mktemp("tls"), "localhost")
    server = mail_server.serve(post, chain, key, is_tls=security == "tls", offers=excluded)
    password = tmp_path_factory.mktemp("secret") / "password"
    password.write_text(mail_server.PASSWORD + "\n")
    try:
        code, told = send(sold, mail_server.settings(
            server.port, security=security, user="shop", password_file=password, authority_file=authority))
    finally:
        server.stop()
    assert (code, told["state"]) == (0, "sent"), told
    assert post.users == [("LOGIN" if excluded else "PLAIN", True)]
    [letter] = post.letters
    assert (letter.mail_from, letter.rcpt_tos) == (mail_server.SHOP, [mail_server.CUSTOMER])
    message = email.message_from_bytes(letter.content, policy=email.policy.default)
    assert message.defects == [] and message["Bcc"] is None
    assert message["To"].addresses[0].addr_spec == mail_server.CUSTOMER
    assert message["From"].addresses[0].display_name == "Café “Zur Post”"
    assert "Café “Zur Post”" in message["Subject"]
    assert message["Date"].datetime and message["Message-ID"].endswith("@shop.example>")
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    plain, page = (part.get_content() for part in parts)
    assert "TOTAL EUR" in plain and "€12.50" in plain and sold.payment in plain and sold.payment in page
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    assert max(len(line) for line in letter.content.split(b"\r\n")) <= 78
    assert told["to"] == "a•••@customer.example"
    nowhere(sold.folder, "lovelace")
    nowhere(sold.folder, mail_server.PASSWORD)
    listed = sold("receipts", "sent", sold.payment)
    assert "a•••@customer.example  sent" in listed.stdout and "lovelace" not in listed.stdout


@pytest.mark.parametrize("fault,words", [("RCPT", "refused"), ("DATA", "refused")])
def test_a_refusal_is_told_without_the_address_and_can_be_tried_again(sold, post, fault, words):
    post.refusal = fault
    server = mail_server.serve(post)
    try:
        env = mail_server.settings(server.port, security="none")
        code, told = send(sold, env)
        assert (code, told["state"]) == (1, "failed") and words in told["message"]
        assert "lovelace" not in json.dumps(told)
        unchanged(sold)
        post.refusal = None
        assert send(sold, env)[1]["state"] == "sent"
    finally:
        server.stop()
    assert len(post.letters) == 1
    nowhere(sold.folder, "lovelace")


def test_a_wrong_certificate_a_wrong_name_and_no_encryption_send_nothing(sold, post, tmp_path_factory):
    chain, key, authority = mail_server.certificate(tmp_path_factory.mktemp("tls"), "localhost")
    other = mail_server.certificate(tmp_path_factory.mktemp("tls"), "elsewhere.example")
    for files, roots, security in [
        ((chain, key), None, "starttls"), ((chain, key), None, "tls"),
        ((other[0], other[1]), other[2], "starttls"), ((other[0], other[1]), other[2], "tls"),
    ]:
        server = mail_server.serve(post, *files, is_tls=security == "tls")
        more = {"authority_file": roots} if roots else {}
        try:
            code, told = send(sold, mail_server.settings(
                server.port, security=security, user="shop", password=mail_server.PASSWORD, **more))
        finally:
            server.stop()
        assert code == 1 and "certificate" in told["message"], told
    server = mail_server.serve(post)
    try:
        code, told = send(sold, mail_server.settings(server.port, user="shop", password=mail_server.PASSWORD))
        assert code == 1 and "would not be encrypted" in told["message"], told
    finally:
        server.stop()
    # A server that is not on this machine gets nothing in clear, whatever is set.
    refused = sold("receipts", "send", sold.payment, "--to", mail_server.CUSTOMER, "--json",
                   env={**mail_server.settings(25, security="none"), "TILL_SMTP_HOST": "mail.example"})
    assert refused.returncode == 1 and json.loads(refused.stdout)["error"]["code"] == "invalid_setting"
    assert post.letters == [] and post.users == []
    unchanged(sold)


class Rogue(threading.Thread):
    """A mail server that says its part of a talk and then does as it likes."""

    def __init__(self, script, ending="close"):
        super().__init__(daemon=True)
        self.script, self.ending = script, ending
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heard = b""
        self.start()

    def run(self):
        line, _ = self.listener.accept()
        with line:
            for wait, answer in self.script:
                while wait and wait not in self.heard:
                    more = line.recv(65536)
                    if not more:
                        return
                    self.heard += more
                line.sendall(answer)
            if self.ending == "silence":
                while True:
                    try:
                        more = line.recv(65536)
                    except OSError:
                        return
                    if not more:
                        return
                    self.heard += more
            if self.ending == "reset":
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


HELLO = [(b"", b"220 mail\r\n"), (b"EHLO", b"250-mail\r\n250 SIZE 10000000\r\n")]
ASKED = [*HELLO, (b"MAIL", b"250 ok\r\n"), (b"RCPT", b"250 ok\r\n"), (b"DATA", b"354 go\r\n")]


@pytest.mark.parametrize(
    "script,ending,state",
    [
        ([], "close", "failed"),
        ([(b"", b"554 go away\r\n")], "close", "failed"),
        ([(b"", b"HTTP/1.1 400 Bad Request\r\n")], "close", "failed"),
        ([(b"", b"220 " + b"x" * 100_000)], "close", "failed"),
        (HELLO, "close", "failed"),
        ([*HELLO, (b"MAIL", b"250 ok\r\n"), (b"RCPT", b"250 ok\r\n")], "close", "failed"),
        ([*ASKED, (b"MIME-Version", b"")], "reset", "not sent"),
        ([*ASKED, (b"\r\n.\r\n", b"")], "close", "may_have_been_sent"),
        ([*ASKED, (b"\r\n.\r\n", b"nonsense\r\n")], "close", "may_have_been_sent"),
        ([*ASKED, (b"\r\n.\r\n", b"552 too big\r\n")], "close", "failed"),
        ([*ASKED, (b"\r\n.\r\n", b"250 ok\r\n")], "close", "sent"),
    ],
)
def test_a_talk_that_breaks_off_says_what_is_known(sold, script, ending, state):
    rogue = Rogue(script, ending)
    code, told = send(sold, mail_server.settings(rogue.port, security="none"))
    if state == "not sent":  # The point may be on its way before the reset is seen: either is true, neither is "sent".
        assert told["state"] in ("failed", "may_have_been_sent"), told
    else:
        assert told["state"] == state, told
        assert code == {"sent": 0, "failed": 1, "may_have_been_sent": 3}[state]
    if told["state"] == "may_have_been_sent":
        assert "may have been sent" in told["message"] and "before you send it again" in told["message"]
    unchanged(sold)
    listed = json.loads(sold("receipts", "sent", sold.payment, "--json").stdout)["mails"]
    assert [mail["state"] for mail in listed] == [told["state"]]


def test_words_before_the_encryption_end_the_talk(sold):
    rogue = Rogue([
        (b"", b"220 mail\r\n"), (b"EHLO", b"250-mail\r\n250 STARTTLS\r\n"),
        (b"STARTTLS", b"220 go\r\n250-mail\r\n250 AUTH PLAIN\r\n"),
    ], "silence")
    code, told = send(sold, mail_server.settings(rogue.port, user="shop", password=mail_server.PASSWORD))
    assert code == 1 and "before the encryption" in told["message"], told
    assert b"AUTH" not in rogue.heard and b"MAIL" not in rogue.heard


def test_one_killed_while_it_sent_may_have_been_sent(sold):
    rogue = Rogue(ASKED, "silence")
    process = subprocess.Popen(
        [counter.binary(), "receipts", "send", sold.payment, "--to", mail_server.CUSTOMER], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TILL_JOURNAL": str(sold.folder / "journal.sqlite"),
        **mail_server.settings(rogue.port, security="none")})
    end = time.monotonic() + 20
    while b"\r\n.\r\n" not in rogue.heard and time.monotonic() < end:
        time.sleep(0.02)
    assert "sending" in sold("receipts", "sent", sold.payment).stdout
    again = sold("receipts", "send", sold.payment, "--to", mail_server.CUSTOMER, "--json",
                 env=mail_server.settings(rogue.port, security="none"))
    assert json.loads(again.stdout)["error"]["code"] == "mail_under_way"
    process.kill()
    process.wait()
    [mail] = json.loads(sold("receipts", "sent", sold.payment, "--json").stdout)["mails"]
    assert mail["state"] == "may_have_been_sent"
    nowhere(sold.folder, "lovelace")


@pytest.mark.parametrize("bad", ["a@b", "a b@c.example", "a@b.example\r\nBcc: e@e.example", "<a@b.example>",
                                 "a@b.example,e@e.example", "ä@b.example", "a" * 300 + "@b.example"])
def test_what_is_no_address_is_refused_before_anybody_is_asked(sold, bad):
    done = sold("receipts", "send", sold.payment, f"--to={bad}", "--json", env=mail_server.settings(9, security="none"))
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == "invalid_address"


def test_the_counter_sends_and_lists_with_the_address_masked(tmp_path, post):
    server = mail_server.serve(post)
    env = {**mail_server.settings(server.port, security="none"), "TILL_STORE": "Tea", "TILL_LOG_LEVEL": "trace"}
    try:
        with counter.Server(tmp_path, env=env) as till:
            made = till.create("o-1", "k1").json()["id"]
            assert till.confirm(made, "k2").status_code == 200
            path = f"/v1/payments/{made}/receipt"
            answer = till.request("POST", path + "/send", {"to": mail_server.CUSTOMER})
            assert answer.status_code == 200 and answer.json()["state"] == "sent", answer.text
            assert till.request("POST", path + "/send", {"to": "x"}).status_code == 422
            assert till.request("POST", path + "/send", {"to": mail_server.CUSTOMER, "subject": "x"}).status_code == 422
            listed = till.request("GET", path + "/mails").json()
            assert listed["can_send"] and listed["mails"][0]["to"] == "a•••@customer.example"
            post.refusal = "RCPT"
            answer = till.request("POST", path + "/send", {"to": mail_server.CUSTOMER})
            assert answer.status_code == 200 and answer.json()["state"] == "failed"
            assert "lovelace" not in answer.text
            assert requests.post(till.url + path + "/send", json={"to": mail_server.CUSTOMER}, timeout=5,
                                 headers={"Authorization": "Bearer wrong"}).status_code == 401
            figures = till.request("GET", "/metrics").text
    finally:
        server.stop()
    assert len(post.letters) == 1 and "lovelace" not in figures
    nowhere(tmp_path, "lovelace")


def test_a_counter_without_a_mail_server_says_so(tmp_path):
    with counter.Server(tmp_path) as till:
        made = till.create("o-1", "k1").json()["id"]
        answer = till.request("POST", f"/v1/payments/{made}/receipt/send", {"to": mail_server.CUSTOMER})
        assert answer.status_code == 409 and answer.json()["code"] == "mail_not_configured"
