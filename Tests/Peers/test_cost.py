"""What one request costs in calls, pages and allocations (scripts/cost) stays within what Tests/cost.tsv holds, and
what costs more is seen."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = "release" if "/release/" in os.path.realpath(os.environ.get("TILL_BIN", "")) else "debug"

pytestmark = [
    # What a counter does by the clock costs more beside others.
    pytest.mark.alone,
    pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed"),
    pytest.mark.skipif(f"\n{BUILD}\t" not in (ROOT / "Tests" / "cost.tsv").read_text(),
                       reason=f"Tests/cost.tsv holds no figures of a {BUILD} build"),
]


def cost(*more):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "cost", "--till", counter.binary(), "--build", BUILD, *more],
        capture_output=True, text=True, timeout=300)


def test_no_request_costs_more_than_before():
    done = cost()
    assert done.returncode == 0, done.stderr + done.stdout
    assert "| log pages |" in done.stdout, done.stdout


def test_another_index_is_seen():
    done = cost("--only", "create", "--sql", "CREATE INDEX planted ON payment(order_number)")
    print(done.stderr)
    assert done.returncode == 1, done.stderr + done.stdout
    assert "create: log pages has grown" in done.stderr, done.stderr
