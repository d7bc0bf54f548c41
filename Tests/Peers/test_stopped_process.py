"""A process that is stopped (SIGSTOP) keeps its payments for its lease, not for as long as it exists. Another one takes
over; when the stopped one goes on, it writes nothing, sells nothing and ends so that it is started again. The provider
is a process of its own, so its ledger is the judge.
"""
import signal
import time

import requests

import counter
from deaths import PRICE, charges_of
from faults import Call, fail

LEASE = 5
ENV = {"TILL_LEASE_SECONDS": str(LEASE)}
RESTART = 75  # EX_TEMPFAIL


def status(server, payment):
    return server.request("GET", f"/v1/payments/{payment}").json()["status"]


def sell(server, order):
    payment = server.create(order, "c-" + order).json()["id"]
    answer = server.confirm(payment, "k-" + order, counter.CARD_TENDER)
    assert answer.json()["status"] == "succeeded", answer.text
    return payment


def sells_nothing(server):
    """No answer that says yes; a process that has ended already answers nothing."""
    try:
        answer = server.create("o-late", "c-late")
    except requests.ConnectionError:
        return True
    return not answer.ok and answer.json()["code"] == "lease_lost"


def test_a_stopped_process_is_taken_over_and_does_nothing_when_it_goes_on(tmp_path, sandbox):
    stopped = counter.Server(tmp_path, *sandbox.flags, env=ENV).start()
    before = sell(stopped, "o-before")
    payment = stopped.create("o-stop", "c-stop").json()["id"]
    fail(sandbox, "authorize", "timeoutAfterCommit")
    call = Call(lambda: stopped.confirm(payment, "k-stop", counter.CARD_TENDER))
    # What is only prepared there has no money.
    asked = counter.until(lambda: any(charge["authorized"] for charge in charges_of(sandbox, "o-stop")))
    assert asked, "the provider was never asked"
    stopped.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        other = counter.Server(tmp_path, *sandbox.flags, env=ENV).start()
        assert status(other, payment) == "processing", "it was taken over while its lease ran"
        assert counter.until(lambda: status(other, payment) != "processing", seconds=4 * LEASE), "nobody took it over"
        assert time.monotonic() - began >= LEASE, "it was taken over while its lease ran"
        # A query that was not answered in time leaves it unknown until the next one.
        settled = counter.until(lambda: status(other, payment) == "succeeded", seconds=60)
        taken = status(other, payment)
        assert settled, f"the provider has the charge, and the journal says {taken}"
        sell(other, "o-other")
        assert f"(till, pid {stopped.process.pid}), whose lease ended" in other.log.read_text()
    finally:
        stopped.process.send_signal(signal.SIGCONT)
    # It may still answer for a moment; a yes would be one sale too many.
    assert sells_nothing(stopped)
    # Its call to the provider, which is not answered, is given up after half a minute.
    call.join(60)
    assert not call.is_alive()
    assert call.lost or call.answer.json().get("money_moved") == "unknown", call.answer.text
    assert stopped.process.wait(20) == RESTART, stopped.log.read_text()[-2000:]
    assert other.request("GET", "/readyz").status_code == 200

    # Whoever minds it starts it again, and it sells beside the other one.
    again = counter.Server(tmp_path, *sandbox.flags, env=ENV).start()
    sell(again, "o-again")
    assert (status(again, before), status(again, payment)) == ("succeeded", taken)
    for order in ("o-before", "o-stop", "o-other", "o-again"):
        charges = charges_of(sandbox, order)
        assert [c["captured"] for c in charges if c["captured"]] == [PRICE], (order, charges)
    assert not charges_of(sandbox, "o-late")
    again.stop()
    other.stop()
    counter.Shop(tmp_path, sandbox).verify()
