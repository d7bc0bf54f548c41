"""A shop's program that takes webhooks as fast as they come, and keeps what came: the other end of the part
`webhooks-out` of `Benchmarks/run`."""
import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time

# The most bytes of a request that is kept in memory until it is whole.
LARGEST = 1 << 16
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class Delivery:
    """A request as it came."""

    __slots__ = ("at", "body", "id", "path", "signatures", "timestamp")

    def __init__(self, head, body):
        first, *fields = head.decode("latin-1").split("\r\n")
        named = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        self.at, self.path, self.body = time.monotonic(), first.split(" ")[1], body
        self.id, self.timestamp = named["webhook-id"], named["webhook-timestamp"]
        self.signatures = named["webhook-signature"].split(" ")

    def is_signed(self, secret):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        text = f"{self.id}.{self.timestamp}.".encode() + self.body
        wanted = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return wanted in self.signatures


class _Connection(asyncio.Protocol):
    def __init__(self, receiver):
        self.receiver, self.buffer = receiver, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            size = int(lengths[0].partition(b":")[2]) if lengths else 0
            if len(self.buffer) < end + 4 + size:
                break
            body, self.buffer = self.buffer[end + 4:end + 4 + size], self.buffer[end + 4 + size:]
            self.receiver.came(Delivery(head, body), self.transport)
        if len(self.buffer) > LARGEST:
            self.transport.close()


class Receiver:
    """Takes webhooks on a thread of its own. Until `open` is called nothing is answered, so that a backlog grows."""

    def __init__(self):
        self.deliveries, self.waiting, self.is_open = [], [], False
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(
            self.loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=512))
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def came(self, delivery, transport):
        self.deliveries.append(delivery)
        if self.is_open:
            transport.write(ANSWER)
        else:
            self.waiting.append(transport)

    def open(self):
        """Answers what waits, and from then on at once."""

        def answer():
            self.is_open = True
            for transport in self.waiting:
                transport.write(ANSWER)
            self.waiting = []
        self.loop.call_soon_threadsafe(answer)

    def wait(self, count, seconds):
        """Waits until so many deliveries have come. Returns `False` if they do not come in time."""
        end = time.monotonic() + seconds
        while len(self.deliveries) < count:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def close(self):
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)

    def faults(self, secrets, payments, types):
        """What is wrong with what came: each message once to each endpoint, genuine, and those of a payment in order.

        `secrets` are those of the endpoints by path, `payments` is the number of payments, `types` are those of each.
        """
        faults = []
        for path, secret in secrets.items():
            came = [one for one in self.deliveries if one.path == path]
            forged = sum(not one.is_signed(secret) for one in came)
            if forged:
                faults.append(f"{forged} messages to {path} are not signed with its secret")
            if len({one.id for one in came}) != len(came):
                faults.append(f"messages came to {path} more than once")
            told = {}
            for one in came:
                message = json.loads(one.body)
                told.setdefault(message["data"]["payment_id"], []).append(message["type"])
            if len(told) != payments:
                faults.append(f"{path} was told of {len(told)} payments instead of {payments}")
            wrong = [payment for payment, order in told.items() if order != types]
            if wrong:
                faults.append(f"{path} was told of {wrong[0]}: {told[wrong[0]]}")
        return faults
