"""The counter's card entry in a real browser: it formats as one types, names the network, keeps the caret, takes 12 to
19 digits, and does what the Swift formatter does."""
import random

import counter


def show(clerk, text):
    """What the field shows after a paste."""
    clerk.by_card.check()
    clerk.card.fill(text)
    return clerk.card.input_value()


def test_groups_and_networks_as_printed_on_the_card(clerk):
    for typed, shown, name in [
        ("4032036247327321", "4032 0362 4732 7321", "Visa"),
        ("371449635398431", "3714 496353 98431", "American Express"),
        ("36259600000004", "3625 960000 0004", "Diners Club"),
        ("6205500000000000004", "6205 5000 0000 0000 004", "UnionPay"), ("675911111119", "6759 1111 1119", "Maestro"),
        ("٤٠٣٢٠٣٦٢", "4032 0362", "Visa"), ("４０３２ ０３６２", "4032 0362", "Visa"),
    ]:
        assert show(clerk, typed) == shown
        assert clerk.page.locator("#brand").inner_text() == name
    clerk.card.fill("")
    assert clerk.page.locator("#brand").inner_text() == ""


def test_a_number_of_19_digits_is_typed_key_by_key(clerk):
    clerk.by_card.check()
    clerk.card.fill("")
    clerk.card.press_sequentially("6205500000000000004")
    assert clerk.card.input_value() == "6205 5000 0000 0000 004"


def test_the_caret_stays_and_backspace_never_sticks(clerk):
    show(clerk, "4032036247327321")
    place = "document.getElementById('number')"
    clerk.page.evaluate(f"{place}.setSelectionRange(5, 5)")  # behind the first gap
    clerk.card.press("Backspace")
    assert clerk.card.input_value() == "4030 3624 7327 321"
    assert clerk.page.evaluate(f"{place}.selectionStart") == 3
    clerk.card.press("2")
    assert clerk.card.input_value() == "4032 0362 4732 7321"
    assert clerk.page.evaluate(f"{place}.selectionStart") == 4


def test_the_expiry_in_every_form(clerk):
    clerk.by_card.check()
    for typed, shown in [("1230", "12 / 30"), ("3", "03"), ("2030-12", "12 / 2030"), ("1/27", "01 / 27"),
            ("12/30", "12 / 30")]:
        clerk.expiry.fill("")
        clerk.expiry.fill(typed)
        assert clerk.expiry.input_value() == shown


def test_a_typing_mistake_is_named_when_the_field_is_left(clerk):
    fault = clerk.page.locator("#number-fault")
    for wrong, right in [("4242424242424241", "4242424242424242"), ("6011111111111118", "6011111111111117")]:
        clerk.by_card.check()
        clerk.card.fill("")
        clerk.card.press_sequentially(wrong)
        assert fault.inner_text() == ""  # three more digits could still make it a card of 19
        clerk.expiry.focus()
        assert "Check the card number" in fault.inner_text()
        clerk.card.fill(right)
        assert fault.inner_text() == ""
        clerk.expiry.focus()
        assert fault.inner_text() == ""
    # UnionPay has cards whose check digit does not fit: that is worth a word and stops nothing.
    clerk.card.fill("6200680000000005")
    clerk.code.focus()
    assert "this network has such cards" in fault.inner_text()


def test_a_typing_mistake_is_named_when_the_sale_is_submitted(clerk, server):
    clerk.fill("12.50", "4242424242424241")
    clerk.card.focus()
    clerk.card.press("Enter")
    assert "Check the card number" in clerk.page.locator("#number-fault").inner_text()
    clerk.card.fill("371449635398431")
    clerk.code.fill("123")
    clerk.code.press("Enter")
    assert "must have 4 digits" in clerk.page.locator("#code-fault").inner_text()
    assert server.request("GET", "/v1/payments").json()["payments"] == []


def test_the_page_and_the_command_line_judge_alike(clerk):
    dice = random.Random(19)
    heads = ["4", "51", "34", "36", "3528", "62", "6011", "506707", "2200", "9792", "506099", "67", "60", "9"]
    for _ in range(40):
        typed = (dice.choice(heads) + "".join(dice.choice("0123456789") for _ in range(19)))[: dice.randint(1, 20)]
        answer = counter.till("cards", "check", typed, "--json").json
        judged = clerk.page.evaluate("async (n) => (await import('/card-number.js')).judgeNumber(n)", typed)
        assert judged["state"] == answer["state"], typed
        assert judged["fault"] == answer.get("reason"), typed


def test_the_page_and_the_command_line_format_alike(clerk):
    dice = random.Random(11)
    heads = ["4", "51", "2221", "34", "36", "300", "3528", "622126", "6011", "506707", "2200", "606282", "9792",
        "506099", "5019", "67", "60", "9"]
    for _ in range(60):
        head = dice.choice(heads)
        typed = (head + "".join(dice.choice("0123456789") for _ in range(19)))[: dice.randint(1, 19)]
        answer = counter.till("cards", "check", typed, "--show", "--json").json
        assert show(clerk, typed) == answer["formatted"], typed
        certain = [b["name"] for b in answer["brands"] if b["certain"]]
        assert clerk.page.locator("#brand").inner_text() == (certain[0] if certain else ""), typed


def test_a_sale_with_the_formatted_fields_and_nothing_of_the_card_kept(clerk, server):
    clerk.fill("12.50", counter.CARD)
    assert clerk.card.input_value() == "4242 4242 4242 4242"
    clerk.charge.click()
    clerk.shows("paid")
    assert counter.CARD not in clerk.page.content().replace(" ", "")
    for file in server.folder.rglob("*"):
        if file.is_file():
            assert counter.CARD.encode() not in file.read_bytes(), file
