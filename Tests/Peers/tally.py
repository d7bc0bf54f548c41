"""How sales go before an attack and beside it: how many were begun, done and failed, and how long the slowest took."""
import contextlib
import time


class Tally:
    """Counts sales; what it counted is in the report of the run, from which the table in docs/PROOF.md is."""

    def __init__(self):
        self.when, self.rows = "before", {}

    @contextlib.contextmanager
    def sale(self):
        row = self.rows.setdefault(self.when, {"begun": 0, "done": 0, "failed": 0, "slowest": 0.0})
        row["begun"] += 1
        began = time.monotonic()
        try:
            yield
        except BaseException:
            row["failed"] += 1
            raise
        row["done"] += 1
        row["slowest"] = max(row["slowest"], time.monotonic() - began)

    def beside(self):
        """From now on the attack is there."""
        self.when = "beside"

    def __str__(self):
        return "; ".join(
            f"{when}: {row['begun']} begun, {row['done']} done, {row['failed']} failed, slowest {row['slowest']:.2f} s"
            for when, row in self.rows.items())
