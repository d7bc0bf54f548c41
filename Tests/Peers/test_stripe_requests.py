"""The recording of Stripe's own library is what the library sends today."""
import json
import pathlib

import stripe_requests

RECORDING = pathlib.Path(__file__).with_name("stripe_requests.json")


def test_the_committed_recording_is_what_the_library_sends():
    assert json.loads(RECORDING.read_text(encoding="utf-8")) == stripe_requests.record()


def test_every_change_carries_a_key_and_no_read_does():
    for call in stripe_requests.record()["calls"]:
        assert ("Idempotency-Key" in call["headers"]) == (call["method"] == "POST"), call["name"]
