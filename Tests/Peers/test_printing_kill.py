"""Till dies by SIGKILL at every step of a print, on the wire to a real printer: the receipt is printed once, or till
says that it may have printed. The printer counts by the print's own name."""
import subprocess

import pytest

import printers
from printers import Port9100, Wire

pytestmark = printers.needs_printer

STEPS = {0x0B: "Get-Printer-Attributes", 0x04: "Validate-Job", 0x05: "Create-Job", 0x06: "Send-Document",
         0x09: "Get-Job-Attributes"}
WHENS = ["before", "half", "after", "answered"]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """One printer for all deaths: what one leaves behind must not hold up the next."""
    folder = tmp_path_factory.mktemp("kill")
    bus = subprocess.Popen(["dbus-daemon", f"--config-file={write(folder)}", "--nofork", "--nopidfile"],
                           stderr=subprocess.DEVNULL)
    (folder / "roll.conf").write_text(printers.ROLL % '"application/pdf"')
    import time
    end = time.monotonic() + 10
    while not (folder / "bus").exists() and time.monotonic() < end:
        time.sleep(0.02)
    one = printers.Printer(folder, f"unix:path={folder}/bus", printers.counter.free_port(),
                           ["-a", str(folder / "roll.conf")], "sleep 0.3\nexit 0\n")
    yield one
    one.stop()
    bus.terminate()
    bus.wait()


def write(folder):
    (folder / "bus.conf").write_text(printers.BUS % (folder / "bus"))
    return folder / "bus.conf"


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("operation", STEPS, ids=STEPS.values())
def test_till_dies_and_the_receipt_prints_once(till, many, operation, when):
    payment = till.sale()
    victim = []
    wire = Wire(many.port, (operation, when), then=lambda: printers.kill(victim[0]))
    till.run("printers", "add", "bar", wire.address)
    victim.append(till.start("receipts", "print", payment, "--printer", "bar", "--json"))
    victim[0].communicate(timeout=60)
    assert victim[0].returncode == -9, "it did not die there"
    (before,) = till.queue(payment)
    assert before["state"] in ("waiting", "sending"), before
    till.run("receipts", "print", "--waiting", "--json")
    (job,) = till.queue(payment)
    count = len(many.jobs(of=job["id"]))
    # Whatever was cut, the printer had an answer for us, so it is known: on paper, once.
    if (operation, when) == (0x06, "half"):
        assert (job["state"], count) in [("printed", 1), ("failed", 0), ("may_have_printed", 0),
            ("may_have_printed", 1)]
    else:
        assert (job["state"], count) == ("printed", 1), job
    # And nothing more comes of it later.
    till.run("receipts", "print", "--waiting", "--json")
    assert len(many.jobs(of=job["id"])) == count


@pytest.mark.parametrize("step", ["connected", "in the middle", "all taken"])
def test_till_dies_at_a_receipt_printers_port(till, step):
    payment = till.sale()
    whole = till.run("receipts", "show", payment, "--format", "escpos", text=False).stdout
    victim, armed = [], [True]

    def at(received, data):
        here = {"connected": True, "in the middle": len(received) >= 64, "all taken": len(received) == len(whole)}
        if armed[0] and here[step]:
            armed[0] = False
            printers.kill(victim[0])
            return True
        return False

    port = Port9100(printers.READY, at)
    victim.append(till.start("receipts", "print", payment, "--printer", port.address, "--json"))
    victim[0].communicate(timeout=60)
    assert victim[0].returncode == -9
    till.run("receipts", "print", "--waiting", "--json")
    (job,) = till.queue(payment)
    if step == "connected":
        assert job["state"] == "sent" and port.received == whole
    else:
        assert job["state"] == "may_have_printed" and "Check the paper" in job["message"], job
        assert len(port.received) <= len(whole)
