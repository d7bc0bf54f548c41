"""A TCP proxy that breaks as networks do: it cuts, holds, delays, stops at a byte and is half open.

It knows nothing of what it carries but the bytes by which a test names a connection (`Wire.cut`), and every fault is
the test's to begin and to end.
"""
import contextlib
import select
import socket
import struct
import threading
import time

CHUNK = 64 * 1024
# What comes of closing with this: a reset, as from a machine that has started again.
RESET = struct.pack("ii", 1, 0)


class Cut:
    """Where one connection is cut: the next that sends `name`, at a byte of what follows."""

    def __init__(self, name, of, at, ends, skip):
        self.name, self.of, self.at, self.ends, self.skip = name, of, at, ends, skip
        self.done = threading.Event()


class Pair:
    """One connection and its other half."""

    def __init__(self, wire, client):
        self.wire, self.client = wire, client
        self.server = socket.create_connection(wire.target, timeout=5)
        self.said = b""  # what the client has said, for its name
        self.cut = None
        self.left = None
        self.is_over = threading.Event()
        for end in (self.client, self.server):
            end.settimeout(None)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink, name in ((self.client, self.server, "request"), (self.server, self.client, "answer")):
            threading.Thread(target=self.carry, args=(source, sink, name), daemon=True).start()

    def carry(self, source, sink, way):
        try:
            while not self.is_over.is_set():
                ready, _, _ = select.select([source], [], [], 0.05)
                if not ready:
                    continue
                data = source.recv(CHUNK)
                if not data:
                    break
                if way == "request":
                    self.said += data[: max(0, CHUNK - len(self.said))]
                    self.arm()
                self.wait(way)
                if self.wire.seconds:
                    time.sleep(self.wire.seconds)
                if not self.send(sink, data, way):
                    return
        except OSError:
            pass
        self.end()

    def wait(self, way):
        """A wire that is held lets nothing through, and loses nothing."""
        while way in self.wire.held and not self.is_over.is_set():
            time.sleep(0.01)

    def arm(self):
        cut = self.wire.next_cut
        if cut is None or self.cut or cut.name not in self.said:
            return
        if cut.skip:
            cut.skip -= 1
            return
        self.wire.next_cut, self.cut, self.left = None, cut, cut.at

    def send(self, sink, data, way):
        if self.cut is None or self.cut.of != way:
            sink.sendall(data)
            return True
        if len(data) <= self.left:
            self.left -= len(data)
            sink.sendall(data)
            return True
        if self.left:
            sink.sendall(data[: self.left])
        self.cut.done.set()
        if self.cut.ends:
            self.end()
            return False
        # Half open: what is sent from now on goes nowhere, and nobody is told.
        self.left = 0
        return True

    def end(self, reset=False):
        self.is_over.set()
        ends = [self.client, self.server]
        if not reset and self.cut and self.cut.done.is_set() and not self.cut.ends:
            # The other side of a line that is half open never hears of it.
            self.wire.orphans.append(ends.pop())
        for one in ends:
            with contextlib.suppress(OSError):
                if reset:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                else:
                    one.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                one.close()


class Wire:
    """The way from a counter to `target`, at a port of its own."""

    def __init__(self, target):
        self.target = ("127.0.0.1", target)
        self.held, self.seconds, self.refuses, self.next_cut = set(), 0, False, None
        self.pairs, self.orphans = [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuses:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                client.close()
                continue
            try:
                pair = Pair(self, client)
            except OSError:
                client.close()
                continue
            self.pairs = [one for one in self.pairs if not one.is_over.is_set()] + [pair]

    # Faults.

    def drop(self):
        """Every connection ends, as when a machine between the two starts again."""
        for pair in self.pairs:
            pair.end(reset=True)

    @contextlib.contextmanager
    def hold(self, *ways):
        """Nothing goes this way (`request`, `answer`; both), and comes later."""
        self.held = set(ways or ("request", "answer"))
        try:
            yield
        finally:
            self.held = set()

    @contextlib.contextmanager
    def delay(self, seconds):
        self.seconds = seconds
        try:
            yield
        finally:
            self.seconds = 0

    @contextlib.contextmanager
    def refuse(self):
        """No new connection is made; those that stand stay."""
        self.refuses = True
        try:
            yield
        finally:
            self.refuses = False

    def cut(self, name, of="answer", at=0, ends=True, skip=0):
        """The next connection on which a client has said `name` carries `at` more bytes of that way from its next
        request on (or the one after `skip` others), and ends; or, if it does not end, takes all that comes and gives
        none of it on."""
        self.next_cut = Cut(name, of, at, ends, skip)
        return self.next_cut

    def close(self):
        self.listener.close()
        self.drop()
        for one in self.orphans:
            one.close()
