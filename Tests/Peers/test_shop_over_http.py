"""A shop connected over HTTP: the same as `till shop connect`, and no way into the counter's machine, to another
address or to the key's secret, whatever answers there."""
import base64
import contextlib
import http.server
import socket
import threading
import time

import pytest
import woo
from staff import audit
from test_secrets import hits, needles
from test_shop_connect import assert_told_once, await_ledger, await_order, pay, shops, told

import counter

MARKED = "cs_MARKED0d15ea5e4111111111111111"
PAIR = base64.b64encode(f"ck_peer:{MARKED}".encode()).decode()
NEEDLES = needles({"secret of a shop": MARKED, "pair of a shop": PAIR})
INSIDE = {"TILL_SHOPS_PRIVATE": "true"}


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", env=INSIDE) as running:
        yield running


def connect(server, url, key=woo.KEY, secret=woo.SECRET, timeout=90, **more):
    return server.request("POST", "/v1/shops", {"url": url, "key": key, "secret": secret, **more}, timeout=timeout)


def refused(answer, status, code, field="url"):
    found = answer.json()
    assert (answer.status_code, found["code"]) == (status, code), answer.text
    assert found["money_moved"] == "no" and found["next"]
    assert [one["field"] for one in found.get("errors", [])] == ([field] if field else [])
    return found


class Odd:
    """What listens where a shop should be; `answer` has each request's handler."""

    def __init__(self, answer):
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append((self.command, self.path, dict(self.headers.items())))
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with contextlib.suppress(OSError):
                    answer(self)

            do_PUT = do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def document(status, text, kind="application/json", **fields):
    def answer(handler):
        body = text.encode()
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **fields}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
    return answer


def test_a_shop_connected_over_http_is_sold_from_and_told(server, shop_url):
    made = connect(server, shop_url, notify_at=server.url)
    assert made.status_code == 201, made.text
    assert made.json()["url"] == shop_url and woo.SECRET not in made.text
    await_order(server, "101")
    paid = pay(server, "101", "k-1")
    assert_told_once(await_ledger(shop_url, 101, told, server), paid["id"])
    assert len(audit(server, "shop.connected")) == 1
    # It is named, keeps its key, and hears nothing of the other one.
    changes = woo.books(shop_url)["calls"]["update"]
    before = refused(connect(server, shop_url, secret="cs_other"), 409, "shop_connected")
    assert made.json()["id"] in before["detail"]
    assert woo.books(shop_url)["calls"]["update"] == changes
    await_order(server, "102")
    pay(server, "102", "k-2")
    await_ledger(shop_url, 102, told, server)
    # The command gives it another key, and it stays what it was.
    again = counter.succeed("shop", "connect", shop_url, "--journal", server.journal, "--provider", "sandbox", "--json",
                            env={"TILL_SHOP_KEY": "ck_next", "TILL_SHOP_SECRET": "cs_next"})
    assert again["id"] == made.json()["id"] and again["guarded"] is True
    free = counter.succeed("shop", "connect", shop_url, "--any-address", "--journal", server.journal, "--provider",
                           "sandbox", "--json", env={"TILL_SHOP_KEY": "ck_last", "TILL_SHOP_SECRET": "cs_last"})
    assert free["guarded"] is False
    said = [[one for one in entry["changes"] if one["name"] == "guarded"] for entry in audit(server, "shop.connected")]
    assert len(said) == 3 and all(len(one) == 1 for one in said), said


def test_without_the_setting_nothing_on_the_machine_is_asked(tmp_path, shop_url):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        port = shop_url.rsplit(":", 1)[1]
        for host in ("127.0.0.1", "localhost", "[::1]"):
            refused(connect(server, f"http://{host}:{port}"), 422, "shop_address_inside")
        for host in ("127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "10.0.0.1", "192.168.0.1",
                     "169.254.169.254", "[fe80::1]", "[64:ff9b::a9fe:a9fe]", "0.0.0.0"):
            refused(connect(server, f"https://{host}:{port}", test_shop=True), 422, "shop_address_inside")
        assert woo.books(shop_url)["calls"] == {} and shops(server) == []


def test_a_shop_inside_is_reached_no_more_once_the_setting_is_gone(server, shop_url):
    assert connect(server, shop_url).status_code == 201
    await_order(server, "101")
    server.kill()
    server.env = {}
    server.start()
    assert counter.until(lambda: shops(server)[0]["trouble"], 60)
    trouble = shops(server)[0]["trouble"]
    assert trouble["code"] == "shop_not_reached" and "inside" in trouble["sentence"]


def test_a_redirect_is_not_followed_with_the_key(server):
    with Odd(document(200, "[]")) as elsewhere:
        for status in (301, 302, 307, 308):
            with Odd(document(status, "", Location=elsewhere.url + "/wp-json/wc/v3/orders")) as shop:
                refused(connect(server, shop.url, secret=MARKED), 422, "shop_redirected")
                assert len(shop.asked) == 1
        assert elsewhere.asked == []
    assert shops(server) == []


def test_an_answer_of_two_gigabytes_is_not_read(server):
    sent = []

    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(2 << 30))
        handler.end_headers()
        piece = b" " * (1 << 20)
        for _ in range(2 << 10):
            handler.wfile.write(piece)
            sent.append(len(piece))

    with Odd(endless) as shop:
        refused(connect(server, shop.url), 422, "shop_unavailable")
        time.sleep(1)
        assert sum(sent) < 256 << 20, "the connection was not closed"
    assert shops(server) == []


@pytest.mark.parametrize("drips", [False, True])
def test_a_shop_that_never_answers_is_given_up(server, drips):
    end = threading.Event()

    def silent(handler):
        if drips:
            handler.send_response(200)
            handler.send_header("Content-Length", "100000")
            handler.end_headers()
        while not end.wait(0.5):
            if drips:
                handler.wfile.write(b" ")

    with Odd(silent) as shop:
        begun = time.monotonic()
        refused(connect(server, shop.url), 422, "shop_unavailable")
        assert 20 < time.monotonic() - begun < 45
        end.set()
    assert shops(server) == []


def test_of_many_shops_that_do_not_answer_few_are_waited_for(server):
    end = threading.Event()
    with Odd(lambda handler: end.wait(60)) as shop:
        answers = []
        waiting = [threading.Thread(target=lambda n=n: answers.append(connect(server, f"{shop.url}/{n}")))
                   for n in range(4)]
        for one in waiting:
            one.start()
        assert counter.until(lambda: len(shop.asked) == 4)
        full = connect(server, f"{shop.url}/more")
        refused(full, 429, "too_many_shops_asked", field=None)
        assert full.headers["Retry-After"]
        end.set()
        for one in waiting:
            one.join(60)
    assert [one.status_code for one in answers] == [422] * 4 and shops(server) == []


@pytest.mark.parametrize("answer, code", [
    (document(200, "<html>Welcome</html>", "text/html"), "shop_unavailable"),
    (document(404, "<html>Not found</html>", "text/html"), "shop_refused"),
    (document(404, '{"code": "rest_no_route", "message": "No route"}'), "shop_unreadable"),
    (document(200, "{}"), "shop_unreadable"),
    (document(200, "[]"), "shop_unreadable"),
    (document(500, ""), "shop_unavailable"),
])
def test_what_is_no_shop_is_not_connected(server, answer, code):
    with Odd(answer) as shop:
        refused(connect(server, shop.url), 422, code)
    refused(connect(server, f"http://127.0.0.1:{counter.free_port()}"), 422, "shop_not_reached")
    assert shops(server) == []


def test_what_is_no_answer_of_http_is_no_shop(server):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def speak():
            with contextlib.suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    connection.sendall(b"220 mail.example ESMTP\r\n")
                    connection.close()
        threading.Thread(target=speak, daemon=True).start()
        answer = connect(server, f"http://127.0.0.1:{listener.getsockname()[1]}")
        assert answer.status_code == 422 and answer.json()["code"] in ("shop_unavailable", "shop_not_reached")
    assert shops(server) == []


def test_the_secret_is_in_no_answer_no_log_and_not_open_in_the_journal(server, shop_url, tmp_path):
    texts = []
    echo = f'{{"code": "woocommerce_rest_{MARKED}", "message": "You sent {MARKED}."}}'
    for status in (400, 401, 403, 500):
        with Odd(document(status, echo)) as shop:
            texts.append(connect(server, shop.url, secret=MARKED).text)
    texts.append(connect(server, "http://shop.example", secret=MARKED).text)
    texts.append(connect(server, shop_url, key="x", secret=MARKED).text)
    texts.append(connect(server, shop_url, secret=MARKED, surplus=MARKED).text)
    texts.append(connect(server, shop_url, secret="x" + MARKED).text)
    made = connect(server, shop_url, key="ck_MARKED0d15ea5e4111111111111111", secret=MARKED)
    assert made.status_code == 201, made.text
    await_order(server, "101")
    # Later it is refused, which is kept and logged.
    woo.control(shop_url, "keys", consumer_key="ck_other", consumer_secret="cs_other", permissions="read_write")
    assert counter.until(lambda: shops(server)[0]["trouble"], 60)
    texts += [made.text, server.request("GET", "/v1/shops").text, server.request("GET", "/v1/audit").text]
    server.stop()
    assert not [text for text in texts if hits(text.encode(), NEEDLES)]
    searched = 0
    for file in tmp_path.rglob("*"):
        # The shop has it, of course.
        if file.is_file() and file.name.startswith(("journal", "server")):
            assert not hits(file.read_bytes(), NEEDLES), file
            searched += 1
    assert searched > 1


@pytest.mark.parametrize("key, field", [
    (("ck_read", "cs_read"), "key"), (("ck_peer", "cs_wrong"), "key"), (("nothing", "cs_peer"), "key"),
    (("ck_peer", "nothing"), "secret"),
])
def test_a_key_that_does_not_fit_is_refused_at_its_field(server, shop_url, key, field):
    for name, secret, rights in (("ck_read", "cs_read", "read"), ("ck_peer", "cs_peer", "read_write")):
        woo.control(shop_url, "keys", consumer_key=name, consumer_secret=secret, permissions=rights)
    code = "shop_key" if "nothing" in key else "shop_unauthorized"
    refused(connect(server, shop_url, *key), 422, code, field)
    assert shops(server) == []


def test_a_second_shop_needs_a_scope(server, shop_url, tmp_path):
    assert connect(server, shop_url).status_code == 201
    with woo.another(tmp_path) as second:
        refused(connect(server, second), 409, "shop_scope_taken", "scope")
        made = connect(server, second, scope="north")
        assert made.status_code == 201 and made.json()["scope"] == "north", made.text
        await_order(server, "north%2F101")
