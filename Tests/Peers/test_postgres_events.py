"""Events of one counter at another one: at once by hints, and by polling where hints are lost."""
import threading
import time

import requests
from postgres import Counter

import counter

# Polling alone takes half a second at the median.
HINT_SECONDS = 0.2
HINTS = "application_name = 'till hints'"


class Stream:
    """`/v1/events` of a counter: the numbers of the events, and when each came."""

    def __init__(self, server):
        self.came = []
        self.answer = requests.get(
            server.url + "/v1/events", headers={"Authorization": "Bearer " + server.api_key}, stream=True, timeout=60)
        assert self.answer.status_code == 200, self.answer.text
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.answer.iter_lines(chunk_size=1):
                if line.startswith(b"id: "):
                    self.came.append((int(line[4:]), time.monotonic()))
        except (requests.RequestException, AttributeError):
            pass

    @property
    def numbers(self):
        return [number for number, _ in self.came]


def listening(cluster):
    return int(cluster.psql(f"SELECT count(*) FROM pg_stat_activity WHERE {HINTS}"))


def test_an_event_of_another_counter_arrives_at_once(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one, Counter(tmp_path / "two", cluster) as two:
        assert counter.until(lambda: listening(cluster) == 2)
        stream, delays = Stream(two), []
        for number in range(21):
            assert one.create(f"o-{number}", f"k-{number}").status_code in (200, 201)
            written = time.monotonic()
            assert counter.until(lambda number=number: len(stream.came) > number, 5)
            delays.append(stream.came[number][1] - written)
            # Not in step with the poll, which would make it look fast.
            time.sleep(0.137)
        assert stream.numbers == list(range(1, 22))
        print("seconds from an answer to the event elsewhere:", sorted(round(delay, 3) for delay in delays))
        assert sorted(delays)[len(delays) // 2] <= HINT_SECONDS, delays


def test_events_arrive_in_order_and_without_gaps_where_hints_are_cut(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one, Counter(tmp_path / "two", cluster) as two:
        assert counter.until(lambda: listening(cluster) == 2)
        stream, stop = Stream(two), threading.Event()

        def cut():
            while not stop.is_set():
                cluster.psql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {HINTS}")

        cutter = threading.Thread(target=cut)
        cutter.start()
        try:
            for number in range(40):
                assert one.create(f"o-{number}", f"k-{number}").status_code in (200, 201)
            assert counter.until(lambda: len(stream.came) >= 40, 10), stream.numbers
        finally:
            stop.set()
            cutter.join()
        assert stream.numbers == list(range(1, 41))
        # The line is made again, and used.
        assert counter.until(lambda: listening(cluster) == 2, 15)
        assert one.create("o-last", "k-last").status_code in (200, 201)
        assert counter.until(lambda: stream.numbers == list(range(1, 42)), 5)
