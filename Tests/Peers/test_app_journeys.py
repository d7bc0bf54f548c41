"""Every journey of a customer's app over TillClient (Examples/AppCheckout): a PayPal account, a card in PayPal's fields
with and without its bank's question, a nonce of Braintree's, a session of Adyen's. The app, the counter or both are
killed after the customer has done their part and before the money is asked for: one capture, one payment.
"""
import base64
import json
import stat

import pytest
import wire

import deaths
import paypal
from braintree_shop import nonce
from customer_app import (
    NOT_BEGUN,
    NOT_CHARGED,
    NOT_KNOWN,
    PAID,
    PRICE,
    AdyenSession,
    App,
    BraintreeNonce,
    PayPalAccount,
    PayPalCard,
    PayPalChallenge,
    died,
    finish,
    is_step,
    opened,
)

OF_PAYPAL = [PayPalAccount, PayPalCard, PayPalChallenge]
WITH_A_STEP = [*OF_PAYPAL, AdyenSession]


@pytest.fixture
def way(request):
    """The way of the test's parameter, and its stand-in as a process."""
    return request.param(request.getfixturevalue(request.param.stand_in))


def of(*kinds):
    return pytest.mark.parametrize("way", kinds, indirect=True, ids=lambda kind: kind.__name__)


@pytest.fixture
def state(tmp_path):
    return tmp_path / "press.json"


@of(*WITH_A_STEP)
def test_a_journey_is_paid_once_and_its_state_keeps_no_secret_afterwards(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, state, way.command, session=session)
        step = app.next()
        assert is_step(step) and sum(way.captured()) == 0, step
        kept = json.loads(state.read_text())
        assert (kept["payment"], kept["press"], kept["session"]) == (payment, 1, session)
        assert stat.S_IMODE(state.stat().st_mode) == 0o600
        line = way.act(step)
        app.answer(line)
        way.deliver()
        code, last = app.end()
        assert (code, last["outcome"], last["money_moved"]) == (PAID, "paid", "yes"), last
        way.check(server, payment)
        assert json.loads(state.read_text()) == {"payment": payment, "press": 1}
        # A customer who presses once more has paid.
        code, last = App(server, state, way.command, session=session).end()
        assert (code, last["outcome"], last["press"]) == (PAID, "paid", 2), last
        assert App(server, state, "show", session=session).end()[1]["status"] == "paid"
        way.check(server, payment)


@pytest.mark.parametrize("dies", ["app", "counter", "both"])
@of(*WITH_A_STEP)
def test_a_death_between_the_customers_part_and_the_money_pays_once(tmp_path, way, state, dies):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, state, way.command, session=session)
        step = app.next()
        assert is_step(step), step
        if dies != "counter":
            app.kill()
        if dies != "app":
            server.kill()
        line = way.act(step)
        if dies != "app":
            # Nobody is there who could have asked for the money.
            assert sum(way.captured()) == way.taken
            server.start()
        way.deliver()
        code = NOT_KNOWN
        if dies == "counter":
            app.answer(line)
            code, last = app.end(line, step)
            assert code in (PAID, NOT_KNOWN), last
        if code != PAID:
            assert finish(server, state, line, step)["outcome"] == "paid"
        way.check(server, payment)
        assert len(server.request("GET", f"/v1/payments/{payment}").json()["attempts"]) == 1


def killed_at(point):
    """The environment of a counter that is killed at a point."""
    return {"TILL_FAILPOINT": str({name: number for number, name in deaths.points()}[point])}


@pytest.mark.parametrize(
    "point", ["afterContinuationIsStarted", "afterContinuationIsAnswered", "afterContinuationIsWritten"])
@of(*OF_PAYPAL)
def test_a_counter_that_dies_while_it_asks_for_the_money_captures_once(tmp_path, way, state, point):
    server = way.counter(tmp_path, **killed_at(point)).start()
    payment, session = opened(server)
    app = App(server, state, way.command, session=session)
    step = app.next()
    assert is_step(step), step
    app.answer(way.act(step))
    died(server)
    with server.start():
        code, last = app.end(step=step)
        assert code in (PAID, NOT_KNOWN), last
        if code != PAID:
            finish(server, state, step=step)
        way.check(server, payment)
        assert len(way.charges()) == 1


@of(PayPalCard)
def test_an_app_without_a_state_finds_its_order_by_the_same_command(tmp_path, way):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, None, way.command, session=session)
        step = app.next()
        app.kill()
        way.act(step)
        code, last = App(server, None, way.command, session=session).end(step=step)
        assert code == PAID, last
        way.check(server, payment)


@of(PayPalCard, PayPalChallenge)
def test_a_card_that_is_not_charged_ends_its_press_and_the_next_one_has_an_order_of_its_own(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, state, way.command, session=session)
        step = app.next()
        if isinstance(way, PayPalChallenge):
            way.act(step, "refuse")
        else:
            assert paypal.attach(way.url, step["order_id"], "CCREJECT-REFUSED") == "APPROVED"
        app.answer()
        code, last = app.end()
        assert (code, last["outcome"], last["money_moved"]) == (NOT_CHARGED, "declined", "no"), last
        assert way.captured() == []
        again = App(server, state, way.command, session=session)
        other = again.next()
        assert other["order_id"] != step["order_id"], other
        way.act(other)
        again.answer()
        code, last = again.end()
        assert (code, last["press"]) == (PAID, 2), last
        way.check(server, payment)


@of(PayPalCard)
def test_an_app_begins_no_other_way_beside_a_press_without_an_outcome(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, state, way.command, session=session)
        step = app.next()
        app.kill()
        for words in (["pay", "pm_card_visa"], ["paypal"], [way.command, "2"]):
            code, last = App(server, state, *words, session=session).end()
            assert (code, last["error"]) == (NOT_KNOWN, "press_under_way"), last
        _, other = opened(server, "1002")
        code, last = App(server, state, way.command, session=other).end()
        assert (code, last["error"]) == (NOT_KNOWN, "press_under_way"), last
        assert len(server.request("GET", f"/v1/payments/{payment}").json()["attempts"]) == 1
        # A file that cannot be read may hide a press.
        text = state.read_text()
        state.write_text(text[:-5])
        code, last = App(server, state, way.command, session=session).end()
        assert (code, last["error"]) == (NOT_KNOWN, "state_unreadable"), last
        state.write_text(text)
        way.act(step)
        assert finish(server, state, step=step)["outcome"] == "paid"
        code, last = App(server, state, "resume", session=session).end()
        assert (code, last["error"]) == (NOT_BEGUN, "usage"), last
        assert way.captured() == [PRICE]


@of(BraintreeNonce)
def test_a_nonce_is_made_with_the_client_token_and_pays_once(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        code, last = App(server, None, "fields", session=session).end()
        assert (code, last["provider"]) == (PAID, "braintree"), last
        assert json.loads(base64.b64decode(last["client_token"]))["merchantAccountId"] == "sandbox"
        once = nonce(way.url)
        for press in (1, 2):
            code, last = App(server, state, "pay", once, session=session).end()
            assert (code, last["outcome"], last["press"]) == (PAID, "paid", press), last
        way.check(server, payment)
        assert once not in state.read_text() and once not in server.log.read_text()


@of(BraintreeNonce)
def test_a_nonce_that_is_declined_charges_nothing(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server, minor=200000)
        code, last = App(server, state, "pay", nonce(way.url), session=session).end()
        assert (code, last["outcome"], last["money_moved"]) == (NOT_CHARGED, "declined", "no"), last
        assert way.captured() == []
        code, last = App(server, state, "cancel", session=session).end()
        assert (code, last["status"], last["payment_id"]) == (PAID, "closed", payment), last


@pytest.mark.parametrize("of_line, at", [("request", 20), ("answer", 0)])
@of(BraintreeNonce)
def test_an_app_that_dies_with_its_nonce_pays_once(tmp_path, way, state, of_line, at):
    with way.counter(tmp_path) as server:
        line = wire.Wire(server.port)
        try:
            payment, session = opened(server)
            cut = line.cut(b"POST /app/pay", of=of_line, at=at, ends=False)
            app = App(
                server, state, "pay", nonce(way.url), session=session, url=f"http://127.0.0.1:{line.port}")
            assert cut.done.wait(30), app.said
            app.kill()
            assert finish(server, state)["press"] == 1
            way.check(server, payment)
        finally:
            line.close()


@pytest.mark.parametrize("point", ["afterAuthorizationIsAnswered", "afterAuthorizationIsWritten"])
@of(BraintreeNonce)
def test_a_counter_that_dies_after_braintree_has_charged_a_nonce_finds_the_charge(tmp_path, way, state, point):
    server = way.counter(tmp_path, **killed_at(point)).start()
    payment, session = opened(server)
    app = App(server, state, "pay", nonce(way.url), session=session)
    died(server)
    with server.start():
        code, last = app.end()
        assert code in (PAID, NOT_KNOWN), last
        if code != PAID:
            finish(server, state)
        way.check(server, payment)


@of(AdyenSession)
def test_a_session_that_the_customer_leaves_is_not_known_and_is_the_same_one_later(tmp_path, way, state):
    with way.counter(tmp_path) as server:
        payment, session = opened(server)
        app = App(server, state, way.command, session=session)
        step = app.next()
        # An empty line is an SDK without a result.
        app.answer()
        code, last = app.end()
        assert (code, last["outcome"], last["money_moved"]) == (NOT_KNOWN, "given_up", "unknown"), last
        again = App(server, state, "resume")
        assert again.next() == step
        again.answer(way.act(step))
        way.deliver()
        assert again.end()[0] == PAID
        way.check(server, payment)
