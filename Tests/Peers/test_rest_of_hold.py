"""A part of a hold was captured, and the shop wants no more of it: the rest is let go, what was captured stays."""
import pytest
import requests
from playwright.sync_api import expect

import counter
import paypal
from clerk import Counter


def held(shop, order, part="5.00"):
    made = shop.sale("--amount", "20.00", "--currency", "EUR", "--order", order, "--capture", "manual")
    assert made.code == 0, made
    if part:
        taken = shop("authorizations", "capture", made.json["id"], "--amount", part, "--partial")
        assert taken.code == 0 and taken.json["status"] == "partially_captured", taken
    return made.json["id"]


def at_paypal(url, order):
    (charge,) = paypal.charges_of(url, order)
    token = paypal.token(url)
    read = requests.get(
        url + "/v2/checkout/orders/" + charge["reference"], headers={"Authorization": "Bearer " + token}, timeout=10)
    (hold,) = read.json()["purchase_units"][0]["payments"]["authorizations"]
    return charge, hold["status"]


@pytest.mark.parametrize("command", [("authorizations", "void"), ("payments", "cancel")])
def test_the_rest_is_let_go_and_the_captured_part_stays(tmp_path, stand_in, command):
    shop = paypal.Shop(tmp_path, stand_in)
    payment = held(shop, "o-1")
    assert at_paypal(stand_in, "o-1")[1] == "PARTIALLY_CAPTURED"
    done = shop(*command, payment)
    assert done.code == 0, done
    assert (done.json["status"], done.json["captured"], done.json["released"]) == ("succeeded", 500, 1500), done
    charge, hold = at_paypal(stand_in, "o-1")
    assert (hold, charge["captured"], charge["refunded"]) == ("VOIDED", 500, 0)
    assert shop("authorizations", "list").json["authorizations"] == []
    # There is no more of it to let go or to take; what was captured can be given back.
    again = shop(*command, payment)
    assert again.code == 1 and again.json["error"]["code"] == "captured_already", again
    assert again.json["error"]["money_moved"] == "no", again
    more = shop("authorizations", "capture", payment)
    assert more.code == 1 and more.json["error"]["code"] == "nothing_to_capture", more
    back = shop("payments", "refund", payment)
    assert back.code == 0 and back.json["refunded"] == 500, back


def test_a_death_at_each_step_of_it_lets_it_go_once_and_loses_nothing(tmp_path, stand_in):
    points = [p for p in counter.till("failpoints", "--json").json["failpoints"] if "oid" in p["name"]]
    assert len(points) >= 3, points
    for point in points:
        folder, order = tmp_path / str(point["number"]), f"o-{point['number']}"
        folder.mkdir()
        shop = paypal.Shop(folder, stand_in)
        payment = held(shop, order)
        ended = counter.till(
            "authorizations", "void", payment, *shop.common, env={"TILL_FAILPOINT": str(point["number"])})
        if not ended.killed:
            assert ended.code == 0, ended
        assert shop("payments", "recover").code == 0
        seen = shop("payments", "show", payment).json
        charge, hold = at_paypal(stand_in, order)
        assert (seen["status"], seen["captured"], seen["released"]) == ("succeeded", 500, 1500), (point, seen)
        assert (hold, charge["captured"]) == ("VOIDED", 500), (point, charge)


def held_over_http(server):
    made = server.create("o-1", "create", minor=2000, capture="manual").json()
    card = {"type": "card", "number": paypal.CARD, "expiry": "12/30", "cvc": paypal.CODE}
    server.confirm(made["id"], "confirm", card)
    path = f"/v1/payments/{made['id']}"
    part = server.request("POST", path + "/capture", {"amount": 500, "final": False}, "part")
    assert part.json()["status"] == "partially_captured", part.text
    return made, path


def test_over_http_and_on_the_page(tmp_path, stand_in, page):
    with counter.Server(tmp_path, "--provider", "paypal", "--paypal-url", stand_in) as server:
        made, path = held_over_http(server)
        clerk = Counter(page, server).open()
        page.goto(server.url + "/#" + made["id"])
        page.get_by_role("button", name="Release the rest").click()
        page.get_by_role("dialog").get_by_role("button", name="Release 15.00 EUR").click()
        clerk.shows("The other 15.00 EUR was released")
        now = server.request("GET", path).json()
        told = (now["status"], now["captured"], now["released"], now["authorized"])
        assert told == ("succeeded", 500, 1500, 500), now
        # The bank approved all of it, and a part was taken: that is no partial approval.
        receipt = server.request("GET", path + "/receipt?format=text").text
        assert "5.00" in receipt and "Approved" in receipt and "Partly approved" not in receipt, receipt
        again = server.request("POST", path + "/cancel", {}, "again")
        assert again.status_code == 409 and again.json()["code"] == "captured_already", again.text
        assert again.json()["money_moved"] == "no", again.text
        assert not clerk.faults, clerk.faults


def test_after_the_last_capture_there_is_no_rest(tmp_path):
    common = ["--journal", tmp_path / "journal.db", "--json"]
    made = counter.till("sale", "--amount", "20.00", "--currency", "EUR", "--capture", "manual", *common)
    taken = counter.till("authorizations", "capture", made.json["payment_id"], "--amount", "5.00", *common)
    assert taken.json["status"] == "succeeded", taken
    refused = counter.till("authorizations", "void", made.json["payment_id"], *common)
    assert refused.code == 1 and refused.json["error"]["code"] == "captured_already", refused


def test_a_rest_that_somebody_else_took_is_refused_once_and_told(tmp_path, stand_in):
    proxy = paypal.Proxy(stand_in)
    shop = paypal.Shop(tmp_path, proxy.url)
    payment = held(shop, "o-1")
    hold = shop("payments", "show", payment).json["attempts"][0]["reference"].split(".")[2]
    url = f"{stand_in}/v2/payments/authorizations/{hold}/capture"
    headers = {"Authorization": "Bearer " + paypal.token(stand_in), "PayPal-Request-Id": "by-hand"}
    rest = {"amount": {"currency_code": "EUR", "value": "15.00"}, "final_capture": True}
    assert requests.post(url, json=rest, headers=headers, timeout=10).ok
    proxy.requests.clear()
    told = shop.for_people("authorizations", "void", payment)
    assert told.code == 2 and "refused to void it (PREVIOUSLY_CAPTURED)" in told.err, told
    assert "20.00 EUR is captured now" in told.err, told
    shown = shop("payments", "show", payment).json
    assert (shown["captured"], shown["held"]) == (2000, 0), shown
    assert any("nobody wanted that money" in one for one in shown["needs_attention"]), shown
    # What is known to be captured is not asked for again.
    again = shop("authorizations", "void", payment)
    assert again.code == 1 and again.json["error"]["code"] == "captured_already", again
    assert len([call for call in proxy.calls() if call["path"].endswith("/void")]) == 1, proxy.calls()
    calls = len(proxy.calls())
    assert shop("payments", "recover").code == 0 and len(proxy.calls()) == calls
    proxy.close()


@pytest.mark.parametrize("back", ["2.00", "5.00"])
def test_what_is_still_held_after_a_refund_is_listed_and_let_go(tmp_path, stand_in, back):
    shop = paypal.Shop(tmp_path, stand_in)
    payment = held(shop, "o-1")
    assert shop("payments", "refund", payment, "--amount", back).code == 0
    (hold,) = shop("authorizations", "list").json["authorizations"]
    assert (hold["payment_id"], hold["held"], hold["captured"]) == (payment, 1500, 500), hold
    assert shop("payments", "show", payment).json["held"] == 1500
    done = shop("authorizations", "void", payment)
    assert done.code == 0 and (done.json["held"], done.json["released"]) == (0, 1500), done
    assert shop("authorizations", "list").json["authorizations"] == []
    assert at_paypal(stand_in, "o-1")[1] == "VOIDED"


def test_the_page_lets_go_of_what_is_held_after_a_refund(tmp_path, stand_in, page):
    with counter.Server(tmp_path, "--provider", "paypal", "--paypal-url", stand_in) as server:
        made, path = held_over_http(server)
        assert server.request("POST", path + "/refunds", {"amount": 500}, "back").json()["status"] == "refunded"
        clerk = Counter(page, server).open()
        page.goto(server.url + "/#" + made["id"])
        page.get_by_role("button", name="Release the rest").click()
        page.get_by_role("dialog").get_by_role("button", name="Release 15.00 EUR").click()
        assert counter.until(lambda: server.request("GET", path).json()["held"] == 0)
        expect(page.get_by_role("button", name="Release the rest")).to_be_hidden()
        assert not clerk.faults, clerk.faults


def test_a_second_capture_without_an_answer_is_not_told_as_done(tmp_path, stand_in):
    shop = paypal.Shop(tmp_path, stand_in)
    payment = held(shop, "o-1")
    paypal.fault(stand_in, "capture", "serverErrorAfterSuccess", times=100)
    paypal.fault(stand_in, "query", "outage", times=100)
    lost = shop.for_people("authorizations", "capture", payment)
    assert lost.code == 3 and "not known yet whether 15.00 EUR was captured" in lost.err, lost


def test_of_more_holds_than_asked_for_the_soonest_to_end_are_listed(tmp_path, stand_in):
    shop = paypal.Shop(tmp_path, stand_in)
    first = held(shop, "o-1", part=None)
    held(shop, "o-2", part=None)
    (hold,) = shop("authorizations", "list", "--limit", "1").json["authorizations"]
    assert hold["payment_id"] == first, hold


def test_what_is_canceled_only_if_it_is_unpaid_keeps_its_hold(server):
    held = server.create("o-1", "c-1", capture="manual").json()["id"]
    assert server.confirm(held, "p-1").json()["status"] == "requires_capture"
    refused = server.request("POST", f"/v1/payments/{held}/cancel", {"only_if_unpaid": True}, "v-1")
    assert (refused.status_code, refused.json()["code"]) == (409, "payment_not_unpaid"), refused.text
    assert refused.json()["money_moved"] == "no"
    assert server.request("GET", f"/v1/payments/{held}").json()["status"] == "requires_capture"
    unpaid = server.create("o-2", "c-2").json()["id"]
    done = server.request("POST", f"/v1/payments/{unpaid}/cancel", {"only_if_unpaid": True}, "v-2")
    assert done.status_code == 200 and done.json()["status"] == "canceled", done.text
    # Without the condition the hold is released.
    assert server.request("POST", f"/v1/payments/{held}/cancel", {}, "v-3").json()["status"] == "canceled"
    odd = server.request("POST", f"/v1/payments/{held}/cancel", {"only_if_unpaid": "yes"}, "v-4")
    assert odd.status_code == 422 and odd.json()["errors"][0]["field"] == "only_if_unpaid", odd.text
