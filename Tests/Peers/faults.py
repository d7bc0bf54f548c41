"""Faults of Stripe's stand-in, and requests that run while they happen."""
import threading

import requests


def fail(stripe, operation, fault, **more):
    requests.post(
        stripe.url + "/_sandbox/faults", json={"operation": operation, "fault": fault, "times": 1, **more}, timeout=10
    ).raise_for_status()


class Call(threading.Thread):
    """A request whose answer, or whose lack of one, is looked at later."""

    def __init__(self, act):
        super().__init__(daemon=True)
        self.act, self.answer, self.lost = act, None, False
        self.start()

    def run(self):
        try:
            self.answer = self.act()
        except (requests.ConnectionError, requests.Timeout):
            self.lost = True
