"""Receipts on printers by other hands: CUPS's own IPP Everywhere printer with a roll and with sheets, its faults and
its certificates, and a receipt printer's port with its status. Everything is on loopback."""
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess
import threading
import time
import tty

import pytest

import counter
import printers
from printers import Port9100, Wire, prints, states

pytestmark = printers.needs_printer


def test_a_roll_is_cut_where_the_receipt_ends(till, printer):
    roll = printer("roll")
    payment = till.sale()
    done = till.print(payment, roll.address)
    assert states(done) == ["printed"], done.stdout + done.stderr
    (kind, finishing, media, file, _), = roll.jobs()
    assert (kind, finishing) == ("application/pdf", "trim")
    width, height = map(int, re.search(r"x-dimension=(\d+) y-dimension=(\d+)", media).groups())
    assert width == 8000 and 3000 < height < 40000
    size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", subprocess.check_output(["pdfinfo", file], text=True))
    assert abs(float(size.group(2)) / 72 * 25.4 - height / 100) <= 1


def test_sheets_raster_and_pictures(till, printer, browser):
    payment = till.sale()
    sheet = printer("a4")
    done = till.print(payment, sheet.address)
    assert states(done) == ["printed"], done.stdout + done.stderr
    assert "x-dimension=21000 y-dimension=29700" in sheet.jobs()[0][2] and sheet.jobs()[0][1] != "trim"
    raster = printer("roll", formats='"image/pwg-raster","image/jpeg"')
    again = till.print(payment, raster.address)
    assert states(again) == ["printed"], again.stdout + again.stderr
    assert prints(again)[0]["reprint"] is True
    assert raster.jobs()[0][0] == "image/pwg-raster"
    pictures = printer("roll", formats='"image/jpeg"')
    assert states(till.print(payment, pictures.address)) == ["printed"]
    (kind, _, media, file, _), = pictures.jobs()
    assert kind == "image/jpeg"
    # Read by another hand: 203 dots an inch, as wide and as high as the paper that was asked for.
    seen = subprocess.check_output(["pdftoppm", "-v"], stderr=subprocess.STDOUT) and picture(browser, file)
    width, height = map(int, re.search(r"x-dimension=(\d+) y-dimension=(\d+)", media).groups())
    assert abs(seen[0] - width / 2540 * 203) <= 1 and abs(seen[1] - height / 2540 * 203) <= 2
    assert 0.005 < seen[2] < 0.4, "neither empty nor black"


def picture(browser, file):
    """Width, height and the share of dark dots, as Chromium's picture decoder sees them."""
    page = browser.new_page()
    import base64
    data = "data:image/jpeg;base64," + base64.b64encode(pathlib.Path(file).read_bytes()).decode()
    seen = page.evaluate(
        """async (source) => { const i = new Image(); i.src = source; await i.decode();
        const c = document.createElement('canvas'); c.width = i.naturalWidth; c.height = i.naturalHeight;
        const x = c.getContext('2d'); x.drawImage(i, 0, 0);
        const d = x.getImageData(0, 0, c.width, c.height).data; let dark = 0;
        for (let n = 0; n < d.length; n += 4) if (d[n] < 128) dark++;
        return [c.width, c.height, dark / (c.width * c.height)]; }""", data)
    page.close()
    return seen


def test_the_printer_refuses_paper_that_it_does_not_have(printer, tmp_path):
    """The judge itself: 80 mm at any height is taken by the roll printer, 90 mm is not, and a sheet printer takes no
    80 mm; so that it took ours says that ours is right."""
    roll, sheet = printer("roll"), printer("a4")
    (tmp_path / "validate.test").write_text(
        '{ OPERATION Validate-Job GROUP operation-attributes-tag ATTR charset attributes-charset utf-8\n'
        'ATTR naturalLanguage attributes-natural-language en ATTR uri printer-uri $uri\n'
        'ATTR mimeMediaType document-format application/pdf GROUP job-attributes-tag\n'
        'ATTR collection media-col { MEMBER collection media-size { MEMBER integer x-dimension $w\n'
        'MEMBER integer y-dimension $h } } STATUS successful-ok }\n')

    def takes(one, width, height):
        return subprocess.run(["ipptool", "-q", "-d", f"w={width}", "-d", f"h={height}", one.address,
                               str(tmp_path / "validate.test")], capture_output=True).returncode == 0

    assert all(takes(roll, 8000, height) for height in (3000, 9500, 11250, 150000))
    assert not takes(roll, 9000, 11250) and not takes(sheet, 8000, 11250)


def test_a_printer_without_paper_changes_no_sale(till, printer):
    empty = printer(script="echo 'STATE: +media-empty' >&2\necho 'ERROR: Out of paper' >&2\nexit 1\n")
    payment = till.sale("--print", empty.address)
    (job,) = till.queue(payment)
    assert job["state"] == "failed" and "Out of paper" in job["message"], job
    assert json.loads(till.run("payments", "show", payment, "--json").stdout)["status"] == "succeeded"
    status = till.run("printers", "status", empty.address)
    assert "out of paper" in status.stdout and status.returncode == 1


def test_a_printer_that_is_gone_leaves_the_receipt_waiting_and_it_prints_once(till, printer):
    roll = printer("roll")
    till.run("printers", "add", "bar", roll.address)
    roll.stop()
    till.sale("--print", "bar")
    assert states(till.run("receipts", "queue", "--json")) == ["waiting"]
    roll.start()
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]
    assert states(till.run("receipts", "print", "--waiting", "--json")) == []
    assert len(roll.jobs()) == 1


def test_the_open_counter_prints_what_waits_by_itself(till, printer, tmp_path):
    roll = printer("roll")
    till.run("printers", "add", "bar", roll.address)
    roll.stop()
    payment = till.sale("--print", "bar")
    server = subprocess.Popen([counter.binary(), "serve", "--port", str(counter.free_port())], env=till.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        roll.start()
        end = time.monotonic() + 40
        while till.queue(payment)[0]["state"] != "printed" and time.monotonic() < end:
            time.sleep(0.5)
        (job,) = till.queue(payment)
        assert job["state"] == "printed" and job["tries"] >= 2, job
        assert len(roll.jobs()) == 1
    finally:
        server.terminate()
        assert server.wait(20) == 0


def test_a_receipt_that_waits_can_be_called_off(till, printer):
    payment = till.sale("--print", f"ipp://localhost:{counter.free_port()}/ipp/print")
    (job,) = till.queue(payment)
    assert states(till.run("receipts", "cancel", job["id"], "--json")) == ["canceled"]
    assert states(till.run("receipts", "print", "--waiting", "--json")) == []
    again = till.run("receipts", "cancel", "print_none", "--json")
    assert again.returncode == 1 and json.loads(again.stdout)["error"]["code"] == "unknown_print"


def test_a_receipt_that_no_printer_took_for_a_day_is_given_up(till, printer):
    """Time is turned back in the journal: 23 hours are waited, 25 are not."""
    import sqlite3

    roll = printer("roll")
    roll.stop()
    payment = till.sale("--print", roll.address)
    (job,) = till.queue(payment)

    def aged(hours):
        with sqlite3.connect(till.folder / "journal.sqlite") as journal:
            journal.execute("UPDATE record SET created_at = ? WHERE collection = 'print_job'",
                            [int((time.time() - hours * 3600) * 1000)])
        journal.close()
        return prints(till.run("receipts", "print", "--waiting", "--json"))

    assert [one["state"] for one in aged(23)] == ["waiting"]
    (given_up,) = aged(25)
    assert given_up["state"] == "failed" and "24 hours; nothing was printed" in given_up["message"], given_up
    roll.start()
    assert prints(till.run("receipts", "print", "--waiting", "--json")) == [] and roll.jobs() == []
    assert states(till.print(payment, roll.address)) == ["printed"]


def test_a_busy_printer_is_asked_again(till, printer):
    slow = printer(script="sleep 2\nexit 0\n")
    one, two = till.sale(), till.sale()
    results = []
    threads = [threading.Thread(target=lambda p=p: results.append(till.print(p, slow.address))) for p in (one, two)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert [states(r) for r in results] == [["printed"], ["printed"]], [r.stdout + r.stderr for r in results]
    assert len(slow.jobs()) == 2


def test_a_printer_that_restarts_in_the_middle_may_have_printed_and_is_not_sent_it_again(till, printer):
    slow = printer(script="sleep 4\nexit 0\n")
    payment = till.sale()
    running = till.start("receipts", "print", payment, "--printer", slow.address, "--json")
    end = time.monotonic() + 20
    while not slow.jobs() and time.monotonic() < end:
        time.sleep(0.05)
    slow.stop()
    slow.start()
    out, _ = running.communicate(timeout=80)
    (job,) = json.loads(out)["prints"]
    assert job["state"] == "may_have_printed" and "Check the paper" in job["message"], job
    till.run("receipts", "print", "--waiting", "--json")
    assert len(slow.jobs()) == 1
    # Another receipt gets the number that the lost one had; it is not taken for it.
    assert states(till.print(till.sale(), slow.address)) == ["printed"]
    till.run("receipts", "print", "--waiting", "--json")
    assert till.queue(payment)[0]["state"] == "may_have_printed"


def test_a_printer_that_does_not_finish_in_time_may_have_printed_until_it_says_so(till, printer):
    slow = printer(script="sleep 5\nexit 0\n")
    payment = till.sale()
    done = till.print(payment, slow.address, "--deadline", "2")
    assert states(done) == ["may_have_printed"] and "has not finished" in prints(done)[0]["message"], done.stdout
    assert counter.until(lambda: states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"])
    assert len(slow.jobs()) == 1


@pytest.mark.parametrize("operation", [0x05, 0x06, 0x09])
def test_an_answer_that_is_lost_is_found_again(till, printer, operation):
    roll = printer("roll")
    wire = Wire(roll.port, (operation, "after"))
    done = till.print(payment := till.sale(), wire.address)
    if states(done) == ["waiting"]:  # nothing of it was sent: it may be tried again
        assert operation == 0x05 and roll.jobs() == []
        assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]
    assert till.queue(payment)[0]["state"] == "printed", done.stdout
    assert len(roll.jobs()) == 1


# Certificates. The printer makes its own, which may sign nothing and bears another name.


def test_an_unknown_certificate_is_refused_and_nothing_is_sent(till, printer):
    secure = printer("roll", secure=True)
    refused = till.run("printers", "status", secure.secure)
    assert refused.returncode == 1 and "certificate" in refused.stderr and "--trust" in refused.stderr
    waits = till.print(till.sale(), secure.secure)
    assert states(waits) == ["waiting"] and secure.jobs() == [], waits.stdout


def test_a_pinned_certificate_is_taken(till, printer):
    secure = printer("roll", secure=True)
    added = till.run("printers", "add", "safe", secure.secure, "--trust")
    assert added.returncode == 0 and "SHA-256" in added.stderr, added.stderr
    shown = re.search(r"[0-9a-f]{64}", added.stderr).group()
    theirs = subprocess.run(f"openssl s_client -connect localhost:{secure.port} </dev/null 2>/dev/null | openssl x509 "
                            "-noout -fingerprint -sha256", shell=True, capture_output=True, text=True).stdout
    assert shown == theirs.partition("=")[2].strip().replace(":", "").lower()
    assert states(till.print(till.sale(), "safe")) == ["printed"]
    by_hand = till.run("printers", "add", "typed", secure.secure, "--pin", theirs.partition("=")[2].strip())
    assert by_hand.returncode == 0, by_hand.stderr
    assert states(till.print(till.sale(), "typed")) == ["printed"]
    assert len(secure.jobs()) == 2


def test_another_certificate_is_refused_before_a_byte_is_sent(till, printer, tmp_path):
    secure = printer("roll", secure=True)
    till.run("printers", "add", "safe", secure.secure, "--trust")
    assert states(till.print(till.sale(), "safe")) == ["printed"]
    secure.stop()
    shutil.rmtree(secure.folder / "keys")
    (secure.folder / "keys").mkdir()
    secure.start()
    changed = till.run("printers", "status", "safe", "--json")
    error = json.loads(changed.stdout)["error"]
    assert error["code"] == "printer_certificate_changed" and "nothing was sent" in error["what"], error
    payment = till.sale()
    done = till.print(payment, "safe")
    assert states(done) == ["waiting"] and "another certificate" in prints(done)[0]["message"]
    assert len(secure.jobs()) == 1
    # A person compares and trusts it anew; then what waited is printed, once.
    assert till.run("printers", "add", "safe", secure.secure, "--trust").returncode == 0
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]
    assert len(secure.jobs()) == 2


def test_another_certificate_gets_not_one_byte_of_http(till, tmp_path):
    """A listener that counts what it can read after the handshake."""
    import ssl

    for name in ("right", "wrong"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / f"{name}.key",
                        "-out", tmp_path / f"{name}.pem", "-days", "2", "-subj", "/CN=localhost"],
                       check=True, capture_output=True)
    server = socket.create_server(("127.0.0.1", 0))
    port, heard = server.getsockname()[1], []

    def serve():
        while True:
            connection, _ = server.accept()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tmp_path / "wrong.pem", tmp_path / "wrong.key")
            try:
                with context.wrap_socket(connection, server_side=True) as secure:
                    heard.append(secure.recv(65536))
            except (ssl.SSLError, OSError):
                heard.append(b"")

    threading.Thread(target=serve, daemon=True).start()
    pin = subprocess.run(["openssl", "x509", "-in", tmp_path / "right.pem", "-noout", "-fingerprint", "-sha256"],
                         capture_output=True, text=True, check=True).stdout.partition("=")[2].strip()
    till.run("printers", "add", "safe", f"ipps://localhost:{port}/ipp/print", "--pin", pin)
    done = till.print(till.sale(), "safe")
    assert states(done) == ["waiting"], done.stdout
    assert heard and set(heard) == {b""}
    server.close()


def test_trust_on_first_use_is_kept_from_the_first_contact(till, printer):
    secure = printer("roll", secure=True)
    secure.stop()
    added = till.run("printers", "add", "safe", secure.secure, "--trust")
    assert added.returncode == 0 and "first one" in added.stderr
    secure.start()
    assert states(till.print(till.sale(), "safe")) == ["printed"]
    (known,) = json.loads(till.run("printers", "list", "--json").stdout)["printers"]
    assert known["pinned"] and re.fullmatch("[0-9a-f]{64}", known["sha256"])


# Addresses that are none, and servers that are no printers.


@pytest.mark.parametrize("address", ["http://localhost/", "ipp://", "socket://h:99999", "printer", "file:///etc/passwd",
                                     "/dev/sda", "/dev/mem", "/dev/null", "ipp://169.254.169.254/ipp/print",
                                     "socket://0xA9FEA9FE:80", "ipp://[fe80::1]/ipp/print", "ipp://[::ffff:169.254.1.1]/",
                                     "socket://0.0.0.0:9100", "socket://224.0.0.1:9100"])
def test_what_is_no_address_is_a_sentence(till, address):
    done = till.run("printers", "status", address)
    assert done.returncode == 1 and "no printer's address" in done.stderr


def test_other_servers_are_no_printers(till, tmp_path):
    """The counter itself, a plain web server, and one that says yes to everything."""
    import http.server

    class Yes(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>yes</p>")

        def log_message(self, *_):
            pass

    yes = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Yes)
    plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    for one in (yes, plain):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    payment = till.sale()
    with counter.Server(tmp_path) as own:
        for port in (yes.server_port, plain.server_port, own.port):
            status = till.run("printers", "status", f"ipp://127.0.0.1:{port}/ipp/print", "--json")
            assert json.loads(status.stdout)["error"]["code"] == "not_a_printer", status.stdout
            done = till.print(payment, f"ipp://127.0.0.1:{port}/ipp/print")
            assert states(done) == ["waiting"] and "no printer at this address" in prints(done)[0]["message"]
            raw = till.print(payment, f"socket://127.0.0.1:{port}")
            assert states(raw)[0] in ("waiting", "failed"), raw.stdout
    assert json.loads(till.run("payments", "show", payment, "--json").stdout)["status"] == "succeeded"


# A receipt printer's port and its device file.


def test_a_receipt_printers_port_gets_the_bytes_once_and_tells_its_state(till):
    port = Port9100(printers.READY)
    payment = till.sale()
    done = till.print(payment, port.address)
    assert states(done) == ["sent"], done.stdout
    shown = till.run("receipts", "show", payment, "--format", "escpos", text=False)
    time.sleep(0.3)
    assert port.received == shown.stdout
    assert b"\x1bp" not in port.received


def test_without_paper_nothing_is_sent_and_silence_is_unknown(till):
    empty = Port9100({1: 0x1A, 2: 0x32, 3: 0x12, 4: 0x7E})
    done = till.print(till.sale(), empty.address)
    assert states(done) == ["waiting"] and "out of paper" in done.stdout
    assert empty.received == b""
    silent = Port9100({})
    status = till.run("printers", "status", silent.address, "--json")
    assert json.loads(status.stdout)["state"] == "unknown"


def test_a_port_that_closes_before_anything_is_sent_is_opened_again(till):
    port = Port9100(printers.READY, at=lambda received, data: port.connections == 1)
    payment = till.sale()
    assert states(till.print(payment, port.address)) == ["sent"]
    shown = till.run("receipts", "show", payment, "--format", "escpos", text=False)
    time.sleep(0.3)
    assert port.connections == 2 and port.received == shown.stdout


def test_a_connection_that_breaks_in_the_middle_may_have_printed(till):
    port = Port9100(printers.READY, at=lambda received, data: len(received) > 100)
    payment = till.sale()
    done = till.print(payment, port.address)
    assert states(done)[0] in ("may_have_printed", "sent")
    till.run("receipts", "print", "--waiting", "--json")
    shown = till.run("receipts", "show", payment, "--format", "escpos", text=False)
    assert len(port.received) <= len(shown.stdout)


def test_a_device_file_takes_the_bytes_and_tells_its_state(till):
    """A terminal pair stands for /dev/usb/lp0: a character device that can be read, too."""
    master, slave = pty.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    received = bytearray()

    def answer():
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                return
            for _ in re.findall(rb"\x10\x04.", data, re.S):
                os.write(master, b"\x12")
            received.extend(re.sub(rb"\x10\x04.", b"", data, flags=re.S))

    threading.Thread(target=answer, daemon=True).start()
    path = os.ttyname(slave)
    payment = till.sale()
    status = till.run("printers", "status", path, "--json")
    assert json.loads(status.stdout)["state"] == "idle", status.stdout
    assert states(till.print(payment, path)) == ["sent"]
    shown = till.run("receipts", "show", payment, "--format", "escpos", text=False)
    time.sleep(0.3)
    assert bytes(received) == shown.stdout
    gone = till.run("printers", "status", "/dev/usb/lp99")
    assert gone.returncode == 1 and "no printer at /dev/usb/lp99" in gone.stderr


def test_the_drawer_needs_a_word_of_its_own(till):
    port = Port9100(printers.READY)
    assert till.run("printers", "drawer", port.address).returncode == 1
    assert port.received == b""
    assert till.run("printers", "drawer", port.address, "--allow").returncode == 0
    time.sleep(0.2)
    assert port.received == b"\x1b@\x1bp\x0022"
    assert till.run("printers", "drawer", "ipp://localhost/ipp/print", "--allow").returncode == 1
