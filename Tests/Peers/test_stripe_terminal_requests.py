"""The recording of Stripe's own library for Terminal is what the library sends today."""
import json
import pathlib

import stripe_requests
import stripe_terminal_requests

RECORDING = pathlib.Path(__file__).with_name("stripe_terminal_requests.json")


def test_the_committed_recording_is_what_the_library_sends(monkeypatch):
    monkeypatch.setattr(stripe_requests, "calls", stripe_terminal_requests.calls)
    assert json.loads(RECORDING.read_text(encoding="utf-8")) == stripe_requests.record()
