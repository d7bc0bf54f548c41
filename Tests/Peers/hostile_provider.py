"""A provider by another hand, with a ledger of its own and the bad days of real ones: what stands here knows nothing of
our programs. `hostile_stripe` and `hostile_braintree` speak two vendors' formats over it.

The weather is drawn by a seed for each request: an answer that is never sent while the effect comes seconds later
(`late`), minutes later (`very_late`) or came already (`unsaid`), one cut in the middle (`cut`), a slow body (`slow`), a
failure of the provider's own before or after the effect (`fail`, `fail_after`), a gate's page (`gate`), a request for
patience (`busy`), an issuer's no (`decline`). Webhooks come twice, late and in any order.
"""
import dataclasses
import hashlib
import http.server
import random
import threading
import time

import requests

GATE = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
READS = ("cut", "slow", "gate", "busy", "fail")
WRITES = ("late", "very_late", "unsaid", "unsaid", "cut", "slow", "fail", "fail_after", "gate", "busy")


class Refused(Exception):
    """What the provider does not do: a code and a sentence."""

    def __init__(self, code, message, status=400):
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


@dataclasses.dataclass
class Refund:
    id: str
    amount: int
    name: str | None  # what the shop calls it; None for one of the dashboard
    made: float
    metadata: dict
    state: str = "succeeded"  # or "pending", "failed"


@dataclasses.dataclass
class Dispute:
    id: str
    amount: int
    status: str
    made: float
    # What was taken for it (below zero) and returned, one entry each.
    moves: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Charge:
    id: str
    account: str
    amount: int
    currency: str
    made: float
    metadata: dict = dataclasses.field(default_factory=dict)
    state: str = "new"  # then "held", "captured", "voided", "declined"
    captured: int = 0
    settled: bool = False
    taken_back: bool = False  # voided after it was captured and before it was settled
    refunds: list = dataclasses.field(default_factory=list)
    disputes: list = dataclasses.field(default_factory=list)
    fields: dict = dataclasses.field(default_factory=dict)  # what a format keeps besides
    history: list = dataclasses.field(default_factory=list)

    @property
    def refunded(self):
        if self.taken_back:
            return self.captured
        return sum(r.amount for r in self.refunds if r.state != "failed")

    @property
    def withdrawn(self):
        """With the bank, for disputes."""
        return -sum(sum(dispute.moves) for dispute in self.disputes)

    @property
    def net(self):
        return self.captured - self.refunded - self.withdrawn


class Ledger:
    """What moved, by rules that hold whatever the weather is. One lock for everything."""

    def __init__(self, clock):
        self.clock, self.lock, self.charges, self.count = clock, threading.RLock(), {}, 0

    def identifier(self, prefix=""):
        self.count += 1
        return prefix + hashlib.sha256(f"{id(self)}/{self.count}".encode()).hexdigest()[:16]

    def open(self, account, amount, currency, prefix="", **more):
        charge = Charge(self.identifier(prefix), account, amount, currency, self.clock(), **more)
        self.charges[charge.id] = charge
        return charge

    def find(self, account, reference):
        """Nobody sees another account's charges."""
        charge = self.charges.get(reference)
        return charge if charge and charge.account == account else None

    def authorize(self, charge, said_no=False):
        charge.state = "declined" if said_no else "held"
        charge.history.append("authorized" if not said_no else "processor_declined")

    def capture(self, charge, amount):
        if charge.state != "held":
            raise Refused("not_held", f"the charge is {charge.state}")
        if not 0 < amount <= charge.amount:
            raise Refused("too_much", "more than was authorized")
        charge.state, charge.captured = "captured", amount
        charge.history.append("submitted_for_settlement")

    def void(self, charge):
        if charge.state == "captured" and not charge.settled and not charge.refunds:
            charge.taken_back = True
        elif charge.state not in ("new", "held"):
            raise Refused("not_voidable", f"the charge is {charge.state}")
        charge.state = "voided"
        charge.history.append("voided")

    def refund(self, charge, amount, name=None, state="succeeded", prefix="", metadata=None):
        if charge.state != "captured":
            raise Refused("not_captured", f"the charge is {charge.state}")
        if charge.net == 0:
            raise Refused("already_refunded", "all of it was given back")
        if not 0 < amount <= charge.net:
            raise Refused("too_much", "more than is left")
        refund = Refund(self.identifier(prefix), amount, name, self.clock(), metadata or {}, state)
        charge.refunds.append(refund)
        return refund

    def settle(self, charge):
        if charge.state == "captured" and not charge.settled:
            charge.settled = True
            charge.history.append("settled")
            return True
        return False

    def fail_capture(self, charge):
        """After the sale: the bank does not pay what was captured."""
        charge.state, charge.captured, charge.settled = "declined", 0, False
        charge.history.append("settlement_declined")

    def by_payment(self, payment_of):
        """Every charge by the payment that it says it is of."""
        found = {}
        with self.lock:
            for charge in self.charges.values():
                found.setdefault(payment_of(charge), []).append(charge)
        return found


class Weather:
    """What goes wrong, by seed, kind of request and how often that kind came."""

    def __init__(self, seed, share=0.45):
        self.seed, self.share, self.calm, self.seen, self.counts = seed, share, False, {}, {}
        self.lock = threading.Lock()

    def dice(self, *names):
        return random.Random("/".join(str(name) for name in (self.seed, *names)))

    def draw(self, kind, faults):
        with self.lock:
            count = self.counts[kind] = self.counts.get(kind, 0) + 1
            dice = self.dice(kind, count)
            if self.calm or dice.random() > self.share:
                return None, dice
            fault = dice.choice(faults)
            self.seen[fault] = self.seen.get(fault, 0) + 1
            return fault, dice

    def note(self, fault):
        with self.lock:
            self.seen[fault] = self.seen.get(fault, 0) + 1


class Answer:
    def __init__(self, status, body, content_type, **headers):
        self.status, self.body = status, body
        self.headers = {"Content-Type": content_type, **headers}


class Provider:
    """An HTTP server around a ledger. A format has `perform(request)`, which returns an Answer, `failure(request)` and
    `kind(request)`."""

    # The longest that a request is on its way, in seconds; a bound of the world, below any that a client relies upon.
    LATEST = 6.0

    def __init__(self, seed, share=0.45):
        self.offset = 0.0
        self.ledger, self.weather = Ledger(self.now), Weather(seed, share)
        self.on_the_way, self.far_away, self.requests, self.lock = [], [], 0, threading.Lock()
        self.post = Post(self)
        self.log = []  # every request as it came, with its weather; not what it carried
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {k.lower(): v for k, v in self.headers.items()}
                outer.serve(self, {"method": self.command, "path": self.path, "headers": headers, "body": body})

            do_GET = do_POST = do_PUT = handle_any

            def date_time_string(self, timestamp=None):
                return super().date_time_string(outer.now())

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

            def handle_error(self, *_):
                """A client that died in the middle is no news here."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.post.stop()
        self.server.shutdown()
        self.server.server_close()

    def now(self):
        """The provider's clock; days cannot be waited for."""
        return time.time() + self.offset

    def serve(self, handler, request):
        with self.lock:
            self.requests += 1
        kind, is_read = self.kind(request), request["method"] == "GET"
        fault, dice = self.weather.draw(kind, READS if is_read or self.is_harmless(request) else WRITES)
        self.log.append(f"{self.now():.3f} {request['method']} {request['path']} {fault or ''}")
        if fault in ("late", "very_late"):
            self.delay(request, None if fault == "very_late" else dice.uniform(0.1, self.LATEST))
            handler.close_connection = True
            return
        if fault == "busy":
            return self.write(handler, Answer(429, b"", "text/plain"))
        if fault == "gate" and dice.random() < 0.5:
            return self.write(handler, Answer(502, GATE, "text/html"))
        if fault in ("fail", "fail_after"):
            return self.write(handler, self.failing(request, fault == "fail_after", dice))
        answer = self.perform(request)
        if fault == "unsaid":
            handler.close_connection = True
        elif fault == "gate":
            self.write(handler, Answer(504, GATE, "text/html"))
        elif fault == "cut":
            self.write(handler, answer, cut=True)
        else:
            self.write(handler, answer, slow=fault == "slow")

    def delay(self, request, seconds, **more):
        """On its way, whatever becomes of its client: for so many seconds, or until `bring_what_is_far_away`."""
        if seconds is None:
            with self.lock:
                self.far_away.append((request, more))
            return
        timer = threading.Timer(seconds, lambda: self.perform(request, **more))
        timer.daemon = True
        with self.lock:
            self.on_the_way.append(timer)
        timer.start()

    def bring_what_is_far_away(self, within):
        """What nobody waits for any more arrives, in any order."""
        with self.lock:
            arriving, self.far_away = self.far_away, []
        dice = self.weather.dice("arrival")
        for request, more in arriving:
            self.delay(request, dice.uniform(0, within), **more)
        return len(arriving)

    def wait_for_late_ones(self):
        with self.lock:
            waiting, self.on_the_way = self.on_the_way, []
        for timer in waiting:
            timer.join(self.LATEST + 5)

    def write(self, handler, answer, cut=False, slow=False):
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        if cut:
            handler.wfile.write(answer.body[: len(answer.body) // 2])
            handler.close_connection = True
        elif slow:
            for start in range(0, len(answer.body), 400):
                handler.wfile.write(answer.body[start:start + 400])
                handler.wfile.flush()
                time.sleep(0.05)
        else:
            handler.wfile.write(answer.body)


class Post:
    """Webhooks on their way: each comes once to three times, none in its order, and again until it is answered 2xx."""

    PATIENCE = 20.0

    def __init__(self, provider):
        self.provider, self.url, self.lock = provider, None, threading.Lock()
        self.waiting, self.delivered, self.stopped = [], 0, threading.Event()
        self.refusals, self.silent = {}, set()
        threading.Thread(target=self.run, daemon=True).start()

    def send(self, account, sign):
        """`sign` makes headers and body at the moment of delivery, as the provider does. Accounts in `silent` have told
        the provider no address."""
        if account in self.silent:
            return
        with self.lock:
            dice = self.provider.weather.dice("webhook", len(self.waiting) + self.delivered)
            copies = dice.choice((1, 2, 3)) if not self.provider.weather.calm else 2
            for _ in range(copies):
                self.waiting.append((time.monotonic() + dice.uniform(0, 2.5), sign))
            if copies > 1:
                self.provider.weather.note("duplicate webhook")
            dice.shuffle(self.waiting)

    def stop(self):
        self.stopped.set()

    def run(self):
        while not self.stopped.wait(0.02):
            with self.lock:
                due = [item for item in self.waiting if item[0] <= time.monotonic()] if self.url else []
            for item in due[:20]:
                with self.lock:
                    self.waiting.remove(item)
                if not self.deliver(item[1]):
                    with self.lock:
                        self.waiting.append((time.monotonic() + 0.7, item[1]))

    def deliver(self, sign):
        headers, body = sign()
        try:
            answer = requests.post(self.url, data=body, headers=headers, timeout=10)
        except requests.RequestException:
            return False
        if not answer.ok:
            self.refusals[answer.status_code] = answer.text
            return False
        self.delivered += 1
        return True

    def all_delivered(self):
        end = time.monotonic() + self.PATIENCE
        while time.monotonic() < end:
            with self.lock:
                if not self.waiting:
                    return True
            time.sleep(0.05)
        return False
