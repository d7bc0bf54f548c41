"""The process dies at every numbered point while PayPal's stand-in keeps its own books, and answers get lost:
money moves once or not at all."""
import pytest
import requests

import counter
import deaths
import paypal

PRICE = 1250


def net(charges):
    return sum(c["captured"] - c["refunded"] for c in charges)


def check(shop, url, order, note):
    charges = paypal.charges_of(url, order)
    assert 0 <= net(charges) <= PRICE, f"{note}: {charges}"
    assert sum(c["captured"] for c in charges) <= PRICE, f"{note}: captured twice: {charges}"
    held = [c for c in charges if c["authorized"] and not c["captured"] and not c["canceled"]]
    assert len(held) <= 1, f"{note}: held twice: {held}"
    listed = shop("payments", "list")
    assert listed.code == 0, listed
    for payment in listed.json["payments"]:
        if payment["status"] not in ("unknown", "processing", "requires_action"):
            assert payment["captured"] == sum(c["captured"] for c in charges), f"{note}: {payment} {charges}"
            assert payment["refunded"] == sum(c["refunded"] for c in charges), f"{note}: {payment} {charges}"
    return charges


@pytest.mark.parametrize("journey", ["sale", "authorize", "capture", "cancel", "refund"])
def test_a_death_at_any_point_moves_money_at_most_once(tmp_path, stand_in, journey):
    points = deaths.points(journey)
    assert points
    for number, name in points:
        order, folder = f"o-{journey}-{number}", tmp_path / f"{journey}-{number}"
        folder.mkdir()
        shop = paypal.Shop(folder, stand_in)
        env = {"TILL_FAILPOINT": str(number)}
        sale = ["--amount", "12.50", "--order", order]
        arguments = [*sale, *(["--capture", "manual"] if journey in ("authorize", "capture", "cancel") else [])]
        if journey in ("sale", "authorize"):
            ended = counter.till("sale", *paypal.SALE, *arguments, *shop.common, env=env)
        else:
            made = shop.sale(*arguments)
            assert made.code == 0, made
            more = ["--amount", "5.00"] if journey == "refund" else []
            ended = counter.till("payments", journey, made.json["id"], *more, *shop.common, env=env)
        assert ended.killed or ended.code == 0, ended
        if not (folder / "journal.db").exists():
            assert not paypal.charges_of(stand_in, order), f"{order}: money moved before the journal"
            continue
        for _ in range(2):
            assert shop("payments", "recover").code == 0
            check(shop, stand_in, order, f"{journey} killed at {name}")
        verified = counter.till("journal", "verify", *shop.common[:3])
        assert verified.code == 0 and verified.json["ok"], verified


FAULTS = ["serverErrorAfterSuccess", "conflict", "outage", "duplicateDelivery"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", ["prepare", "authorize"])
def test_a_lost_answer_to_a_sale_is_looked_up_and_never_paid_twice(tmp_path, stand_in, operation, fault):
    shop, order = paypal.Shop(tmp_path, stand_in), "o-1"
    paypal.fault(stand_in, operation, fault)
    shop.sale("--amount", "12.50", "--order", order)
    for _ in range(2):
        assert shop("payments", "recover").code == 0
    charges = check(shop, stand_in, order, f"{fault} at {operation}")
    again = shop.sale("--amount", "12.50", "--order", order)
    charges = check(shop, stand_in, order, f"{fault} at {operation}, sold again: {again}")
    assert net(charges) == PRICE, (again, charges)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lost_answer_to_a_capture_a_refund_and_a_void(tmp_path, stand_in, fault):
    shop = paypal.Shop(tmp_path, stand_in)

    held = shop.sale("--amount", "12.50", "--order", "o-1", "--capture", "manual").json["id"]
    paypal.fault(stand_in, "capture", fault)
    shop("payments", "capture", held)
    shop("payments", "recover")
    shop("payments", "recover")
    assert net(check(shop, stand_in, "o-1", fault)) == PRICE
    paypal.fault(stand_in, "refund", fault)
    shop("payments", "refund", held, "--amount", "5.00")
    shop("payments", "recover")
    shop("payments", "recover")
    assert net(check(shop, stand_in, "o-1", fault)) == PRICE - 500
    dropped = paypal.Shop(tmp_path, stand_in)
    other = dropped.sale("--amount", "12.50", "--order", "o-2", "--capture", "manual").json["id"]
    paypal.fault(stand_in, "void", fault)
    dropped("payments", "cancel", other)
    dropped("payments", "recover")
    dropped("payments", "recover")
    charges = paypal.charges_of(stand_in, "o-2")
    assert net(charges) == 0 and charges[0]["canceled"], charges


def test_a_death_after_the_banks_challenge_moves_money_at_most_once(tmp_path, stand_in):
    """The customer has passed the challenge; a process dies at each point of finding that out and asking for the
    money. The next one ends it, paid once."""
    points = [p for p in counter.till("failpoints", "--json").json["failpoints"] if "Continuation" in p["name"]]
    assert len(points) == 3, points
    for point in points:
        order, folder = f"o-challenge-{point['number']}", tmp_path / str(point["number"])
        folder.mkdir()
        shop = paypal.Shop(folder, stand_in)
        made = shop.sale("--amount", "12.50", "--order", order, "--cardholder", "SCA-REQUIRED")
        assert made.json["status"] == "requires_action", made
        reference = made.json["attempts"][0]["reference"]
        done = {"reference": reference, "succeeds": True}
        assert requests.post(stand_in + "/_sandbox/action", json=done, timeout=5).ok
        looked = counter.till("payments", "query", made.json["id"], *shop.common,
            env={"TILL_FAILPOINT": str(point["number"])})
        assert looked.killed, looked
        for _ in range(2):
            assert shop("payments", "recover").code == 0
        charges = check(shop, stand_in, order, f"killed at {point['name']}")
        assert net(charges) == PRICE, charges
