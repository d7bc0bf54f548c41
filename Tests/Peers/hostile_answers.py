"""Answers that are made to hurt whoever asked: gigabytes, dribbles, bombs, riddles. A gate stands before an honest
server, does there what was asked, and gives its own answer to it. Of our programs it knows nothing."""
import contextlib
import re
import socket
import threading
import time
import zlib

import requests

PAN = "4539148803436467"
SENT_AT_MOST = 192 << 20
PIECE = b"x" * 65_536


def head(status="200 OK", **fields):
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(body, status="200 OK", kind="application/json", **more):
    return head(status, Content_Type=kind, Content_Length=len(body), **more) + body


def pour(to, first, piece, after=b"", most=SENT_AT_MOST):
    """As much as is taken."""
    to.sendall(first)
    while to.poured < most:
        to.sendall(piece)
    to.sendall(after)


def drip(to, first, pieces, pause):
    """One piece after the other until the other side has had enough."""
    to.sendall(first)
    for piece in pieces:
        time.sleep(pause)
        to.sendall(piece)
    to.rest()


def for_ever(piece):
    while True:
        yield piece


def bomb(encoding):
    """A hundred megabytes in a tenth of one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    packed = packer.compress(b'{"a":"') + b"".join(packer.compress(PIECE) for _ in range(1_600)) + packer.flush()
    return whole(packed, Content_Encoding=encoding)


def changed(body, pattern, put):
    """The honest answer with something else in its place; without it, what is no answer at all."""
    found, count = re.subn(pattern, put, body)
    return whole(found if count else put.replace(rb"\g<1>", b""))


def poisoned(to, body):
    """An answer, and a second one that nobody has asked for."""
    to.sendall(whole(b"{}", "500 Internal Server Error") + whole(body))
    time.sleep(0.3)
    with contextlib.suppress(OSError):
        to.sendall(whole(body))


TOWER = ("x " + PAN + " " + "\u0301" * 300_000).encode()

# What comes instead of the honest answer, which is at hand as `body`: at once, or as long as it is let.
FAST = {
    "gigabytes announced": lambda to, body: pour(to, head(Content_Length=5 << 30), PIECE),
    "gigabytes in chunks": lambda to, body: pour(to, head(Transfer_Encoding="chunked"), b"10000\r\n" + PIECE + b"\r\n"),
    "gigabytes to the end": lambda to, body: pour(to, b"HTTP/1.0 200 OK\r\n\r\n", PIECE),
    "gigabytes of a refusal": lambda to, body: pour(to, head("402 Payment Required", Content_Length=1 << 40), PIECE),
    "headers without end": lambda to, body: pour(to, b"HTTP/1.1 200 OK\r\n", b"X-A: " + PIECE[:1_000] + b"\r\n"),
    "one header without end": lambda to, body: pour(to, b"HTTP/1.1 200 OK\r\nX-A: ", PIECE),
    "name without end": lambda to, body: pour(to, b"HTTP/1.1 200 OK\r\n", PIECE),
    "trailers without end": lambda to, body: pour(
        to, head(Transfer_Encoding="chunked") + b"2\r\n{}\r\n0\r\n", b"X-A: " + PIECE[:1_000] + b"\r\n"),
    "gzip bomb": lambda to, body: to.sendall(bomb("gzip")),
    "deflate bomb": lambda to, body: to.sendall(bomb("deflate")),
    "broken off": lambda to, body: to.sendall(head(Content_Length=len(body)) + body[:-1]),
    "chunks broken off": lambda to, body: to.sendall(head(Transfer_Encoding="chunked") + b"%x\r\n" % len(body) + body),
    "two lengths": lambda to, body: to.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: %d\r\n\r\n" % len(body) + body),
    "length below zero": lambda to, body: to.sendall(head(Content_Length=-1) + body),
    "length beyond counting": lambda to, body: to.sendall(head(Content_Length=1 << 64) + body),
    "chunk beyond counting": lambda to, body: to.sendall(
        head(Transfer_Encoding="chunked") + b"1" + b"0" * 16 + b"\r\n" + body),
    "lists in lists": lambda to, body: to.sendall(whole(b"[" * 400_000 + b"]" * 400_000)),
    "objects in objects": lambda to, body: to.sendall(whole(b'{"a":' * 150_000)),
    "elements in elements": lambda to, body: to.sendall(whole(b"<a>" * 300_000, kind="application/xml")),
    "a million values": lambda to, body: to.sendall(whole(b"[" + b"1," * 500_000 + b"1]")),
    "a member twice": lambda to, body: to.sendall(whole(body.rstrip()[:-1] + b',"id":"x","id":"y"}')),
    "1e400": lambda to, body: to.sendall(changed(
        body, rb'("(?:amount\w*|value|id|pspReference)": ?)"?[\w.]+"?|(?<=<amount>)[\d.]+', rb"\g<1>1e400")),
    "no UTF-8": lambda to, body: to.sendall(changed(body, rb'("(?:id|pspReference)": ?"|<id>)', b'\\g<1>\xff\xc3(')),
    "zeros": lambda to, body: to.sendall(whole(bytes(100_000))),
    "a page": lambda to, body: to.sendall(whole(b"<html><body>paid</body></html>", kind="text/html")),
    "nothing": lambda to, body: to.sendall(whole(b"")),
    "null": lambda to, body: to.sendall(whole(b"null")),
    "no content": lambda to, body: to.sendall(head("204 No Content")),
    "not modified": lambda to, body: to.sendall(head("304 Not Modified") + body),
    "two thousand": lambda to, body: to.sendall(whole(body, "2000 OK")),
    "status zero": lambda to, body: to.sendall(whole(body, "000 OK")),
    "status below zero": lambda to, body: to.sendall(whole(body, "-200 OK")),
    "HTTP/9.9": lambda to, body: to.sendall(whole(body).replace(b"HTTP/1.1", b"HTTP/9.9", 1)),
    "HTTP/2": lambda to, body: to.sendall(b"\0\0\x12\x04\0\0\0\0\0" + b"\0\x03\0\0\0\x64\0\x04\0\0\xff\xff" * 2),
    "no HTTP": lambda to, body: to.sendall(body),
    "another protocol": lambda to, body: to.sendall(
        head("101 Switching Protocols", Upgrade="h2c", Connection="Upgrade") + whole(body)),
    "null in a header": lambda to, body: to.sendall(b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\n{}"),
    "a second answer": poisoned,
    "a long word": lambda to, body: to.sendall(changed(
        body, rb'((?:"(?:status|resultCode)": ?")|<status>)[^"<]*', rb"\g<1>" + TOWER)),
    "another page": lambda to, body: to.sendall(
        head("302 Found", Location=to.elsewhere, Content_Length=len(body)) + body),
    "another page by the same means": lambda to, body: to.sendall(
        head("307 Temporary Redirect", Location=to.elsewhere, Content_Length=0)),
    "a file": lambda to, body: to.sendall(
        head("301 Moved Permanently", Location="file:///etc/passwd", Content_Length=0)),
}
SLOW = {
    "silence": lambda to, body: to.rest(),
    "head by bytes": lambda to, body: drip(to, b"", (bytes([byte]) for byte in whole(body)), 1),
    "body by bytes": lambda to, body: drip(to, head(Content_Length=len(body)), (bytes([byte]) for byte in body), 1),
    "chunks for ever": lambda to, body: drip(to, head(Transfer_Encoding="chunked"), for_ever(b"1\r\n \r\n"), 0.2),
    "all but the end": lambda to, body: drip(to, head(Transfer_Encoding="chunked"),
                                             [b"%x\r\n" % len(body) + body + b"\r\n"], 0),
    "early hints": lambda to, body: drip(to, b"", for_ever(head("103 Early Hints", Link="x")), 0.2),
    "go on for ever": lambda to, body: pour(to, b"", head("100 Continue", X=("y" * 900)) * 8, most=1 << 40),
    "status line for ever": lambda to, body: pour(to, b"HTTP/1.1 200 ", PIECE, most=1 << 40),
    "extension for ever": lambda to, body: pour(
        to, head(Transfer_Encoding="chunked") + b"2;", PIECE, most=1 << 40),
}


class Wire:
    """A connection on which somebody waits for an answer."""

    def __init__(self, connection, elsewhere):
        self.connection, self.elsewhere, self.poured = connection, elsewhere, 0

    def sendall(self, data):
        self.connection.sendall(data)
        self.poured += len(data)

    def rest(self):
        """Says nothing more until the other side goes."""
        with contextlib.suppress(OSError):
            while self.connection.recv(65_536):
                pass


class Listener:
    """Somebody who should hear nothing."""

    def __init__(self):
        self.heard, self.socket = 0, socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/steal"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                self.socket.accept()[0].close()
                self.heard += 1


def received(stream):
    """One request: method, path, fields, body. None at the end."""
    line = stream.readline()
    if not line.strip():
        return None
    method, path, _ = line.decode().split(" ", 2)
    fields = {}
    while (line := stream.readline()).strip():
        name, _, value = line.decode().partition(":")
        fields[name.strip().lower()] = value.strip()
    if fields.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(stream.readline(), 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
    else:
        body = stream.read(int(fields.get("content-length") or 0))
    return method, path, fields, body


class Gate:
    """Before an honest server. `way(request)` says how a request is answered; None: as the server does."""

    def __init__(self, target, way):
        self.target, self.way, self.poured, self.done = target, way, {}, []
        self.elsewhere = Listener()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.run, daemon=True).start()

    def close(self):
        for one in (self.socket, self.elsewhere.socket):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.socket.accept()[0],), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError, ValueError), connection, connection.makefile("rb") as stream:
            while request := received(stream):
                status, kind, body = self.forward(*request) if self.target else (200, "", b"{}")
                name = self.way(request, body)
                if name is None:
                    connection.sendall(whole(body, f"{status} Honest", kind))
                    continue
                wire = Wire(connection, self.elsewhere.url)
                self.done.append(name)
                try:
                    (FAST.get(name) or SLOW[name])(wire, body)
                finally:
                    self.poured[name] = max(wire.poured, self.poured.get(name, 0))
                return

    def forward(self, method, path, fields, body):
        kept = {k: v for k, v in fields.items()
                if k not in ("host", "connection", "accept-encoding", "content-length", "transfer-encoding")}
        got = requests.request(method, self.target + path, data=body or None, headers=kept, timeout=30,
                               allow_redirects=False)
        return got.status_code, got.headers.get("Content-Type", "application/json"), got.content


def peak(process):
    """The most memory that the process had since `forget_peak`, in MiB."""
    status = open(f"/proc/{process.pid}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) >> 10


def forget_peak(process):
    with open(f"/proc/{process.pid}/clear_refs", "w") as file:
        file.write("5")
