"""Bad days of real providers: our key is rejected, a failure is kept under its key, a request arrives late, the
currency is another one. Money moves once or not at all, and till says so."""
import time

import hostile
import pytest
import requests
from conftest import run_until_done

import counter

CARD = ["--card-number", "4242424242424242", "--expiry", "12/30", "--cvc", "987"]


@pytest.fixture(params=["stripe", "braintree"])
def name(request):
    return request.param


@pytest.fixture
def provider(tmp_path, name):
    url = f"http://127.0.0.1:{counter.free_port()}"
    arguments = [counter.binary(), "sandbox", name, "--port", url.rsplit(":", 1)[1]]
    for _ in run_until_done(arguments, url + "/_sandbox/ledger", tmp_path / "provider.log"):
        gate = hostile.Provider(url)
        yield gate
        gate.close()


@pytest.fixture
def till(tmp_path, provider, name):
    common = ["--journal", tmp_path / "journal.db", "--json", "--provider", name, f"--{name}-url", provider.url]
    return lambda *arguments, **options: counter.till(*arguments, *common, **options)


def sold(till, *more, amount="12.50", order="o-1", currency="EUR"):
    return till("sale", "--amount", amount, "--currency", currency, "--order", order, *CARD, *more)


def ledger(provider):
    charges = requests.get(provider.target + "/_sandbox/ledger", timeout=5).json()["charges"]
    return sum(c["captured"] for c in charges), sum(c["refunded"] for c in charges)


def recovered(till, payment, is_done, seconds=30):
    """Does what is due until it is so."""
    def done():
        till("payments", "recover")
        return is_done(till("payments", "show", payment).json)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.5)
    return False


def test_a_rejected_key_refuses_nothing_and_all_goes_on_when_it_is_right(till, provider, name):
    provider.rejection = hostile.REJECTED[name]
    unsold = sold(till, "--capture", "manual")
    assert unsold.code == 1 and unsold.json["status"] == "requires_payment_method", unsold
    provider.rejection = None
    held = sold(till, "--capture", "manual", order="o-2")
    assert held.code == 0 and held.json["status"] == "requires_capture", held
    payment = held.json["id"]
    provider.rejection = hostile.REJECTED[name]
    waiting = till("authorizations", "capture", payment)
    assert waiting.code == 3 and waiting.json["captures"][0]["status"] == "deferred", waiting
    assert any("credentials" in text for text in waiting.json["needs_attention"]), waiting
    provider.rejection = None
    assert recovered(till, payment, lambda p: p["status"] == "succeeded")
    assert ledger(provider) == (1250, 0)
    if name == "braintree":
        requests.post(provider.target + "/_sandbox/settle", timeout=5)
    provider.rejection = hostile.REJECTED[name]
    back = till("payments", "refund", payment, "--amount", "5.00")
    assert back.code == 3 and back.json["refunds"][0]["status"] == "deferred", back
    provider.rejection = None
    assert recovered(till, payment, lambda p: p["refunded"] == 500)
    assert ledger(provider) == (1250, 500)


@pytest.mark.parametrize("name", ["stripe"])
@pytest.mark.parametrize("path", ["/capture", "/refunds"])
def test_a_failure_that_is_kept_under_its_key_is_got_around_with_a_new_key(till, provider, path):
    held = sold(till, "--capture", "manual")
    payment = held.json["id"]
    if path == "/capture":
        provider.sticky = path
    taken = till("authorizations", "capture", payment)
    assert taken.code == 0 and taken.json["captured"] == 1250, taken
    provider.failed_keys.clear()
    provider.sticky = path
    back = till("payments", "refund", payment, "--amount", "5.00")
    assert back.code == 0 and back.json["refunded"] == 500, back
    assert ledger(provider) == (1250, 500)
    keys = {r["headers"].get("Idempotency-Key") for r in provider.requests if r["path"].endswith(path)}
    assert len(keys - {None}) == 2, keys


@pytest.mark.parametrize("name", ["braintree"])
def test_a_refund_on_the_way_is_not_sent_again_and_is_recognized_when_it_arrives(till, provider):
    payment = sold(till).json["id"]
    requests.post(provider.target + "/_sandbox/settle", timeout=5)
    provider.delays = "/refund"
    open_ = till("payments", "refund", payment, "--amount", "5.00")
    assert open_.code == 3, open_
    till("payments", "recover")
    assert ledger(provider) == (1250, 0)
    assert provider.deliver() == [201]
    assert recovered(till, payment, lambda p: p["refunded"] == 500)
    assert ledger(provider) == (1250, 500)


@pytest.mark.parametrize("name", ["braintree"])
def test_a_currency_without_an_account_is_refused_before_anything_is_sent(till, provider):
    refused = sold(till, amount="3500", currency="JPY")
    assert refused.code == 1 and "braintree.merchant_accounts" in refused.json["error"]["what"], refused
    assert provider.requests == []


@pytest.mark.parametrize("name", ["braintree"])
def test_an_answer_in_another_currency_is_an_alarm_that_can_be_voided(till, provider):
    env = {"TILL_BRAINTREE_MERCHANT_ACCOUNTS": "EUR=sandbox; JPY=sandbox_jpy"}
    paid = till("sale", "--amount", "3500", "--currency", "JPY", "--order", "o-1", *CARD, env=env)
    assert paid.code == 0, paid
    provider.change = lambda body: body.replace(b"<merchant_account_id>sandbox_jpy</merchant_account_id>", b"")
    other = till("sale", "--amount", "3500", "--currency", "JPY", "--order", "o-2", *CARD, env=env)
    assert other.code == 3 and other.json["captured"] == 0, other
    assert any("another currency" in text for text in other.json["needs_attention"]), other
    canceled = till("payments", "cancel", other.json["id"], env=env)
    assert canceled.code == 0 and canceled.json["status"] == "canceled", canceled
    charges = requests.get(provider.target + "/_sandbox/ledger", timeout=5).json()["charges"]
    assert [c["state"] for c in charges if c["currency"] == "EUR"] == ["voided"], charges
