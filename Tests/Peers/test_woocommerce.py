"""Orders as WooCommerce computes them: each sells at the shop's total, and not at another one."""
import os
from decimal import Decimal

import pytest
import shop_orders

import counter

EXPONENTS = {"JPY": 0, "KRW": 0, "KWD": 3}


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def test_every_order_that_a_shop_computes_sells_at_its_total(server):
    refused = []
    for seed in range(int(os.environ.get("TILL_ORDERS", "400"))):
        order, total, shop = shop_orders.document(seed)
        if total <= 0:
            continue
        body = {"order": {"data": order} if seed % 3 == 0 else order}
        answer = server.request("POST", "/v1/payments", body, key=f"order-{seed}")
        if answer.status_code != 201:
            refused.append((seed, answer.json()["detail"]))
            continue
        minor = total * 10 ** (EXPONENTS.get(shop.currency, 2) - shop.places)
        assert answer.json()["amount"] == minor, seed
    assert not refused, refused[:5]


def test_a_total_that_no_digit_explains_is_refused(server):
    for seed in range(100):
        order, total, shop = shop_orders.document(seed)
        unit = Decimal(1).scaleb(-shop.places)
        parts = sum(len(order[name]) for name in ("line_items", "shipping_lines", "fee_lines"))
        # Further away than all roundings of all parts and their taxes together.
        away = (parts * (1 + len(shop.rates)) + 2) * unit
        for wrong in (Decimal(order["total"]) + away, Decimal(order["total"]) - away):
            answer = server.request(
                "POST", "/v1/payments", {"order": {**order, "total": str(wrong)}}, key=f"wrong-{seed}-{wrong}")
            assert answer.status_code == 422, (seed, answer.text)
            if wrong > 0:
                assert answer.json()["code"] == "order_does_not_add_up", answer.text
                assert "a difference of" in answer.json()["detail"], answer.text
    listed = server.request("GET", "/v1/payments").json()
    assert listed["payments"] == []
