"""A disk that is full: tmpfs holds the journal, and another program fills it while a provider is being asked."""
import os
import shutil
import subprocess
import threading
import time

import pytest

import counter

FILLER = "filler"


@pytest.fixture(params=["1m", "2m"])
def small_disk(request, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("a file system of its own needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={request.param},mode=700", "tmpfs", str(folder)],
        capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"tmpfs cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    """Takes every byte that is left; bytes that are all zero would be as good to tmpfs, not to others."""
    with open(folder / FILLER, "ab", buffering=0) as file:
        size = 65_536
        while size:
            try:
                file.write(os.urandom(size))
            except OSError:
                size //= 2
    assert shutil.disk_usage(folder).free < 4_096


def test_an_answer_is_written_though_the_disk_is_full_and_nothing_new_is_begun(small_disk, tmp_path):
    # The sandbox is a provider: its ledger is somewhere else.
    (small_disk / "journal.db-sandbox").symlink_to(tmp_path / "sandbox.db")
    server = counter.Server(small_disk, "--provider", "sandbox", "--sandbox-latency", "1500ms")
    server.log = tmp_path / "server.log"
    with server:
        assert server.request("GET", "/readyz").status_code == 200
        payment = server.create("o-1", "create-1").json()["id"]
        answers = []
        asking = threading.Thread(target=lambda: answers.append(
            server.confirm(payment, "confirm-1", counter.CARD_TENDER)))
        asking.start()
        time.sleep(0.7)
        fill(small_disk)
        asking.join(30)
        assert answers[0].status_code == 200 and answers[0].json()["status"] == "succeeded", answers[0].text

        assert counter.until(lambda: server.request("GET", "/readyz").status_code == 503)
        created = server.create("o-2", "create-2")
        assert created.status_code == 503 and created.json()["money_moved"] == "no", created.text
        assert created.json()["code"] == "disk_full", created.text
        assert server.request("GET", "/healthz").status_code == 200

        (small_disk / FILLER).unlink()
        if shutil.disk_usage(small_disk).total == 1 << 20:
            # So small a disk has no space to keep beside a log that has grown; the log goes with the counter.
            server.stop()
            server.start()
        assert counter.until(lambda: server.request("GET", "/readyz").status_code == 200)
        assert server.create("o-2", "create-2").status_code == 201
    verified = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert verified.code == 0 and verified.json["ok"], verified
