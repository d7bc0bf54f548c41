"""Printers and mail servers whose answers are made to hurt. What was to be printed or mailed ends in its time, with
little memory, and with a sentence that says whether it may have happened; the payment stands as it is."""
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import hostile_answers
import pytest

import counter
import mail_server
import printers

# One exchange with a printer over IPP has 20 s, an ESC/POS printer 30 s to take the bytes.
PATIENCE = 50
# The whole process, in MiB.
MOST_MEMORY = 200


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    till = printers.Till(tmp_path_factory.mktemp("till"), TILL_STORE="Tea")
    till.payment = till.sale()
    return till


# Between this process and a command: what a process has just after its fork is counted as its own memory, and the tests
# that ran here before have left a lot.
LAUNCHER = """
import os, sys
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(f"\\n{usage.ru_maxrss >> 10}", end="")
sys.exit(abs(os.waitstatus_to_exitcode(status)))
"""


class Done:
    """A command that has ended: code, words, seconds, and the most memory that it had, in MiB."""

    def __init__(self, till, *arguments, **environment):
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, counter.binary(), *map(str, arguments)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**till.environment, **environment}, start_new_session=True)
        watch = threading.Timer(PATIENCE + 60, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        self.words, _, memory = process.stdout.read().decode(errors="replace").rpartition("\n")
        self.code = process.wait()
        watch.cancel()
        self.memory = int(memory)
        self.seconds = time.monotonic() - began

    def __repr__(self):
        return f"{self.code} after {self.seconds:.1f} s with {self.memory} MiB: {self.words[:600]}"


def each(ways, run, workers, patience=PATIENCE):
    """What became of each way; none may be slow, large, or pass on what hurts."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        done = dict(zip(ways, pool.map(run, ways), strict=True))
    print({way: f"{one.seconds:.1f} s, {one.memory} MiB" for way, one in done.items()})
    assert not {way: one for way, one in done.items() if one.seconds > patience or one.memory > MOST_MEMORY}
    assert not {way: one for way, one in done.items() if "\x1b" in one.words or hostile_answers.PAN in one.words}
    return done


def ipp(group, *attributes, code=0, number=1):
    return struct.pack(">BBHI", 2, 0, code, number) + bytes([group]) + b"".join(attributes) + b"\x03"


def attribute(tag, name, value):
    return struct.pack(">BH", tag, len(name)) + name + struct.pack(">H", len(value)) + value


def answered(body):
    return lambda to, _: to.sendall(hostile_answers.whole(body, kind="application/ipp"))


LONG = ("no \x1b[2J\u202e" + "x" + "\u0301" * 480).encode()
IPP = {
    "collections in collections": answered(ipp(4, attribute(0x34, b"a", b""), b"\x34\0\0\0\0" * 180_000)),
    "members in members": answered(ipp(4, attribute(0x34, b"a", b""), (b"\x4a\0\0\0\1b" + b"\x34\0\0\0\0") * 60_000)),
    "a million values": answered(ipp(4, attribute(0x44, b"a", b"b"), b"\x44\0\0\0\0" * 190_000)),
    "a thousand groups": answered(ipp(4, b"\x04" * 900_000)),
    "a value beyond the end": answered(ipp(4, b"\x44\xff\xff" + b"a" * 100)),
    "another request": answered(ipp(1, number=77)),
    "a long refusal": answered(ipp(1, attribute(0x41, b"status-message", LONG), code=0x0500)),
    "a printer without anything": answered(ipp(4)),
    "numbers beyond counting": answered(ipp(4, attribute(0x21, b"printer-state", b"\xff" * 900),
                                            attribute(0x33, b"media-bottom-margin-supported", b"\x7f" * 8))),
}


@pytest.mark.parametrize("kind", ["fast", "slow"])
def test_whatever_an_ipp_printer_answers_ends_in_its_time(till, kind):
    hostile_answers.FAST.update(IPP)
    ways = list(hostile_answers.FAST if kind == "fast" else hostile_answers.SLOW)
    gates = {way: hostile_answers.Gate(None, lambda request, body, way=way: way) for way in ways}

    def printed(way):
        address = f"ipp://127.0.0.1:{gates[way].port}/ipp/print"
        return Done(till, "receipts", "print", till.payment, "--printer", address, "--json")

    try:
        done = each(ways, printed, 2 if kind == "fast" else len(ways))
    finally:
        for gate in gates.values():
            gate.close()
        for way in IPP:
            hostile_answers.FAST.pop(way)
    assert not {way: one for way, one in done.items() if one.code not in (1, 3)}, "nothing was printed"
    assert all(gate.done for gate in gates.values()), "an attack that did not take place"
    assert not [way for way, gate in gates.items() if gate.elsewhere.heard], "a redirect was followed"
    assert till_is_paid(till)


def till_is_paid(till):
    return json.loads(till.run("payments", "show", till.payment, "--json").stdout)["status"] == "succeeded"


class Port(threading.Thread):
    """A port whose connections a function has."""

    def __init__(self, act):
        super().__init__(daemon=True)
        self.act, self.socket, self.came = act, socket.create_server(("127.0.0.1", 0)), 0
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self.socket.accept()[0]
                self.came += 1
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection:
            self.act(hostile_answers.Wire(connection, ""))

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def slowly(to, byte, pause):
    while True:
        to.sendall(byte)
        time.sleep(pause)


ESCPOS = {
    "ready for ever": lambda to: hostile_answers.pour(to, b"", b"\x12" * 65_536, most=1 << 40),
    "states for ever": lambda to: hostile_answers.pour(to, b"", b"\x14\0\0\0" * 16_384, most=1 << 40),
    "words for ever": lambda to: hostile_answers.pour(to, b"", b"220 hello\r\n" * 6_000, most=1 << 40),
    "half states": lambda to: slowly(to, b"\x14\0", 0.1),
    "a byte now and then": lambda to: slowly(to, b"\x12", 1),
    "takes nothing": lambda to: (to.sendall(b"\x12" * 3), time.sleep(60)),
    "says nothing": lambda to: to.rest(),
    "goes": lambda to: None,
    "resets": lambda to: to.connection.setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)),
}


def test_whatever_a_receipt_printer_answers_ends_in_its_time(till):
    ports = {way: Port(act) for way, act in ESCPOS.items()}
    try:
        done = each(list(ESCPOS), lambda way: Done(
            till, "receipts", "print", till.payment, "--printer", f"socket://127.0.0.1:{ports[way].port}", "--json"), 3)
    finally:
        for port in ports.values():
            port.close()
    # A printer that says nothing, or that it is ready, has what it was sent: nobody can know more.
    handed = {"ready for ever", "states for ever", "half states", "a byte now and then", "says nothing",
              "takes nothing"}
    assert not {way: one for way, one in done.items() if one.code not in (0, 1, 3)}
    assert not {way: one for way, one in done.items() if one.code == 0 and way not in handed}
    assert all(port.came for port in ports.values()) and till_is_paid(till)


def talk(*steps):
    """A mail server that waits for a word, then says its part; what is no bytes is done."""
    def act(to):
        heard = b""
        for word, answer in steps:
            while word not in heard:
                more = to.connection.recv(65_536)
                if not more:
                    return
                heard += more
            heard = heard.partition(word)[2] if word else heard
            if callable(answer):
                answer(to)
            else:
                to.sendall(answer)
        to.rest()
    return act


READY = (b"", b"220 mail\r\n")
ASKED = [READY, (b"EHLO", b"250 mail\r\n"), (b"MAIL", b"250 ok\r\n"), (b"RCPT", b"250 ok\r\n"),
         (b"DATA", b"354 go\r\n")]
POUR = hostile_answers.pour
MAIL = {
    "greetings for ever": talk((b"", lambda to: POUR(to, b"", b"220-hello\r\n" * 6_000, most=1 << 40))),
    "a line for ever": talk((b"", lambda to: POUR(to, b"220 ", b"x" * 65_536, most=1 << 40))),
    "a line by bytes": talk((b"", lambda to: slowly(to, b"2", 1))),
    "lines by and by": talk((b"", lambda to: slowly(to, b"220-hello\r\n", 0.5))),
    "silence": talk(),
    "answers that nobody asked for": talk((b"", lambda to: POUR(to, b"", b"250 ok\r\n" * 8_000, most=1 << 40))),
    "extensions for ever": talk(READY, (b"EHLO", lambda to: POUR(to, b"", b"250-X\r\n" * 9_000, most=1 << 40))),
    "size beyond counting": talk(READY, (b"EHLO", b"250-mail\r\n250 SIZE 99999999999999999999999999\r\n"),
                                 (b"MAIL", b"550 no\r\n")),
    "code beyond counting": talk((b"", b"99999999999999999999 hello\r\n")),
    "zeros": talk((b"", lambda to: POUR(to, b"", bytes(65_536), most=1 << 40))),
    "a refusal with all that hurts": talk(READY, (b"EHLO", b"550 no " + hostile_answers.PAN.encode()
                                                  + b" \x1b[2J " + b"x" * 1_900 + b"\r\n")),
    "silence at the end": talk(*ASKED),
}
MAYBE = {"silence at the end"}
# The last answer of a mail server has 60 s, each other one 15 s.
MAIL_PATIENCE = 100


def test_whatever_a_mail_server_says_ends_in_its_time(till):
    ports = {way: Port(act) for way, act in MAIL.items()}
    payments = {way: till.sale() for way in MAIL}  # one letter of each is under way at a time
    try:
        done = each(list(MAIL), lambda way: Done(
            till, "receipts", "send", payments[way], "--to", mail_server.CUSTOMER, "--json",
            **mail_server.settings(ports[way].port, security="none")), len(MAIL), MAIL_PATIENCE)
    finally:
        for port in ports.values():
            port.close()
    states = {way: re.search(r'"state" ?: ?"(\w+)"', one.words) for way, one in done.items()}
    assert {way: found and found[1] for way, found in states.items()} == {
        way: "may_have_been_sent" if way in MAYBE else "failed" for way in MAIL}
    assert "lovelace" not in "".join(one.words for one in done.values())


@pytest.mark.parametrize("what", ["printer", "mail"])
def test_sales_go_on_while_printers_and_mail_servers_dribble(tmp_path, what):
    """Sixteen receipts are on their way to those who say a byte a second."""
    port = Port(lambda to: slowly(to, b"2", 1)) if what == "mail" else None
    gate = hostile_answers.Gate(None, lambda request, body: "body by bytes" if body else None)
    gate.forward, gate.target = lambda *_: (200, "application/ipp", b"x" * 1_000), True
    env = mail_server.settings(port.port, security="none") if port else {}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        counter.succeed("printers", "add", "bar", f"ipp://127.0.0.1:{gate.port}/ipp/print", "--journal", server.journal,
                        "--json")
        asked = []

        def hand_over(payment, key):
            path, body = ("send", {"to": mail_server.CUSTOMER}) if port else ("print", {"printer": "bar"})
            asked.append(server.request("POST", f"/v1/payments/{payment}/receipt/{path}", body, key, timeout=120))

        threads = []
        for number in range(16):
            payment = server.create(f"o-{number}", f"c-{number}").json()["id"]
            assert server.confirm(payment, f"s-{number}").json()["status"] == "succeeded"
            threads.append(threading.Thread(target=hand_over, args=(payment, f"h-{number}"), daemon=True))
        for thread in threads:
            thread.start()
        time.sleep(1)
        slowest = 0.0
        for number in range(20):
            began = time.monotonic()
            payment = server.create(f"b-{number}", f"cb-{number}").json()["id"]
            assert server.confirm(payment, f"sb-{number}").json()["status"] == "succeeded"
            slowest = max(slowest, time.monotonic() - began)
        print(f"{what}: the slowest sale beside took {slowest:.2f} s")
        assert slowest < 5
        for thread in threads:
            thread.join(110)
        assert len(asked) == 16, "one never ended"
        assert {answer.status_code for answer in asked} <= {200, 202, 409, 422, 429, 503}, {a.text for a in asked}
        assert server.process.poll() is None
    gate.close()
    if port:
        port.close()
