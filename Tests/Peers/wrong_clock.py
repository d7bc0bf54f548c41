"""A time of its own for some processes, by Debian's libfaketime."""
import glob
import os
import pathlib
import subprocess
import time

import counter

LIBRARY = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))


class Clock:
    """The time of some processes, read anew by them whenever they ask for it."""

    def __init__(self, path):
        self.path = path
        self.env = {
            "LD_PRELOAD": LIBRARY[0], "FAKETIME_TIMESTAMP_FILE": str(path), "FAKETIME_NO_CACHE": "1",
            # The clock that only counts on since the machine started is nobody's to set.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        }
        self.set(0)
        # The library's first process makes memory for those that follow and names it in the environment, which must not
        # be till: Swift finds its arguments by where the environment was when the process began.
        self.first = subprocess.Popen(["sleep", "3600"], env={**os.environ, **self.env})
        self.shared = [f"faketime_sem_{self.first.pid}", f"faketime_shm_{self.first.pid}"]
        self.env["FAKETIME_SHARED"] = " ".join("/" + name for name in self.shared)
        assert counter.until(lambda: pathlib.Path("/dev/shm", self.shared[1]).exists()), "libfaketime does not start"

    def end(self):
        self.first.kill()
        self.first.wait()
        for name in ("sem." + self.shared[0], self.shared[1]):
            pathlib.Path("/dev/shm", name).unlink(missing_ok=True)

    def set(self, days):
        self.write(f"{days:+d}d")

    def start_at(self, moment):
        """Has it be that moment now, a `datetime` with its zone."""
        self.write(f"{round(moment.timestamp() - time.time()):+d}")

    def write(self, offset):
        fresh = self.path.with_suffix(".new")
        fresh.write_text(offset + "\n")
        os.replace(fresh, self.path)
