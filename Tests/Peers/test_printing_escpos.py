"""ESC/POS held against python-escpos: its bytes against ours for every command that both have, and it as the client of
our virtual printer."""
import json
import re
import socket
import subprocess
import time

import pytest
import requests

import counter
from printers import prints, states

escpos = pytest.importorskip("escpos.printer")


class Virtual:
    """`till sandbox printer`, with its buttons."""

    def __init__(self):
        self.process = subprocess.Popen([counter.binary(), "sandbox", "printer", "--port", "0", "--json"],
                                        stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.address, self.control = told["printer"], told["control"]
        self.port = int(self.address.rsplit(":", 1)[1])

    def press(self, **buttons):
        answer = requests.post(self.control, json=buttons, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def see(self, until=lambda shown: True):
        for _ in range(50):
            shown = requests.get(self.control, timeout=10).json()
            if until(shown):
                return shown
            time.sleep(0.1)
        return shown


@pytest.fixture
def virtual():
    one = Virtual()
    yield one
    one.process.terminate()
    one.process.wait(10)


def theirs(make):
    """What python-escpos writes for a TM-T88V."""
    dummy = escpos.Dummy(profile="TM-T88V")
    make(dummy)
    return dummy.output


@pytest.mark.parametrize("name,make", [
    ("initialize", lambda p: p.hw("INIT")),
    ("left", lambda p: p._raw(b"\x1ba\x00")),
    ("bold", lambda p: p.set(bold=True)),
    ("not bold", lambda p: p.set(bold=False)),
    ("center", lambda p: p.set(align="center")),
    ("right", lambda p: p.set(align="right")),
    ("feed 6", lambda p: p.print_and_feed(6)),
    ("cut", lambda p: p.cut()),
    ("partial cut", lambda p: p.cut(mode="PART")),
    ("drawer 2", lambda p: p.cashdraw(2)),
    ("drawer 5", lambda p: p.cashdraw(5)),
    ("size 2x2", lambda p: p.set(custom_size=True, width=2, height=2)),
    ("size 1x2", lambda p: p.set(custom_size=True, width=1, height=2)),
    ("line", lambda p: p.text("x\n")),
])
def test_every_shared_command_has_the_same_bytes(name, make):
    ours = commands()[name]
    assert ours in theirs(make), (name, ours, theirs(make))
    if name in ("feed 6", "cut", "partial cut", "drawer 2", "initialize", "bold", "center"):
        assert ours == theirs(make)[-len(ours):]


def test_status_questions_have_the_same_bytes():
    from escpos import constants

    ours = commands()
    assert ours["status 1"] == constants.RT_STATUS_ONLINE and ours["status 4"] == constants.RT_STATUS_PAPER


def test_a_picture_has_the_same_bytes():
    from PIL import Image

    image = Image.new("1", (16, 3), 1)
    for x, y in ((0, 0), (7, 0), (8, 1), (15, 2), (3, 2)):
        image.putpixel((x, y), 0)
    assert commands()["picture"] in theirs(lambda p: p.image(image, impl="bitImageRaster"))


def test_a_native_code_has_the_same_bytes():
    wanted = theirs(lambda p: p.qr("https://shop.example/r/1", native=True, size=6, ec=1))
    ours = commands()["code"]
    parts = [part for part in re.split(rb"(?=\x1d\(k)", wanted) if part.startswith(b"\x1d(k")]
    assert b"".join(p.rstrip(b"\n") if p.endswith(b"Q0\n") else p for p in parts) == ours


def commands():
    done = subprocess.run([counter.binary(), "printers", "commands", "--json"], capture_output=True, text=True,
        timeout=30)
    return {name: bytes.fromhex(text) for name, text in json.loads(done.stdout).items()}


# python-escpos as the client of our virtual printer.


def test_python_escpos_reads_the_virtual_printers_state(virtual):
    def asked(question):
        client = escpos.Network("127.0.0.1", port=virtual.port, timeout=5)
        try:
            return question(client)
        finally:
            client.close()

    assert asked(lambda c: c.is_online()) is True and asked(lambda c: c.paper_status()) == 2
    virtual.press(paper="low")
    assert asked(lambda c: c.is_online()) is True and asked(lambda c: c.paper_status()) == 1
    virtual.press(paper="end")
    assert asked(lambda c: c.is_online()) is False and asked(lambda c: c.paper_status()) == 0
    virtual.press(paper="ok", cover="open")
    assert asked(lambda c: c.is_online()) is False and asked(lambda c: c.paper_status()) == 2


def test_python_escpos_prints_on_the_virtual_printer(virtual):
    client = escpos.Network("127.0.0.1", port=virtual.port, timeout=5, profile="TM-T88V")
    client.text("Café 1,50\n")
    client.set(bold=True, align="center")
    client.text("Zażółć\n")
    client.qr("https://shop.example", native=True)
    client.barcode("4006381333931", "EAN13", 64, 2, "", "")
    client.cashdraw(2)
    client.cut()
    client.close()
    shown = virtual.see(lambda s: s["cuts"] == 1)
    assert shown["unknown"] == 0, shown
    assert "Café 1,50" in shown["lines"] and "Zażółć" in shown["lines"]
    assert any("[code https://shop.example]" in line for line in shown["lines"]) and shown["drawer_pulses"] == 1
    assert shown["drawer"] == "open"


def test_a_receipt_is_read_back_from_the_paper(till, virtual):
    payment = till.sale()
    assert states(till.print(payment, virtual.address)) == ["sent"]
    shown = virtual.see(lambda s: s["cuts"] == 1)
    assert shown["unknown"] == 0 and shown["drawer_pulses"] == 0
    text = "\n".join(shown["lines"])
    assert "12.50" in text
    done = till.run("printers", "test", virtual.address)
    assert done.returncode == 0 and "test page" in "\n".join(virtual.see(lambda s: s["cuts"] == 2)["lines"])


def test_paper_that_ends_in_the_middle_is_said_and_the_rest_prints_on_the_new_roll(till, virtual):
    virtual.press(lines_left=4)
    payment = till.sale()
    done = till.print(payment, virtual.address)
    (job,) = prints(done)
    assert job["state"] == "may_have_printed" and "out of paper" in job["message"], job
    waits = till.print(till.sale(), virtual.address)
    assert states(waits) == ["waiting"] and "out of paper" in prints(waits)[0]["message"]
    shown = virtual.press(paper="ok")
    assert shown["cuts"] == 1
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["sent"]
    assert virtual.see(lambda s: s["cuts"] == 2)["cuts"] == 2


def test_states_are_told_as_they_are_and_silence_as_unknown(till, virtual):
    def status(**buttons):
        virtual.press(**buttons)
        done = till.run("printers", "status", virtual.address, "--json")
        return done.returncode, json.loads(done.stdout)

    assert status()[1]["state"] == "idle"
    code, low = status(paper="low")
    assert code == 0 and low["reasons"] == ["media-low-warning"]
    code, open_cover = status(paper="ok", cover="open")
    assert code == 1 and "cover is open" in open_cover["message"]
    code, silent = status(cover="closed", silent=True)
    assert code == 0 and silent["state"] == "unknown"
    waits = till.print(till.sale(), virtual.address)
    assert states(waits) == ["sent"] and "does not report" in prints(waits)[0]["message"]


def test_a_printer_that_tells_by_itself_is_understood_all_the_same(till, virtual):
    """Another till switched automatic status on; its four bytes are no answers to our questions."""
    with socket.create_connection(("127.0.0.1", virtual.port)) as other:
        other.sendall(b"\x1da\xff")
        assert other.recv(16) == b"\x14\x00\x00\x00"
        virtual.press(cover="open")
        assert other.recv(16) == b"\x3c\x00\x00\x00"
    virtual.press(cover="closed")
    assert states(till.print(till.sale(), virtual.address)) == ["sent"]


def test_a_printer_that_tells_its_state_is_asked_to_and_other_printers_stay_unknown(till, virtual):
    """Behind a print server that passes on no question in real time only `GS a` says anything, and it is sent only to
    printers that are known to have it."""
    till.run("printers", "add", "known", virtual.address, "--profile", "tm-t88v")
    till.run("printers", "add", "other", virtual.address, "--profile", "80")

    def status(name):
        return json.loads(till.run("printers", "status", name, "--json").stdout)

    virtual.press(real_time=False)
    assert status("other")["state"] == "unknown"
    assert virtual.see()["received"] == 3, "one question, and no command that the printer may not know"
    assert status("known")["state"] == "idle"
    assert virtual.press(paper="low")["automatic"] is False, "it is asked to stop again"
    assert status("known")["reasons"] == ["media-low-warning"]
    # With an open cover it does nothing at all, and that is not known from here.
    virtual.press(paper="ok", cover="open")
    assert status("known")["state"] == "unknown"
    virtual.press(cover="closed")
    # The paper ends in the middle: it says so by itself, on the way and in the end.
    virtual.press(lines_left=4)
    run = till.run("receipts", "print", payment := till.sale(), "--printer", "known")
    assert "out of paper" in run.stderr, run.stderr
    (job,) = till.queue(payment)
    assert job["state"] == "may_have_printed" and "out of paper" in job["message"], job
    virtual.press(paper="ok")
    # Nothing of it is left on for the next: python-escpos gets one byte for one question.
    virtual.press(real_time=True)
    assert states(till.print(till.sale(), "known")) == ["sent"]
    assert virtual.see(lambda s: s["cuts"] == 2)["automatic"] is False
    client = escpos.Network("127.0.0.1", port=virtual.port, timeout=5)
    virtual.press(paper="low")
    assert client.is_online() is True and client.paper_status() == 1
    client.close()


def test_python_escpos_hears_what_the_printer_tells_by_itself(virtual):
    client = escpos.Network("127.0.0.1", port=virtual.port, timeout=5)
    client._raw(commands()["automatic status"])
    assert bytes(client._read()) == b"\x14\x00\x00\x00"
    virtual.press(paper="end")
    assert bytes(client._read()) == b"\x1c\x00\x0f\x00"
    virtual.press(paper="ok")
    assert bytes(client._read()) == b"\x14\x00\x00\x00"
    client._raw(commands()["no automatic status"])
    client.text("x\n")
    virtual.see(lambda s: s["lines"] == ["x"])
    virtual.press(paper="low")
    assert client.paper_status() == 1, "the next byte is the answer to a question"
    client.close()


def test_narrow_paper_has_fewer_columns(till, virtual):
    assert states(till.print(till.sale(), virtual.address, "--width", "58")) == ["sent"]
    lines = virtual.see(lambda s: s["cuts"] == 1)["lines"]
    assert max(len(line) for line in lines if not line.startswith("[")) == 32
    sheet = till.print(till.sale(), virtual.address, "--width", "A4")
    assert states(sheet) == ["waiting"] and "a receipt printer has no A4 sheet" in prints(sheet)[0]["message"]


def test_the_drawer(till, virtual):
    assert till.run("printers", "drawer", virtual.address).returncode == 1
    wrong = till.run("printers", "drawer", virtual.address, "--allow", "--pin", "3", "--json")
    assert wrong.returncode == 1 and json.loads(wrong.stdout)["error"]["code"] == "invalid_pin"
    assert virtual.see()["drawer_pulses"] == 0
    assert till.run("printers", "drawer", virtual.address, "--allow").returncode == 0
    assert virtual.see(lambda s: s["drawer_pulses"] == 1)["drawer"] == "open"
