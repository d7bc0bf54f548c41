"""A customer's app that pays at the shop's counter without a key (Examples/AppCheckout), while the app or the counter
dies, or the line between them breaks: one charge, and nobody is told that nothing was charged when nobody knows.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import threading
import time

import pytest
import requests
import wire

import counter

VISA, DECLINED, ASKED = "pm_card_visa", "pm_card_chargeDeclined", "pm_card_authenticationRequired"


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def line(server):
    line = wire.Wire(server.port)
    yield line
    line.close()


def opened(server, order="1001"):
    payment = server.create(order, f"create-{order}", 1250).json()["id"]
    answer = server.request("POST", f"/v1/payments/{payment}/app_session", {})
    assert answer.status_code == 201, answer.text
    return payment, answer


def app(server, session, *words, url=None):
    program = pathlib.Path(counter.binary()).resolve().parent / "AppCheckout"
    if not os.access(program, os.X_OK):
        pytest.fail(f"there is no {program}: build it", pytrace=False)
    return subprocess.Popen(
        [program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TILL_COUNTER": url or server.url, "TILL_APP_SESSION": session.text})


def end(app, seconds=200):
    try:
        out, err = app.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        app.kill()
        out, err = app.communicate()
        pytest.fail(f"the app did not end: {out}\n{err}")
    return app.returncode, out, err


def finish(server, session, *words):
    """Starts the app until the order is paid."""
    for _ in range(5):
        code, out, err = end(app(server, session, "pay", *words))
        if code == 0:
            return out
        time.sleep(0.5)
    pytest.fail(f"it is not paid: {out}\n{err}")


def shown(server, payment):
    return server.request("GET", f"/v1/payments/{payment}").json()


def check(server, payment):
    """One capture of the whole amount, and a journal that is in order."""
    found = shown(server, payment)
    assert (found["status"], found["captured"]) == ("succeeded", 1250), found
    assert len([a for a in found["attempts"] if a["status"] == "authorized"]) == 1, found
    verified = counter.succeed("journal", "verify", "--journal", server.journal, "--json")
    assert verified["ok"] is True, verified


def test_an_app_is_declined_pays_with_another_token_and_shows_the_receipt(server):
    payment, session = opened(server)
    code, out, err = end(app(server, session, "pay", DECLINED))
    assert code == 2 and out.startswith("declined: "), out + err
    # The same press again has the same end, the customer's next one is another attempt.
    assert end(app(server, session, "pay", DECLINED))[0] == 2 and len(shown(server, payment)["attempts"]) == 1
    assert end(app(server, session, "pay", DECLINED, "2"))[0] == 2 and len(shown(server, payment)["attempts"]) == 2
    for _ in range(2):
        code, out, err = end(app(server, session, "pay", VISA))
        assert code == 0 and out == "paid: order 1001, 12.50 EUR\n", out + err
    check(server, payment)
    code, out, err = end(app(server, session, "receipt"))
    assert code == 0 and "<html" in out and "12.50" in out, out + err
    code, out, err = end(app(server, session, "cancel"))
    assert code == 0 and "paid" in out, out + err
    check(server, payment)
    secret = session.json()["session"].split("_", 1)[1]
    for file in pathlib.Path(server.folder).rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_an_app_cancels_what_is_unpaid(server):
    payment, session = opened(server)
    code, out, err = end(app(server, session, "cancel"))
    assert code == 0 and "closed" in out, out + err
    code, out, err = end(app(server, session, "pay", VISA))
    assert code == 2 and out.startswith("over: "), out + err
    assert shown(server, payment)["status"] == "canceled"


def test_a_bank_without_a_page_leaves_it_unknown(server):
    payment, session = opened(server)
    code, out, err = end(app(server, session, "pay", ASKED))
    assert code == 3 and out.startswith("not known: "), out + err
    assert shown(server, payment)["status"] == "requires_action"


@pytest.mark.parametrize("answer, says, code", [("confirm", "paid: ", 0), ("refuse", "declined: ", 2)])
def test_a_bank_that_asks_is_answered(tmp_path, sandbox, answer, says, code):
    port = counter.free_port()
    with counter.Server(
            tmp_path, *sandbox.flags, "--receipt-url", f"http://127.0.0.1:{port}", port=port) as server:
        payment, session = opened(server)
        first = app(server, session, "pay", ASKED)
        bank = re.match(r"bank: (\S+)", first.stdout.readline())[1]
        # It dies at the bank's page, and shows the same one when it is started again.
        first.kill()
        first.communicate()
        running = app(server, session, "pay", ASKED)
        assert re.match(r"bank: (\S+)", running.stdout.readline())[1] == bank
        assert requests.post(bank, data={"answer": answer}, timeout=30).status_code == 200
        running.stdin.write("\n")
        ended, out, err = end(running)
        assert ended == code and out.startswith(says), out + err
        assert shown(server, payment)["captured"] == (1250 if code == 0 else 0)
        assert len(shown(server, payment)["attempts"]) == 1
        charges = sandbox.get("/_sandbox/ledger")["charges"]
        assert sum(c["captured"] for c in charges) == (1250 if code == 0 else 0), charges


def test_presses_at_the_same_moment_charge_once(server):
    payment, session = opened(server)
    gate = threading.Barrier(8)

    def press(number):
        gate.wait()
        return requests.post(
            server.url + "/app/pay", json={"tender": {"type": "token", "token": VISA}}, timeout=60,
            headers={"X-Till-Session": session.json()["session"], "Idempotency-Key": f"k-{number % 4}"}).json()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(press, number) for number in range(8)]]
    # Nobody is told that nothing was charged.
    assert all(answer.get("status") in ("paid", "pending") or answer["money_moved"] == "unknown"
               for answer in answers), answers
    check(server, payment)


@pytest.mark.parametrize("of, at", [("request", 20), ("answer", 0), ("answer", 300)])
def test_an_app_that_dies_while_it_pays_pays_once(server, line, of, at):
    payment, session = opened(server)
    cut = line.cut(b"POST /app/pay", of=of, at=at, ends=False)
    running = app(server, session, "pay", VISA, url=f"http://127.0.0.1:{line.port}")
    assert cut.done.wait(30), running.communicate()
    running.kill()
    running.communicate()
    finish(server, session, VISA)
    check(server, payment)


@pytest.mark.parametrize("of, at, ends", [("request", 20, True), ("answer", 0, True), ("answer", 500, True)])
def test_a_line_that_is_cut_pays_once(server, line, of, at, ends):
    payment, session = opened(server)
    cut = line.cut(b"POST /app/pay", of=of, at=at, ends=ends)
    code, out, err = end(app(server, session, "pay", VISA, url=f"http://127.0.0.1:{line.port}"))
    assert cut.done.is_set() and code == 0, out + err
    check(server, payment)


@pytest.mark.parametrize("point", range(3, 9))
def test_a_counter_that_dies_while_an_app_pays_charges_once(tmp_path, point):
    server = counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_FAILPOINT": str(point)}).start()
    payment, session = opened(server)
    running = app(server, session, "pay", VISA)
    server.process.wait(30)
    server.env = {}
    with server.start():
        # The same app finds out by itself, or says that it does not know.
        code, out, err = end(running)
        assert code in (0, 3), out + err
        finish(server, session, VISA)
        check(server, payment)
