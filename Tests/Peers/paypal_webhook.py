#!/usr/bin/env python3
"""Makes signed webhooks as PayPal's servers do, with the `cryptography` and `zlib` of others, for our verifier.

    Tests/Peers/paypal_webhook.py > Tests/Peers/paypal_webhook.json

Needs the PyPI package `cryptography`. The keys are thrown away; the recording holds certificates and signatures
only."""
import base64
import datetime
import json
import zlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

START, END = datetime.datetime(2026, 1, 1), datetime.datetime(2046, 1, 1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer=None, issuer_key=None, ca=False, start=START, end=END):
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer or subject))
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(start).not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    return builder.sign(issuer_key or key, hashes.SHA256())


def pem(*certificates):
    return "".join(c.public_bytes(serialization.Encoding.PEM).decode() for c in certificates)


def key():
    return rsa.generate_private_key(65537, 2048)


def main():
    root_key, middle_key, leaf_key = key(), key(), key()
    subject = "messageverificationcerts.paypal.com"
    root = certificate("Test Root", root_key, ca=True)
    middle = certificate("Test Middle", middle_key, "Test Root", root_key, ca=True)
    leaf = certificate(subject, leaf_key, "Test Middle", middle_key)
    other = certificate("messages.example.com", leaf_key, "Test Middle", middle_key)
    expired = certificate(subject, leaf_key, "Test Middle", middle_key, end=datetime.datetime(2026, 2, 1))
    own = certificate(subject, leaf_key)
    event = {
        "id": "WH-58D329510W468432D-8HN650336L201105X", "event_type": "PAYMENT.CAPTURE.COMPLETED",
        "resource_type": "capture", "summary": "Zahlung über 12,50 € für „Café“ ☕",
        "resource": {"id": "7TK53561YB803214S", "status": "COMPLETED",
        "custom_id": "pay_01hf3mxc0000000000000000aa-a1"},
    }
    body = json.dumps(event, ensure_ascii=False).encode()
    transmission, time, webhook = "69cd13f0-d67a-11e5-baa3-778b53f4ae55", "2026-11-21T09:30:00Z", "1JE4291016473214C"
    text = f"{transmission}|{time}|{webhook}|{zlib.crc32(body)}"
    signature = leaf_key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
    print(json.dumps({
        "root": pem(root), "chain": pem(leaf, middle), "other_name": pem(other, middle),
        "expired": pem(expired, middle), "own": pem(own), "without_middle": pem(leaf),
        "body": body.decode(), "crc": str(zlib.crc32(body)), "transmission": transmission, "time": time,
        "webhook": webhook, "signature": base64.b64encode(signature).decode(),
        "url": "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270",
    }, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
