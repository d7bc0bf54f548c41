"""The benchmarks still run: each part against the till under test, for a second, its books checked; times say nothing
here."""
import pathlib
import subprocess
import sys

import counter

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_each_part_of_the_benchmarks_runs():
    done = subprocess.run(
        [sys.executable, ROOT / "Benchmarks" / "run", "--smoke", "--till", counter.binary()], capture_output=True,
        text=True, timeout=300)
    assert done.returncode == 0 and "every part runs" in done.stdout, done.stdout + done.stderr
