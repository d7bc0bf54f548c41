"""Apple by other hands, made with Python's cryptography and ssl: the authorities that issue what a shop requests, the
gateway that gives merchant sessions over mutual TLS, and a device that makes payment tokens."""
import base64
import datetime
import hashlib
import http.server
import ipaddress
import json
import os
import secrets
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

SESSION_PATH = "/paymentservices/paymentSession"
CARD = "4784000000380075"

# The extensions by which Apple marks its certificates, and the value of those that are a mark alone.
MERCHANT_HASH, SIGNER, AUTHORITY = (
    ObjectIdentifier("1.2.840.113635.100.6." + end) for end in ("32", "29", "2.14"))
MARK = b"\x05\x00"

USAGES = [
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
    "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
]


def tlv(tag, *parts):
    """One value in DER."""
    body = b"".join(parts)
    if len(body) < 0x80:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + body


def oid(text):
    first, second, *rest = map(int, text.split("."))
    body = bytes([40 * first + second])
    for number in rest:
        septets = [number & 0x7F]
        while number := number >> 7:
            septets.insert(0, 0x80 | (number & 0x7F))
        body += bytes(septets)
    return tlv(0x06, body)


DATA, SIGNED_DATA = oid("1.2.840.113549.1.7.1"), oid("1.2.840.113549.1.7.2")
SHA256 = tlv(0x30, oid("2.16.840.1.101.3.4.2.1"), tlv(0x05))
ECDSA = oid("1.2.840.10045.4.3.2")


def attribute(name, value):
    return tlv(0x30, oid("1.2.840.113549.1.9." + name), tlv(0x31, value))


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def key_info(key):
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def coded(content):
    return base64.b64encode(content).decode()


class Apple:
    """A root, an authority below it and a signer of tokens; all certificates are good for 700 days from yesterday."""

    def __init__(self):
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        self.since, self.until = now - datetime.timedelta(days=1), now + datetime.timedelta(days=700)
        self.root_key = ec.generate_private_key(ec.SECP384R1())
        self.authority_key, self.signer_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        issues = {"is_authority": True, "usages": ["key_cert_sign", "crl_sign"]}
        self.root = self.certificate("Root of others", self.root_key.public_key(), self.root_key, **issues)
        self.authority = self.certificate(
            "Authority of others", self.authority_key.public_key(), self.root_key, self.root, marks={AUTHORITY: MARK},
            **issues)
        self.signer = self.certificate(
            "Signer of tokens of others", self.signer_key.public_key(), self.authority_key, self.authority,
            marks={SIGNER: MARK}, usages=["digital_signature"])

    def certificate(self, name, key, by, issuer=None, *, usages, is_authority=False, marks=None, user=None, more=()):
        subject = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
        if user:
            subject.insert(0, x509.NameAttribute(NameOID.USER_ID, user))
        subject = x509.Name(subject)
        usage = x509.KeyUsage(**{each: each in usages for each in USAGES})
        builder = (
            x509.CertificateBuilder().serial_number(x509.random_serial_number()).subject_name(subject)
            .issuer_name(issuer.subject if issuer else subject).public_key(key)
            .not_valid_before(self.since).not_valid_after(self.until)
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False))
        for mark, value in (marks or {}).items():
            builder = builder.add_extension(x509.UnrecognizedExtension(mark, value), critical=False)
        for extension in more:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(by, hashes.SHA384() if by.key_size == 384 else hashes.SHA256())

    def issue(self, request, purpose, merchant):
        """The certificate for a request, in DER as the developer account gives it: of the request only the key is
        taken."""
        assert request.is_signature_valid
        digits = hashlib.sha256(merchant.encode()).hexdigest().upper().encode()
        is_identity = purpose == "identity"
        return der(self.certificate(
            f"Apple Pay {purpose}:{merchant}", request.public_key(), self.authority_key, self.authority, user=merchant,
            usages=["digital_signature" if is_identity else "key_agreement"],
            marks={MERCHANT_HASH: tlv(0x0C, digits)},
            more=[x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])] if is_identity else ()))

    def token(self, certificate, merchant, amount, application_data, currency=826):
        """What a device gives the page once the customer has agreed.

        `certificate` is the payment processing certificate in DER, `amount` in minor units, `currency` the number of
        ISO 4217 and `application_data` the bytes of the page's request.
        """
        key = x509.load_der_x509_certificate(certificate).public_key()
        own = ec.generate_private_key(ec.SECP256R1())
        party = b"\x0did-aes256-GCM" + b"Apple" + hashlib.sha256(merchant.encode()).digest()
        shared = ConcatKDFHash(hashes.SHA256(), 32, party).derive(own.exchange(ec.ECDH(), key))
        payment = json.dumps({
            "applicationPrimaryAccountNumber": CARD, "applicationExpirationDate": "391231",
            "currencyCode": f"{currency:03}", "transactionAmount": amount,
            "deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure",
            "paymentData": {"onlinePaymentCryptogram": coded(os.urandom(20)), "eciIndicator": "7"}})
        data = AESGCM(shared).encrypt(bytes(16), payment.encode(), None)
        transaction, bound = os.urandom(32), hashlib.sha256(application_data).digest()
        signature = self.signature(key_info(own.public_key()) + data + transaction + bound)
        return {
            "paymentData": {
                "version": "EC_v1", "data": coded(data), "signature": coded(signature), "header": {
                    "ephemeralPublicKey": coded(key_info(own.public_key())),
                    "publicKeyHash": coded(hashlib.sha256(key_info(key)).digest()),
                    "transactionId": transaction.hex(), "applicationData": bound.hex()}},
            "paymentMethod": {"displayName": f"Visa {CARD[-4:]}", "network": "Visa", "type": "debit"},
            "transactionIdentifier": transaction.hex().upper()}

    def signature(self, content):
        """Signed data of CMS without its content (RFC 5652), signed now."""
        now = datetime.datetime.now(datetime.UTC).strftime("%y%m%d%H%M%SZ").encode()
        attributes = b"".join(sorted([
            attribute("3", DATA), attribute("4", tlv(0x04, hashlib.sha256(content).digest())),
            attribute("5", tlv(0x17, now)), attribute("52", tlv(0x30, SHA256, tlv(0xA1, ECDSA)))]))
        signed = self.signer_key.sign(tlv(0x31, attributes), ec.ECDSA(hashes.SHA256()))
        number = self.signer.serial_number
        name = tlv(
            0x30, self.signer.issuer.public_bytes(), tlv(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big")))
        one = tlv(0x02, b"\x01")
        signer = tlv(0x30, one, name, SHA256, tlv(0xA0, attributes), tlv(0x30, ECDSA), tlv(0x04, signed))
        return tlv(0x30, SIGNED_DATA, tlv(0xA0, tlv(
            0x30, one, tlv(0x31, SHA256), tlv(0x30, DATA), tlv(0xA0, der(self.signer), der(self.authority)),
            tlv(0x31, signer))))


class Gateway:
    """Apple's gateway on this machine: who has no certificate of its authority does not come in, and who comes in gets
    sessions for the merchant in the certificate, on domains that Apple has verified for it."""

    def __init__(self, apple, folder):
        self.domains, self.asked, self.given = set(), [], []
        # What happened to merchants' tokens, by merchant and event, and who asked for what.
        self.events, self.events_asked = {}, []
        (folder / "root.pem").write_bytes(pem(apple.root))
        self.root = folder / "root.pem"
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def merchant(self):
                shown = x509.load_der_x509_certificate(self.connection.getpeercert(True))
                [merchant] = [a.value for a in shown.subject.get_attributes_for_oid(NameOID.USER_ID)]
                return merchant

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(*gateway.answer(self.path, self.merchant(), json.loads(body)))

            def do_GET(self):
                self.answer(*gateway.event(self.path, self.merchant()))

            def answer(self, status, answer):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate(apple, folder))
        context.load_verify_locations(cadata=(pem(apple.root) + pem(apple.authority)).decode())
        context.verify_mode = ssl.CERT_REQUIRED
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def certificate(apple, folder):
        """The gateway's own certificate, its authority's and its key in one file."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([
            x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        own = apple.certificate(
            "gateway", key.public_key(), apple.authority_key, apple.authority, usages=["digital_signature"],
            more=[names, x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])])
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        file = folder / "gateway.pem"
        file.write_bytes(pem(own) + pem(apple.authority) + private)
        return file

    def answer(self, path, merchant, asked):
        """Status and body for a request of a merchant who has shown a certificate."""
        self.asked.append((merchant, asked))
        if path != SESSION_PATH:
            return 404, b""
        if asked["merchantIdentifier"] != merchant or (merchant, asked["initiativeContext"]) not in self.domains:
            return 417, b""
        now = int(datetime.datetime.now(datetime.UTC).timestamp() * 1000)
        # Letters only: a run of digits may read as a card number, which is masked in what a page sends back.
        name = "SSH" + "".join(secrets.choice("ABCDEFGHIJKLMNOP") for _ in range(32))
        session = json.dumps({
            "epochTimestamp": now, "expiresAt": now + 3_600_000, "merchantSessionIdentifier": name,
            "nonce": secrets.token_hex(4), "displayName": asked["displayName"],
            "merchantIdentifier": hashlib.sha256(merchant.encode()).hexdigest().upper(),
            "domainName": asked["initiativeContext"], "signature": secrets.token_hex(32), "retries": 0}).encode()
        self.given.append(session)
        return 200, session

    def event(self, path, merchant):
        """Status and body for a merchant that asks what happened to a token: its own alone are known to it."""
        own = "/paymentservices/v1/merchantId/" + hashlib.sha256(merchant.encode()).hexdigest().upper()
        folder, _, event = path.partition("/merchantToken/event/")
        self.events_asked.append((merchant, event))
        if folder != own or (merchant, event) not in self.events:
            return 404, b""
        status, told = self.events[merchant, event]
        return status, json.dumps(told).encode()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
