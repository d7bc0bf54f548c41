"""A provider that behaves as the real ones do on a bad day: between till and a server, it rejects keys, keeps failures
under their keys, delivers late and forgets accounts. Of our programs it knows nothing."""
import http.server
import threading

import requests

REJECTED = {
    "stripe": (401, b'{"error":{"type":"invalid_request_error","message":"Invalid API Key provided"}}'),
    "braintree": (401, b"<html>Not authorized</html>"),
}


class Provider:
    def __init__(self, target):
        self.target, self.requests, self.late = target, [], []
        self.rejection = None  # (status, body) for everything
        self.sticky = None  # a part of a path: the first key that is sent to it fails, for ever
        self.failed_keys = set()
        self.delays = None  # a part of a path: the next request to it has no answer and is kept in `late`
        self.change = lambda body: body
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                answer = outer.answer(self.command, self.path, dict(self.headers.items()), body)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, content = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, headers, body):
        """Status, fields and body; None closes the connection without an answer."""
        self.requests.append({"method": method, "path": path, "headers": headers, "body": body})
        if self.rejection:
            return self.rejection[0], {"Content-Type": "text/plain"}, self.rejection[1]
        key = headers.get("Idempotency-Key")
        if self.sticky and self.sticky in path and method == "POST" and key:
            failure = b'{"error":{"type":"api_error","message":"Sorry, something went wrong."}}'
            if not self.failed_keys:
                self.failed_keys.add(key)
                return 500, {"Content-Type": "application/json"}, failure
            if key in self.failed_keys:
                return 500, {"Content-Type": "application/json", "Idempotent-Replayed": "true"}, failure
        if self.delays and self.delays in path and method in ("POST", "PUT"):
            self.delays = None
            self.late.append((method, path, headers, body))
            return None
        return self.forward(method, path, headers, self.change(body))

    def forward(self, method, path, headers, body):
        skipped = ("host", "connection", "accept-encoding", "content-length")
        headers = {k: v for k, v in headers.items() if k.lower() not in skipped}
        got = requests.request(method, self.target + path, data=body or None, headers=headers, timeout=30)
        kept = {k: v for k, v in got.headers.items() if k.lower() in ("content-type", "request-id")}
        return got.status_code, kept, got.content

    def deliver(self):
        """What was kept on the way arrives."""
        waiting, self.late = self.late, []
        return [self.forward(*request)[0] for request in waiting]
