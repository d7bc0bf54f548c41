"""Receipts on printers by other hands: CUPS's own IPP Everywhere printer with a roll and with sheets, its faults, and a
receipt printer's port with its status. Everything is on loopback, on a message bus of its own."""
import json
import os
import pathlib
import re
import shutil
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
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>
<listen>unix:path=%s</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*"/>
<allow receive_sender="*"/><allow own="*"/><allow user="*"/><allow send_type="method_call"/>
<allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
<allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
<allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/></policy></busconfig>"""

pytestmark = pytest.mark.skipif(
    not (shutil.which("ippeveprinter") and shutil.which("dbus-daemon")),
    reason="needs Debian's cups-ipp-utils and dbus-daemon",
)


class Till:
    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, text=True):
        environment = {**os.environ, "TILL_JOURNAL": str(self.folder / "journal.sqlite")}
        return subprocess.run([counter.binary(), *arguments], capture_output=True, text=text, timeout=90,
                              env=environment)

    def sale(self, *more):
        done = self.run("sale", "--amount", "12.50", "--currency", "EUR", "--reader", "simulated", "--json", *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["payment_id"]


@pytest.fixture
def till(tmp_path):
    return Till(tmp_path)


@pytest.fixture
def bus(tmp_path):
    (tmp_path / "bus.conf").write_text(BUS % (tmp_path / "bus"))
    process = subprocess.Popen(["dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--nofork", "--nopidfile"],
                               stderr=subprocess.DEVNULL)
    end = time.monotonic() + 10
    while not (tmp_path / "bus").exists() and time.monotonic() < end:
        time.sleep(0.02)
    yield f"unix:path={tmp_path}/bus"
    process.terminate()
    process.wait()


class Printer:
    """An ippeveprinter; what it understood of each job is in `jobs`."""

    def __init__(self, folder, bus, port, arguments, script):
        self.folder, self.port = folder, port
        self.address = f"ipp://localhost:{port}/ipp/print"
        self.log = folder / "jobs.txt"
        command = folder / "job.sh"
        command.write_text(
            "#!/bin/sh\n"
            f"printf '%s|%s|%s|%s\\n' \"$CONTENT_TYPE\" \"$IPP_FINISHINGS\" \"$IPP_MEDIA_COL\" \"$1\" >> {self.log}\n"
            + script)
        command.chmod(0o755)
        spool = folder / "spool"
        spool.mkdir()
        self.process = subprocess.Popen(
            ["ippeveprinter", "-n", "localhost", "-p", str(port), "-d", str(spool), "-k", "-r", "off",
             *arguments, "-c", str(command), "Receipt Test"],
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait()

    def wait(self):
        end = time.monotonic() + 15
        while time.monotonic() < end:
            with socket.socket() as s:
                if s.connect_ex(("localhost", self.port)) == 0:
                    return
            time.sleep(0.05)
        pytest.fail("ippeveprinter does not listen")

    def jobs(self):
        return [line.split("|") for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def printer(tmp_path, bus):
    made = []

    def make(kind="roll", formats='"application/pdf","image/pwg-raster"', script="exit 0\n", secure=False):
        folder = tmp_path / f"printer{len(made)}"
        folder.mkdir()
        if kind == "roll":
            (folder / "roll.conf").write_text(ROLL % formats)
            arguments = ["-a", str(folder / "roll.conf")]
        else:
            arguments = ["-f", "application/pdf,image/pwg-raster"]
        if secure:
            (folder / "keys").mkdir()
            arguments += ["-K", str(folder / "keys")]
        one = Printer(folder, bus, counter.free_port(), arguments, script)
        made.append(one)
        return one

    yield make
    for one in made:
        one.process.kill()
        one.process.wait()


def states(done):
    return [job["state"] for job in json.loads(done.stdout)["prints"]]


def test_a_roll_is_cut_where_the_receipt_ends(till, printer):
    roll = printer("roll")
    payment = till.sale()
    done = till.run("receipts", "print", payment, "--printer", roll.address, "--json")
    assert states(done) == ["printed"], done.stdout + done.stderr
    (kind, finishing, media, file), = roll.jobs()
    assert (kind, finishing) == ("application/pdf", "trim")
    width, height = map(int, re.search(r"x-dimension=(\d+) y-dimension=(\d+)", media).groups())
    assert width == 8000 and 3000 < height < 40000
    pdf = pathlib.Path(file)
    if pdf.exists() and shutil.which("pdfinfo"):
        size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", subprocess.check_output(["pdfinfo", file], text=True))
        assert abs(float(size.group(2)) / 72 * 25.4 - height / 100) <= 1


def test_sheets_and_raster(till, printer):
    payment = till.sale()
    sheet = printer("sheet")
    done = till.run("receipts", "print", payment, "--printer", sheet.address, "--json")
    assert states(done) == ["printed"], done.stdout + done.stderr
    raster = printer("roll", formats='"image/pwg-raster"')
    again = till.run("receipts", "print", payment, "--printer", raster.address, "--json")
    assert states(again) == ["printed"], again.stdout + again.stderr
    assert json.loads(again.stdout)["prints"][0]["reprint"] is True
    assert raster.jobs()[0][0] == "image/pwg-raster"


def test_a_printer_without_paper_changes_no_sale(till, printer):
    empty = printer(script="echo 'STATE: +media-empty' >&2\necho 'ERROR: Out of paper' >&2\nexit 1\n")
    payment = till.sale("--print", empty.address)
    done = till.run("receipts", "queue", payment, "--json")
    (job,) = json.loads(done.stdout)["prints"]
    assert job["state"] == "failed" and "Out of paper" in job["message"], job
    assert json.loads(till.run("payments", "show", payment, "--json").stdout)["status"] == "succeeded"
    status = till.run("printers", "status", empty.address)
    assert "out of paper" in status.stdout and status.returncode == 1


def test_a_printer_that_is_gone_leaves_the_receipt_waiting_and_it_prints_once(till, printer):
    roll = printer("roll")
    till.run("printers", "add", "bar", roll.address)
    roll.process.kill()
    roll.process.wait()
    payment = till.sale("--print", "bar")
    assert states(till.run("receipts", "queue", "--json")) == ["waiting"]
    new = printer("roll")
    till.run("printers", "add", "bar", new.address)
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]
    assert states(till.run("receipts", "print", "--waiting", "--json")) == []
    assert len(new.jobs()) == 1


def test_a_busy_printer_is_asked_again(till, printer):
    slow = printer(script="sleep 2\nexit 0\n")
    one, two = till.sale(), till.sale()
    results = []
    threads = [
        threading.Thread(target=lambda p=p: results.append(
            till.run("receipts", "print", p, "--printer", slow.address, "--json")))
        for p in (one, two)
    ]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert [states(r) for r in results] == [["printed"], ["printed"]], [r.stdout + r.stderr for r in results]
    assert len(slow.jobs()) == 2


def test_an_unknown_certificate_is_refused_and_nothing_is_sent(till, printer):
    secure = printer("roll", secure=True)
    address = secure.address.replace("ipp:", "ipps:")
    refused = till.run("printers", "status", address)
    assert refused.returncode == 1 and "certificate" in refused.stderr, refused.stderr
    waits = till.run("receipts", "print", till.sale(), "--printer", address, "--json")
    assert states(waits) == ["waiting"] and secure.jobs() == [], waits.stdout


def test_a_pinned_certificate_is_taken(till, printer):
    secure = printer("roll", secure=True)
    added = till.run("printers", "add", "safe", secure.address.replace("ipp:", "ipps:"), "--trust")
    assert added.returncode == 0 and "SHA-256" in added.stderr, added.stderr
    assert states(till.run("receipts", "print", till.sale(), "--printer", "safe", "--json")) == ["printed"]


class Socket9100(threading.Thread):
    """A receipt printer's port; `answers` maps the n of DLE EOT n to a byte, `None` stays silent."""

    def __init__(self, answers):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.answers, self.received = self.server.getsockname()[1], answers, b""
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(65536):
                    for match in re.finditer(rb"\x10\x04(.)", data, re.S):
                        if self.answers:
                            connection.sendall(bytes([self.answers[match.group(1)[0]]]))
                    self.received += re.sub(rb"\x10\x04.", b"", data, flags=re.S)


def test_a_receipt_printers_port_gets_the_bytes_once_and_tells_its_state(till):
    port = Socket9100({1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12})
    payment = till.sale()
    done = till.run("receipts", "print", payment, "--printer", f"socket://127.0.0.1:{port.port}", "--json")
    assert states(done) == ["sent"], done.stdout
    shown = till.run("receipts", "show", payment, "--format", "escpos", text=False)
    time.sleep(0.3)
    assert port.received == shown.stdout
    assert b"\x1bp" not in port.received


def test_without_paper_nothing_is_sent_and_silence_is_unknown(till):
    empty = Socket9100({1: 0x1A, 2: 0x32, 3: 0x12, 4: 0x7E})
    done = till.run("receipts", "print", till.sale(), "--printer", f"socket://127.0.0.1:{empty.port}", "--json")
    assert states(done) == ["waiting"] and "out of paper" in done.stdout
    assert empty.received == b""
    silent = Socket9100({})
    status = till.run("printers", "status", f"socket://127.0.0.1:{silent.port}", "--json")
    assert json.loads(status.stdout)["state"] == "unknown"


def test_the_drawer_needs_a_word_of_its_own(till):
    port = Socket9100({1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12})
    address = f"socket://127.0.0.1:{port.port}"
    assert till.run("printers", "drawer", address).returncode == 1
    assert port.received == b""
    assert till.run("printers", "drawer", address, "--allow").returncode == 0
    time.sleep(0.2)
    assert port.received == b"\x1b@\x1bp\x0022"


@pytest.mark.parametrize("address", ["http://localhost/", "ipp://", "socket://h:99999", "printer"])
def test_what_is_no_address_is_a_sentence(till, address):
    done = till.run("printers", "status", address)
    assert done.returncode == 1 and "no printer's address" in done.stderr
