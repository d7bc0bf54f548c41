"""The same in Python: records into a file with the same sync, and the chain of a log checked with hashlib.

    python3 rival.py FOLDER [RECORDS]        after offline-benchmark, which leaves FOLDER/large
"""
import hashlib
import os
import struct
import sys
import time


def durable(folder, records):
    descriptor = os.open(os.path.join(folder, "rival.log"), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    body, previous, began = os.urandom(900), bytes(32), time.perf_counter()
    for number in range(records):
        head = struct.pack("<QQ", number, len(body)) + previous + hashlib.sha256(body).digest()
        previous = hashlib.sha256(head).digest()
        os.write(descriptor, head + body + previous)
        os.fdatasync(descriptor)
    seconds = time.perf_counter() - began
    os.close(descriptor)
    print(f"Python, one fdatasync a record, no sealing: {records / seconds:.0f} durable records/s")


def verify(path):
    began, previous, count, place = time.perf_counter(), bytes(32), 0, 0
    with open(path, "rb") as file:
        data = file.read()
    view = memoryview(data)
    while place < len(data):
        assert data[place:place + 4] == b"TLR1", place
        length = struct.unpack_from("<I", data, place + 4)[0]
        payload = view[place + 104:place + 104 + length]
        assert data[place + 40:place + 72] == previous, f"entry {count} does not follow"
        assert hashlib.sha256(payload).digest() == data[place + 72:place + 104], f"entry {count} was changed"
        previous = hashlib.sha256(view[place + 12:place + 104]).digest()
        assert previous == data[place + 104 + length:place + 136 + length], f"entry {count} was changed"
        place += 136 + length
        count += 1
    seconds = time.perf_counter() - began
    print(f"Python, hashlib: {count} entries checked in {seconds:.2f} s, {len(data) / seconds / 2**20:.0f} MiB/s")


if __name__ == "__main__":
    durable(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5_000)
    large = os.path.join(sys.argv[1], "large")
    if os.path.exists(large):
        verify(large)
