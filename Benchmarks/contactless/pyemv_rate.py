"""pyemv on the template of the benchmark beside it: python pyemv_rate.py HEX"""
import sys
import time

from pyemv import tlv

data = bytes.fromhex(sys.argv[1])
best = min(
    (lambda begin: [tlv.decode(data) for _ in range(50_000)] and time.perf_counter() - begin)(time.perf_counter())
    for _ in range(3)
)
print(f"pyemv: {50_000 / best / 1000:.0f} thousand templates/s, {50_000 * len(data) / best / 1e6:.0f} MB/s")
