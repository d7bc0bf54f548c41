"""An authenticator in software, which can also do what none would: another origin, another name, nobody checked, a
counter that stands still. Everything is taken from the standard (WebAuthn Level 3, CTAP 2.1), nothing from Till."""
import base64
import hashlib
import json
import os
import struct

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

PRESENT, VERIFIED, MAY_BE_COPIED, IS_COPIED, CREDENTIAL, EXTENSIONS = 1, 4, 8, 16, 64, 128


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw(data):
    return base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))


class Authenticator:
    def __init__(self, algorithm=-7, bits=2048):
        self.algorithm, self.id, self.counter, self.user = algorithm, os.urandom(32), 0, b""
        if algorithm == -7:
            self.key = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == -8:
            self.key = ed25519.Ed25519PrivateKey.generate()
        else:
            self.key = rsa.generate_private_key(65537, bits)

    def cose(self):
        public = self.key.public_key()
        if self.algorithm == -7:
            numbers = public.public_numbers()
            return {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        if self.algorithm == -8:
            return {1: 1, 3: -8, -1: 6, -2: public.public_bytes_raw()}
        n = public.public_numbers().n
        return {1: 3, 3: -257, -1: n.to_bytes((n.bit_length() + 7) // 8, "big"), -2: b"\x01\x00\x01"}

    def sign(self, data):
        if self.algorithm == -7:
            return self.key.sign(data, ec.ECDSA(hashes.SHA256()))
        if self.algorithm == -8:
            return self.key.sign(data)
        return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    @staticmethod
    def client(kind, challenge, origin, **more):
        said = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}
        return json.dumps(said | more).encode()

    def head(self, name, flags, counter):
        return hashlib.sha256(name.encode()).digest() + bytes([flags]) + struct.pack(">I", counter)

    def register(self, asked, origin, flags=PRESENT | VERIFIED, cose=None, kind="webauthn.create", party=None, tail=b"",
                 statement=None, **more):
        """What a page sends to add it."""
        self.user = raw(asked["user"])
        encoded = cbor2.dumps(self.cose(), canonical=True) if cose is None else cose
        data = (self.head(party or asked["relying_party"], flags | CREDENTIAL, self.counter) + bytes(16)
                + struct.pack(">H", len(self.id)) + self.id + encoded + tail)
        attestation = {**({"fmt": "none", "attStmt": {}} if statement is None else statement), "authData": data}
        return {"client_data": text(self.client(kind, asked["challenge"], origin, **more)),
                "attestation": text(cbor2.dumps(attestation, canonical=True))}

    def answer(self, asked, origin, flags=PRESENT | VERIFIED, kind="webauthn.get", party=None, step=1, user=None,
               **more):
        """What a page sends to sign in with it."""
        self.counter += step
        data = self.head(party or asked["relying_party"], flags, self.counter)
        client = self.client(kind, asked["challenge"], origin, **more)
        return {"credential": text(self.id), "client_data": text(client), "authenticator_data": text(data),
                "signature": text(self.sign(data + hashlib.sha256(client).digest())),
                "user": text(self.user if user is None else user)}
