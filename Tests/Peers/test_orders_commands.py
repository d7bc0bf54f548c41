"""`till orders` beside a running counter and without one: the same orders, the same refusals, lines that fit."""
import json

import pytest
import shop_orders
from staff import audit
from test_command_line import on_a_terminal
from test_orders import ORDER, Feed, booked, paid, problem, show

import counter


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def orders(tmp_path):
    def run(*arguments, is_json=True, text=None):
        words = ["orders", *arguments, "--journal", tmp_path / "journal.db", *(["--json"] if is_json else [])]
        return counter.till(*words) if text is None else counter.typed(*words, text=text)

    return run


def refused(answer, code, moved="no"):
    error = answer.json["error"]
    assert (answer.code, error["code"], error["money_moved"]) == (1, code, moved), answer
    assert error["what"] and error["next"], answer
    return error


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "order.json"
    path.write_text(json.dumps(ORDER))
    return path


def test_an_order_goes_its_way_with_commands_beside_the_counter(server, orders, file, tmp_path):
    feed = Feed(server)
    added = orders("add", file)
    assert added.code == 0 and added.json["id"] == "1001" and added.json["customer"]["name"] == "Ada Berg", added
    assert added.json == show(server)
    assert orders("add", file).json == added.json, "said twice, it is booked once"
    assert feed.has(lambda order: order["id"] == "1001")
    refused(orders("fulfil", "1001"), "order_unpaid")
    paid(server, "1001", "k", amount=1000)
    words = ["payments", "list", "--order", "1001", "--journal", tmp_path / "journal.db", "--json"]
    assert [payment["amount"] for payment in counter.till(*words).json["payments"]] == [1000], "a part has its own name"
    # The payment in its way has moved money.
    refused(orders("cancel", "1001"), "order_has_a_payment", moved="yes")
    assert orders("ready", "1001").json["state"] == "ready"
    assert orders("reopen", "1001", is_json=False).out == "1001 is open.\n"
    assert orders("fulfil", "1001", "--accept-unpaid", is_json=False).out == "1001 is fulfilled.\n"
    assert "reopen 1001" in refused(orders("ready", "1001"), "order_over")["next"]
    assert feed.has(lambda order: order["state"] == "fulfilled")
    people = orders("show", "1001", is_json=False).out
    for text in ("1001  23.50 EUR  fulfilled  partly_paid", "open 13.50 EUR", "2 × Margherita  18.00 EUR",
                 "    size: large", "Note: No olives", "For Ada Berg", "At Hof 3, Ulm", "10.00 EUR  succeeded"):
        assert text in people, people
    assert orders("show", "1001").json == show(server)
    for action in ("order.booked", "order.ready", "order.fulfilled"):
        assert [one["by"]["kind"] for one in audit(server, action)] == ["os_user"], action


def test_orders_are_added_from_standard_input_and_as_shops_write_them(orders):
    assert orders("add", "-", text=json.dumps({**ORDER, "order_id": "1"})).json["id"] == "1"
    document, _, _ = shop_orders.document(3)
    document |= {"id": 4711, "customer_note": "Ring twice", "billing": {"first_name": "Jörg", "phone": "0170 5550134"}}
    alone = orders("add", "-", text=json.dumps(document)).json
    assert alone["id"] == "4711" and alone["note"] == "Ring twice" and alone["customer"]["name"] == "Jörg"
    # With what is to be said beside it, it is another content.
    refused(orders("add", "-", text=json.dumps({"order": document, "note": "Ring once"})), "order_exists")
    assert orders("add", "-", text=json.dumps(document)).json == alone


def test_lists_have_what_is_asked_for(orders, tmp_path):
    counter.made(tmp_path / "journal.db")
    assert orders("list").json == {"orders": [], "unreadable": [], "has_more": False}
    assert orders("list", is_json=False).out == "No orders.\n"
    for number in range(5):
        assert orders("add", "-", text=json.dumps({**ORDER, "order_id": f"o{number}"})).code == 0
    for verb, order in (("ready", "o1"), ("cancel", "o2"), ("ready", "o3")):
        assert orders(verb, order).code == 0
    assert orders("fulfil", "o3", "--accept-unpaid").code == 0

    def names(*arguments):
        answer = orders("list", *arguments).json
        return [one["id"] for one in answer["orders"]], answer["has_more"]

    assert names() == (["o4", "o3", "o2", "o1", "o0"], False)
    assert names("--open") == (["o4", "o1", "o0"], False)
    assert names("--open", "--limit", "2") == (["o4", "o1"], True)
    assert names("--state", "open") == (["o4", "o0"], False)
    assert names("--state", "canceled") == (["o2"], False)
    assert names("--limit", "3") == (["o4", "o3", "o2"], True)
    lines = orders("list", "--limit", "2", is_json=False)
    assert lines.out.splitlines() == [
        "o4  23.50 EUR  open       unpaid  Ada Berg", "o3  23.50 EUR  fulfilled  unpaid  Ada Berg"]
    assert "older" in lines.err


@pytest.mark.parametrize("arguments, code", [
    (["show", "nobody"], "order_not_found"), (["show", "a b"], "order_not_found"),
    (["ready", "nobody"], "order_not_found"), (["cancel", ""], "order_not_found"),
    (["list", "--state", "odd"], "unknown_state"), (["list", "--state", "open", "--open"], "choose_a_state"),
    (["list", "--limit", "0"], "invalid_limit"), (["list", "--limit", "101"], "invalid_limit"),
    (["add", "/nowhere.json"], "no_such_file"), (["add", "/"], "no_such_file"),
])
def test_a_command_that_is_refused_says_why(orders, arguments, code, tmp_path):
    counter.made(tmp_path / "journal.db")
    refused(orders(*arguments), code)
    assert orders("list").json["orders"] == []


@pytest.mark.parametrize("text, code", [
    ("{", "malformed_json"), ("[]", "not_an_order"), ("{}", "not_an_order"),
    (json.dumps({**ORDER, "amount": 2351}), "order_does_not_add_up"),
    (json.dumps({**ORDER, "order_id": "events"}), "invalid_request"),
    (json.dumps({**ORDER, "order_id": "4242424242424242"}), "card_number_refused"),
    (json.dumps({**ORDER, "number": "4242 4242 4242 4242"}), "card_number_refused"),
])
def test_a_file_that_is_no_order_is_refused(orders, text, code):
    answer = orders("add", "-", text=text)
    error = answer.json["error"]
    assert answer.code == 1 and error["money_moved"] == "no" and error["next"], answer
    assert code == "not_an_order" or error["code"] == code, answer
    assert orders("list").json["orders"] == []


def test_wrong_use_does_nothing(orders):
    for arguments in (["show"], ["add"], ["list", "--nonsense"], ["nonsense"]):
        answer = counter.till("orders", *arguments, "--json")
        assert (answer.code, answer.json["error"]["code"]) == (64, "wrong_use"), answer


def test_a_card_number_in_a_note_is_not_kept(orders, tmp_path):
    assert orders("add", "-", text=json.dumps({**ORDER, "note": "card 4242 4242 4242 4242"})).code == 0
    assert "4242 4242 4242 4242" not in orders("show", "1001").out
    assert b"4242 4242 4242" not in b"".join(path.read_bytes() for path in tmp_path.glob("journal.db*"))


def test_lines_fit_a_terminal(orders, tmp_path):
    long = "x" * 70
    for name in ("1001", long):
        more = {"order_id": name, "note": "word " * 60, "customer": {**ORDER["customer"], "name": "Ada " * 40}}
        assert orders("add", "-", text=json.dumps({**ORDER, **more})).code == 0
    journal = ["--journal", tmp_path / "journal.db"]
    for arguments in (["list"], ["show", "1001"], ["show", long], ["ready", "1001"], ["show", "nobody"]):
        code, text = on_a_terminal(["orders", *arguments, *journal])
        assert code in (0, 1), text
        for line in text.split("\n"):
            assert len(line) <= 80, f"{len(line)} columns: {line}"


def test_the_scope_of_the_shop_is_kept_to(tmp_path):
    common = ["--journal", tmp_path / "journal.db", "--json"]
    env = {"TILL_ORDER_SCOPE": "2026"}
    (tmp_path / "order.json").write_text(json.dumps(ORDER))
    added = counter.till("orders", "add", tmp_path / "order.json", *common, env=env)
    assert added.code == 0 and added.json["id"] == "2026/1001", added
    for name in ("1001", "2026/1001"):
        assert counter.till("orders", "show", name, *common, env=env).json["id"] == "2026/1001"
    assert counter.till("orders", "show", "1001", *common).code == 1


def test_an_order_of_another_account_is_not_there(server, orders):
    booked(server)
    answer = orders("show", "1001", "--account", "north")
    refused(answer, "order_not_found")
    assert orders("list", "--account", "north").json["orders"] == []
    problem(server.request("GET", "/v1/orders/1002"), 404, "order_not_found")
