"""The way to certificates in production: `till applepay request`, an authority that issues what was asked for, the
settings, the doctor, and a renewal. OpenSSL and Python's cryptography read the requests; nothing of the demo shop is
used. `test_applepay_production` goes the same way and on, with a counter that sells."""
import datetime
import hashlib
import json
import os
import stat
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier
from test_applepay_token import Site, faults

import counter

MERCHANT = "merchant.com.shop.example"
NOW = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)


def request(purpose, folder, *more):
    return counter.till("applepay", "request", purpose, "--out", folder, "--name", "Shop & Söhne", "--json", *more)


class Authority:
    """Issues as Apple does: of the request only the key is taken."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority")])

    def issue(self, asked, purpose, days=700, since=NOW - datetime.timedelta(days=1)):
        """A certificate in DER."""
        usage = dict.fromkeys(["digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
                               "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"], False)
        usage["digital_signature" if purpose == "identity" else "key_agreement"] = True
        digits = hashlib.sha256(MERCHANT.encode()).hexdigest().upper().encode()
        builder = (
            x509.CertificateBuilder().serial_number(x509.random_serial_number()).public_key(asked.public_key())
            .issuer_name(self.name).not_valid_before(since).not_valid_after(NOW + datetime.timedelta(days=days))
            .subject_name(x509.Name([
                x509.NameAttribute(NameOID.USER_ID, MERCHANT),
                x509.NameAttribute(NameOID.COMMON_NAME, f"Apple Pay {purpose}:{MERCHANT}")]))
            .add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(x509.UnrecognizedExtension(
                ObjectIdentifier("1.2.840.113635.100.6.32"), bytes([0x0C, len(digits)]) + digits), critical=False))
        if purpose == "identity":
            builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        return builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def asked(folder, purpose):
    return x509.load_pem_x509_csr((folder / f"{purpose}.csr").read_bytes())


def issued(authority, folder, **more):
    """Both pairs in a folder, as the shop has them after Apple's answer."""
    for purpose in ("identity", "processing"):
        assert request(purpose, folder).code == 0
        (folder / f"{purpose}.cer").write_bytes(authority.issue(asked(folder, purpose), purpose, **more))
    return folder


def settings(root, *folders):
    def pairs(purpose):
        return [{"certificate": f"{f.name}/{purpose}.cer", "key": f"{f.name}/{purpose}.key"} for f in folders]

    (root / "association.txt").write_bytes(b"association")
    return {
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "domains": [{"name": "shop.example", "merchant": MERCHANT, "association": "association.txt",
                     "identities": pairs("identity")}],
        "processing": pairs("processing"),
    }


def doctor(root, document):
    (root / "settings.json").write_text(json.dumps(document))
    return counter.till("applepay", "doctor", "--settings", root / "settings.json", "--probe", Site(b"association").url,
                        "--at", NOW.strftime("%Y-%m-%dT%H:%M:%SZ"), "--without-session", "--json")


@pytest.mark.parametrize("purpose", ["identity", "processing"])
def test_a_request_is_one_that_others_read(tmp_path, purpose):
    folder = tmp_path / "made" / "here"
    answer = request(purpose, folder)
    assert answer.code == 0, answer
    assert answer.json == {"purpose": purpose, "request": f"{folder}/{purpose}.csr", "key": f"{folder}/{purpose}.key"}
    csr = asked(folder, purpose)
    assert csr.is_signature_valid
    assert csr.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "Shop & Söhne"
    key = csr.public_key()
    assert key.key_size == 2048 and isinstance(key, rsa.RSAPublicKey) if purpose == "identity" \
        else isinstance(key.curve, ec.SECP256R1)
    private = serialization.load_pem_private_key((folder / f"{purpose}.key").read_bytes(), None)
    assert private.public_key() == key
    done = subprocess.run(
        ["openssl", "req", "-in", folder / f"{purpose}.csr", "-verify", "-noout"], capture_output=True)
    assert done.returncode == 0, done
    assert stat.S_IMODE(os.stat(folder / f"{purpose}.key").st_mode) == 0o600
    assert "PRIVATE" not in answer.out


def test_a_key_that_is_there_is_never_overwritten(tmp_path):
    assert request("identity", tmp_path).code == 0
    before = (tmp_path / "identity.key").read_bytes(), (tmp_path / "identity.csr").read_bytes()
    again = request("identity", tmp_path)
    assert again.code == 1 and again.json["error"]["code"] == "file_exists", again
    assert before == ((tmp_path / "identity.key").read_bytes(), (tmp_path / "identity.csr").read_bytes())


@pytest.mark.parametrize("name", ["", "x" * 65, "two\nlines"])
def test_a_name_that_no_certificate_takes_is_refused_and_nothing_is_written(tmp_path, name):
    answer = counter.till("applepay", "request", "identity", "--out", tmp_path / "none", "--name", name, "--json")
    assert answer.code == 1 and answer.json["error"]["code"] == "name", answer
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    answer = request("identity", tmp_path / "file" / "below")
    assert answer.code == 1 and answer.json["error"]["code"] == "folder_unusable", answer


def test_what_apple_issues_is_a_shop_that_the_doctor_finds_healthy(tmp_path):
    folder = issued(Authority(), tmp_path / "first")
    answer = doctor(tmp_path, settings(tmp_path, folder))
    assert answer.code == 0 and not faults(answer), answer


def test_a_certificate_of_another_request_is_found(tmp_path):
    authority = Authority()
    folder = issued(authority, tmp_path / "first")
    other = issued(authority, tmp_path / "other")
    (folder / "identity.cer").write_bytes((other / "identity.cer").read_bytes())
    answer = doctor(tmp_path, settings(tmp_path, folder))
    assert answer.code == 1 and "identity_key" in faults(answer), answer


def test_a_renewal_keeps_the_old_pair_until_it_is_over(tmp_path):
    authority = Authority()
    since = NOW - datetime.timedelta(days=400)
    old = issued(authority, tmp_path / "2024", days=1, since=since)
    alone = doctor(tmp_path, settings(tmp_path, old))
    assert alone.code == 0 and {"identity_expiring", "processing_expiring"} <= faults(alone), alone
    new = issued(authority, tmp_path / "2026")
    both = doctor(tmp_path, settings(tmp_path, old, new))
    assert both.code == 0, both
    # A day later only the new one is left.
    (old / "identity.cer").unlink()
    gone = doctor(tmp_path, settings(tmp_path, new))
    assert gone.code == 0 and not faults(gone), gone
