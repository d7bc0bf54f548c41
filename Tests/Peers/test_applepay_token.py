"""`till applepay`: tokens and certificates, with OpenSSL and Python's cryptography as second opinions.

TILL_APPLEPAY_SYNTH may name an independent maker of tokens (OUTDIR and the time of signing as its arguments); its
twelve cases are decided here too.
"""
import base64
import hashlib
import http.server
import json
import os
import re
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
    answer = counter.till("applepay", "synthesize", "--out", folder, "--at", AT, "--application-data", "order-42",
        "--flaws")
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
    assert "4784000000380075" not in answer.out
    assert "cryptogram" not in answer.out.lower().replace("onlinepaymentcryptogram", "")
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


def handed_over(token):
    """One token in every way in which wallets give it and shops pass it on."""
    bare = token["paymentData"]
    text = json.dumps(bare, separators=(",", ":"))
    coded = base64.b64encode(text.encode()).decode()
    lines = base64.encodebytes(text.encode()).decode().replace("\n", "\r\n")
    # A browser or an app that writes JSON may put a backslash before each slash.
    slashes = text.replace("/", "\\/")
    upper = json.loads(text)
    for key in ("transactionId", "applicationData"):
        upper["header"][key] = upper["header"][key].upper()
    nothing = json.loads(text)
    nothing["header"]["wrappedKey"] = None
    event = {"token": token, "billingContact": {}, "shippingContact": {"postalCode": "EC4M 7RF"}}
    return {
        "paymentData": text, "whole": json.dumps(token), "event": json.dumps({"payment": event}),
        "payment": json.dumps(event), "payment request": json.dumps({"requestId": "1", "details": event}),
        "text in it": json.dumps({**token, "paymentData": text}),
        "base64 in it": json.dumps({**token, "paymentData": coded}),
        "base64 in lines in it": json.dumps({**token, "paymentData": lines}),
        "text of the token": json.dumps({"token": json.dumps(token)}), "text of text": json.dumps(json.dumps(token)),
        "base64": coded, "base64 in lines": lines,
        "base64 for URLs": base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
        "space": "\r\n\t " + json.dumps(token, indent=4).replace("\n", "\r\n") + "\n\n", "mark": "\ufeff" + text,
        "slashes": slashes, "capitals": json.dumps(upper), "null": json.dumps(nothing),
    }


def test_a_token_is_read_however_it_was_handed_over(apple, tmp_path):
    token = json.loads((apple / "token.json").read_text())
    forms = handed_over(token)
    for name, text in forms.items():
        (tmp_path / "token").write_bytes(text.encode())
        answer = decrypt(apple, tmp_path / "token", "--application-data", apple / "data")
        assert answer.code == 0 and answer.json["verified"], (name, answer)
    # What the device simulator gives is named as such, whichever way it is empty.
    for empty in ({}, "", None):
        (tmp_path / "token").write_text(json.dumps({**token, "paymentData": empty}))
        answer = decrypt(apple, tmp_path / "token")
        assert answer.code == 1 and answer.json["error"]["code"] == "simulated", answer


def test_what_is_no_token_is_refused_as_to_its_form(apple, tmp_path):
    token = json.loads((apple / "token.json").read_text())
    bare = token["paymentData"]

    def header(**more):
        return {**bare, "header": {**bare["header"], **more}}

    for name, document in {
        "empty": "", "half": json.dumps(token)[:-9], "a list": [bare], "a number": 5, "other text": "not a token",
        "version": {**bare, "version": "EC_v2"}, "both keys": header(wrappedKey="AAAA"),
        "odd": header(transactionId="abc"), "two cases": header(transactionId="aB" * 32),
        "base64 of it": header(applicationData=base64.b64encode(bytes(32)).decode()),
        "for URLs": {**bare, "signature": bare["signature"].replace("+", "-").replace("/", "_")},
        "no signature": {k: v for k, v in bare.items() if k != "signature"},
        "no header": {k: v for k, v in bare.items() if k != "header"},
        "long": {**bare, "data": "A" * 70_000},
    }.items():
        (tmp_path / "token").write_text(document if isinstance(document, str) else json.dumps(document))
        answer = decrypt(apple, tmp_path / "token")
        assert answer.code == 1 and answer.json["step"] == "format", (name, answer)
        assert answer.json["error"]["what"] and answer.json["error"]["next"]


def test_an_old_token_is_told_the_time_to_look_at_it(apple):
    for at, step in (("2026-11-18T11:12:00Z", "signing-time"), ("2029-11-18T11:12:00Z", "chain"), (None, None)):
        flags = ["--at", at] if at else []
        answer = counter.till(
            "applepay", "decrypt", "--token", apple / "token.json", "--certificate", apple / "processing.pem", "--key",
            apple / "processing.key", "--root", apple / "root.pem", "--json", *flags)
        assert answer.code == 1 and step in (None, answer.json["step"]), answer
        assert AT.replace("Z", "") in answer.json["error"]["next"] and "--at" in answer.json["error"]["next"]


def test_keys_are_read_in_the_forms_in_which_they_are_kept(apple, tmp_path):
    run = lambda *a: subprocess.run(["openssl", *map(str, a)], check=True, capture_output=True)
    certificate, key, token = apple / "processing.pem", apple / "processing.key", apple / "token.json"

    def opens(*flags, **environment):
        answer = counter.till(
            "applepay", "decrypt", "--token", token, "--root", apple / "root.pem", "--at", AT, "--json", *flags,
            env=environment)
        return answer

    merchant = hashlib.sha256(MERCHANT.encode()).hexdigest()
    assert opens("--merchant", MERCHANT, "--key", key).code == 0
    assert opens("--merchant", merchant, "--key", key).code == 0
    # The hash is part of the derivation of the key: another merchant's opens nothing.
    assert opens("--merchant", "merchant.other", "--key", key).json["step"] == "decryption"
    other = opens("--merchant", "merchant.other", "--key", key, "--certificate", certificate)
    assert other.json["error"]["code"] == "merchant"
    assert opens("--key", key).json["error"]["code"] == "certificate"
    assert opens().code != 0
    # Both in one file, as openssl pkcs12 -nodes writes them, with words around.
    both = tmp_path / "both.pem"
    lines = certificate.read_bytes().replace(b"\n", b"\r\n")
    both.write_bytes(b"Bag Attributes\n    friendlyName: x\n" + lines + key.read_bytes())
    assert opens("--certificate", both).code == 0
    for name, more in {
        "new": ["-passout", "pass:secret"], "none": ["-passout", "pass:"],
        "key chain": ["-passout", "pass:secret", "-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES", "-macalg",
        "sha1"],
        "chain": ["-passout", "pass:secret", "-certfile", apple / "root.pem"],
    }.items():
        bundle = tmp_path / f"{name}.p12"
        run("pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", bundle, *more)
        flags = [] if name == "none" else ["--passphrase-env", "TEST_PASSPHRASE"]
        assert opens("--certificate", bundle, *flags, TEST_PASSPHRASE="secret").code == 0, name
        assert opens("--key", bundle, "--certificate", certificate, *flags, TEST_PASSPHRASE="secret").code == 0, name
        assert opens("--key", bundle, *flags, TEST_PASSPHRASE="secret").code == 0, name
        if flags:
            wrong = opens("--certificate", bundle, *flags, TEST_PASSPHRASE="wrong")
            assert wrong.code == 1 and wrong.json["error"]["code"] == "bundle" and "secret" not in wrong.out + wrong.err
            assert opens("--certificate", bundle).json["error"]["code"] == "bundle"
            assert opens("--certificate", bundle, *flags).json["error"]["code"] == "passphrase"
    for name, command in {
        "pkcs8": ["pkcs8", "-topk8", "-v2", "aes-256-cbc"], "pkcs8 3des": ["pkcs8", "-topk8", "-v2", "des3"],
        "sec1": ["ec", "-aes128"],
    }.items():
        locked = tmp_path / "locked.key"
        run(*command, "-in", key, "-out", locked, "-passout", "pass:secret")
        flags = ["--certificate", certificate, "--key", locked]
        assert opens(*flags, "--passphrase-env", "TEST_PASSPHRASE", TEST_PASSPHRASE="secret").code == 0, name
        wrong = opens(*flags, "--passphrase-env", "TEST_PASSPHRASE", TEST_PASSPHRASE="wrong")
        assert wrong.json["error"]["code"] == "passphrase"
        locked_out = opens(*flags)
        assert locked_out.code == 1 and "--passphrase-env" in locked_out.json["error"]["next"], locked_out


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
        tmp_path / "content", "-CAfile", apple / "root.pem", "-purpose", "any", "-attime", "1795000000", "-out",
        os.devnull,
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
    return counter.till("applepay", "doctor", "--settings", folder / "settings.json", "--probe", site.url, "--at", at,
        "--without-session", "--json")


def faults(answer):
    return {f["code"] for f in answer.json["findings"] if f["verdict"] != "ok"}


def test_the_doctor_finds_nothing_wrong_with_a_healthy_shop(healthy, tmp_path):
    answer = doctor(tmp_path, healthy)
    assert answer.code == 0 and answer.json["ok"] is True and not faults(answer), answer


def other(apple, tmp_path, name, merchant):
    folder = tmp_path / name
    assert counter.till("applepay", "synthesize", "--out", folder, "--at", AT, "--merchant", merchant).code == 0
    return folder


def planted(apple, healthy, folder, code):
    """A shop with one thing wrong, and the site that it has."""
    domain = healthy["domains"][0]

    def with_domain(**more):
        return {**healthy, "domains": [{**domain, **more}]}

    def pair(made, kind):
        return {"certificate": str(made / f"{kind}.pem"), "key": str(made / f"{kind}.key")}

    def mixed(kind):
        twin = other(apple, folder, "twin", MERCHANT)
        return {"certificate": str(folder / f"{kind}.pem"), "key": str(twin / f"{kind}.key")}

    foreign = lambda: other(apple, folder, "foreign", "merchant.other")
    swapped = {"certificate": "processing.pem", "key": "processing.key"}
    identity = {"certificate": "identity.pem", "key": "identity.key"}
    return {
        "identity_unreadable": lambda: with_domain(identities=[{**identity, "certificate": "none.pem"}]),
        "identity_key_unreadable": lambda: with_domain(identities=[{**identity, "key": "none.key"}]),
        "identity_key": lambda: with_domain(identities=[mixed("identity")]),
        "identity_merchant": lambda: with_domain(identities=[pair(foreign(), "identity")]),
        "identity_hash": lambda: with_domain(identities=[forged(folder, identity)]),
        "identity_extension": lambda: with_domain(identities=[forged(folder, identity, extension=False)]),
        "identity_purpose": lambda: with_domain(identities=[swapped]),
        "identity_missing": lambda: with_domain(identities=[]),
        "processing_key": lambda: {**healthy, "processing": [mixed("processing")]},
        "processing_merchant": lambda: {**healthy, "processing": [pair(foreign(), "processing")]},
        "processing_missing": lambda: {**healthy, "processing": []},
        "processing_purpose": lambda: {**healthy, "processing": [identity]},
        "domain_name": lambda: with_domain(name="https://shop.example/"),
        "domain_missing": lambda: {**healthy, "domains": []},
        "association_missing": lambda: with_domain(association="none.txt"),
        "environment": lambda: {**healthy, "environment": "live"},
        "currency": lambda: {**healthy, "currency": "XQX"},
        "country": lambda: {**healthy, "country": "UK"},
    }[code]()


def forged(folder, pair, extension=True):
    """A certificate whose extension holds another merchant's hash than its subject's UID, or that has none."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = serialization.load_pem_private_key((folder / pair["key"]).read_bytes(), None)
    start = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.USER_ID, MERCHANT), x509.NameAttribute(NameOID.COMMON_NAME, "forged")])
    maker = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
        .not_valid_before(start).not_valid_after(start + datetime.timedelta(days=400))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)
    )
    if extension:
        value = b"\x0c\x40" + hashlib.sha256(b"merchant.other").hexdigest().upper().encode()
        maker = maker.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.840.113635.100.6.32"), value), False)
    (folder / "forged.pem").write_bytes(maker.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return {**pair, "certificate": "forged.pem"}


@pytest.mark.parametrize("code", [
    "identity_unreadable", "identity_key_unreadable", "identity_key", "identity_merchant", "identity_hash",
    "identity_extension", "identity_purpose", "identity_missing", "processing_key", "processing_merchant",
    "processing_missing", "processing_purpose", "domain_name", "domain_missing", "association_missing", "environment",
    "currency", "country",
])
def test_the_doctor_finds_what_was_planted(apple, healthy, tmp_path, code):
    answer = doctor(tmp_path, planted(apple, healthy, tmp_path, code))
    assert answer.code == 1 and code in faults(answer), answer
    # Sentences for people, at most as wide as their window needs.
    shown = counter.till("applepay", "doctor", "--settings", tmp_path / "settings.json", "--probe",
        "http://127.0.0.1:9", "--at", AT, "--without-session")
    assert shown.code == 1 and "FAIL " in shown.out


def test_the_doctor_asks_each_host_of_a_domain_s_pages(healthy, tmp_path):
    [domain] = healthy["domains"]
    origins = ["https://www.shop.example", "https://pay.shop.example:8443", "http://localhost:3000",
               "https://127.0.0.1:3001"]
    several = {**healthy, "domains": [{**domain, "origins": origins}]}

    def hosts(answer):
        found = [f for f in answer.json["findings"] if f["code"].startswith("association")]
        return [(f["text"].split()[0], f["verdict"]) for f in found]

    names = [domain["name"], "pay.shop.example", "www.shop.example"]
    sound = doctor(tmp_path, several)
    # This site has the file at both paths.
    assert sound.code == 0 and hosts(sound) == [(name, "ok") for name in names for _ in range(2)], sound
    wrong = doctor(tmp_path, several, Site(b"other"))
    assert wrong.code == 1 and hosts(wrong) == [(name, "fault") for name in names], wrong


def test_the_doctor_warns_of_a_network_that_apple_does_not_list(healthy, tmp_path):
    answer = doctor(tmp_path, {**healthy, "networks": ["visa", "americanExpress"]})
    assert answer.code == 0 and faults(answer) == {"networks"}, answer


@pytest.mark.parametrize("code, site", [
    ("association_status", (b"", 404)), ("association_redirect", (b"", 301)), ("association_bytes", (b"other", 200)),
])
def test_the_doctor_finds_a_site_that_serves_the_association_wrongly(healthy, tmp_path, code, site):
    answer = doctor(tmp_path, healthy, Site(*site))
    assert answer.code == 1 and faults(answer) == {code}, (code, answer)


class TextSite(Site):
    """A site that has the association file at one path alone."""

    def __init__(self, body, path):
        super().__init__(body)
        handler = self.server.RequestHandlerClass

        class Handler(handler):
            def do_GET(self):
                if self.path == path:
                    return super().do_GET()
                self.send_response(404)
                self.end_headers()
                return None

        self.server.RequestHandlerClass = Handler


@pytest.mark.parametrize("end", ["", ".txt"])
@pytest.mark.parametrize("own", [True, False])
def test_one_of_the_two_names_of_the_association_file_is_enough(healthy, tmp_path, end, own):
    """Also where the settings have no file, because the domain's own server has it."""
    path = "/.well-known/apple-developer-merchantid-domain-association" + end
    if not own:
        del healthy["domains"][0]["association"]
    answer = doctor(tmp_path, healthy, TextSite(b"association", path))
    assert answer.code == 0 and not faults(answer), answer
    [text] = [f["text"] for f in answer.json["findings"] if f["code"] == "association"]
    assert re.search(re.escape(path) + r"[.;]", text), text


@pytest.mark.parametrize("env, option, warned", [
    ({}, [], False), ({}, ["--provider", "stripe"], True), ({"TILL_PROVIDER": "stripe"}, [], True),
    ({"TILL_PROVIDER": "stripe"}, ["--provider", "paypal"], False),
])
def test_the_doctor_warns_of_tokens_that_were_never_tried_against_the_provider(
        healthy, tmp_path, env, option, warned):
    (tmp_path / "settings.json").write_text(json.dumps(healthy))
    command = ["applepay", "doctor", "--settings", tmp_path / "settings.json", "--probe", Site(b"association").url,
               "--at", AT, "--without-session", "--json", *option]
    answer = counter.till(*command, env=env)
    assert answer.code == 0 and ("provider_unverified" in faults(answer)) is warned, answer
    (tmp_path / "settings.json").write_text(json.dumps({**healthy, "tokens": "provider"}))
    assert "provider_unverified" not in faults(counter.till(*command, env=env))


def test_the_doctor_finds_a_site_that_is_not_there(healthy, tmp_path):
    site = Site(b"")
    site.server.shutdown()
    site.server.server_close()
    assert "domain_unreachable" in faults(doctor(tmp_path, healthy, site))


def test_the_doctor_tells_ends_in_days(healthy, tmp_path):
    assert {"identity_expired", "processing_expired"} <= faults(doctor(tmp_path, healthy, at="2029-01-01"))
    soon = doctor(tmp_path, healthy, at="2028-10-01")
    assert soon.code == 0 and faults(soon) == {"identity_expiring", "processing_expiring"}, soon
    assert "ends in 17 days" in soon.out or "days" in soon.out


class SecureSite:
    """A site with TLS of a certificate and versions of our choice."""

    def __init__(self, folder, names, start, days, newest=None, oldest=None):
        import datetime
        import ssl

        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site")])
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(9)
            .not_valid_before(start).not_valid_after(start + datetime.timedelta(days=days))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(n) for n in names]), False)
            .sign(key, hashes.SHA256())
        )
        (folder / "site.pem").write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "site.pem")
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = oldest or ssl.TLSVersion.TLSv1_2
        if newest:
            context.maximum_version = newest
        plain = Site(b"association")
        plain.server.socket = context.wrap_socket(plain.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{plain.server.server_port}"


def seen(answer):
    return {f["code"]: f for f in answer.json["findings"] if f["code"].startswith("tls")}


@pytest.mark.parametrize("code, names, age, days, newest, oldest", [
    ("tls_valid", ["shop.example"], 10, 90, None, None),
    ("tls_valid", ["*.example"], 10, 90, None, None),
    ("tls_expired", ["shop.example"], 91, 90, None, None),
    ("tls_expiring", ["shop.example"], 80, 90, None, None),
    ("tls_not_yet_valid", ["shop.example"], -10, 90, None, None),
    ("tls_name", ["other.example", "*.shop.example"], 10, 90, None, None),
    ("tls_version", ["shop.example"], 10, 90, "TLSv1_1", "TLSv1"),
    ("tls_old", ["shop.example"], 10, 90, None, "TLSv1"),
])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_doctor_looks_at_the_domain_s_tls(healthy, tmp_path, code, names, age, days, newest, oldest):
    import datetime
    import ssl

    now = datetime.datetime.fromisoformat(AT.replace("Z", "+00:00"))
    version = lambda name: getattr(ssl.TLSVersion, name) if name else None
    site = SecureSite(tmp_path, names, now - datetime.timedelta(days=age), days, version(newest), version(oldest))
    found = seen(doctor(tmp_path, healthy, site))
    assert code in found, found
    expected = {"tls_valid": "ok", "tls_expiring": "warning", "tls_old": "warning"}.get(code, "fault")
    assert found[code]["verdict"] == expected, found
    if code == "tls_valid":
        assert set(found) == {"tls_valid", "tls_version"} and "80 days" in found[code]["text"], found
    if code == "tls_expiring":
        assert "10 days" in found[code]["text"]
