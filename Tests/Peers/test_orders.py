"""Orders over HTTP: booked once, paid by any number of payments and never beyond their total, followed by those who
prepare them. The stream is read by `requests`, the kitchen's page by Chromium; the counter is killed in the middle.
"""
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import postgres
import pytest
import requests
import shop_orders
from playwright.sync_api import expect
from seen import axe, pictures
from staff import audit

import counter

WAIT = 30_000
LINES = [
    {"name": "Margherita", "quantity": 2, "amount": 1800, "options": {"size": "large"}},
    {"name": "Water", "quantity": 1, "amount": 400, "tax": 150},
]
ORDER = {
    "order_id": "1001", "currency": "EUR", "amount": 2350, "lines": LINES,
    "customer": {"name": "Ada Berg", "phone": "+49 (30) 123 45 67-89", "address": {"lines": ["Hof 3"], "city": "Ulm"}},
    "handover": "delivery", "note": "No olives", "wanted_at": "2026-11-27T18:30:00+01:00", "metadata": {"table": "7"},
}
CARD = counter.CARD_TENDER
DECLINED = {**CARD, "number": "4000000000000002"}


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def book(server, order=ORDER, **more):
    return server.request("POST", "/v1/orders", {**order, **more})


def booked(server, order=ORDER, **more):
    answer = book(server, order, **more)
    assert answer.status_code == 201, answer.text
    return answer.json()


def pay(server, order, key, **body):
    return server.request("POST", f"/v1/orders/{order}/payments", body, key)


def paid(server, order, key, tender=None, **body):
    created = pay(server, order, key, **body)
    assert created.status_code == 201, created.text
    confirmed = server.confirm(created.json()["id"], key + "-confirm", tender or CARD)
    assert confirmed.status_code == 200, confirmed.text
    return confirmed.json()


def show(server, order="1001"):
    answer = server.request("GET", f"/v1/orders/{order}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def problem(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    return answer.json()


def step(server, order, verb, **body):
    return server.request("POST", f"/v1/orders/{order}/{verb}", body)


class Feed:
    """The stream of orders, read aside. `seen` has every order as it came, `last` the position of the last."""

    def __init__(self, server, after=None, last=None):
        headers = {"Authorization": "Bearer " + server.api_key, **({"Last-Event-ID": last} if last else {})}
        path = "/v1/orders/events" + (f"?after={after}" if after else "")
        self.answer = requests.get(server.url + path, headers=headers, stream=True, timeout=60)
        assert self.answer.status_code == 200, self.answer.text
        self.seen, self.last, self.ended = [], last, threading.Event()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        place = None
        try:
            for line in self.answer.iter_lines(chunk_size=1, decode_unicode=True):
                if line.startswith("id: "):
                    place = line[4:]
                elif line.startswith("data: "):
                    self.seen.append(json.loads(line[6:]))
                elif not line and place:
                    self.last, place = place, None
        except requests.RequestException:
            pass
        finally:
            self.ended.set()

    def has(self, check):
        return counter.until(lambda: any(check(order) for order in list(self.seen)), 30)


def test_an_order_from_booking_to_the_hand_over(server):
    feed = Feed(server)
    order = booked(server)
    assert order["state"] == "open" and order["payment"]["status"] == "unpaid" and order["payment"]["open"] == 2350
    assert order["lines"][0]["options"] == {"size": "large"} and order["tax"] == 150
    assert order["customer"]["name"] == "Ada Berg" and order["wanted_at"] == ORDER["wanted_at"]
    # A request without an answer is sent again: the same order, and nothing changed.
    again = book(server)
    assert (again.status_code, again.json()) == (200, order)
    problem(book(server, note="With olives"), 409, "order_exists")
    problem(step(server, "1001", "fulfil"), 409, "order_unpaid")
    payment = paid(server, "1001", "k1")
    assert payment["amount"] == 2350 and payment["order_id"] == "1001" and "part" not in payment
    assert payment["metadata"] == {"table": "7"}
    assert show(server)["payment"] == {
        "status": "paid", "paid": 2350, "reserved": 0, "open": 0, "excess": 0, "refunded": 0}
    assert [one["id"] for one in show(server)["payments"]] == [payment["id"]]
    problem(pay(server, "1001", "k2"), 409, "order_already_paid")
    assert step(server, "1001", "ready").json()["state"] == "ready"
    assert step(server, "1001", "fulfil").json()["state"] == "fulfilled"
    assert step(server, "1001", "fulfil").json()["version"] == 3, "said twice, it is done once"
    assert feed.has(lambda o: o["payment"]["status"] == "paid" and o["state"] == "open")
    assert feed.has(lambda o: o["state"] == "fulfilled")
    # The audit log has who did what; no entry has the customer.
    for action in ("order.booked", "order.ready", "order.fulfilled"):
        noted = audit(server, action)
        assert [one["subject"] for one in noted] == ["1001"] and noted[0]["by"]["kind"] == "key", noted
        assert "Ada" not in json.dumps(noted)


def test_several_payments_pay_one_order_and_never_more(server):
    booked(server)
    cash = paid(server, "1001", "cash", {"type": "cash", "tendered": 1000}, amount=1000)
    assert cash["part"] == {"order_id": "1001", "number": 1} and cash["order_number"] == "1001"
    assert show(server)["payment"]["status"] == "partly_paid"
    refusal = problem(pay(server, "1001", "too-much", amount=1351), 409, "order_amount_differs")
    assert "13.50" in refusal["detail"] and refusal["money_moved"] == "no"
    # Whoever asks for the whole order, knowing nothing of the part, gets nothing.
    problem(server.create("1001", "whole", 2350), 409, "order_amount_differs")
    declined = paid(server, "1001", "declined", DECLINED, amount=1350)
    assert declined["status"] == "declined" and show(server)["payment"]["reserved"] == 1350
    problem(pay(server, "1001", "beside"), 409, "order_has_a_payment")
    assert server.request("POST", f"/v1/payments/{declined['id']}/cancel", {}, "c").status_code == 200
    rest = paid(server, "1001", "rest")
    assert rest["amount"] == 1350 and rest["part"]["number"] == 3
    order = show(server)
    assert order["payment"]["status"] == "paid" and order["payment"]["paid"] == 2350
    # A refund of a part makes nothing due; a refund of all of a payment makes its part due again.
    refund = server.request("POST", f"/v1/payments/{rest['id']}/refunds", {"amount": 350}, "r1")
    assert refund.status_code == 201 and show(server)["payment"]["open"] == 0
    assert server.request("POST", f"/v1/payments/{rest['id']}/refunds", {}, "r2").status_code == 201
    assert show(server)["payment"] == {
        "status": "partly_paid", "paid": 1000, "reserved": 0, "open": 1350, "excess": 0, "refunded": 1350}
    receipt = server.request("GET", "/v1/orders/1001/receipt")
    assert receipt.status_code == 200, receipt.text


@pytest.mark.parametrize("asked, most", [(2350, 1), (500, 4)])
def test_many_who_ask_at_once_never_get_more_than_the_total(server, asked, most):
    booked(server)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: pay(server, "1001", f"k{n}", amount=asked), range(16)))
    taken = [answer.json() for answer in answers if answer.status_code == 201]
    assert len(taken) == most, [answer.text for answer in answers]
    assert {answer.status_code for answer in answers} == {201, 409}
    assert show(server)["payment"]["reserved"] == asked * most
    # Each key has its own payment, and its answer again.
    for number, answer in enumerate(answers):
        if answer.status_code == 201:
            assert pay(server, "1001", f"k{number}", amount=asked).json()["id"] == answer.json()["id"]


def test_two_counters_on_one_database_share_the_order(tmp_path, cluster):
    flags = ["--provider", "sandbox"]
    with postgres.Counter(tmp_path / "a", cluster, *flags) as a, postgres.Counter(tmp_path / "b", cluster, *flags) as b:
        booked(a)
        assert book(b).status_code == 200
        feed = Feed(b)
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda n: pay(a if n % 2 else b, "1001", f"k{n}", amount=500), range(16)))
        assert sorted(answer.status_code for answer in answers) == [201] * 4 + [409] * 12, [
            answer.text for answer in answers]
        assert show(a)["payment"] == show(b)["payment"]
        assert feed.has(lambda order: order["payment"]["reserved"] == 2000)


def test_a_payment_from_before_the_order_was_booked_is_on_it(server):
    first = server.create("1001", "first", 2350).json()
    order = booked(server)
    assert order["payment"]["status"] == "pending" and order["payments"][0]["id"] == first["id"]
    problem(pay(server, "1001", "second"), 409, "order_has_a_payment")
    assert server.confirm(first["id"], "c", CARD).json()["status"] == "succeeded"
    assert show(server)["payment"]["status"] == "paid"


def test_booking_beside_sales_of_the_same_order_misses_none(server):
    """Whoever comes first, the order and the only payment of it know each other."""
    def both(number):
        name = f"race-{number}"
        with ThreadPoolExecutor(2) as pool:
            sale = pool.submit(server.create, name, f"s{number}", 2350)
            order = pool.submit(book, server, ORDER, order_id=name)
            return name, sale.result(), order.result()

    for number in range(30):
        name, sale, order = both(number)
        assert order.status_code == 201, order.text
        assert sale.status_code == 201, sale.text
        assert [one["id"] for one in show(server, name)["payments"]] == [sale.json()["id"]], name


def test_a_changed_order_keeps_what_was_paid(server):
    booked(server)
    paid(server, "1001", "k", amount=1000)
    more = {**ORDER, "amount": 2850, "lines": LINES + [{"name": "Wine", "amount": 500}]}
    changed = server.request("PUT", "/v1/orders/1001", more)
    assert changed.status_code == 200 and changed.json()["payment"]["open"] == 1850, changed.text
    assert changed.json()["version"] == 2
    assert server.request("PUT", "/v1/orders/1001", more).json()["version"] == 2
    less = {**ORDER, "amount": 900, "lines": [{"name": "Water", "amount": 900}]}
    problem(server.request("PUT", "/v1/orders/1001", less), 409, "order_below_paid")
    problem(step(server, "1001", "cancel"), 409, "order_has_a_payment")
    problem(server.request("PUT", "/v1/orders/1002", ORDER), 422, "invalid_request")
    problem(server.request("PUT", "/v1/orders/1002", {**ORDER, "order_id": "1002"}), 404, "order_not_found")


def test_a_canceled_order_takes_no_money_until_it_is_opened_again(server):
    booked(server)
    assert step(server, "1001", "cancel").json()["state"] == "canceled"
    problem(pay(server, "1001", "k"), 409, "order_canceled")
    problem(server.create("1001", "k2", 2350), 409, "order_canceled")
    problem(step(server, "1001", "ready"), 409, "order_over")
    assert step(server, "1001", "reopen").json()["state"] == "open"
    assert paid(server, "1001", "k3")["status"] == "succeeded"


def test_a_shops_document_brings_customer_and_note(server):
    document, total, shop = shop_orders.document(3)
    assert total > 0
    document |= {
        "billing": {"first_name": "Jörg", "last_name": "Åberg", "phone": "0170 5550134", "email": "j@example.org"},
        "shipping": {"address_1": "Weg 2", "city": "Bonn", "postcode": "53111", "country": "DE"},
        "customer_note": "Second &amp; last floor",
        "shipping_lines": document["shipping_lines"] or [{"method_id": "flat_rate", "total": "0.00"}],
    }
    order = booked(server, {"order": document})
    assert order["customer"]["name"] == "Jörg Åberg" and order["note"] == "Second & last floor"
    assert order["customer"]["phone"] == "0170 5550134"
    assert paid(server, order["id"], "k")["amount"] == order["amount"]
    # Found by any writing of the telephone number, by a part of the name, and by the number.
    for text in ("+49 170 555 0134", "åber", order["number"]):
        found = server.request("GET", "/v1/orders?q=" + requests.utils.quote(text, safe="")).json()["orders"]
        assert [one["id"] for one in found] == [order["id"]], text
    assert server.request("GET", "/v1/orders?q=nobody").json()["orders"] == []
    kept = server.request("GET", f"/v1/orders/{order['id']}/contact").json()
    assert kept["customer"] == order["customer"] and kept["note"] == order["note"] and kept["baskets"] == []
    erased = server.request("DELETE", f"/v1/orders/{order['id']}/contact").json()
    assert erased["erased"] == {"order": True, "baskets": [], "guests": []} and erased["log_emptied"]
    assert erased["order"]["customer"] is None and erased["order"]["note"] is None
    again = server.request("DELETE", f"/v1/orders/{order['id']}/contact").json()
    assert again["erased"] == {"order": False, "baskets": [], "guests": []}
    for file in server.folder.iterdir():
        assert not file.is_file() or b"j@example.org" not in file.read_bytes(), file
    assert server.request("GET", "/v1/orders?q=0170%205550134").json()["orders"] == []
    # Sent again by the shop, it is the same order, and the customer stays erased.
    again = book(server, {"order": document})
    assert again.status_code == 200 and again.json()["customer"] is None


def test_lists_have_every_order_once(server):
    names = [f"o{number}" for number in range(45)]
    for name in names:
        booked(server, order_id=name, customer=None)
    for name in names[::3]:
        paid(server, name, "k-" + name)
    found, before = [], ""
    while True:
        page = server.request("GET", f"/v1/orders?paid=true&limit=4{before}").json()
        found += [one["id"] for one in page["orders"]]
        if not page["next"]:
            break
        before = "&before=" + page["next"]
    assert found == names[::3][::-1]
    step(server, "o5", "ready")
    assert [one["id"] for one in server.request("GET", "/v1/orders?state=ready").json()["orders"]] == ["o5"]


BAD = [
    ({"amount": 2351}, "doesn't add up", "order_does_not_add_up"),
    ({"amount": 0}, "amount", "invalid_amount"), ({"amount": 23.5}, "amount", "invalid_amount"),
    ({"currency": "EUX"}, "currency", "invalid_request"), ({"order_id": "a b"}, "order_id", "invalid_request"),
    ({"order_id": "1001~2"}, "order_id", "invalid_request"), ({"order_id": "x" * 121}, "order_id", "invalid_request"),
    ({"order_id": "4242424242424242"}, "order_id", "card_number_refused"),
    ({"lines": [{"name": "", "amount": 2350}]}, "lines/0/name", "invalid_request"),
    ({"lines": [{"name": "x", "amount": "2350"}]}, "lines/0/amount", "invalid_amount"),
    ({"lines": [{"name": "x", "amount": 2350, "prize": 1}]}, "lines/0/prize", "invalid_request"),
    ({"lines": [{"name": "x", "amount": 2350, "quantity": "two"}]}, "lines/0/quantity", "invalid_request"),
    ({"lines": "x"}, "lines", "invalid_request"), ({"handover": "drone"}, "handover", "invalid_request"),
    ({"wanted_at": "tomorrow"}, "wanted_at", "invalid_request"), ({"note": 7}, "note", "invalid_request"),
    ({"metadata": {"a b": "x"}}, "metadata", "invalid_request"),
    ({"metadata": {"a": 1}}, "metadata", "invalid_request"),
    ({"metadata": {str(n): "" for n in range(21)}}, "metadata", "invalid_request"),
    ({"customer": "Ada"}, "customer", "invalid_request"), ({"costumer": {}}, "costumer", "invalid_request"),
    ({"order": {"id": 1}}, "", "invalid_request"),
]


@pytest.mark.parametrize("change, place, code", BAD, ids=[f"{b[1]}-{n}" for n, b in enumerate(BAD)])
def test_a_bad_order_is_refused_by_name_and_changes_nothing(server, change, place, code):
    refusal = problem(book(server, **change), 422, code)
    if place and code != "order_does_not_add_up":
        assert place in refusal["detail"], refusal
    assert refusal["money_moved"] == "no"
    assert server.request("GET", "/v1/orders").json()["orders"] == []


def test_bad_questions_are_refused(server):
    booked(server)
    for path in ("/v1/orders?state=done", "/v1/orders?paid=yes", "/v1/orders?limit=0", "/v1/orders?before=1002",
                 "/v1/orders?q=", "/v1/orders/events?after=7"):
        problem(server.request("GET", path), 422, "invalid_request")
    problem(server.request("GET", "/v1/orders/1002"), 404, "order_not_found")
    problem(pay(server, "1002", "k"), 404, "order_not_found")
    for amount in (0, -1, 1.5, "12"):
        problem(pay(server, "1001", f"k{amount}", amount=amount), 422, "invalid_amount")
    problem(pay(server, "1001", None), 400, "idempotency_key_missing")
    problem(step(server, "1001", "fulfil", accept_unpaid="yes"), 422, "invalid_request")
    assert step(server, "1001", "fulfil", accept_unpaid=True).json()["state"] == "fulfilled"


def test_the_stream_misses_nothing_across_deaths_of_the_counter(server):
    """Booked, paid in parts and canceled by three programs while the counter dies again and again."""
    feed, names, wrong = Feed(server), [f"n{number}" for number in range(24)], []
    seen = []

    def tell(method, path, body, key=None):
        while True:
            try:
                answer = server.request(method, path, body, key, timeout=10)
                if answer.status_code < 500:
                    return answer
            except requests.RequestException:
                pass

    def work(number):
        name = names[number]
        answer = tell("POST", "/v1/orders", {**ORDER, "order_id": name})
        if answer.status_code not in (200, 201):
            wrong.append(answer.text)
        if number % 3 == 2:
            answer = tell("POST", f"/v1/orders/{name}/cancel", {})
        for part, amount in enumerate([1000, 1350] if number % 3 == 0 else []):
            made = tell("POST", f"/v1/orders/{name}/payments", {"amount": amount}, f"{name}-{part}")
            answer = tell("POST", f"/v1/payments/{made.json()['id']}/confirm",
                          {"tender": {"type": "cash", "tendered": amount}}, f"{name}-{part}-c")
        if answer.status_code not in (200, 201):
            wrong.append(answer.text)

    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(work, number) for number in range(len(names))]
        for done in (6, 12, 18):
            counter.until(lambda: sum(job.done() for job in jobs) >= done, 60)
            server.kill()
            feed.ended.wait(30)
            seen += feed.seen
            server.start()
            # From the last position of the broken stream on.
            feed = Feed(server, last=feed.last)
        for job in jobs:
            job.result(120)
    assert not wrong, wrong
    final = {order["id"]: order for order in server.request("GET", "/v1/orders?limit=100").json()["orders"]}
    assert sorted(final) == sorted(names)

    def complete():
        latest = {}
        for order in seen + list(feed.seen):
            latest[order["id"]] = (order["state"], order["payment"])
        return latest == {name: (order["state"], order["payment"]) for name, order in final.items()}

    assert counter.until(complete, 30), "the stream does not end where the list does"
    for number, name in enumerate(names):
        state = ["open", "open", "canceled"][number % 3]
        assert final[name]["state"] == state
        assert final[name]["payment"]["paid"] == (2350 if number % 3 == 0 else 0), final[name]
    assert counter.till("journal", "verify", "--journal", server.journal, "--json").json["ok"] is True


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "kitchen", narrow=390)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_kitchen_sees_what_to_prepare(server, page, shoot, scheme):
    expect.set_options(timeout=WAIT)
    page.emulate_media(color_scheme=scheme)
    page.goto(server.url + "/kitchen")
    expect(page.locator("#state")).to_contain_text("Sign in at the counter's page")
    server.sign_in(page, "/kitchen")
    expect(page.locator("#none")).to_be_visible()
    expect(page.locator("#state")).to_have_text("Up to date")
    booked(server)
    first = page.locator("article[data-order='1001']")
    expect(first).to_be_visible()
    expect(first.locator("li").first).to_contain_text("Margherita")
    expect(first).to_contain_text("size: large")
    expect(first).to_contain_text("No olives")
    expect(first.locator(".marks")).to_contain_text("Not paid: 23.50 EUR")
    paid(server, "1001", "part", amount=1000)
    expect(first.locator(".marks")).to_contain_text("13.50 EUR still to pay")
    booked(server, order_id="1002", wanted_at=None, handover="collection", note=None)
    paid(server, "1002", "whole")
    second = page.locator("article[data-order='1002']")
    expect(second.locator(".marks")).to_contain_text("Paid")
    expect(page.locator("#open-count")).to_have_text("2")
    axe(page)
    shoot(f"open_{scheme}")
    second.get_by_role("button", name="Ready: order 1002").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#ready article")).to_have_count(1)
    second.get_by_role("button", name="Handed over").click()
    expect(second).to_have_count(0)
    first.get_by_role("button", name="Ready").click()
    first.get_by_role("button", name="Handed over").click()
    expect(first.locator(".fault")).to_contain_text("10.00 EUR of 23.50 EUR are paid")
    shoot(f"unpaid_{scheme}")
    first.get_by_role("button", name="Hand over unpaid").click()
    expect(page.locator("#none")).to_be_visible()
    # A canceled order stays until somebody has seen it, and the page finds back after the counter died.
    booked(server, order_id="1003")
    third = page.locator("article[data-order='1003']")
    expect(third).to_be_visible()
    server.kill()
    expect(page.locator("#state")).to_contain_text("No connection")
    shoot(f"lost_{scheme}")
    server.start()
    expect(page.locator("#state")).to_have_text("Up to date")
    assert step(server, "1003", "cancel").status_code == 200
    expect(third).to_contain_text("Canceled: stop")
    shoot(f"canceled_{scheme}")
    third.get_by_role("button", name="Seen").click()
    expect(page.locator("#none")).to_be_visible()
