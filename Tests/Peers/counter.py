"""The till under test: its command line, its server and the words of its answers, in one place.

TILL_BIN names the binary (default: .build/debug/till). Everything the tests assume about flags, paths and
field names stands here.
"""
import atexit
import functools
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
API_KEY = "test-key-of-the-counter-5f1e0c9b7a64"
CARD = "4242424242424242"
PAID = {"captured", "succeeded", "paid", "partially_refunded", "refunded"}
# What Schemathesis does with an interface description. Of the fuzzing `make prove` does a thousand times as much.
PHASES = "examples,coverage,fuzzing" if "TILL_EXAMPLES" in os.environ else "examples,coverage"
UNPAID = {"requires_payment_method", "declined", "failed", "not_sent"}
AUTHORIZED = {"authorized", "requires_capture"}
WEBHOOK_PATH = os.environ.get("TILL_WEBHOOK_PATH", "/webhooks/stripe")
WEBHOOK_SECRET = "whsec_peer_tests"
MANUAL = ["--capture", "manual"]


def binary():
    path = pathlib.Path(os.environ.get("TILL_BIN", ROOT / ".build" / "debug" / "till"))
    if not os.access(path, os.X_OK):
        pytest.fail(f"there is no till at {path}: build it, or name one in TILL_BIN", pytrace=False)
    return str(path)


@functools.cache
def public_binary():
    """The till, for every user of the machine: under another name where they may not pass the folders above it."""
    path = pathlib.Path(binary()).resolve()
    if all(folder.stat().st_mode & 0o001 for folder in path.parents):
        return str(path)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="till-binary-", dir="/var/lib"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    try:
        (folder / "till").hardlink_to(path)
    except OSError:
        shutil.copy(path, folder / "till")
    return str(folder / "till")


def library(name, folder):
    """A library in C of ours, built to be loaded into a process."""
    built = pathlib.Path(folder) / f"{name}.so"
    compiler = next((c for c in ("cc", "clang", "gcc") if shutil.which(c)), None)
    if not compiler:
        pytest.fail(f"a C compiler is needed for {name}.c; Swift's own clang will do", pytrace=False)
    source = pathlib.Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return built


# Ports below those that the system gives out, some for each worker: a port that one test has freed, to see what happens
# when nobody listens, is never taken by another test meanwhile.
PORTS_OF_A_WORKER = 2_000
MOST_WORKERS = 10
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % MOST_WORKERS
_ports = itertools.cycle(range(12_000 + _worker * PORTS_OF_A_WORKER, 12_000 + (_worker + 1) * PORTS_OF_A_WORKER))


def free_port():
    for port in itertools.islice(_ports, PORTS_OF_A_WORKER):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    pytest.fail("no port is free", pytrace=False)


def wait_for(url, process, log, seconds=20, **options):
    """Waits for a 200; a process that ends or stays silent fails the test with its own words."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            if requests.get(url, timeout=2, **options).status_code == 200:
                return
        except requests.ConnectionError:
            pass
        time.sleep(0.02)
    process.kill()
    pytest.fail(f"{process.args} does not answer on {url}: {pathlib.Path(log).read_text()[-2000:]}", pytrace=False)


class Answer:
    """What a command printed and how it ended; `json` is its last line of output that is JSON."""

    def __init__(self, arguments, done):
        self.arguments, self.code, self.out, self.err = arguments, done.returncode, done.stdout, done.stderr

    @property
    def killed(self):
        return self.code == -signal.SIGKILL

    @property
    def json(self):
        for text in (self.out, self.err, *reversed(self.out.splitlines())):
            try:
                return json.loads(text)
            except ValueError:
                continue
        return None

    def __repr__(self):
        return f"till {' '.join(self.arguments)} -> {self.code}\n{self.out}\n{self.err}"


def till(*arguments, env=None, timeout=60):
    """Runs one command to its end, whatever that is."""
    arguments = [str(a) for a in arguments]
    done = subprocess.run(
        [binary(), *arguments], capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})}
    )
    return Answer(arguments, done)


def typed(*arguments, text, timeout=60):
    """Runs one command that reads its standard input."""
    arguments = [str(a) for a in arguments]
    done = subprocess.run([binary(), *arguments], input=text, capture_output=True, text=True, timeout=timeout)
    return Answer(arguments, done)


def succeed(*arguments, **options):
    answer = till(*arguments, **options)
    assert answer.code == 0, answer
    assert answer.json is not None, answer
    return answer.json


def made(journal):
    """Makes an empty journal: commands that begin nothing refuse a place without one."""
    succeed("payments", "recover", "--journal", journal, "--json")
    return journal


def until(check, seconds=20):
    """Asks again and again until it is so; False when it was not so in the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.05)
    return False


class Stripe:
    """The provider's flags, repeated on every command that may reach it."""

    def __init__(self, url, key="sk_test_peer_tests"):
        self.url, self.key = url, key
        self.flags = ["--provider", "stripe", "--stripe-url", url, "--stripe-key", key]

    def get(self, path, **query):
        headers = {"Authorization": "Bearer " + self.key}
        answer = requests.get(self.url + path, params=query, headers=headers, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()


class Shop:
    """One journal and one provider, worked through the command line."""

    def __init__(self, folder, stripe):
        self.journal, self.stripe = pathlib.Path(folder) / "journal.db", stripe
        self.common = ["--journal", str(self.journal), "--json", *stripe.flags]

    def sale(self, *more, amount="12.50", card=CARD, order="o-1", env=None):
        return till(
            "sale", "--amount", amount, "--currency", "EUR", "--card-number", card, "--expiry", "12/30", "--cvc", "123",
            "--order", order, *self.common, *more, env=env,
        )

    def payments(self, verb, *arguments, env=None):
        return till("payments", verb, *arguments, *self.common, env=env)

    def recover(self, env=None):
        return self.payments("recover", env=env)

    def show(self, payment):
        answer = self.payments("show", payment)
        assert answer.code == 0, answer
        return answer.json

    def verify(self):
        answer = till("journal", "verify", "--journal", self.journal, "--json")
        assert answer.code == 0 and answer.json["ok"] is True, answer
        return answer.json


def amount(payment, name):
    """A payment's `captured`, `refunded` … in minor units, however the answer nests it."""
    for key in (name, "amount_" + name):
        if key in payment:
            value = payment[key]
            return value["amount"] if isinstance(value, dict) else value
    raise AssertionError(f"no {name} amount in {payment}")


class Server:
    """`till serve` on a free port; may be killed and started again on the same journal."""

    started = []  # a test that fails leaves its servers here; conftest.py ends them

    def __init__(self, folder, *flags, port=None, env=None, api_key=API_KEY, files=None):
        """`files` is the most files that the process may have open, sockets among them."""
        self.files = files
        self.folder = pathlib.Path(folder)
        self.journal, self.log = self.folder / "journal.db", self.folder / "server.log"
        self.port, self.flags, self.env, self.api_key = port or free_port(), [str(f) for f in flags], env or {}, api_key
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.opened = set()  # start addresses that were used

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [binary(), "serve", "--port", str(self.port), "--journal", str(self.journal), *self.flags],
                stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, "TILL_API_KEY": self.api_key, **self.env},
                preexec_fn=self.files and (
                    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))),
            )
        Server.started.append(self.process)
        wait_for(self.url + "/healthz", self.process, self.log)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """A polite end, which must not take long."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
                pytest.fail("till serve did not end within 15 s of SIGTERM", pytrace=False)

    def __enter__(self):
        """`with server.start():` has started it already; a second one on the same port would end at once, after its
        engine had worked on the journal."""
        return self if self.process and self.process.poll() is None else self.start()

    def __exit__(self, *_):
        self.stop()

    def start_url(self):
        """An address that signs in once: the one that the counter has printed, then those of `till sign-in`."""
        # A line may be there in part.
        printed = re.findall(r'(http[^\s"]+/#start=\w+)["\s]', self.log.read_text())
        if printed and printed[-1] not in self.opened:
            self.opened.add(printed[-1])
            return printed[-1]
        return succeed("sign-in", "--journal", self.journal, "--json", env=self.env)["start_url"]

    def sign_in(self, page, path=None):
        """Opens the page as somebody does who starts the counter, and then an address of it."""
        answer = page.goto(self.start_url())
        assert answer.status == 200
        page.locator("#till").wait_for(state="visible", timeout=60_000)
        if path is not None:
            page.goto(self.url + path)

    def session(self):
        """A session of the page without a browser."""
        session = requests.Session()
        code = self.start_url().split("#start=")[1]
        answer = session.post(
            self.url + "/session", json={"start_code": code}, headers={"X-Till-Page": "1"}, timeout=10)
        assert answer.status_code == 204, answer.text
        return session

    def request(self, method, path, body=None, key=None, timeout=30, **headers):
        headers = {"Authorization": "Bearer " + self.api_key, **headers}
        if key:
            headers["Idempotency-Key"] = key
        return requests.request(method, self.url + path, json=body, headers=headers, timeout=timeout)

    def create(self, order, key, minor=1250, **more):
        body = {"order_id": order, "amount": minor, "currency": "EUR", **more}
        return self.request("POST", "/v1/payments", body, key)

    def confirm(self, payment, key, tender=None):
        tender = tender or {"type": "reader", "reader": "simulated", "card": "visa"}
        return self.request("POST", f"/v1/payments/{payment}/confirm", {"tender": tender}, key)


CARD_TENDER = {"type": "card", "number": CARD, "expiry": "12/30", "cvc": "123"}
