"""The stand-in of a shop with WooCommerce, from outside: the shop's own Python client, and the stand-in's ledger."""
import contextlib
import http.server
import threading

import requests
from woocommerce import API

KEY, SECRET = "ck_peer", "cs_peer"


def client(url, key=KEY, secret=SECRET, **options):
    """WooCommerce's own client: OAuth over http, Basic over https."""
    return API(url, key, secret, version="wc/v3", timeout=20, **options)


def control(url, path, **body):
    answer = requests.post(f"{url}/_sandbox/{path}", json=body, timeout=20)
    answer.raise_for_status()
    return answer.json()


def fail(url, operation, fault, times=1, **more):
    control(url, "faults", operation=operation, fault=fault, times=times, **more)


def books(url):
    """The whole of what the stand-in believes happened."""
    return requests.get(f"{url}/_sandbox/ledger", timeout=20).json()


def ledger(url):
    """The orders in it, by id."""
    return {order["id"]: order for order in books(url)["orders"]}


def good(answer, status=200):
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.json()["data"]["status"] == status
    return answer.json()["message"]


@contextlib.contextmanager
def another(folder):
    """A further shop, as a process."""
    from conftest import stand_in_process
    process = stand_in_process("shop", folder)
    yield next(process)
    for _ in process:
        pass


class Hooks:
    """A program that takes the shop's webhooks; `status` is what it answers."""

    def __init__(self):
        self.received, self.status = [], 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.received.append((self.path, dict(self.headers.items()), body))
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def deliveries(self):
        """Without the pings."""
        return [one for one in list(self.received) if "X-Wc-Webhook-Topic" in {name.title() for name in one[1]}]
