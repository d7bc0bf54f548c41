"""An app that sells at the readers of its shop's counter (Examples/CounterSale), while the app, the counter or the line
between them breaks. Stripe's stand-in holds the reader; its ledger is the oracle for money. Stripe's own library is the
SDK of an app that collects by itself.
"""
import os
import pathlib
import subprocess
import time

import pytest
import stripe
import wire

import counter
import terminal

ORDER = "o-1"


@pytest.fixture
def client(sandbox):
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 300})
    return stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0).v1


@pytest.fixture
def shop(tmp_path, sandbox, client):
    with counter.Server(tmp_path, *sandbox.flags) as running:
        reader = client.terminal.readers.create({"registration_code": "simulated-wpe", "label": "Front"})
        shop = Shop(running, sandbox, client, reader.id)
        yield shop
        for app in shop.apps:
            if app.poll() is None:
                app.kill()
                app.communicate()


class Shop:
    """A counter with one reader, and the app beside it."""

    def __init__(self, server, sandbox, client, reader):
        self.server, self.sandbox, self.client, self.reader, self.apps = server, sandbox, client, reader, []

    def app(self, url=None, order=ORDER, at=("Front",)):
        """The program, as it is started with the same order again and again."""
        return self.run(order, "12.50", "EUR", *at, url=url)

    def device(self, url=None, order=ORDER):
        """The program on a device with the provider's SDK; it prints the intent, and waits for a line."""
        app = self.app(url, order, ("--device", "iPad 3"))
        said = app.stdout.readline()
        if not said.startswith("intent: "):
            pytest.fail(said + "".join(app.communicate()))
        return app, said.removeprefix("intent: ").strip()

    def collect(self, intent, number=counter.CARD):
        """What the SDK does: it retrieves the intent, collects a card and confirms."""
        self.client.terminal.readers.process_payment_intent(self.reader, {"payment_intent": intent})
        self.present(number)
        assert counter.until(lambda: not self.is_waiting())

    def run(self, *words, url=None):
        program = pathlib.Path(counter.binary()).resolve().parent / "CounterSale"
        if not os.access(program, os.X_OK):
            pytest.fail(f"there is no {program}: build it", pytrace=False)
        self.apps.append(subprocess.Popen(
            [program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TILL_COUNTER": url or self.server.url, "TILL_API_KEY": self.server.api_key}))
        return self.apps[-1]

    def waits(self, app):
        """Until the reader waits for a card."""
        if not counter.until(lambda: app.poll() is not None or self.is_waiting()) or app.poll() is not None:
            app.kill()
            pytest.fail("the reader was not asked for a card: " + "".join(app.communicate()))

    def present(self, number=counter.CARD):
        self.client.test_helpers.terminal.readers.present_payment_method(
            self.reader, {"type": "card_present", "card_present": {"number": number}})

    def payments(self, order=ORDER):
        return self.server.request("GET", f"/v1/payments?order_id={order}").json()["payments"]

    def pay(self):
        """Sells the order again, with a card if the reader asks for one, until it is paid."""
        for _ in range(3):
            app = self.app()
            if counter.until(lambda app=app: app.poll() is not None or self.is_waiting(), 20) and app.poll() is None:
                self.present()
            code, out, err = end(app)
            if code == 0:
                return out
        pytest.fail(f"it is not paid: {out}\n{err}")

    def is_waiting(self):
        action = self.client.terminal.readers.retrieve(self.reader).action
        return action is not None and action.status == "in_progress"

    def check(self, attempts=None):
        """One payment, one charge, and a journal that is in order."""
        payments = self.payments()
        assert [(p["status"], p["captured"]) for p in payments] == [("succeeded", 1250)], payments
        assert sum(charge["captured"] for charge in terminal.ledger(self.sandbox)) == 1250
        assert [charge["captured"] for charge in terminal.ledger(self.sandbox) if charge["captured"]] == [1250]
        if attempts is not None:
            assert len(payments[0]["attempts"]) == attempts, payments
        verified = counter.succeed("journal", "verify", "--journal", self.server.journal, "--json")
        assert verified["ok"] is True, verified


def end(app, seconds=60):
    try:
        out, err = app.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        app.kill()
        out, err = app.communicate()
        pytest.fail(f"the app did not end: {out}\n{err}")
    assert counter.API_KEY not in out + err
    return app.returncode, out, err


def test_an_app_sells_at_the_counters_reader(shop):
    app = shop.app()
    shop.waits(app)
    shop.present()
    code, out, err = end(app)
    assert code == 0, out + err
    for words in ("Insert or tap the card.", "succeeded, 12.50 EUR"):
        assert words in out, out
    shop.check(attempts=1)
    assert "The card was read." not in out.split("Insert or tap the card.")[0]
    # The same order once more: the same payment, and no card.
    code, out, err = end(shop.app())
    assert code == 0 and "succeeded, 12.50 EUR" in out, out + err
    assert "Insert" not in out
    shop.check(attempts=1)


def test_declined_then_paid_with_another_card(shop):
    app = shop.app()
    shop.waits(app)
    shop.present("4000000000009995")
    code, out, err = end(app)
    assert code == 2 and "No money moved." in out, out + err
    shop.pay()
    shop.check(attempts=2)


def test_canceled_at_the_counter(shop):
    app = shop.app()
    shop.waits(app)
    answer = shop.server.request("POST", f"/v1/terminal/readers/{shop.reader}/cancel", {})
    assert answer.status_code == 200, answer.text
    code, out, err = end(app)
    assert code == 2 and "command_canceled" in out, out + err
    assert [charge["captured"] for charge in terminal.ledger(shop.sandbox)] == [0]
    shop.pay()
    shop.check()


@pytest.mark.parametrize("minor", [1250, 300])
def test_a_sale_that_was_refunded_is_not_paid(shop, minor):
    shop.pay()
    payment = shop.payments()[0]["id"]
    answer = shop.server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": minor}, f"r-{ORDER}")
    assert answer.ok, answer.text
    code, out, err = end(shop.app())
    assert code == 3 and "reader_order_already_paid" in out, out + err
    assert payment in out and "Insert" not in out, out


@pytest.mark.parametrize("card", ["before", "after"])
def test_an_app_that_dies_finishes_the_same_payment(shop, card):
    app = shop.app()
    shop.waits(app)
    first = shop.payments()[0]["id"]
    app.kill()
    app.communicate()
    if card == "before":
        shop.present()
        assert counter.until(lambda: shop.payments()[0]["status"] == "succeeded")
        code, out, err = end(shop.app())
        assert code == 0 and "Insert" not in out, out + err
    else:
        again = shop.app()
        assert counter.until(lambda: shop.is_waiting())
        shop.present()
        code, out, err = end(again)
        assert code == 0, out + err
    assert first in out
    shop.check(attempts=1)


def test_an_app_that_dies_at_many_moments_charges_once(shop):
    for step in range(10):
        app = shop.app()
        time.sleep(step * 0.04)
        app.kill()
        app.communicate()
        if step == 7 and shop.is_waiting():
            shop.present()
    shop.pay()
    shop.check()


def test_two_apps_with_one_order_charge_once(shop):
    apps = [shop.app() for _ in range(3)]
    shop.waits(apps[0])
    shop.present()
    for app in apps:
        code, out, err = end(app)
        assert code == 0 and "succeeded, 12.50 EUR" in out, out + err
    shop.check(attempts=1)


@pytest.mark.parametrize("card", [True, False])
def test_a_counter_that_dies_charges_once(shop, card):
    app = shop.app()
    shop.waits(app)
    shop.server.kill()
    if card:
        shop.present()
    shop.server.start()
    code, out, err = end(app, 120)
    # With a card it is paid. Without one the counter frees the reader, and the app hears that nothing was charged.
    assert code == (0 if card else 2), out + err
    if not card:
        shop.pay()
    shop.check()


@pytest.fixture
def line(shop):
    line = wire.Wire(shop.server.port)
    yield line
    line.close()


# Within the head of an answer Foundation on Linux ends the process: the app that dies, above.
@pytest.mark.parametrize("of, at, ends", [
    ("request", 20, True), ("request", 20, False), ("answer", 0, True), ("answer", 600, True), ("answer", 20, False)])
def test_a_line_that_is_cut_charges_once(shop, line, of, at, ends):
    cut = line.cut(b"/confirm", of=of, at=at, ends=ends)
    app = shop.app(f"http://127.0.0.1:{line.port}")
    shop.waits(app)
    shop.present()
    code, out, err = end(app, 120)
    assert code == 0, out + err
    assert cut.done.is_set()
    shop.check(attempts=1)


def test_an_app_that_its_own_library_ends_finishes_the_same_payment(shop, line):
    line.cut(b"/confirm", of="answer", at=20)
    app = shop.app(f"http://127.0.0.1:{line.port}")
    shop.waits(app)
    shop.present()
    end(app, 120)
    assert "succeeded, 12.50 EUR" in shop.pay()
    shop.check(attempts=1)


def test_a_line_that_is_down_while_the_card_is_read(shop, line):
    app = shop.app(f"http://127.0.0.1:{line.port}")
    shop.waits(app)
    with line.refuse():
        line.drop()
        shop.present()
        assert counter.until(lambda: shop.payments()[0]["status"] == "succeeded")
    code, out, err = end(app, 120)
    assert code == 0, out + err
    shop.check(attempts=1)


def test_a_device_with_the_providers_sdk_sells_one_intent(shop):
    app, intent = shop.device()
    # The app dies while the SDK collects. Started again it has the same intent.
    app.kill()
    app.communicate()
    app, again = shop.device()
    assert again == intent
    shop.collect(intent, "4000000000009995")
    shop.collect(intent)
    out, err = app.communicate("\n", timeout=60)
    assert app.returncode == 0 and "succeeded, 12.50 EUR" in out, out + err
    shop.check(attempts=1)
    code, out, err = end(shop.app(at=("--device", "iPad 3")))
    # Refused before anything was asked of a provider: this sale has charged nothing.
    assert code == 2 and "order_already_paid" in out and "intent:" not in out, out + err
    shop.check(attempts=1)


def test_a_device_whose_app_dies_before_it_settles_is_paid(shop):
    app, intent = shop.device()
    shop.collect(intent)
    app.kill()
    app.communicate()
    app, again = shop.device()
    assert again == intent
    out, err = app.communicate("\n", timeout=60)
    assert app.returncode == 0, out + err
    shop.check(attempts=1)


@pytest.mark.parametrize("path", [b"POST /v1/terminal/payments HTTP", b"/settle HTTP"])
def test_a_devices_lost_answer_is_asked_for_again(shop, line, path):
    cut = line.cut(path, of="answer", at=0)
    app, intent = shop.device(f"http://127.0.0.1:{line.port}")
    shop.collect(intent)
    out, err = app.communicate("\n", timeout=120)
    assert app.returncode == 0, out + err
    assert cut.done.is_set()
    shop.check(attempts=1)


def test_an_app_lists_the_open_orders_and_pays_one_once(shop):
    for name in ("b-1", "b-2"):
        booked = shop.server.request("POST", "/v1/orders", {"order_id": name, "currency": "EUR", "amount": 1250})
        assert booked.status_code == 201, booked.text
    code, out, err = end(shop.run("orders"))
    assert code == 0 and out.splitlines() == ["b-2: unpaid, 12.50 EUR open", "b-1: unpaid, 12.50 EUR open"], out + err
    said = []
    for _ in range(2):
        code, out, err = end(shop.run("cash", "b-1"))
        assert code == 0 and "succeeded, 12.50 EUR" in out, out + err
        said.append(out)
    assert said[0] == said[1]
    code, out, err = end(shop.run("orders"))
    assert code == 0 and out.splitlines() == ["b-2: unpaid, 12.50 EUR open", "b-1: paid, 0.00 EUR open"], out + err
    assert [payment["captured"] for payment in shop.payments("b-1")] == [1250]
