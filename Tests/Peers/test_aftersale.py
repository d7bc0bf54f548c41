"""What happens to money after the sale at PayPal, Braintree and Adyen, by their webhooks and by our own queries, at a
counter. What the stand-ins say is read by the providers' own libraries where there are some."""
import urllib.parse

import pytest
import requests
from conftest import run_until_done

import counter
import paypal

PRICE = 1250
CARD = {"type": "card", "number": "4111111111111111", "expiry": "03/30", "cvc": "737"}
HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
PROVIDERS = ["paypal", "braintree", "adyen"]


@pytest.fixture(params=PROVIDERS)
def shop(request, tmp_path):
    name = request.param
    url = f"http://127.0.0.1:{counter.free_port()}"
    arguments = [counter.binary(), "sandbox", name, "--port", url.rsplit(":", 1)[1]]
    env = {"adyen": {"TILL_ADYEN_HMAC_KEY": HMAC_KEY}, "stripe": {
        "TILL_STRIPE_KEY": "sk_test_aftersale", "TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET}}.get(name, {})
    for _ in run_until_done(arguments, url + "/_sandbox/ledger", tmp_path / f"{name}.log"):
        with counter.Server(tmp_path, "--provider", name, f"--{name}-url", url, env=env) as server:
            hook = {"url": f"{server.url}/webhooks/{name}", "hmac_key": HMAC_KEY, "secret": counter.WEBHOOK_SECRET}
            assert requests.post(url + "/_sandbox/webhooks", json=hook, timeout=10).ok
            yield Shop(name, url, server)


class Shop:
    def __init__(self, name, url, server):
        self.name, self.url, self.server = name, url, server

    def sell(self, order, turn=1):
        made = self.server.create(order, f"create-{order}-{turn}")
        assert made.status_code == 201, made.text
        card = {**CARD, "number": {"paypal": paypal.CARD, "stripe": "4242424242424242"}.get(self.name, CARD["number"])}
        done = self.server.confirm(made.json()["id"], f"confirm-{order}-{turn}", card)
        assert done.json()["status"] == "succeeded", done.text
        return done.json()

    def settle(self):
        if self.name == "braintree":
            assert requests.post(self.url + "/_sandbox/settle", timeout=10).ok

    def happens(self, payment, what, **more):
        body = {"reference": payment["attempts"][0]["reference"], "do": what, **more}
        done = requests.post(self.url + "/_sandbox/aftersale", json=body, timeout=10)
        assert done.ok and done.json().get("ok"), done.text

    def now(self, payment):
        return self.server.request("GET", f"/v1/payments/{payment['id']}").json()

    def until(self, payment, is_so):
        assert counter.until(lambda: is_so(self.now(payment))), self.now(payment)


def test_a_dispute_takes_the_money_and_gives_it_back(shop):
    sale = shop.sell("o-1")
    shop.settle()
    shop.happens(sale, "dispute")
    shop.until(sale, lambda now: now["disputed"] == PRICE)
    now = shop.now(sale)
    assert [d["status"] for d in now["disputes"]] == ["open"] and now["net"] == 0, now
    assert [now["events"][index]["disputed"] for index in (0, -1)] == [0, PRICE], now["events"]
    refused = shop.server.request("POST", f"/v1/payments/{sale['id']}/refunds", {}, "refund-disputed")
    assert refused.status_code == 409 and refused.json()["code"] == "payment_disputed", refused.text
    shop.happens(sale, "win")
    shop.until(sale, lambda now: now["disputed"] == 0 and now["disputes"][0]["status"] == "won")
    assert len(shop.now(sale)["disputes"]) == 1


def test_a_refund_that_fails_later_is_owed_to_the_customer(shop):
    sale = shop.sell("o-1")
    shop.settle()
    back = shop.server.request("POST", f"/v1/payments/{sale['id']}/refunds", {"amount": 500}, "refund-o-1")
    assert back.status_code in (200, 201, 202), back.text
    shop.until(sale, lambda now: now["refunded"] == 500)
    shop.happens(sale, "fail_refund")
    shop.until(sale, lambda now: now["refunded"] == 0)
    now = shop.now(sale)
    assert now["refund_due"] == 500 and now["status"] == "succeeded", now


def test_a_refund_in_the_dashboard_is_found(shop):
    sale = shop.sell("o-1")
    shop.settle()
    shop.happens(sale, "refund", amount=500)
    if shop.name == "braintree":
        # Braintree reports no refund by webhook: whoever asks, or the next poll, finds it.
        shop.happens(sale, "inquire")
    shop.until(sale, lambda now: now["refunded"] == 500)
    assert len(shop.now(sale)["refunds"]) == 1


def test_a_capture_that_comes_to_nothing_is_found_and_its_order_charged_again(shop):
    sale = shop.sell("o-1")
    shop.settle()
    shop.happens(sale, {"paypal": "deny", "braintree": "decline_settlement", "adyen": "fail_capture"}[shop.name])
    shop.until(sale, lambda now: now["captured"] == 0)
    now = shop.now(sale)
    assert (now["status"], now["held"], now["money_moved"]) == ("capture_failed", 0, "no"), now
    assert any("has failed since" in one for one in now["needs_attention"]), now
    receipt = shop.server.request("GET", f"/v1/payments/{sale['id']}/receipt?format=text")
    assert receipt.ok and "HELD" not in receipt.text, receipt.text
    canceled = shop.server.request("POST", f"/v1/payments/{sale['id']}/cancel", {"reason": "failed"}, "cancel-o-1")
    assert canceled.status_code in (200, 202), canceled.text
    shop.until(sale, lambda now: now["status"] == "canceled")
    assert shop.sell("o-1", 2)["id"] != sale["id"]


def test_the_polls_are_counted(shop):
    text = shop.server.request("GET", "/metrics").text
    assert 'aftersale_polls_total{result="news"} 0' in text


def test_braintrees_library_reads_the_stand_ins_dispute(tmp_path):
    import braintree

    url = f"http://127.0.0.1:{counter.free_port()}"
    arguments = [counter.binary(), "sandbox", "braintree", "--port", url.rsplit(":", 1)[1]]
    for _ in run_until_done(arguments, url + "/_sandbox/ledger", tmp_path / "braintree.log"):
        with counter.Server(tmp_path, "--provider", "braintree", "--braintree-url", url) as server:
            assert requests.post(url + "/_sandbox/webhooks", json={}, timeout=10).ok
            sale = Shop("braintree", url, server).sell("o-1")
            Shop("braintree", url, server).happens(sale, "dispute")
            form = requests.get(url + "/_sandbox/webhooks", timeout=10).json()["webhooks"][-1]
            fields = dict(urllib.parse.parse_qsl(form, strict_parsing=True))
            library = braintree.BraintreeGateway(
                braintree.Configuration(braintree.Environment.Sandbox, "local", "local", "local"))
            heard = library.webhook_notification.parse(fields["bt_signature"], fields["bt_payload"])
            assert (heard.kind, str(heard.dispute.amount_disputed)) == ("dispute_opened", "12.50")
            assert heard.dispute.transaction.id == sale["attempts"][0]["reference"]


@pytest.mark.parametrize("shop", ["paypal", "stripe"], indirect=True)
def test_a_dispute_that_may_not_be_read_is_believed_from_its_webhook_and_said(shop):
    """Our credentials have no right to read disputes: nobody else would tell of one."""
    sale = shop.sell("o-1")
    allow(shop.url, False)
    shop.happens(sale, "dispute")
    shop.until(sale, lambda now: now["disputed"] == PRICE)
    missing = "may not read disputes"
    assert any(missing in one for one in shop.now(sale)["needs_attention"]), shop.now(sale)
    assert missing in shop.server.request("GET", "/readyz").text
    allow(shop.url, True)
    shop.happens(sale, "win")
    shop.until(sale, lambda now: now["disputed"] == 0 and now["disputes"][0]["status"] == "won")
    assert missing not in shop.server.request("GET", "/readyz").text
    assert len(shop.now(sale)["disputes"]) == 1


def allow(url, may):
    assert requests.post(url + "/_sandbox/rights", json={"disputes": may}, timeout=10).ok


@pytest.mark.parametrize("shop", ["paypal"], indirect=True)
@pytest.mark.parametrize("turns", [["reverse", "dispute"], ["dispute", "reverse"]], ids="-".join)
def test_a_reversal_and_its_dispute_are_taken_once(shop, turns):
    sale = shop.sell("o-1")
    for turn in turns:
        shop.happens(sale, turn)
        shop.until(sale, lambda now: now["net"] == 0)
    shop.until(sale, lambda now: now["disputed"] == PRICE and now["refunded"] == 0)
    now = shop.now(sale)
    assert (now["captured"], now["net"]) == (PRICE, 0), now
