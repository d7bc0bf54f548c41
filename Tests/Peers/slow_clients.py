"""Clients that keep connections and do not get on."""
import socket
import threading
import time

import counter

FILES = 256
SOCKETS = 320
# How many of them come in the first second, and in the next.
RAMP = 100


class Attack(threading.Thread):
    """Keeps so many sockets open, and opens another one for each that is closed."""

    def __init__(self, port, first, drop, pace, reads):
        super().__init__(daemon=True)
        self.port, self.first, self.drop, self.pace, self.reads = port, first, drop, pace, reads
        self.ended, self.opened, self.open = threading.Event(), 0, {}

    def __enter__(self):
        self.start()
        assert counter.until(lambda: self.opened >= SOCKETS), self.opened
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join(10)

    def knock(self):
        one = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect_ex(("127.0.0.1", self.port))
        self.open[one] = (self.first, time.monotonic() + 0.3)
        self.opened += 1

    def run(self):
        began = time.monotonic()
        while not self.ended.is_set():
            elapsed = time.monotonic() - began
            allowed = min(SOCKETS, RAMP * elapsed) + self.pace * elapsed
            while len(self.open) < SOCKETS and self.opened < allowed:
                self.knock()
            for one in list(self.open):
                self.tend(one)
            time.sleep(0.01)
        for one in self.open:
            one.close()

    def tend(self, one):
        rest, due = self.open[one]
        try:
            if self.reads and not one.recv(65_536):
                raise ConnectionResetError
        except BlockingIOError:
            pass
        except OSError:
            one.close()
            del self.open[one]
            return
        try:
            if rest:
                rest = rest[one.send(rest):]
            elif self.drop and time.monotonic() > due:
                one.send(self.drop)
                due = time.monotonic() + 0.3
            self.open[one] = (rest, due)
        except BlockingIOError:
            pass
        except OSError:
            one.close()
            del self.open[one]
