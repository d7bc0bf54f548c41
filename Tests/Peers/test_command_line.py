"""The command line as scripts and people meet it: one JSON object whatever happens, exit codes that mean what the help
says, lines that fit a terminal, and settings that say where they come from.
"""
import fcntl
import json
import os
import pty
import re
import shutil
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
    ([*SALE, "--cash", "--tendered", "14.99", "--tip", "2.50"], 1, "invalid_amount"),
    ([*SALE, "--cash", "--tip", "0"], 1, "invalid_amount"),
    ([*SALE, "--card", "visa", "--tip", "2.50"], 1, "choose_a_tender"),
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
    (["payments", "list", "--tender", "odd"], 1, "unknown_tender"),
    (["payments", "list", "--tender", ""], 1, "unknown_tender"),
    (["payments", "list", "--status", "succeeded,"], 1, "unknown_status"),
    (["payments", "list", "--amount-from", "5.00"], 1, "currency_missing"),
    (["payments", "list", "--amount-until", "5.001", "--currency", "EUR"], 1, "invalid_amount"),
    (["payments", "list", "--currency", "EUX"], 1, "invalid_currency"),
    (["payments", "list", "--card", "42"], 1, "invalid_card"),
    (["payments", "list", "--staff", "s" * 65], 1, "invalid_identifier"),
    (["payments", "list", "--order", "o-1", "--shop", "shop_1"], 1, "choose_an_order_or_a_search"),
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
    counter.made(journal[1])
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


BEGINNING_NOTHING = [
    ["payments", "list"], ["payments", "show", "pay_nobody"], ["orders", "list"], ["orders", "show", "o-1"],
    ["receipts", "show", "pay_nobody"], ["receipts", "sent", "pay_nobody"], ["receipts", "queue"],
    ["journal", "verify"], ["journal", "head"], ["journal", "nodes"], ["journal", "mode"], ["journal", "level"],
    ["journal", "incidents"],
    ["ledger", "balances"], ["ledger", "export", "--format", "csv"], ["audit", "list"], ["audit", "export"],
    ["keys", "list"], ["staff", "list"], ["staff", "show", "Ada"], ["roles", "list"], ["sessions", "list"],
    ["webhooks", "list"], ["webhooks", "deliveries", "we_nobody"], ["day", "report"], ["attention", "list"],
    ["attention", "show", "pay_nobody"], ["authorizations", "list"], ["offline", "status"], ["shop", "list"],
    ["printers", "list"], ["applepay", "events"], ["payments", "capture", "pay_nobody"],
    ["payments", "cancel", "pay_nobody"], ["payments", "refund", "pay_nobody"], ["payments", "query", "pay_nobody"],
    ["authorizations", "void", "pay_nobody"], ["authorizations", "reauthorize", "pay_nobody"],
    ["orders", "ready", "o-1"], ["keys", "revoke", "key_nobody"], ["keys", "rotate", "key_nobody"],
    ["webhooks", "remove", "we_nobody"], ["webhooks", "resend", "we_nobody", "msg_nobody"], ["day", "count", "1.00"],
    ["day", "close"], ["day", "resume"], ["day", "cash", "paid-in", "1.00", "--reason", "x"],
]


@pytest.mark.parametrize("arguments", BEGINNING_NOTHING, ids=[" ".join(a) for a in BEGINNING_NOTHING])
def test_a_misspelled_journal_is_refused_and_not_made(tmp_path, arguments):
    wrong = tmp_path / "folder" / "jurnal.db"
    answer = till(*arguments, "--journal", wrong)
    assert answer.code == 1 and "There is no journal at " in answer.out + answer.err, answer
    assert str(wrong) in answer.out + answer.err and not list(tmp_path.iterdir()), answer
    answer = till(*arguments, "--json", env={"TILL_JOURNAL": str(wrong)})
    assert answer.code == 1 and not list(tmp_path.iterdir()), answer
    if arguments != ["journal", "level"]:
        error = only_json(answer)["error"]
        assert (error["code"], error["money_moved"]) == ("journal_not_found", "no"), answer
        assert "--journal" in error["next"], answer


def test_a_backup_of_a_misspelled_journal_is_refused(tmp_path):
    answer = till("journal", "backup", tmp_path / "copy.db", "--journal", tmp_path / "jurnal.db", "--json")
    assert answer.code == 1 and only_json(answer)["error"]["code"] == "journal_not_found", answer
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("typed,sentence", [
    (["slae"], "There is no command `till slae`. Did you mean `till sale`?"),
    (["slae", "--amount", "12.50", "--currency", "EUR"], "There is no command `till slae`. Did you mean `till sale`?"),
    (["slae", "--stripe-url"], "There is no command `till slae`. Did you mean `till sale`?"),
    (["paymnets", "list"], "There is no command `till paymnets`. Did you mean `till payments`?"),
    (["payments", "lst"], "There is no command `till payments lst`. Did you mean `till payments list`?"),
    (["clock", "shw"], "There is no command `till clock shw`. Did you mean `till clock show`?"),
    (["nonsense"], "There is no command `till nonsense`."), (["x" * 500], f"There is no command `till {'x' * 40}`."),
    (["\x1b[2J"], "There is no command `till ??2J`."),
])
def test_a_mistyped_command_is_named_with_the_nearest_one(typed, sentence):
    answer = till(*typed)
    assert answer.code == 64 and answer.err.splitlines()[0] == f"Error: {sentence}" and not answer.out, answer
    answer = till(*typed, "--json")
    error = only_json(answer)["error"]
    assert (answer.code, error["code"], error["what"]) == (64, "wrong_use", sentence), answer
    assert error["money_moved"] == "no" and error["next"], answer


def test_wrong_use_of_a_known_command_is_explained_as_it_was(journal):
    for arguments, words in ((["sale", "--nonsense"], "--nonsense"), (["payments", "capture"], "<payment>"),
                             (["sale", "extra"], "extra")):
        answer = till(*arguments)
        assert answer.code == 64 and words in answer.err and "no command" not in answer.err, answer


def test_the_list_has_the_conditions_of_the_page(journal):
    for amount, currency in (("5.00", "EUR"), ("12.50", "EUR"), ("1250", "JPY")):
        sold = till("sale", "--amount", amount, "--currency", currency, *journal, "--json")
        assert sold.code == 0, sold

    def amounts(*conditions):
        found = till("payments", "list", *conditions, *journal, "--json")
        assert found.code == 0, found
        return [(one["amount"], one["currency"]) for one in found.json["payments"]]

    assert amounts() == [(1250, "JPY"), (1250, "EUR"), (500, "EUR")]
    assert amounts("--currency", "EUR") == [(1250, "EUR"), (500, "EUR")]
    assert amounts("--amount-from", "5.01", "--currency", "EUR") == [(1250, "EUR")]
    assert amounts("--amount-until", "5", "--currency", "EUR") == [(500, "EUR")]
    assert amounts("--status", "succeeded,refunded") == amounts() and amounts("--status", "refunded,declined") == []
    assert amounts("--card", "0000") == amounts("--shop", "shop_none") == amounts("--staff", "stf_none") == []


def test_the_list_has_time_tender_what_was_taken_status_and_order(journal):
    def sold(*how):
        return till(*SALE, *how, *journal, "--json").json["payment_id"]

    whole = sold("--card-number", counter.CARD, "--expiry", "12/30", "--cvc", "123")
    part, back = sold("--capture", "manual", "--order", "4711"), sold("--order", "4712")
    declined = sold("--card", "declined:insufficient_funds")
    tipped = sold("--cash", "--tip", "1.50", "--tendered", "20")
    assert till("payments", "capture", part, "--amount", "4.50", *journal).code == 0
    assert till("payments", "refund", back, "--amount", "5.00", *journal).code == 0
    listed = till("payments", "list", *journal)
    assert listed.code == 0 and max(map(len, listed.out.splitlines())) <= 80, listed
    rows = [re.split(r"\n? {2,}", entry) for entry in re.split(r"\n(?=pay_)", listed.out.rstrip())]
    assert [[identifier, *rest] for identifier, _, *rest in rows] == [
        [tipped, "cash", "14.00 EUR", "succeeded"],
        [declined, "reader", "0.00 of 12.50 EUR", "declined"],
        [back, "reader", "12.50 EUR", "partially_refunded 5.00", "4712"],
        [part, "reader", "4.50 of 12.50 EUR", "succeeded", "4711"],
        [whole, "card", "12.50 EUR", "succeeded"],
    ], listed
    made = [one["created_at"] for one in only_json(till("payments", "list", *journal, "--json"))["payments"]]
    assert [cells[1] for cells in rows] == [time[:16] + "Z" for time in made], listed
    # One payment a line where there is room.
    assert till("payments", "refund", whole, *journal).code == 0
    wide = on_a_terminal(["payments", "list", "--status", "refunded", *journal], 100)[1]
    assert re.search(rf"^{whole}  \S+Z  card  12\.50 EUR  refunded$", wide, re.MULTILINE), wide


def test_options_of_providers_stand_under_their_own_topic(journal):
    line = "Options of providers: till help providers"
    hidden = ("--provider <name>", "--provider-hosts", "--sandbox-latency", "--stripe-url", "--provider-setting")
    for arguments in (["payments", "list", "--help"], ["help", "payments", "list"], ["sale", "-h"]):
        shown = till(*arguments)
        assert shown.code == 0 and shown.err == "" and shown.out.splitlines()[-1] == line, shown
        assert not [option for option in hidden if option in shown.out], shown
    assert "--search" in till("payments", "list", "--help").out
    for arguments in (["help"], ["payments", "--help"], ["failpoints", "--help"], ["completion", "--help"]):
        assert line not in till(*arguments).out, arguments
    topic = till("help", "providers")
    assert topic.code == 0 and line not in topic.out, topic
    told = ("--provider <name>", "--provider-hosts <hosts>", "--sandbox-latency <time>", "--stripe-url <value>",
            "--paypal-client-id <value>", "--braintree-url <value>", "--adyen-url <value>", "--terminal <value>")
    assert not [option for option in told if option not in topic.out], topic
    # They work everywhere as before.
    sold = till(*SALE, "--provider", "sandbox", "--sandbox-latency", "1ms", *journal, "--json")
    assert sold.code == 0 and sold.json["provider"] == "sandbox", sold
    assert till("payments", "list", "--provider", "sandbox", *journal).code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_that_completes_commands_is_one_of_the_shell(tmp_path, shell):
    script = till("completion", shell)
    assert script.code == 0 and script.err == "" and "payments" in script.out and "refund" in script.out, script
    assert only_json(till("completion", shell, "--json")) == {"shell": shell, "script": script.out}
    if shutil.which(shell):
        (tmp_path / "script").write_text(script.out)
        checked = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0 and checked.stderr == "", checked
    assert shell != "bash" or shutil.which("bash"), "bash is needed to check its script"


def test_there_is_no_completion_for_another_shell():
    answer = till("completion", "tcsh", "--json")
    assert answer.code == 64 and only_json(answer)["error"]["code"] == "unknown_shell", answer


def on_a_terminal(arguments, columns=80, **variables):
    """What a person sees: both outputs are a terminal of so many columns."""
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | variables
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [counter.binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=child, stderr=child, close_fds=True,
        env=env)
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
        # Progress on a slow machine is written over.
        for line in re.sub(r"[^\n]*\r", "", text).split("\n"):
            assert len(line) <= 80, f"{len(line)} columns: {line}"
    assert re.search(r"Reader: Insert or tap the card\.\n(Reader: .*\n)+Asking sandbox…", seen[0]), seen[0]
    assert "card_details" not in seen[0]


@pytest.mark.parametrize("arguments", [
    ["journal", "verify"], ["journal", "backup", "copy.db"], ["ledger", "balances"],
    ["ledger", "export", "--format", "csv"]])
def test_progress_of_long_work_is_for_people_at_a_terminal_only(tmp_path, journal, arguments):
    assert till(*SALE, *journal).code == 0

    def words(name):
        return [str(tmp_path / name) if word == "copy.db" else word for word in arguments]

    piped = till(*words("one.db"), *journal)
    assert piped.code == 0 and piped.err == "", piped
    code, text = on_a_terminal([*words("two.db"), *journal, "--json"])
    # Rows of CSV end with both characters themselves.
    assert code == 0 and "\r" not in text.replace("\r\n", "\n"), text


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """A journal with names that are as long as they may be."""
    folder = tmp_path_factory.mktemp("long")
    journal = ["--journal", str(folder / "journal.db")]
    for order in ("1001", "o" * 60):
        assert till(*SALE, "--order", order, *journal).code == 0
        (folder / "order.json").write_text(json.dumps({
            "order_id": "b" + order, "currency": "EUR", "amount": 1250,
            "lines": [{"name": "Margherita", "quantity": 1, "amount": 1250}], "customer": {"name": "Ada " * 20}}))
        assert till("orders", "add", folder / "order.json", *journal).code == 0
    for account in ("main", "a" * 40):
        assert till("keys", "create", "--label", "Tablet " * 9, "--account", account, *journal).code == 0
    assert till("day", "open", "--currency", "EUR", "--float", "150.00", *journal).code == 0
    return journal


TABLES = (["payments", "list"], ["orders", "list"], ["keys", "list"], ["day", "report"])


@pytest.mark.parametrize("columns", [40, 60, 80, 132])
def test_tables_fit_the_terminal(long_names, columns):
    for arguments in TABLES:
        for shown in (on_a_terminal([*arguments, *long_names], columns),
                      on_a_terminal([*arguments, *long_names], 80, COLUMNS=str(columns))):
            code, text = shown
            assert code == 0 and max(map(len, text.splitlines())) <= columns, text
    code, text = on_a_terminal(["orders", "list", *long_names], columns)
    assert columns < 132 or "b" + "o" * 60 + "  12.50 EUR" in text, text


def test_tables_are_at_most_80_columns_wide_when_piped(long_names):
    for arguments in TABLES:
        for variables in ({"COLUMNS": "200"}, {"COLUMNS": "x"}, {"COLUMNS": "-1"}):
            piped = till(*arguments, *long_names, env=variables)
            assert piped.code == 0 and max(map(len, piped.out.splitlines())) <= 80, piped
        narrow = till(*arguments, *long_names, env={"COLUMNS": "50"})
        assert narrow.code == 0 and max(map(len, narrow.out.splitlines())) <= 50, narrow


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
