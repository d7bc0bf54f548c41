"""The machine's real smart card service with its virtual reader, and our virtual card in it."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

import counter

DRIVER = pathlib.Path("/usr/lib/pcsc/drivers/serial/libifdvpcd.so")
READER = "Till Peer Reader"


def missing():
    """Why the service cannot be run here; None when it can."""
    if not shutil.which("pcscd") or not DRIVER.exists():
        return "pcscd and vsmartcard-vpcd are not installed (scripts/setup test installs them)"
    if os.geteuid() != 0:
        return "pcscd needs root to make its socket"
    if answers("/run/pcscd/pcscd.comm"):
        return "a pcscd of this machine's own is running; it is left alone"
    return None


def answers(path):
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(path)
        except OSError:
            return False
        return True


class Service:
    """pcscd with two virtual slots. Their ports listen on all addresses: the driver offers no choice."""

    def __init__(self, folder):
        self.folder, self.process, self.cards = folder, None, []
        while True:
            self.port = counter.free_port()
            if self.port < 65_000:
                break
        readers = folder / "readers"
        readers.mkdir()
        (readers / "vpcd").write_text(
            f'FRIENDLYNAME "{READER}"\nDEVICENAME /dev/null:{self.port:#x}\nLIBPATH {DRIVER}\n'
            f'CHANNELID {self.port:#x}\n'
        )
        self.start()

    def start(self):
        log = open(self.folder / "pcscd.log", "a")
        self.process = subprocess.Popen(
            ["pcscd", "--foreground", "--config", str(self.folder / "readers")], stdout=log, stderr=log
        )
        end = time.monotonic() + 15
        while not (answers("/run/pcscd/pcscd.comm") and self.listens()):
            if time.monotonic() > end or self.process.poll() is not None:
                pytest.fail("pcscd did not come up: " + (self.folder / "pcscd.log").read_text()[-1000:])
            time.sleep(0.05)

    def listens(self):
        with open("/proc/net/tcp") as table:
            return f":{self.port:04X} " in table.read()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def card(self, name, slot=0, wait=True, **options):
        """Puts a card in; returns when the reader has powered it."""
        arguments = [counter.binary(), "sandbox", "card", "--json", "--card", name]
        arguments += ["--vpcd", f"127.0.0.1:{self.port + slot}"]
        for key, value in options.items():
            arguments += ["--" + key.replace("_", "-"), str(value)]
        log = self.folder / f"card-{len(self.cards)}.log"
        process = subprocess.Popen(arguments, stdout=open(log, "w"), stderr=subprocess.STDOUT)
        process.log = log
        self.cards.append(process)
        if wait:
            self.until(process, "powered")
        return process

    def until(self, card, event, seconds=15):
        """Waits for what happens to a card: it is powered, or asked something."""
        end = time.monotonic() + seconds
        while f'"{event}"' not in card.log.read_text():
            assert card.poll() is None and time.monotonic() < end, card.log.read_text()
            time.sleep(0.02)

    def take_away(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def clear(self):
        for process in self.cards:
            self.take_away(process)
        self.cards = []
