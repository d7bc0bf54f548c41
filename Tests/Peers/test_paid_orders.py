"""Orders that the shop's own document says are settled are not charged again unless somebody says so, and it is kept
who that was; numbers that come round again are told apart by the scope that the shop sets.
"""
import hashlib
import json

import pytest
from playwright.sync_api import expect

import counter
from clerk import WAIT
from orders import SETTLED, document


@pytest.fixture
def sell(tmp_path):
    def sell(order, *flags, env=None):
        file = tmp_path / "order.json"
        file.write_text(json.dumps(order))
        return counter.till("sale", "--order", file, "--journal", tmp_path / "journal.db", "--json", *flags, env=env)

    return sell


@pytest.mark.parametrize("case", SETTLED)
def test_a_settled_order_is_refused_at_the_command_line_unless_somebody_says_so(sell, case):
    members, words = SETTLED[case]
    refused = sell(document(**members))
    assert refused.code == 1 and words in refused.json["error"]["what"], refused
    assert (refused.json["error"]["code"], refused.json["error"]["money_moved"]) == ("order_settled_in_shop", "no")
    assert "--even-if-paid" in refused.json["error"]["next"]
    taken = sell(document(**members), "--even-if-paid")
    assert taken.code == 0 and taken.json["status"] == "succeeded", taken
    kept = taken.json["accepted_paid_order"]
    assert kept["shop_says"] in words and kept["by"].startswith("command line, user "), kept


def test_an_order_that_failed_or_waits_is_sold(sell):
    assert sell(document(status="failed")).code == 0


def test_over_http_it_is_refused_and_the_audit_shows_whose_key_said_otherwise(server):
    members, words = SETTLED["paid"]
    body = {"order": document(**members)}
    refused = server.request("POST", "/v1/payments", body, "k-1")
    assert (refused.status_code, refused.json()["code"]) == (409, "order_settled_in_shop"), refused.text
    assert words in refused.json()["detail"] and "accept_paid_order" in refused.json()["next"]
    assert server.request("GET", "/v1/payments").json()["payments"] == []
    assert server.request("POST", "/v1/payments", {**body, "accept_paid_order": "yes"}, "k-2").status_code == 422
    made = server.request("POST", "/v1/payments", {**body, "accept_paid_order": True}, "k-3")
    key = hashlib.sha256(server.api_key.encode()).hexdigest()[:8]
    assert made.status_code == 201 and made.json()["accepted_paid_order"] == {
        "shop_says": "it was paid on 2019-06-06 through Card", "by": f"key {key}"}, made.text
    server.stop()
    server.start()
    read = server.request("GET", "/v1/payments/" + made.json()["id"]).json()
    assert read["accepted_paid_order"]["by"] == f"key {key}", "it is in the journal"


def test_who_accepts_an_order_that_needs_no_accepting_is_not_kept(server):
    made = server.request("POST", "/v1/payments", {"order": document(), "accept_paid_order": True}, "k-1")
    assert made.status_code == 201 and "accepted_paid_order" not in made.json()


def test_the_page_says_what_the_shop_says(clerk):
    clerk.page.get_by_text("Charge an order document instead").click()
    clerk.page.get_by_label("Order document (JSON)").fill(json.dumps(document(**SETTLED["paid"][0])))
    clerk.charge.first.click()
    expect(clerk.page.locator("#headline")).to_have_text("Not charged", timeout=WAIT)
    expect(clerk.page.locator("#detail")).to_contain_text("the shop says it was paid on 2019-06-06 through Card")


def test_a_number_that_comes_round_again_is_another_order_in_another_scope(sell):
    assert sell(document(), env={"TILL_ORDER_SCOPE": "2025"}).code == 0
    again = sell(document(), env={"TILL_ORDER_SCOPE": "2025"})
    assert again.code == 1 and again.json["error"]["code"] == "order_already_paid", again
    other = sell(document(), env={"TILL_ORDER_SCOPE": "2026"})
    assert other.code == 0 and (other.json["order_id"], other.json["order_number"]) == ("2026/1001", "1001"), other


def test_over_http_an_order_is_found_by_its_number_in_the_scope(tmp_path):
    for scope in ("2025", "2026"):
        with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_ORDER_SCOPE": scope}) as server:
            made = server.create("1001", "k-" + scope)
            assert (made.status_code, made.json()["order_id"]) == (201, scope + "/1001"), made.text
            assert made.json()["order_number"] == "1001"
            twice = server.create(scope + "/1001", "l-" + scope)
            assert (twice.status_code, twice.json()["code"]) == (409, "order_has_a_payment"), twice.text
            found = server.request("GET", "/v1/payments?order_id=1001").json()["payments"]
            assert [p["id"] for p in found] == [made.json()["id"]]
            unnamed = server.request("POST", "/v1/payments", {"amount": 100, "currency": "EUR"}, "n-" + scope).json()
            assert unnamed["order_id"].startswith("sale-")


def test_a_scope_that_cannot_be_a_part_of_an_identifier_is_refused(sell):
    refused = sell(document(), env={"TILL_ORDER_SCOPE": "a b"})
    assert refused.code != 0 and "scope" in str(refused.json), refused
