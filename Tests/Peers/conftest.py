"""Processes the tests talk to: each is started on a free port and ended by its own id."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

import counter
import printers


def pytest_collection_modifyitems(items):
    """What looks at all that the others have left comes last."""
    items.sort(key=lambda item: "after_the_whole_suite" in item.name)


@pytest.fixture(autouse=True)
def no_server_outlives_its_test():
    """Those that a module shares were started before, and end with the module."""
    before = len(counter.Server.started)
    yield
    while len(counter.Server.started) > before:
        process = counter.Server.started.pop()
        if process.poll() is None:
            process.kill()
            process.wait()


def run_until_done(arguments, ready, log, **options):
    with open(log, "w") as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT)
    try:
        counter.wait_for(ready, process, log, **options)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def localstripe(tmp_path):
    """A Stripe written by others, empty, with its access log in `localstripe.log`."""
    stripe = counter.Stripe(f"http://127.0.0.1:{counter.free_port()}")
    port = stripe.url.rsplit(":", 1)[1]
    yield from (
        stripe
        for _ in run_until_done(
            [sys.executable, "-m", "localstripe", "--from-scratch", "--port", port],
            stripe.url + "/v1/balance",
            tmp_path / "localstripe.log",
            headers={"Authorization": "Bearer " + stripe.key},
        )
    )


@pytest.fixture
def sandbox(tmp_path):
    """Our own stand-in for Stripe as a process; its ledger is what the provider believes happened."""
    stripe = counter.Stripe(f"http://127.0.0.1:{counter.free_port()}")
    port = stripe.url.rsplit(":", 1)[1]
    yield from (
        stripe
        for _ in run_until_done(
            [counter.binary(), "sandbox", "stripe", "--port", port, "--ledger", str(tmp_path / "ledger.json")],
            stripe.url + "/_sandbox/ledger",
            tmp_path / "sandbox.log",
        )
    )


@pytest.fixture
def shop(tmp_path, localstripe):
    return counter.Shop(tmp_path, localstripe)


@pytest.fixture
def till(tmp_path):
    """The command line on a journal of its own (printers.py)."""
    return printers.Till(tmp_path)


@pytest.fixture
def bus(tmp_path):
    """A message bus for printers that announce themselves, and want one even when they do not."""
    (tmp_path / "bus.conf").write_text(printers.BUS % (tmp_path / "bus"))
    process = subprocess.Popen(["dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--nofork", "--nopidfile"],
                               stderr=subprocess.DEVNULL)
    end = time.monotonic() + 10
    while not (tmp_path / "bus").exists() and time.monotonic() < end:
        time.sleep(0.02)
    yield f"unix:path={tmp_path}/bus"
    process.terminate()
    process.wait()


@pytest.fixture
def printer(tmp_path, bus):
    """Makes printers of CUPS's own kind: `roll`, `a4`, or as it comes: `sheet`."""
    made = []

    def make(kind="roll", formats='"application/pdf","image/pwg-raster"', script="exit 0\n", secure=False,
             register="off"):
        folder = tmp_path / f"printer{len(made)}"
        folder.mkdir()
        if kind in ("roll", "a4"):
            (folder / "media.conf").write_text((printers.ROLL if kind == "roll" else printers.SHEETS) % formats)
            arguments = ["-a", str(folder / "media.conf")]
        else:
            arguments = ["-f", formats.replace('"', "")]
        if secure:
            (folder / "keys").mkdir()
            arguments += ["-K", str(folder / "keys")]
        made.append(printers.Printer(folder, bus, counter.free_port(), arguments, script, register))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def cups():
    """A cupsd of its own; its filters run as another user, who must be able to reach its folder."""
    if not (shutil.which("cupsd") or os.path.exists("/usr/sbin/cupsd")) or os.geteuid() != 0:
        pytest.skip("needs Debian's cups, as root")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="till-cups-", dir="/var/tmp"))
    folder.chmod(0o755)
    daemon = printers.Cups(folder)
    yield daemon
    daemon.stop()
    shutil.rmtree(folder, ignore_errors=True)
