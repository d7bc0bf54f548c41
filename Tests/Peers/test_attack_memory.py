"""What another program of the same user gets of the counter's memory and files: nothing. And what is left of a card
number in it once its attempt has ended, for root, whom nobody can keep out."""
import os
import pathlib
import resource
import shutil
import stat
import subprocess
import tempfile

import pytest
import requests

import counter

CLERK = 61_003
PAN = "4539148803436467"
TENDER = {"type": "card", "number": PAN, "expiry": "12/30", "cvc": "973"}

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("gcore"), reason="needs root and Debian's gdb")


@pytest.fixture
def home():
    with tempfile.TemporaryDirectory(prefix="till-memory-", dir="/var/lib") as folder:
        os.chown(folder, CLERK, CLERK)
        yield pathlib.Path(folder)


class ClerksServer(counter.Server):
    """A counter of another user's, who would let core dumps be as large as they like."""

    def start(self):
        def become():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            os.setgroups([])
            os.setgid(CLERK)
            os.setuid(CLERK)
            os.umask(0)

        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [counter.public_binary(), "serve", "--port", str(self.port), "--journal", str(self.journal),
                 *self.flags],
                stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, preexec_fn=become,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "TILL_API_KEY": self.api_key, **self.env})
        counter.Server.started.append(self.process)
        counter.wait_for(self.url + "/healthz", self.process, self.log)
        assert f"Uid:\t{CLERK}\t" in pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return self

    __enter__ = start


def image(process, folder, **options):
    done = subprocess.run(["gcore", "-a", "-o", str(folder / "core"), str(process.pid)], capture_output=True, text=True,
                          timeout=300, **options)
    file = folder / f"core.{process.pid}"
    return done, file.read_bytes() if file.exists() else b""


def sell(server, order):
    with requests.Session() as session:
        headers = {"Authorization": "Bearer " + server.api_key, "Connection": "close"}
        created = session.post(
            server.url + "/v1/payments", json={"order_id": order, "amount": 1250, "currency": "EUR"}, timeout=30,
            headers={**headers, "Idempotency-Key": "c-" + order})
        answer = session.post(
            f"{server.url}/v1/payments/{created.json()['id']}/confirm", json={"tender": TENDER}, timeout=30,
            headers={**headers, "Idempotency-Key": "k-" + order})
    assert answer.status_code == 200 and answer.json()["status"] == "succeeded", answer.text


def test_no_program_of_the_same_user_reads_the_counters_memory(home):
    with ClerksServer(home) as server:
        sell(server, "o-1")
        limits = pathlib.Path(f"/proc/{server.process.pid}/limits").read_text()
        assert any(line.split()[4:6] == ["0", "0"] for line in limits.splitlines() if "core file" in line), limits
        own = {"user": CLERK, "group": CLERK, "extra_groups": [], "cwd": home}
        refused, found = image(server.process, home, **own)
        assert refused.returncode != 0 and not found, refused
        assert "not permitted" in refused.stderr.lower() or "ptrace" in refused.stderr.lower(), refused
        for name in ("mem", "maps", "environ"):
            read = subprocess.run(["cat", f"/proc/{server.process.pid}/{name}"], capture_output=True, **own)
            assert read.returncode != 0 and not read.stdout, name


def test_what_a_run_writes_is_its_owners_only(home):
    """Started with a umask of 0: journal, ledgers, keys, locks, backups, copies and pictures."""
    copy = home / "copies"
    with ClerksServer(home, "--copy-to", copy, "--receipt-url", "http://127.0.0.1:9") as server:
        sell(server, "o-1")
        payment = server.request("GET", "/v1/payments").json()["payments"][0]["id"]
        assert server.request("POST", f"/v1/payments/{payment}/receipt/link", {}, "k-link").ok
    own = {"user": CLERK, "group": CLERK, "extra_groups": [], "cwd": home, "umask": 0, "capture_output": True,
           "text": True, "env": {"PATH": os.environ["PATH"], "HOME": str(home)}}
    common = ["--journal", server.journal]
    for command in (
        ["journal", "backup", home / "backup.db", *common],
        ["receipts", "show", payment, "--format", "html", "--output", home / "receipt.html", *common],
        ["sale", "--amount", "1.00", "--currency", "EUR", "--reader", "simulated", *common],
        ["keys", "create", "--label", "x", *common],
        ["sale", "--amount", "1.00", "--currency", "EUR", "--cash", "--journal", home / "new" / "deep" / "j.db"],
    ):
        done = subprocess.run([counter.public_binary(), *map(str, command)], **own)
        assert done.returncode == 0, done
    loose, seen = {}, set()
    for path in home.rglob("*"):
        if path == server.log:
            continue
        seen.add(path.name)
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077:
            loose[str(path)] = oct(mode)
    assert not loose
    assert {"journal.db", "journal.db-sandbox", "backup.db", "receipt.html", "new", "deep", "copies"} <= seen, seen


def test_no_card_number_is_left_in_memory_when_its_attempt_has_ended(home):
    with ClerksServer(home) as server:
        _, before = image(server.process, home)
        assert server.journal.name.encode() in before, "root reads the image"
        for number in range(5):
            sell(server, f"o-{number}")
        assert counter.until(lambda: True, 1)
        _, after = image(server.process, home)
    (home / f"core.{server.process.pid}").unlink()
    forms = {"plain": PAN.encode(), "groups": " ".join(PAN[i:i + 4] for i in range(0, 16, 4)).encode(),
             "wide": PAN.encode("utf-16-le"), "packed": bytes.fromhex(PAN)}
    assert len(after) > 1 << 20
    left = {name: after.count(form) for name, form in forms.items() if form in after}
    assert not left
