"""The command line as scripts and people meet it: one JSON object whatever happens, exit codes that mean what the help
says, lines that fit a terminal, and settings that say where they come from.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

import counter
from counter import till

SALE = ["sale", "--amount", "12.50", "--currency", "EUR"]


@pytest.fixture
def journal(tmp_path):
    return ["--journal", str(tmp_path / "journal.db")]


def only_json(answer):
    """Standard output is exactly one JSON object on one line."""
    assert answer.out.count("\n") == 1 and answer.out.endswith("\n"), answer
    return json.loads(answer.out)


REFUSALS = [
    (["sale", "--amount=0", "--currency", "EUR"], 1, "invalid_amount"),
    (["sale", "--amount=-5", "--currency", "EUR"], 1, "invalid_amount"),
    (["sale", "--amount", "-5", "--currency", "EUR"], 1, "invalid_amount"),
    (["sale", "--amount", "1.001", "--currency", "EUR"], 1, "invalid_amount"),
    (["sale", "--amount", "99999999999999999999", "--currency", "EUR"], 1, "invalid_amount"),
    (["sale", "--amount", "92233720368547758.07", "--currency", "EUR"], 1, "amount_too_large"),
    (["sale", "--amount", "12", "--currency", "XXX"], 1, "invalid_amount"),
    (["sale", "--amount", "12", "--currency", "ZZZ"], 1, "invalid_amount"),
    (["sale", "--amount", "10.50", "--currency", "ISK", "--provider", "stripe", "--stripe-url", "http://127.0.0.1:1"],
    1,
     "invalid_amount"),
    (["sale", "--amount", "1.234", "--currency", "KWD", "--provider", "stripe", "--stripe-url", "http://127.0.0.1:1"],
    1,
     "invalid_amount"),
    ([*SALE, "--provider", "nobody"], 1, "unknown_provider"),
    ([*SALE, "--card-number", counter.CARD, "--expiry", "12/20", "--cvc", "123"], 1, "invalid_expiry"),
    ([*SALE, "--cash", "--tendered", "12.49"], 1, "invalid_amount"),
    ([*SALE, "--cash", "--capture", "manual"], 1, "unsupported"),
    ([*SALE, "--cash", "--card", "visa"], 1, "choose_a_tender"),
    (["sale"], 1, "nothing_to_sell"),
    (["sale", "--order", "/nowhere.json"], 1, "no_such_file"),
    (["sale", "--order", "/"], 1, "no_such_file"),
    (["payments", "show", "pay_nobody"], 1, "payment_not_found"),
    (["payments", "refund", "pay_nobody", "--amount", "-1"], 1, "payment_not_found"),
    (["payments", "list", "--limit", "0"], 1, "invalid_limit"),
    (["payments", "list", "--status", "odd"], 1, "unknown_status"),
    (["payments", "list", "--search", "x" * 129], 1, "invalid_search"),
    (["payments", "list", "--from", "yesterday"], 1, "invalid_time"),
    (["payments", "list", "--order", "o-1", "--search", "4242"], 1, "choose_an_order_or_a_search"),
    (["orders", "show", "nobody"], 1, "order_not_found"),
    (["orders", "list", "--state", "odd"], 1, "unknown_state"),
    (["orders", "add", "/nowhere.json"], 1, "no_such_file"),
    (["receipts", "show", "pay_nobody"], 1, "payment_not_found"),
    (["journal", "backup", "/nowhere/at/all"], 1, "backup_failed"),
    (["serve", "--port", "99999"], 1, "invalid_setting"),
    (["sale", "--nonsense"], 64, "wrong_use"),
    (["payments", "capture"], 64, "wrong_use"),
    (["nonsense"], 64, "wrong_use"),
]


@pytest.mark.parametrize("arguments,code,word", REFUSALS, ids=[" ".join(a) for a, _, _ in REFUSALS])
def test_a_refusal_is_one_json_object_and_moves_nothing(journal, arguments, code, word):
    answer = till(*arguments, *([] if word == "wrong_use" else journal), "--json")
    error = only_json(answer)["error"]
    assert (answer.code, error["code"], error["money_moved"]) == (code, word, "no"), answer
    assert error["what"] and error["next"] and "No money moved" not in error["what"], error
    listed = only_json(till("payments", "list", *journal, "--json"))
    assert all(payment["captured"] == 0 for payment in listed["payments"])


def test_every_command_that_succeeds_prints_one_json_object(journal):
    sold = only_json(till(*SALE, "--order", "o-1", *journal, "--json"))
    assert {"payment_id", "order_id", "status", "amount", "currency", "captured", "refunded", "provider", "tender",
            "receipt_url", "receipt"} <= set(sold)
    assert (sold["amount"], sold["captured"], sold["tender"], sold["status"]) == (1250, 1250, "reader", "succeeded")
    assert sold["receipt_url"] == f"/v1/payments/{sold['payment_id']}/receipt"
    for arguments in (
        ["payments", "list"], ["payments", "show", sold["payment_id"]], ["receipts", "show", sold["payment_id"]],
        ["receipts", "show", sold["payment_id"], "--format", "html"],
        ["receipts", "show", sold["payment_id"], "--format", "json"], ["payments", "recover"],
        ["payments", "refund", sold["payment_id"], "--amount", "2.50"], ["journal", "verify"], ["doctor"],
        ["keys", "create"], ["orders", "list"],
    ):
        answer = till(*arguments, *journal, "--json")
        assert answer.code == 0 and only_json(answer), answer


@pytest.mark.parametrize(
    "more,code,status",
    [
        (["--card", "visa"], 0, "succeeded"), (["--capture", "manual"], 0, "requires_capture"),
        (["--cash"], 0, "succeeded"), (["--card", "declined:insufficient_funds"], 2, "declined"),
        (["--provider", "stripe", "--stripe-url", "http://127.0.0.1:1"], 1, "requires_payment_method"),
    ],
)
def test_exit_codes_say_what_became_of_the_money(journal, more, code, status):
    answer = till(*SALE, *more, *journal, "--json")
    assert (answer.code, only_json(answer)["status"]) == (code, status), answer


def test_a_second_sale_of_a_paid_order_is_refused(journal):
    assert till(*SALE, "--order", "o-1", *journal).code == 0
    for amount in ("12.50", "3.00"):
        again = till("sale", "--amount", amount, "--currency", "EUR", "--order", "o-1", *journal, "--json")
        assert again.code == 1 and only_json(again)["error"]["code"] == "order_already_paid", again


def on_a_terminal(arguments, columns=80):
    """What a person sees: both outputs are a terminal of so many columns."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [counter.binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=child, stderr=child, close_fds=True)
    os.close(child)
    seen = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(parent)
    return process.wait(30), seen.decode().replace("\r\n", "\n")


def test_lines_fit_a_terminal(journal):
    long_order = ["sale", "--order", "/nowhere/" + "far/" * 10 + "away.json"]
    seen = []
    for arguments in (SALE, [*SALE, "--card", "declined:insufficient_funds"], [*SALE, "--card", "timeout"], long_order,
                      ["payments", "list"], ["orders", "list"], ["journal", "verify"], [*SALE, "--provider", "nobody"]):
        code, text = on_a_terminal([*arguments, *journal])
        assert code in (0, 1, 2), text
        seen.append(text)
        for line in text.split("\n"):
            assert len(line) <= 80, f"{len(line)} columns: {line}"
    assert re.search(r"Reader: Insert or tap the card\.\n(Reader: .*\n)+Asking sandbox…", seen[0]), seen[0]
    assert "card_details" not in seen[0]


def test_doctor_says_where_each_setting_comes_from_and_shows_no_secret(tmp_path, journal):
    secret = "sk_test_very_secret_indeed"
    key = tmp_path / "key"
    key.write_text(secret + "\n")
    file = tmp_path / "shop.json"
    file.write_text(json.dumps({"store": "Corner", "stripe": {"key_file": str(key), "url": "http://127.0.0.1:9"}}))
    env = {"TILL_PORT": "9999", "TILL_API_KEY": "another-secret"}
    answer = till("doctor", "--config", file, "--account", "north", *journal, "--json", env=env)
    told = {s["key"]: (s["value"], s["from"]) for s in only_json(answer)["settings"]}
    assert told["account"] == ("north", "--account")
    assert told["port"] == ("9999", "TILL_PORT")
    assert told["store"] == ("Corner", f"“store” in {file}")
    assert told["stripe.key"] == ("••••", str(key))
    assert told["api_key"] == ("••••", "TILL_API_KEY")
    assert told["provider"] == ("sandbox", "default")
    people = till("doctor", "--config", file, *journal, env=env)
    for output in (answer.out, answer.err, people.out, people.err):
        assert secret not in output and "another-secret" not in output
    assert "chmod 600" in people.out


@pytest.mark.parametrize(
    "text,word",
    [('{"prot":1}', "unknown_setting"), ('{"port":"1"}', "invalid_setting"), ("{", "settings_file_unreadable"),
     ('{"stripe":{"key":"sk_test_in_a_file"}}', "secret_in_settings_file")],
)
def test_a_wrong_settings_file_stops_every_command(tmp_path, journal, text, word):
    file = tmp_path / "shop.json"
    file.write_text(text)
    for command in (SALE, ["payments", "list"], ["doctor"], ["serve", "--port", "0"], ["journal", "verify"]):
        answer = till(*command, "--config", file, *journal, "--json")
        error = only_json(answer)["error"]
        assert (answer.code, error["code"]) == (1, word), answer
        assert "sk_test_in_a_file" not in answer.out + answer.err
    assert not (tmp_path / "journal.db").exists()
