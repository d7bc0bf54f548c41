"""A counter's stream of events that is read aside, and when it ended."""
import threading
import time

import requests


class Stream:
    """A stream of events that is read in a thread; `ended` is when the server closed it."""

    def __init__(self, server, key):
        self.ended = None
        self.answer = requests.get(server.url + "/v1/events", headers={"Authorization": "Bearer " + key}, stream=True,
                                   timeout=30)
        assert self.answer.status_code == 200, self.answer.text
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for _ in self.answer.iter_lines(chunk_size=1):
                pass
        finally:
            self.ended = time.monotonic()
