"""The counter speaks TLS itself: what it speaks is judged by sslscan, what it shows by Python's ssl and by curl-like
clients, and its certificate is replaced while it sells."""
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
import xml.etree.ElementTree as xml

import pytest
import requests

import counter
import tls
from slow_clients import FILES, Attack


class SecureServer(counter.Server):
    """`till serve` with a certificate; its clients know the authority."""

    def __init__(self, folder, *flags, **options):
        self.authority = tls.Authority(folder)
        issued = self.authority.issue("first")
        self.certificate, self.key = folder / "tls.pem", folder / "tls.key"
        for source, target in zip(issued, (self.certificate, self.key), strict=True):
            shutil.copy(source, target)
        super().__init__(
            folder, "--provider", "sandbox", "--tls-certificate", self.certificate, "--tls-key", self.key, *flags,
            **options)
        self.url = f"https://localhost:{self.port}"
        os.environ["REQUESTS_CA_BUNDLE"] = str(self.authority.certificate)

    def stop(self):
        os.environ.pop("REQUESTS_CA_BUNDLE", None)
        super().stop()

    def replace(self, certificate, key):
        for source, target in ((key, self.key), (certificate, self.certificate)):
            new = target.with_suffix(".new")
            shutil.copy(source, new)
            new.rename(target)

    def shown(self):
        """The certificate of a new connection, as Python reads it."""
        context = ssl.create_default_context(cafile=self.authority.certificate)
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as plain, \
                context.wrap_socket(plain, server_hostname="localhost") as one:
            return one.getpeercert()

    def name(self):
        return dict(part[0] for part in self.shown()["subject"])["commonName"]


@pytest.fixture
def server(tmp_path):
    with SecureServer(tmp_path) as running:
        yield running


def metric(server, name):
    text = server.request("GET", "/metrics").text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))


def test_a_sale_over_tls(server):
    made = server.create("tls", "c-tls")
    assert made.status_code == 201
    assert server.confirm(made.json()["id"], "p-tls", counter.CARD_TENDER).json()["status"] == "succeeded"
    assert made.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert f"https://127.0.0.1:{server.port}" in server.log.read_text()
    assert "TLS: on" in server.log.read_text()
    ends = ssl.cert_time_to_seconds(server.shown()["notAfter"])
    assert metric(server, "till_tls_certificate_expires_timestamp_seconds") == ends
    signed = requests.post(server.url + "/session", json={"key": server.api_key}, headers={"X-Till-Page": "1"},
                           timeout=10)
    assert signed.status_code == 204 and "Secure" in signed.headers["Set-Cookie"]
    # Who does not know the authority is not served, and who speaks HTTP gets no answer.
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(server.url + "/healthz", timeout=10, verify="/etc/ssl/certs/ca-certificates.crt")
    with pytest.raises(requests.ConnectionError):
        requests.get(f"http://127.0.0.1:{server.port}/healthz", timeout=10)


def test_what_sslscan_finds_is_sound(server):
    told = subprocess.run(
        ["sslscan", "--xml=-", "--no-colour", f"127.0.0.1:{server.port}"], capture_output=True, text=True, timeout=120)
    found = xml.fromstring(told.stdout[told.stdout.index("<?xml"):])
    spoken = {f"{p.get('type')} {p.get('version')}" for p in found.iter("protocol") if p.get("enabled") == "1"}
    assert spoken == {"tls 1.2", "tls 1.3"}, spoken
    ciphers = list(found.iter("cipher"))
    assert ciphers
    for cipher in ciphers:
        name = cipher.get("cipher")
        assert int(cipher.get("bits")) >= 128 and cipher.get("strength") in ("strong", "acceptable"), name
        assert "GCM" in name or "CHACHA20" in name, name
        assert name.startswith(("TLS_", "ECDHE")), f"{name} has no forward secrecy"
    assert not any(r.get("supported") == "1" for r in found.iter("renegotiation") if r.get("secure") != "1")
    assert not any(h.get("vulnerable") == "1" for h in found.iter("heartbleed"))
    assert not any(c.get("supported") == "1" for c in found.iter("compression"))


def test_a_new_certificate_is_shown_while_sales_go_on(server):
    stop, sold, lost = threading.Event(), [], []

    def sell():
        while not stop.is_set():
            number = len(sold)
            try:
                made = server.create(f"r-{number}", f"c-{number}").json()["id"]
                paid = server.confirm(made, f"p-{number}", counter.CARD_TENDER).json()
                sold.append(paid["status"])
            except (requests.RequestException, KeyError) as error:
                lost.append(error)
                return

    selling = threading.Thread(target=sell)
    selling.start()
    try:
        assert server.name() == "first"
        server.replace(*server.authority.issue("second"))
        assert counter.until(lambda: server.name() == "second", 15)
    finally:
        time.sleep(0.5)
        stop.set()
        selling.join(20)
    assert not lost and len(sold) > 5 and set(sold) == {"succeeded"}, lost


def test_bad_files_keep_the_certificate_that_is_there(server):
    before = metric(server, "till_tls_certificate_expires_timestamp_seconds")
    good = server.authority.issue("good")
    expired = server.authority.issue("expired", ends="20240101000000Z")
    other = server.authority.issue("other")
    torn = server.folder / "torn.pem"
    torn.write_bytes(good[0].read_bytes()[:300])
    for certificate, key, word in (
        (torn, good[1], "no certificate"), (good[0], other[1], "not that of"), (*expired, "expired on"),
        (good[0], torn, "no private key"),
    ):
        server.replace(certificate, key)
        ready = counter.until(lambda word=word: word in requests.get(server.url + "/readyz", timeout=10).text, 15)
        assert ready, (word, requests.get(server.url + "/readyz", timeout=10).text)
        assert requests.get(server.url + "/readyz", timeout=10).status_code == 200, "it goes on selling"
        assert server.name() == "first"
        assert metric(server, "till_tls_certificate_refused") == 1
        assert metric(server, "till_tls_certificate_expires_timestamp_seconds") == before
    time.sleep(6)  # several looks at files that have not changed
    assert server.log.read_text().count("has no private key") == 1, "once for each state of the files"
    server.replace(*good)
    assert counter.until(lambda: server.name() == "good", 15)
    assert requests.get(server.url + "/readyz", timeout=10).text == "ready\n"
    assert metric(server, "till_tls_certificate_refused") == 0


@pytest.mark.parametrize("flags,word", [
    (["--tls-certificate", "tls.pem"], "tls.key is not set"),
    (["--tls-certificate", "absent.pem", "--tls-key", "absent.key"], "cannot be read"),
    (["--host", "0.0.0.0"], "without TLS"),
    (["--public-listen", "0.0.0.0:0"], "without TLS"),
    (["--public-listen", "8443"], "must be an address and a port"),
    (["--trusted-proxies", "10.0.0.1/8"], "must be addresses or networks"),
    (["--receipt-url", "https://shop.example"], "neither TLS nor a trusted proxy"),
])
def test_what_would_not_be_sound_does_not_start(tmp_path, flags, word):
    answer = counter.till("serve", "--port", 0, "--journal", tmp_path / "journal.db", *flags, timeout=20)
    assert answer.code == 1 and word in answer.err, answer
    assert not (tmp_path / "journal.db").exists(), "nothing was opened"


def test_plain_http_beyond_this_machine_when_it_is_said(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--host", "0.0.0.0", "--allow-plain-http") as server:
        assert "TLS: OFF" in server.log.read_text()


def test_a_handshake_that_dribbles_has_its_time(tmp_path):
    with SecureServer(tmp_path, env={"TILL_LIMITS_HEAD_TIME": "1s"}) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as one:
            began = time.monotonic()
            one.sendall(b"\x16\x03\x01")
            one.settimeout(5)
            assert one.recv(1) == b"" and time.monotonic() - began < 3


def test_handshakes_that_never_end_take_no_place_from_a_sale(tmp_path):
    with SecureServer(tmp_path, files=FILES) as server:
        # The beginning of a record that never ends.
        with Attack(server.port, b"\x16\x03\x01\x02\x00\x01", b"\x00", 200, reads=True) as attack:
            for number in range(10):
                made = server.create(f"h-{number}", f"c-{number}").json()["id"]
                assert server.confirm(made, f"p-{number}", counter.CARD_TENDER).json()["status"] == "succeeded"
            assert attack.opened > FILES


def test_the_doctor_looks_at_the_certificate(tmp_path):
    authority = tls.Authority(tmp_path)
    def told(certificate, key, *more):
        flags = {"TILL_TLS_CERTIFICATE": str(certificate), "TILL_TLS_KEY": str(key)}
        answer = counter.till("doctor", "--journal", tmp_path / "journal.db", "--json", *more, env=flags)
        return [(finding["ok"], finding["text"]) for finding in answer.json["findings"] if "ertificate" in
                finding["text"]]

    good = authority.issue("good", names="DNS:till.example,IP:127.0.0.1")
    findings = told(*good)
    assert any(ok and "till.example" in text for ok, text in findings), findings
    assert any(not ok and "authority" in text for ok, text in findings), "no authority of the system vouches for it"
    os.environ["TILL_RECEIPT_URL"] = "https://shop.example"
    try:
        findings = told(*good)
    finally:
        del os.environ["TILL_RECEIPT_URL"]
    assert any(not ok and "shop.example" in text for ok, text in findings), findings
    expired = authority.issue("expired", ends="20240101000000Z")
    assert any(not ok and "expired" in text for ok, text in told(*expired))
    other = authority.issue("other")
    assert any(not ok and "not that of" in text for ok, text in told(good[0], other[1]))
