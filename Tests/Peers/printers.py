"""Printers by other hands on loopback: CUPS's own IPP Everywhere printer, CUPS itself, Avahi, a message bus of their
own; and a wire between till and a printer that can be cut, listened to, and used to kill till in the middle."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

import counter

ROLL = """\
ATTR keyword media-supported "om_receipt-80x150_80x150mm","custom_min_48x30mm","custom_max_80x3276mm"
ATTR keyword media-default "om_receipt-80x150_80x150mm"
ATTR keyword media-ready "om_receipt-80x150_80x150mm"
ATTR collection media-size-supported {MEMBER integer x-dimension 8000 MEMBER integer y-dimension 15000},\
{MEMBER rangeOfInteger x-dimension 4800-8000 MEMBER rangeOfInteger y-dimension 3000-327600}
ATTR resolution printer-resolution-supported 203dpi
ATTR resolution printer-resolution-default 203dpi
ATTR resolution pwg-raster-document-resolution-supported 203dpi
ATTR keyword pwg-raster-document-type-supported "black_1","sgray_8"
ATTR enum finishings-supported 3,11
ATTR enum finishings-default 11
ATTR mimeMediaType document-format-supported %s
"""
SHEETS = """\
ATTR keyword media-supported "iso_a4_210x297mm","iso_a5_148x210mm"
ATTR keyword media-default "iso_a4_210x297mm"
ATTR keyword media-ready "iso_a4_210x297mm"
ATTR collection media-size-supported {MEMBER integer x-dimension 21000 MEMBER integer y-dimension 29700},\
{MEMBER integer x-dimension 14800 MEMBER integer y-dimension 21000}
ATTR enum finishings-supported 3
ATTR enum finishings-default 3
ATTR mimeMediaType document-format-supported %s
"""
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>
<listen>unix:path=%s</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*"/>
<allow receive_sender="*"/><allow own="*"/><allow user="*"/><allow send_type="method_call"/>
<allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
<allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
<allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/></policy></busconfig>"""

needs_printer = pytest.mark.skipif(
    not (shutil.which("ippeveprinter") and shutil.which("dbus-daemon")),
    reason="needs Debian's cups-ipp-utils and dbus-daemon",
)
SECRET = "drawer 7 secret"
# PAM's test library keeps its folders under one name in /tmp, and takes those of another process for left over: each
# cupsd has a /tmp of its own. What runs has the id of the process that was started.
OWN_TMP = ["unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount -t tmpfs tmpfs /tmp && exec "$@"', "sh"]
if subprocess.run([*OWN_TMP, "true"], capture_output=True).returncode != 0:
    OWN_TMP = []


class Till:
    """The command line on a journal of its own, with simulated money."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.environment = {**os.environ, "TILL_JOURNAL": str(folder / "journal.sqlite"), **environment}

    def run(self, *arguments, text=True, **options):
        return subprocess.run([counter.binary(), *map(str, arguments)], capture_output=True, text=text, timeout=90,
                              env=self.environment, **options)

    def start(self, *arguments):
        return subprocess.Popen([counter.binary(), *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment)

    def sale(self, *more):
        done = self.run("sale", "--amount", "12.50", "--currency", "EUR", "--reader", "simulated", "--json", *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["payment_id"]

    def print(self, payment, address, *more):
        return self.run("receipts", "print", payment, "--printer", address, "--json", *more)

    def queue(self, payment):
        return prints(self.run("receipts", "queue", payment, "--json"))


def prints(done):
    return json.loads(done.stdout)["prints"]


def states(done):
    return [job["state"] for job in prints(done)]


def listening(port, seconds=15, by=None):
    end = time.monotonic() + seconds
    while time.monotonic() < end and (by is None or by.poll() is None):
        with socket.socket() as s:
            if s.connect_ex(("localhost", port)) == 0:
                return True
        time.sleep(0.05)
    return False


STARTS = 3


class Printer:
    """An ippeveprinter; what it understood of each job is in `jobs`, as (type, finishing, media, file, name)."""

    def __init__(self, folder, bus, port, arguments, script, register="off"):
        self.folder, self.port, self.bus, self.arguments = folder, port, bus, arguments
        self.address = f"ipp://localhost:{port}/ipp/print"
        self.secure = self.address.replace("ipp:", "ipps:")
        self.log, self.register = folder / "jobs.txt", register
        self.command = folder / "job.sh"
        self.command.write_text(
            "#!/bin/sh\n"
            "printf '%s|%s|%s|%s|%s\\n' \"$CONTENT_TYPE\" \"$IPP_FINISHINGS\" \"$IPP_MEDIA_COL\" \"$1\" "
            f"\"$IPP_JOB_NAME\" >> {self.log}\n" + script)
        self.command.chmod(0o755)
        (folder / "spool").mkdir()
        self.start()

    def start(self):
        said = self.folder / "ippeveprinter.txt"
        # One that was started while the machine was busy may give up or hang before it listens.
        for _ in range(STARTS):
            with said.open("ab") as output:
                self.process = subprocess.Popen(
                    ["ippeveprinter", "-n", "localhost", "-p", str(self.port), "-d", str(self.folder / "spool"), "-k",
                     "-r", self.register, *self.arguments, "-c", str(self.command), "Receipt Test"],
                    env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.bus}, stdout=subprocess.DEVNULL,
                    stderr=output)
            if listening(self.port, by=self.process):
                return
            self.stop()
        pytest.fail(f"ippeveprinter does not listen: {said.read_text(errors='replace')[-2000:]}")

    def stop(self):
        self.process.kill()
        self.process.wait()

    def jobs(self, of=None):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.split("|") for line in lines if of is None or of in line.split("|")[4]]


class Cups:
    """A cupsd with a folder of its own, TLS, and passwords that PAM's test library checks."""

    def __init__(self, folder):
        self.folder, self.port, self.secure_port = folder, counter.free_port(), counter.free_port()
        root = folder / "root"
        for name in ("ssl", "ppd", "log", "run", "tmp", "cache", "state", "spool"):
            (root / name).mkdir(parents=True)
        (folder / "cupsd.conf").write_text(
            f"LogLevel warn\nListen 127.0.0.1:{self.port}\nSSLListen 127.0.0.1:{self.secure_port}\nBrowsing Off\n"
            "DefaultAuthType Basic\nDefaultEncryption IfRequested\n<Location />\nOrder allow,deny\nAllow all\n"
            "</Location>\n<Location /printers/locked>\nAuthType Basic\nRequire valid-user\nOrder allow,deny\n"
            "Allow all\n</Location>\n<Policy default>\n<Limit All>\nOrder deny,allow\n</Limit>\n</Policy>\n")
        (folder / "cups-files.conf").write_text(
            f"ServerRoot {root}\nRequestRoot {root}/spool\nTempDir {root}/tmp\nCacheDir {root}/cache\n"
            f"StateDir {root}/state\nErrorLog {root}/log/error\nAccessLog {root}/log/access\nPageLog {root}/log/page\n"
            f"ServerKeychain {root}/ssl\nCreateSelfSignedCerts yes\nPrintcap\nDataDir /usr/share/cups\n"
            "ServerBin /usr/lib/cups\nFileDevice Yes\n")
        environment = dict(os.environ)
        matrix = next(pathlib.Path("/usr/lib").rglob("pam_matrix.so"), None)
        self.has_passwords = matrix is not None
        if matrix:
            (folder / "users").write_text(f"till:{SECRET}:cups\n")
            (folder / "pam").mkdir()
            (folder / "pam" / "cups").write_text(
                f"auth required {matrix} passdb={folder}/users\naccount required {matrix} passdb={folder}/users\n")
            environment |= {"LD_PRELOAD": "libpam_wrapper.so", "PAM_WRAPPER": "1",
                            "PAM_WRAPPER_SERVICE_DIR": str(folder / "pam")}
        self.process = subprocess.Popen(
            [*OWN_TMP, shutil.which("cupsd") or "/usr/sbin/cupsd", "-f", "-c", str(folder / "cupsd.conf"), "-s",
             str(folder / "cups-files.conf")],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not listening(self.port):
            pytest.fail("cupsd does not listen: " + (root / "log" / "error").read_text()[-1000:])

    def queue(self, name, device, *more):
        done = self.run("lpadmin", "-p", name, "-E", "-v", device, *more)
        assert done.returncode == 0, done.stderr
        return f"ipp://localhost:{self.port}/printers/{name}"

    def run(self, *arguments):
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path, "CUPS_SERVER": f"127.0.0.1:{self.port}"})

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Wire(threading.Thread):
    """Between till and a printer: knows IPP's operations, keeps what passed, and at one of them does something.

    `at` is (operation, when): `before` the request is passed on, at `half` of it, `after` the answer came but before
    it is passed on, or once it was `answered`. `then` is called there; the connection is cut unless it was answered."""

    def __init__(self, port, at=None, then=lambda: None, times=1):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.target, self.at, self.then, self.times = self.server.getsockname()[1], port, at, then, times
        self.address = f"ipp://127.0.0.1:{self.port}/ipp/print"
        self.passed, self.heads = [], []
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def close(self):
        self.server.close()

    def due(self, operation, when):
        if self.at != (operation, when) or self.times < 1:
            return False
        self.times -= 1
        return True

    def serve(self, near):
        try:
            with near, socket.create_connection(("localhost", self.target)) as far:
                while request := message(near):
                    self.heads.append(request[0])
                    operation = int.from_bytes(request[1][2:4], "big")
                    whole = b"".join(request)
                    if self.due(operation, "before"):
                        return self.then()
                    if self.due(operation, "half"):
                        far.sendall(whole[:len(whole) - len(request[1]) // 2])
                        time.sleep(0.2)
                        return self.then()
                    far.sendall(whole)
                    answer = message(far)
                    if not answer:
                        return
                    self.passed.append((operation, request[1], answer[1]))
                    if self.due(operation, "after"):
                        return self.then()
                    near.sendall(b"".join(answer))
                    if self.due(operation, "answered"):
                        self.then()
        except OSError:
            return


def message(source):
    """One HTTP message: (head, body), with the body of a chunked one put together; `None` at the end."""
    head = b""
    while b"\r\n\r\n" not in head:
        more = source.recv(65536)
        if not more:
            return None
        head += more
    head, _, body = head.partition(b"\r\n\r\n")

    def fill(count):
        nonlocal body
        while len(body) < count:
            more = source.recv(65536)
            if not more:
                raise OSError("cut")
            body += more

    length = re.search(rb"(?i)content-length: *(\d+)", head)
    if length:
        fill(int(length.group(1)))
        return head + b"\r\n\r\n", body
    if not re.search(rb"(?i)transfer-encoding: *chunked", head):
        return head + b"\r\n\r\n", body
    whole = b""
    while True:
        while b"\r\n" not in body:
            fill(len(body) + 1)
        line, _, body = body.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        fill(size + 2)
        whole, body = whole + body[:size], body[size + 2:]
        if size == 0:
            head = re.sub(rb"(?i)transfer-encoding: *chunked", b"Content-Length: %d" % len(whole), head)
            return head + b"\r\n\r\n", whole


class Port9100(threading.Thread):
    """A receipt printer's port; `answers` maps the n of DLE EOT n to a byte, none stays silent. `at` is called with
    what was received so far, after each piece."""

    def __init__(self, answers, at=None):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.answers, self.received, self.at = self.server.getsockname()[1], answers, b"", at
        self.address = f"socket://127.0.0.1:{self.port}"
        self.connections = 0
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                try:
                    while data := connection.recv(65536):
                        self.received += re.sub(rb"\x10\x04.", b"", data, flags=re.S)
                        if self.at and self.at(self.received, data):
                            break
                        for match in re.finditer(rb"\x10\x04(.)", data, re.S):
                            if self.answers:
                                connection.sendall(bytes([self.answers[match.group(1)[0]]]))
                except OSError:
                    pass


READY = {1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12}


class PaperPrinter(threading.Thread):
    """A network printer that says how its paper is, and keeps what it gets."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.paper, self.printed = 0x12, b""
        self.start()

    def run(self):
        while True:
            line, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line):
        with line:
            while True:
                try:
                    more = line.recv(65536)
                except OSError:
                    return
                if not more:
                    return
                for index in range(len(more) - 2):
                    if more[index:index + 2] == b"\x10\x04":
                        line.sendall(bytes([self.paper if more[index + 2] == 4 else 0x12]))
                if b"\x1b@" in more or self.printed:
                    self.printed += more


def kill(process):
    os.kill(process.pid, signal.SIGKILL)

