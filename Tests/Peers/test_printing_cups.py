"""Receipts through CUPS, a second print server by other hands: queues, passwords, its own words and sizes; Avahi, which
finds printers; and what both servers really answer, read and written again byte for byte."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import counter
import printers
from printers import SECRET, Port9100, Wire, prints, states

pytestmark = printers.needs_printer


def test_a_driverless_queue_prints_on_the_roll_behind_it(till, cups, printer):
    roll = printer("roll")
    queue = cups.queue("eve", roll.address, "-m", "everywhere")
    payment = till.sale()
    done = till.print(payment, queue)
    assert states(done) == ["printed"], done.stdout + done.stderr
    assert counter.until(lambda: len(roll.jobs()) == 1)
    (kind, finishing, media, _, _), = roll.jobs()
    assert kind in ("application/pdf", "image/pwg-raster") and "trim" in finishing
    width, height = map(int, re.search(r"x-dimension=(\d+) y-dimension=(\d+)", media).groups())
    assert abs(width - 8000) <= 60 and 3000 < height < 40000
    assert till.run("printers", "status", queue).returncode == 0


def test_a_raw_queue_passes_on_every_byte(till, cups, tmp_path):
    port = Port9100({})
    queue = cups.queue("pos", port.address)
    payment = till.sale()
    shown = till.run("receipts", "show", payment, "--format", "escpos", "-o", str(tmp_path / "receipt.bin"))
    assert shown.returncode == 0, shown.stderr
    done = cups.run("lp", "-d", "pos", "-o", "raw", str(tmp_path / "receipt.bin"))
    assert done.returncode == 0, done.stderr
    wanted = (tmp_path / "receipt.bin").read_bytes()
    assert counter.until(lambda: len(port.received) >= len(wanted)) and port.received == wanted
    # To till itself the raw queue is a printer that takes what its server knows.
    status = till.run("printers", "status", queue, "--json")
    assert json.loads(status.stdout)["state"] == "idle", status.stdout + status.stderr


def test_a_queue_that_is_stopped_says_so(till, cups):
    queue = cups.queue("pos", Port9100({}).address)
    assert cups.run("cupsdisable", "pos").returncode == 0
    shown = till.run("printers", "status", queue, "--json")
    state = json.loads(shown.stdout)
    assert shown.returncode == 1 and state["needs_help"] and "It is paused." in state["message"], state


def test_a_queue_that_does_not_begin_is_not_printed_later_by_surprise(till, cups, printer):
    roll = printer("roll")
    queue = cups.queue("eve", roll.address, "-m", "everywhere")
    cups.run("lpadmin", "-p", "eve", "-o", "job-hold-until-default=indefinite")
    payment = till.sale()
    done = till.print(payment, queue, "--deadline", "2")
    assert states(done) == ["waiting"] and "canceled" in prints(done)[0]["message"], done.stdout
    assert cups.run("lpstat", "-o").stdout == ""
    # Dead while CUPS holds it: the next one asks, and it is still printed once.
    running = till.start("receipts", "print", "--waiting", "--json")
    assert counter.until(lambda: "eve-" in cups.run("lpstat", "-o").stdout)
    time.sleep(0.5)
    printers.kill(running)
    running.communicate()
    cups.run("lpadmin", "-p", "eve", "-o", "job-hold-until-default=no-hold")
    till.run("receipts", "print", "--waiting", "--json")
    (job,) = till.queue(payment)
    assert job["state"] == "printed" and counter.until(lambda: len(roll.jobs()) == 1), job
    assert cups.run("lpstat", "-o").stdout == ""


def add_locked(till, cups, address, secret, tmp_path, name="locked", trust=True):
    (tmp_path / "secret").write_text(secret + "\n")
    return till.run("printers", "add", name, address, "--user", "till", "--password-file", str(tmp_path / "secret"),
                    *(["--trust"] if trust else []))


def test_a_password_goes_over_tls_only(till, cups, printer, tmp_path):
    if not cups.has_passwords:
        pytest.skip("needs Debian's libpam-wrapper")
    roll = printer("roll")
    plain = cups.queue("locked", roll.address, "-m", "everywhere")
    secure = plain.replace("ipp:", "ipps:").replace(str(cups.port), str(cups.secure_port))

    asked = till.run("printers", "status", plain, "--json")
    assert json.loads(asked.stdout)["error"]["code"] == "printer_authentication", asked.stdout
    # In clear text over an open line: refused by us. The wire hears no password.
    wire = Wire(cups.port)
    add_locked(till, cups, plain.replace(str(cups.port), str(wire.port)), SECRET, tmp_path, trust=False)
    refused = till.print(till.sale(), "locked")
    assert states(refused) == ["waiting"] and "clear text" in prints(refused)[0]["message"], refused.stdout
    assert wire.heads and not any(b"uthorization" in head for head in wire.heads)

    add_locked(till, cups, secure, "wrong", tmp_path)
    wrong = till.print(till.sale(), "locked")
    assert states(wrong) == ["waiting"] and "rejects the name" in prints(wrong)[0]["message"], wrong.stdout
    added = add_locked(till, cups, secure, SECRET, tmp_path)
    assert added.returncode == 0, added.stderr
    done = till.print(till.sale(), "locked")
    assert states(done) == ["printed"], done.stdout + done.stderr
    assert counter.until(lambda: len(roll.jobs()) == 1)
    # Nowhere in the journal.
    for file in till.folder.glob("journal.sqlite*"):
        assert SECRET.encode() not in file.read_bytes()


def test_a_password_file_that_is_not_there_is_a_sentence(till, tmp_path):
    done = till.run("printers", "add", "locked", "ipps://localhost/ipp/print", "--user", "till", "--password-file",
                    str(tmp_path / "none"), "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == "printer_password_unreadable"


@pytest.mark.skipif(not os.path.exists("/usr/sbin/lighttpd"), reason="needs Debian's lighttpd")
@pytest.mark.parametrize("algorithm", ["MD5", "SHA-256"])
def test_a_digest_proves_the_password_without_telling_it(till, printer, tmp_path, algorithm):
    """lighttpd asks for a digest in front of the printer."""
    roll, port = printer("roll"), counter.free_port()
    import hashlib

    digest = hashlib.md5 if algorithm == "MD5" else hashlib.sha256
    (tmp_path / "users").write_text(f"till:prints:{digest(f'till:prints:{SECRET}'.encode()).hexdigest()}\n")
    (tmp_path / "lighttpd.conf").write_text(
        f'server.document-root = "{tmp_path}"\nserver.port = {port}\nserver.bind = "127.0.0.1"\n'
        f'server.upload-dirs = ( "{tmp_path}" )\n'
        'server.modules = ( "mod_auth", "mod_authn_file", "mod_proxy" )\nauth.backend = "htdigest"\n'
        f'auth.backend.htdigest.userfile = "{tmp_path}/users"\n'
        f'auth.require = ( "/" => ( "method" => "digest", "algorithm" => "{algorithm}", "realm" => "prints", '
        '"require" => "valid-user" ) )\n'
        f'proxy.server = ( "" => ( ( "host" => "127.0.0.1", "port" => {roll.port} ) ) )\n')
    server = subprocess.Popen(["/usr/sbin/lighttpd", "-D", "-f", str(tmp_path / "lighttpd.conf")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert printers.listening(port)
        wire = Wire(port)
        add_locked(till, None, wire.address, SECRET, tmp_path, trust=False)
        done = till.print(till.sale(), "locked")
        assert states(done) == ["printed"], done.stdout + done.stderr
        assert len(roll.jobs()) == 1
        assert any(b"Digest username" in head for head in wire.heads)
        add_locked(till, None, wire.address, "wrong", tmp_path, trust=False)
        wrong = till.print(till.sale(), "locked")
        assert states(wrong) == ["waiting"] and "rejects the name" in prints(wrong)[0]["message"]
        assert len(roll.jobs()) == 1
    finally:
        server.kill()
        server.wait()


def test_what_both_servers_answer_is_written_back_byte_for_byte(till, cups, printer):
    """Recorded in this run, on a wire between till and the servers; ipptool is the second opinion on what it says."""
    roll = printer("roll")
    queue = cups.queue("eve", roll.address, "-m", "everywhere")
    recorded = []
    for address, port in ((roll.address, roll.port), (queue, cups.port)):
        wire = Wire(port)
        near = address.replace(f"localhost:{port}", f"127.0.0.1:{wire.port}")
        assert states(till.print(till.sale(), near)) == ["printed"]
        operations = {operation for operation, _, _ in wire.passed}
        assert {0x0B, 0x04, 0x05, 0x06, 0x09} <= operations
        recorded += [answer for _, _, answer in wire.passed] + [request for _, request, _ in wire.passed]

        # The longest answer is the printer's description: every attribute that ipptool sees is seen, in its order.
        longest = max((answer for _, _, answer in wire.passed), key=len)
        names = json.loads(till.run("printers", "reencode", "--json", input=longest, text=None).stdout)["attributes"]
        theirs = subprocess.run(["ipptool", "-tv", address, "get-printer-attributes.test"], capture_output=True,
                                text=True).stdout
        answered = theirs[theirs.index("RECEIVED:"):]
        seen = re.findall(r"^        ([a-z][\w-]+) \(", answered, re.M)
        assert len(seen) > 40 and set(seen) <= set(names), set(seen) - set(names)
    assert max(map(len, recorded)) > 3000
    if folder := os.environ.get("TILL_IPP_RECORDINGS"):  # for Benchmarks/printing
        for number, message in enumerate(recorded):
            pathlib.Path(folder, f"{number}.ipp").write_bytes(message)
    for message in recorded:
        done = till.run("printers", "reencode", text=None, input=message)
        assert done.returncode == 0 and done.stdout == message


def test_what_is_no_message_is_refused(till):
    for junk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x02\x00\x00\x00\x00\x00\x00\x01\x01\x21\x00\x01a\x00\x09"):
        done = till.run("printers", "reencode", "--json", text=None, input=junk)
        assert done.returncode == 1
        assert json.loads(done.stdout)["error"]["code"] == "printer_answer_malformed"


@pytest.mark.skipif(not (shutil.which("avahi-daemon") or os.path.exists("/usr/sbin/avahi-daemon"))
                    or not shutil.which("avahi-browse"), reason="needs Debian's avahi-daemon and avahi-utils")
def test_printers_that_announce_themselves_are_found(tmp_path, bus, printer):
    (tmp_path / "avahi.conf").write_text(
        "[server]\nhost-name=tilltest\nuse-ipv4=yes\nuse-ipv6=no\nallow-interfaces=lo\n[wide-area]\n"
        "enable-wide-area=no\n[publish]\npublish-workstation=no\n")
    till = printers.Till(tmp_path, DBUS_SYSTEM_BUS_ADDRESS=bus)
    nobody = till.run("printers", "discover", "--json")
    assert nobody.returncode == 1 and json.loads(nobody.stdout)["error"]["code"] == "discovery_not_available"
    daemon = subprocess.Popen(
        ["/usr/sbin/avahi-daemon", "-f", str(tmp_path / "avahi.conf"), "--no-drop-root", "--no-chroot", "--no-rlimits"],
        env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        if daemon.poll() is not None:
            pytest.skip("another avahi-daemon runs on this machine")
        roll = printer("roll", register="_print,_universal")
        found = []

        def look():
            found[:] = json.loads(till.run("printers", "discover", "--json").stdout or '{"printers":[]}')["printers"]
            return any(p["address"].startswith("ipp:") for p in found)

        assert counter.until(look, 30), found
        (one,) = [p for p in found if p["address"].startswith("ipp:")][:1]
        assert one["name"].startswith("Receipt Test") and f":{roll.port}/ipp/print" in one["address"]
        assert "application/pdf" in one["formats"]
        shown = till.run("printers", "discover")
        assert "Receipt Test" in shown.stdout and "PDF" in shown.stdout
        assert all(len(line) <= 80 for line in shown.stdout.splitlines())
        assert states(till.print(till.sale(), one["address"])) == ["printed"]
        assert len(roll.jobs()) == 1
        found = subprocess.run(["ippfind", "-T", "3", "-l"], capture_output=True, text=True,
                               env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus}).stdout
        assert str(roll.port) in found, "the second opinion finds none"
    finally:
        # Politely: it keeps one file for the whole machine, and takes it away.
        daemon.terminate()
        daemon.wait(10)
