"""A mail server by other hands (aiosmtpd), with what can go wrong."""
import datetime
import ssl
import time

import aiosmtpd.controller
from aiosmtpd.smtp import SMTP, AuthResult

import counter

SHOP, CUSTOMER = "shop@shop.example", "ada.lovelace@customer.example"
PASSWORD = "geheim-und-lang-4711"


def certificate(folder, name):
    """A certificate of an authority of its own: (chain, key, authority), all files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def pem(path, data):
        path.write_bytes(data)
        return path

    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)]) for text in ("Test authority", name)]
    made = []
    for index, key in enumerate(keys):
        builder = (
            x509.CertificateBuilder().subject_name(names[index]).issuer_name(names[0]).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=index == 0, path_length=None), critical=True)
        )
        if index:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        made.append(builder.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    secret = keys[1].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return (pem(folder / "chain.pem", made[1]), pem(folder / "key.pem", secret), pem(folder / "authority.pem", made[0]))


class Post:
    """What the mail server heard."""

    def __init__(self):
        self.letters, self.users, self.recipients = [], [], []
        self.refusal = None
        self.delay = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.refusal == "RCPT":
            return f"550 5.1.1 <{address}> is unknown"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.refusal == "DATA":
            return "451 4.3.0 Try again later"
        self.letters.append(envelope)
        if self.delay:
            time.sleep(self.delay)
        return "250 OK"

    def sign_in(self, server, session, envelope, mechanism, data):
        good = data.login == b"shop" and data.password == PASSWORD.encode()
        self.users.append((mechanism, good))
        return AuthResult(success=good)


def serve(post, chain=None, key=None, is_tls=False, offers_tls=True, offers=None):
    context = None
    if chain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)

    class Server(aiosmtpd.controller.Controller):
        def factory(self):
            return SMTP(
                post, hostname="mail.test", tls_context=None if is_tls or not offers_tls else context,
                require_starttls=bool(context) and not is_tls and offers_tls, authenticator=post.sign_in,
                auth_required=offers is not None, auth_require_tls=not is_tls,
                auth_exclude_mechanism=offers or [],
            )

    server = Server(post, hostname="127.0.0.1", port=counter.free_port(), ssl_context=context if is_tls else None)
    server.start()
    return server


def settings(port, **more):
    usual = {"TILL_SMTP_HOST": "localhost", "TILL_SMTP_PORT": str(port), "TILL_SMTP_FROM": SHOP}
    return {**usual, **{"TILL_SMTP_" + key.upper(): str(value) for key, value in more.items()}}
