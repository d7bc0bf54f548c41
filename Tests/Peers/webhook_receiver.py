"""A shop's program that takes webhooks; the standard's own library judges what comes."""
import http.server
import json
import threading

import standardwebhooks

import counter


class Delivery:
    """A request as it came."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.id, self.time = headers["webhook-id"], int(headers["webhook-timestamp"])
        self.signatures = headers["webhook-signature"].split(" ")
        self.json = json.loads(body)
        self.type, self.data = self.json["type"], self.json["data"]
        self.payment = self.data.get("payment_id")

    def verify(self, secret):
        """Raises if the library does not take it."""
        assert standardwebhooks.Webhook(secret).verify(self.body, self.headers) == self.json

    def is_genuine(self, secret, body=None):
        try:
            standardwebhooks.Webhook(secret).verify(self.body if body is None else body, self.headers)
            return True
        except standardwebhooks.WebhookVerificationError:
            return False


class Receiver:
    """`answer` returns the status and the fields of the answer to a delivery; it may wait."""

    def __init__(self):
        self.deliveries, self.answer, self.others = [], lambda delivery: (204, {}), []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                delivery = Delivery(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                outer.deliveries.append(delivery)
                status, fields = outer.answer(delivery)
                try:
                    self.send_response(status)
                    for name, value in {"Content-Length": "0", **fields}.items():
                        self.send_header(name, value)
                    self.end_headers()
                except OSError:
                    self.close_connection = True  # the counter has died meanwhile

            def do_GET(self):
                outer.others.append(self.path)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def of(self, payment):
        return [delivery for delivery in list(self.deliveries) if delivery.payment == payment]

    def wait(self, check, seconds=20):
        """Waits until it is so of the deliveries."""
        assert counter.until(lambda: check(list(self.deliveries)), seconds), [
            (d.path, d.type, d.payment) for d in self.deliveries]
