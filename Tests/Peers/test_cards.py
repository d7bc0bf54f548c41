"""Our card numbers against python-stdnum: the same check digit, and lengths by the networks' own words."""
import random

import pytest
from stdnum import luhn

import counter


def check(number, *more):
    return counter.till("cards", "check", number, "--json", "--at", "1763700000", *more)


def test_the_check_digit_is_that_of_stdnum():
    dice = random.Random(7)
    for _ in range(150):
        digits = "".join(dice.choice("0123456789") for _ in range(dice.randint(12, 19)))
        if dice.random() < 0.5:
            digits = digits[:-1] + luhn.calc_check_digit(digits[:-1])
        answer = check(digits)
        assert answer.json["check_digit"] == luhn.is_valid(digits), digits
        if luhn.is_valid(digits):
            assert answer.json["state"] in ("valid", "incomplete"), answer
        elif not any(b["brand"] == "unionpay" for b in answer.json["brands"]):
            assert answer.json["state"] != "valid", answer


@pytest.mark.parametrize("prefix,length,brand", [
    ("4", 13, "visa"), ("4", 16, "visa"), ("4", 19, "visa"), ("51", 16, "mastercard"), ("2720", 16, "mastercard"),
    ("34", 15, "amex"), ("36", 14, "diners"), ("3528", 16, "jcb"), ("3589", 19, "jcb"), ("6011", 16, "discover"),
    ("6011", 19, "discover"), ("623", 19, "unionpay"), ("67", 12, "maestro"), ("67", 19, "maestro"),
    ("2200", 16, "mir"), ("9792", 16, "troy"), ("606282", 16, "hipercard"), ("506707", 16, "elo"),
])
def test_numbers_made_by_stdnum_are_whole_and_branded(prefix, length, brand):
    body = prefix + "0" * (length - len(prefix) - 1)
    answer = check(body + luhn.calc_check_digit(body))
    assert answer.code == 0 and answer.json["state"] == "valid", answer
    assert answer.json["brands"][0]["brand"] == brand, answer


def test_what_is_shown_is_masked():
    answer = counter.till("cards", "check", "4032036247327321", "--expiry", "11/30", "--code", "987")
    assert answer.code == 0 and "4032036247327321" not in answer.out.replace(" ", "") and "987" not in answer.out
    assert "4032 03•• •••• 7321" in answer.out, answer
    shown = counter.till("cards", "check", "4032036247327321", "--show")
    assert "4032 0362 4732 7321" in shown.out


@pytest.mark.parametrize("arguments,reason", [
    (["12345x"], "no digit"), (["40320362473273211111"], "at most 19"), (["5555555555554445"], "check digit"),
    (["4032036247327321", "--expiry", "13/30"], "01 to 12"), (["4032036247327321", "--expiry", "01/20"], "expired"),
    (["4032036247327321", "--code", "1234"], "3 digits"), (["371449635398431", "--code", "123"], ""),
])
def test_bad_input_is_named(arguments, reason):
    answer = check(*arguments)
    assert answer.code == 1 and answer.json["ok"] is False and reason in answer.out, answer
