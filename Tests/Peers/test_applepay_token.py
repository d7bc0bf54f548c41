"""`till applepay`: tokens and certificates, with OpenSSL and Python's cryptography as second opinions.

TILL_APPLEPAY_SYNTH may name an independent maker of tokens (OUTDIR and the time of signing as its arguments); its
twelve cases are decided here too.
"""
import base64
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

import counter

AT = "2026-11-18T11:06:40Z"


@pytest.fixture(scope="module")
def apple(tmp_path_factory):
    folder = tmp_path_factory.mktemp("apple")
    answer = counter.till("applepay", "synthesize", "--out", folder, "--at", AT, "--application-data", "order-42", "--flaws")
    assert answer.code == 0, answer
    (folder / "data").write_bytes(b"order-42")
    return folder


def decrypt(folder, token, *more, at=AT, root=True):
    flags = ["--root", folder / "root.pem"] if root else []
    return counter.till(
        "applepay", "decrypt", "--token", token, "--certificate", folder / "processing.pem", "--key",
        folder / "processing.key", "--at", at, "--json", *flags, *more,
    )


def test_a_token_opens_masked_and_reveals_only_when_told(apple):
    answer = decrypt(apple, apple / "token.json", "--application-data", apple / "data")
    assert answer.code == 0 and answer.json["verified"] is True, answer
    assert "4784000000380075" not in answer.out and "cryptogram" not in answer.out.lower().replace("onlinepaymentcryptogram", "")
    assert answer.json["amount"] == "12.34" and answer.json["applicationDataChecked"] is True
    answer = decrypt(apple, apple / "token.json", "--reveal")
    assert answer.json["payment"]["applicationPrimaryAccountNumber"] == "4784000000380075"


def test_every_flaw_ends_with_1_and_names_its_step(apple):
    files = sorted(apple.glob("bad-*.json"))
    assert len(files) >= 20
    for file in files:
        answer = decrypt(apple, file)
        assert answer.code == 1 and answer.json["verified"] is False and answer.json["step"], (file.name, answer)


def test_other_times_roots_keys_and_data_are_refused_at_their_steps(apple, tmp_path):
    token = apple / "token.json"
    assert decrypt(apple, token, at="2026-11-18T11:12:00Z").json["step"] == "signing-time"
    assert decrypt(apple, token, at="2029-11-18T11:12:00Z").json["step"] == "chain"
    assert decrypt(apple, token, root=False).json["step"] == "chain"
    (tmp_path / "other").write_bytes(b"order-43")
    assert decrypt(apple, token, "--application-data", tmp_path / "other").json["step"] == "application-data"
    assert counter.till("applepay", "synthesize", "--out", tmp_path, "--at", AT).code == 0
    answer = counter.till(
        "applepay", "decrypt", "--token", token, "--certificate", tmp_path / "processing.pem", "--key",
        tmp_path / "processing.key", "--root", apple / "root.pem", "--at", AT, "--json",
    )
    assert answer.code == 1 and answer.json["step"] == "key"


def test_the_payment_data_alone_and_der_files_are_taken(apple, tmp_path):
    (tmp_path / "inner.json").write_text(json.dumps(json.loads((apple / "token.json").read_text())["paymentData"]))
    run = lambda *a: subprocess.run(["openssl", *map(str, a)], check=True, capture_output=True)
    run("x509", "-in", apple / "processing.pem", "-outform", "DER", "-out", tmp_path / "processing.pem")
    run("x509", "-in", apple / "root.pem", "-outform", "DER", "-out", tmp_path / "root.pem")
    for form in (["-outform", "DER"], ["-outform", "PEM"]):
        run("pkey", "-in", apple / "processing.key", *form, "-out", tmp_path / "processing.key")
        assert decrypt(tmp_path, tmp_path / "inner.json").code == 0
        run("ec", "-in", apple / "processing.key", *form, "-out", tmp_path / "processing.key")
        assert decrypt(tmp_path, tmp_path / "inner.json").code == 0


def test_openssl_finds_our_maker_s_signature_good(apple, tmp_path):
    data = json.loads((apple / "token.json").read_text())["paymentData"]
    header = data["header"]
    signed = (
        base64.b64decode(header["ephemeralPublicKey"]) + base64.b64decode(data["data"])
        + bytes.fromhex(header["transactionId"]) + bytes.fromhex(header["applicationData"])
    )
    (tmp_path / "content").write_bytes(signed)
    (tmp_path / "signature").write_bytes(base64.b64decode(data["signature"]))
    command = [
        "openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", tmp_path / "signature", "-content",
        tmp_path / "content", "-CAfile", apple / "root.pem", "-purpose", "any", "-attime", "1795000000", "-out", os.devnull,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (tmp_path / "content").write_bytes(signed[:-1] + bytes([signed[-1] ^ 1]))
    assert subprocess.run(list(map(str, command)), capture_output=True).returncode != 0


def test_an_independent_maker_s_twelve_tokens_are_decided_rightly(tmp_path):
    maker = os.environ.get("TILL_APPLEPAY_SYNTH")
    if not maker:
        pytest.skip("TILL_APPLEPAY_SYNTH names no maker of tokens")
    python = os.environ.get("TILL_APPLEPAY_SYNTH_PYTHON", sys.executable)
    subprocess.run([python, maker, str(tmp_path), "1795000000"], check=True, capture_output=True)
    files = sorted(tmp_path.glob("ok-*.json")) + sorted(tmp_path.glob("bad-*.json"))
    assert len(files) == 12
    for file in files:
        kind = "rsa" if "rsa" in file.name else "ec"
        answer = counter.till(
            "applepay", "decrypt", "--token", file, "--certificate", tmp_path / f"processing.{kind}.pem", "--key",
            tmp_path / f"processing.{kind}.key", "--root", tmp_path / "root.pem", "--at", AT, "--json", "--reveal",
        )
        assert answer.code == (0 if file.name.startswith("ok-") else 1), (file.name, answer)
        if answer.code == 0:
            assert answer.json["payment"]["transactionAmount"] == 1234


class Site:
    """A shop's site with one association file, served rightly or not."""

    def __init__(self, body, status=200):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                if status == 301:
                    self.send_header("Location", self.path + "/")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


MERCHANT = "merchant.test.example"


@pytest.fixture
def healthy(apple, tmp_path):
    for name in ("identity.pem", "identity.key", "processing.pem", "processing.key"):
        shutil.copy(apple / name, tmp_path / name)
    (tmp_path / "association.txt").write_bytes(b"association")
    return {
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "domains": [{
            "name": "shop.example", "merchant": MERCHANT, "association": "association.txt",
            "identities": [{"certificate": "identity.pem", "key": "identity.key"}],
        }],
        "processing": [{"certificate": "processing.pem", "key": "processing.key"}],
    }


def doctor(folder, settings, site=None, at=AT):
    (folder / "settings.json").write_text(json.dumps(settings))
    site = site or Site(b"association")
    return counter.till("applepay", "doctor", "--settings", folder / "settings.json", "--probe", site.url, "--at", at, "--json")


def faults(answer):
    return {f["code"] for f in answer.json["findings"] if f["verdict"] != "ok"}


def test_the_doctor_finds_nothing_wrong_with_a_healthy_shop(healthy, tmp_path):
    answer = doctor(tmp_path, healthy)
    assert answer.code == 0 and answer.json["ok"] is True and not faults(answer), answer


def other(apple, tmp_path, name, merchant):
    folder = tmp_path / name
    assert counter.till("applepay", "synthesize", "--out", folder, "--at", AT, "--merchant", merchant).code == 0
    return folder


def test_the_doctor_finds_each_of_fifteen_planted_misconfigurations(apple, healthy, tmp_path):
    foreign = other(apple, tmp_path, "foreign", "merchant.other")
    twin = other(apple, tmp_path, "twin", MERCHANT)
    domain = healthy["domains"][0]

    def with_domain(**more):
        return {**healthy, "domains": [{**domain, **more}]}

    pair = lambda folder, kind: {"certificate": str(folder / f"{kind}.pem"), "key": str(folder / f"{kind}.key")}
    mixed = lambda kind: {"certificate": str(tmp_path / f"{kind}.pem"), "key": str(twin / f"{kind}.key")}
    swapped = {"certificate": "processing.pem", "key": "processing.key"}
    planted = {
        "identity_unreadable": with_domain(identities=[{"certificate": "none.pem", "key": "identity.key"}]),
        "identity_key": with_domain(identities=[mixed("identity")]),
        "identity_merchant": with_domain(identities=[pair(foreign, "identity")]),
        "identity_purpose": with_domain(identities=[swapped]),
        "identity_missing": with_domain(identities=[]),
        "processing_key": {**healthy, "processing": [mixed("processing")]},
        "processing_merchant": {**healthy, "processing": [pair(foreign, "processing")]},
        "processing_missing": {**healthy, "processing": []},
        "domain_name": with_domain(name="https://shop.example/"),
        "association_missing": with_domain(association="none.txt"),
        "environment": {**healthy, "environment": "live"},
    }
    for code, settings in planted.items():
        answer = doctor(tmp_path, settings)
        assert answer.code == 1 and code in faults(answer), (code, answer)
    for code, site in {
        "association_status": Site(b"", 404), "association_redirect": Site(b"", 301), "association_bytes": Site(b"other"),
    }.items():
        answer = doctor(tmp_path, healthy, site)
        assert answer.code == 1 and faults(answer) == {code}, (code, answer)
    site = Site(b"")
    site.server.shutdown()
    site.server.server_close()
    assert "domain_unreachable" in faults(doctor(tmp_path, healthy, site))
    assert {"identity_expired", "processing_expired"} <= faults(doctor(tmp_path, healthy, at="2029-01-01"))
    soon = doctor(tmp_path, healthy, at="2028-10-01")
    assert soon.code == 0 and faults(soon) == {"identity_expiring", "processing_expiring"}, soon
