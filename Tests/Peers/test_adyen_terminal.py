"""A terminal of Adyen's in Python, with its own sealing by `cryptography` and its own TLS: a till sells at it.
(Adyen's Python library does not speak to terminals on the local network.)"""
import base64
import datetime
import hashlib
import hmac
import http.server
import json
import os
import ssl
import subprocess
import threading

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.x509.oid import NameOID

import counter

PASSPHRASE = "the shop's own passphrase"
NAME = "V400m-123456789"


class Seal:
    """The terminal's side of the sealing, written from Adyen's description."""

    def __init__(self, passphrase, key="shopkey", version=1):
        derived = PBKDF2HMAC(hashes.SHA1(), 80, b"AdyenNexoV1Salt", 4000).derive(passphrase.encode())
        self.mac, self.cipher, self.iv = derived[:32], derived[32:64], derived[64:]
        self.key, self.version = key, version

    def _cipher(self, nonce):
        return Cipher(algorithms.AES(self.cipher), modes.CBC(bytes(a ^ b for a, b in zip(self.iv, nonce))))

    def seal(self, message):
        outer, inner = next(iter(message.items()))
        plain, nonce = json.dumps(message).encode(), os.urandom(16)
        pad = padding.PKCS7(128).padder()
        seal = self._cipher(nonce).encryptor()
        blob = seal.update(pad.update(plain) + pad.finalize()) + seal.finalize()
        trailer = {
            "AdyenCryptoVersion": 1, "KeyIdentifier": self.key, "KeyVersion": self.version,
            "Nonce": base64.b64encode(nonce).decode(),
            "Hmac": base64.b64encode(hmac.new(self.mac, plain, hashlib.sha256).digest()).decode(),
        }
        return {outer: {"MessageHeader": inner["MessageHeader"], "NexoBlob": base64.b64encode(blob).decode(),
                        "SecurityTrailer": trailer}}

    def open(self, message):
        inner = next(iter(message.values()))
        trailer = inner["SecurityTrailer"]
        used = (trailer["KeyIdentifier"], trailer["KeyVersion"], trailer["AdyenCryptoVersion"])
        assert used == (self.key, self.version, 1)
        seal = self._cipher(base64.b64decode(trailer["Nonce"])).decryptor()
        pad = padding.PKCS7(128).unpadder()
        plain = pad.update(seal.update(base64.b64decode(inner["NexoBlob"])) + seal.finalize()) + pad.finalize()
        expected = hmac.new(self.mac, plain, hashlib.sha256).digest()
        assert hmac.compare_digest(expected, base64.b64decode(trailer["Hmac"]))
        opened = json.loads(plain)
        assert next(iter(opened.values()))["MessageHeader"] == inner["MessageHeader"]
        return opened


def certificates(folder):
    """A root of its own, and a terminal's certificate with a name that the address does not have."""
    now = datetime.datetime.now(datetime.UTC)

    def make(subject, issuer, key, signer, is_root):
        name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
        builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(
            key.public_key()).serial_number(x509.random_serial_number()).not_valid_before(
            now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30)).add_extension(
            x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
        if not is_root:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
        return builder.sign(signer, hashes.SHA256())

    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = make("terminal root", "terminal root", root_key, root_key, True)
    leaf = make(f"{NAME}.test.terminal.example", "terminal root", key, root_key, False)
    pem = serialization.Encoding.PEM
    (folder / "root.pem").write_bytes(root.public_bytes(pem))
    (folder / "leaf.pem").write_bytes(leaf.public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return folder / "root.pem", folder / "leaf.pem"


class Terminal:
    """Takes what ends in .00; refuses .24; loses the answer of .27 after taking the money."""

    def __init__(self, folder, seal=None):
        self.seal, self.asked, self.known = seal or Seal(PASSPHRASE), [], {}
        self.root, leaf = certificates(folder)
        terminal = self

        class Take(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                message = terminal.seal.open(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = terminal.answer(message["SaleToPOIRequest"])
                if answer is None:
                    self.connection.close()
                    return
                data = json.dumps(terminal.seal.seal({"SaleToPOIResponse": answer})).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", 0), Take)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(leaf)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"127.0.0.1:{self.server.server_port}"

    def answer(self, request):
        header = request["MessageHeader"]
        self.asked.append(request)
        category, name = header["MessageCategory"], header["ServiceID"]
        said = {"MessageHeader": {**header, "MessageType": "Response"}}
        if category == "Payment":
            wish = request["PaymentRequest"]["PaymentTransaction"]["AmountsReq"]
            price = f"{wish['RequestedAmount']:.2f}"
            if price.endswith("24"):
                paid = {"Response": {"Result": "Failure", "ErrorCondition": "Refusal",
                                     "AdditionalResponse": "refusalReason=214%20Declined%20online"}}
            else:
                paid = {
                    "Response": {"Result": "Success"}, "SaleData": request["PaymentRequest"]["SaleData"],
                    "POIData": {"POITransactionID": {"TransactionID": "BV0q001643892070000.VK9DRSLLRCQ2WN82",
                                                     "TimeStamp": "2026-01-01T00:00:00.000Z"}},
                    "PaymentResult": {
                        "AmountsResp": {"Currency": wish["Currency"], "AuthorizedAmount": wish["RequestedAmount"]},
                        "PaymentInstrumentData": {"CardData": {"MaskedPan": "541333 **** 9999", "PaymentBrand": "mc"}}},
                }
            self.known[name] = paid
            if price.endswith("27"):
                return None
            return {**said, "PaymentResponse": paid}
        if category == "TransactionStatus":
            wanted = request["TransactionStatusRequest"]["MessageReference"]["ServiceID"]
            if wanted not in self.known:
                unknown = {"Response": {"Result": "Failure", "ErrorCondition": "NotFound"}}
                return {**said, "TransactionStatusResponse": unknown}
            return {**said, "TransactionStatusResponse": {
                "Response": {"Result": "Success"},
                "RepeatedMessageResponse": {"RepeatedResponseMessageBody": {"PaymentResponse": self.known[wanted]}}}}
        return {**said, f"{category}Response": {}}

    def count(self, category):
        return sum(1 for request in self.asked if request["MessageHeader"]["MessageCategory"] == category)


@pytest.fixture
def terminal(tmp_path):
    return Terminal(tmp_path)


def run(folder, terminal, *arguments, passphrase=PASSPHRASE, root=True):
    env = {"TILL_ADYEN_TERMINAL_PASSPHRASE": passphrase, "TILL_ADYEN_TERMINAL_KEY": "shopkey:1",
           "TILL_ADYEN_TERMINAL": f"{NAME}@{terminal.address}", "TILL_PROVIDER": "adyen"}
    if root:
        env["TILL_ADYEN_TERMINAL_ROOT"] = str(terminal.root)
    return counter.till(*arguments, "--journal", folder / "journal.db", "--json", env=env)


def sell(folder, terminal, amount, **more):
    return run(folder, terminal, "sale", "--amount", amount, "--currency", "EUR", **more)


def test_a_sale_at_a_terminal(tmp_path, terminal):
    sale = sell(tmp_path, terminal, "12.00")
    assert sale.code == 0 and sale.json["status"] in counter.PAID, sale
    assert "9999" in sale.json["receipt"] and terminal.count("Payment") == 1
    wish = terminal.asked[0]["PaymentRequest"]["PaymentTransaction"]["AmountsReq"]
    assert wish == {"Currency": "EUR", "RequestedAmount": 12.00}
    assert terminal.asked[0]["MessageHeader"]["POIID"] == NAME
    assert len(terminal.asked[0]["MessageHeader"]["ServiceID"]) == 10


def test_a_refusal_moves_no_money(tmp_path, terminal):
    sale = sell(tmp_path, terminal, "12.24")
    assert sale.code == 2 and sale.json["status"] in counter.UNPAID, sale


def test_a_lost_answer_is_asked_for_by_its_name_and_never_sent_again(tmp_path, terminal):
    sale = sell(tmp_path, terminal, "12.27")
    assert sale.code == 0 and sale.json["status"] in counter.PAID, sale
    assert terminal.count("Payment") == 1 and terminal.count("TransactionStatus") >= 1
    asked = next(r for r in terminal.asked if "TransactionStatusRequest" in r)
    first = next(r for r in terminal.asked if "PaymentRequest" in r)
    assert asked["TransactionStatusRequest"]["MessageReference"]["ServiceID"] == first["MessageHeader"]["ServiceID"]


def test_strangers_are_not_sold_to(tmp_path, terminal):
    # A certificate of another maker, a key that is not shared: nothing is charged, or it is not known.
    other = sell(tmp_path, terminal, "13.00", root=False)
    assert other.code not in (0, 2) and terminal.count("Payment") == 0, other
    (tmp_path / "two").mkdir()
    wrong = sell(tmp_path / "two", terminal, "13.00", passphrase="another one")
    assert wrong.code not in (0, 2) and terminal.count("Payment") == 0, wrong


def test_an_unsealed_terminal_elsewhere_is_refused(tmp_path):
    sale = counter.till(
        "sale", "--amount", "12.00", "--currency", "EUR", "--provider", "adyen", "--terminal", f"{NAME}@192.0.2.1:8443",
        "--journal", tmp_path / "journal.db", "--json")
    assert sale.code == 1 and "passphrase" in sale.out + sale.err, sale


def test_the_stand_in_opens_what_python_sealed(tmp_path):
    port = counter.free_port()
    process = subprocess.Popen(
        [counter.binary(), "sandbox", "adyen", "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "TILL_ADYEN_TERMINAL_PASSPHRASE": PASSPHRASE, "TILL_ADYEN_TERMINAL_KEY": "shopkey:1"})
    try:
        counter.wait_for(f"http://127.0.0.1:{port}/_sandbox/ledger", process, "/dev/null")
        seal = Seal(PASSPHRASE)
        header = {"ProtocolVersion": "3.0", "MessageClass": "Service", "MessageCategory": "Payment",
                  "MessageType": "Request", "ServiceID": "0000000001", "SaleID": "Py", "POIID": NAME}
        message = {"SaleToPOIRequest": {"MessageHeader": header, "PaymentRequest": {
            "SaleData": {"SaleTransactionID": {"TransactionID": "1", "TimeStamp": "2026-01-01T00:00:00+00:00"}},
            "PaymentTransaction": {"AmountsReq": {"Currency": "EUR", "RequestedAmount": 9.99}}}}}
        answer = requests.post(f"http://127.0.0.1:{port}/nexo", json=seal.seal(message), timeout=10)
        said = seal.open(answer.json())["SaleToPOIResponse"]["PaymentResponse"]
        assert said["Response"]["Result"] == "Success"
        assert said["PaymentResult"]["AmountsResp"]["AuthorizedAmount"] == 9.99
        bad = requests.post(f"http://127.0.0.1:{port}/nexo", json=Seal("other").seal(message), timeout=10)
        assert bad.status_code == 400
    finally:
        process.kill()
        process.wait()


def test_the_terminal_is_among_the_readers_and_sells_over_http(tmp_path, terminal):
    env = {"TILL_ADYEN_TERMINAL_PASSPHRASE": PASSPHRASE, "TILL_ADYEN_TERMINAL_KEY": "shopkey:1",
           "TILL_ADYEN_TERMINAL": f"{NAME}@{terminal.address}", "TILL_ADYEN_TERMINAL_ROOT": str(terminal.root)}
    with counter.Server(tmp_path, "--provider", "adyen", env=env) as server:
        listed = server.request("GET", "/v1/terminal/readers").json()
        assert listed["complete"] is True
        assert [(r["id"], r["device_type"], r["busy"]) for r in listed["readers"]] == [(NAME, "V400m", False)]

        def sell(order, minor, **more):
            made = server.create(order, "create-" + order, minor, **more).json()
            return server.confirm(made["id"], "confirm-" + order, {"type": "reader", "reader": NAME})

        paid = sell("o-1", 1200).json()
        assert paid["status"] in counter.PAID and paid["provider"] == "adyen_terminal", paid
        assert sell("o-2", 1224).json()["status"] in counter.UNPAID
        # Refused before the terminal wakes: it holds no money, it asks for no tips.
        held = sell("o-3", 1200, capture="manual")
        assert held.status_code == 422 and held.json()["code"] == "unsupported", held.text
        made = server.create("o-4", "create-o-4", 1200).json()
        tip = server.confirm(made["id"], "c-o-4", {"type": "reader", "reader": NAME, "ask_tip": True})
        assert tip.status_code == 422, tip.text
        assert terminal.count("Payment") == 2
        # Nobody waits there, so there is nothing to call off; nothing can be presented to a real terminal.
        off = server.request("POST", f"/v1/terminal/readers/{NAME}/cancel", {})
        assert (off.status_code, off.json()["code"]) == (409, "reader_not_waiting"), off.text
        card = server.request("POST", f"/v1/terminal/readers/{NAME}/card", {"card": "visa"})
        assert (card.status_code, card.json()["code"]) == (409, "reader_is_real"), card.text
        assert server.request("GET", f"/v1/terminal/readers/{NAME}/inputs").json()["code"] == "unsupported"


def test_the_terminal_can_be_named_on_the_command_line(tmp_path, terminal):
    sale = run(tmp_path, terminal, "sale", "--amount", "12.00", "--currency", "EUR", "--reader", NAME)
    assert sale.code == 0 and sale.json["status"] in counter.PAID, sale
    other = run(tmp_path, terminal, "sale", "--amount", "12.00", "--currency", "EUR", "--reader", "Other")
    assert other.code == 1 and other.json["error"]["code"] == "reader_not_found", other
    assert terminal.count("Payment") == 1
