"""Requests whose end two readers see in different places: what hides behind one is never done, at the counter itself
and with a real nginx before it."""
import json
import socket
import ssl

import pytest
from test_nginx import Nginx

import counter

HIDDEN_BODY = json.dumps({"order_id": "smuggled", "amount": 100, "currency": "EUR"})


def hidden(host, key):
    return (f"POST /v1/payments HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            f"Idempotency-Key: k-hidden\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(HIDDEN_BODY)}\r\n\r\n{HIDDEN_BODY}")


def chunk(text):
    return f"{len(text.encode()):x}\r\n{text}\r\n"


# The framing, and what stands behind the head; {whole} is the length of all of it.
WAYS = {
    "both, length first": ("Content-Length: {whole}\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n{hidden}"),
    "both, chunks first": ("Transfer-Encoding: chunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "both, short length": ("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "{chunked}0\r\n\r\n"),
    "two encodings": ("Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n", "0\r\n\r\n{hidden}"),
    "unknown encoding": ("Transfer-Encoding: xchunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "space before the colon": ("Transfer-Encoding : chunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "tab in the encoding": ("Transfer-Encoding:\tchunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "folded line": ("Transfer-Encoding:\r\n chunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "folded away": ("X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n{hidden}"),
    "encoding in quotes": ('Transfer-Encoding: "chunked"\r\nContent-Length: {whole}\r\n', "0\r\n\r\n{hidden}"),
    "identity, then chunks": ("Transfer-Encoding: identity, chunked\r\nContent-Length: {whole}\r\n",
                              "0\r\n\r\n{hidden}"),
    "two lengths": ("Content-Length: 0\r\nContent-Length: {whole}\r\n", "{hidden}"),
    "two lengths the other way": ("Content-Length: {whole}\r\nContent-Length: 0\r\n", "{hidden}"),
    "lengths with a comma": ("Content-Length: 0, {whole}\r\n", "{hidden}"),
    "length with a sign": ("Content-Length: +0\r\n", "{hidden}"),
    "length below zero": ("Content-Length: -1\r\n", "{hidden}"),
    "length in hexadecimal": ("Content-Length: 0x0\r\n", "{hidden}"),
    "length too large to count": ("Content-Length: 18446744073709551616\r\n", "{hidden}"),
    "bare line feeds": ("Transfer-Encoding: chunked\nContent-Length: {whole}\r\n", "0\n\n{hidden}"),
    "bare carriage return": ("X: y\rTransfer-Encoding: chunked\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "chunk's size with a sign": ("Transfer-Encoding: chunked\r\n", "+0\r\n\r\n{hidden}"),
    "chunk's size too large": ("Transfer-Encoding: chunked\r\n", "10000000000000000\r\n{hidden}"),
    "extension with a line feed": ("Transfer-Encoding: chunked\r\n", "2;\nxx\r\n{hidden}"),
    "null in a header": ("X: a\0b\r\nContent-Length: {whole}\r\n", "{hidden}"),
}


def exchange(connection, data):
    """What comes back until the other side ends, or says nothing for a moment."""
    connection.settimeout(1.5)
    answer = b""
    try:
        connection.sendall(data)
        while piece := connection.recv(65_536):
            answer += piece
    except (TimeoutError, OSError):
        pass
    connection.close()
    return answer


def attack(way, host, key):
    head, body = WAYS[way]
    inner = hidden(host, key)
    body = body.format(hidden=inner, chunked=chunk(inner))
    head = head.format(whole=len(body.encode()))
    return (f"POST /v1/payments/none/cancel HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            f"Idempotency-Key: k-outer\r\nContent-Type: application/json\r\n{head}\r\n{body}").encode()


def orders(server):
    return [p["order_id"] for p in server.request("GET", "/v1/payments?limit=100").json()["payments"]]


@pytest.fixture(scope="module")
def counter_and_nginx(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smuggling")
    proxied = folder / "nginx"
    proxied.mkdir()
    direct = folder / "direct"
    direct.mkdir()
    behind = folder / "behind"
    behind.mkdir()
    with counter.Server(direct) as alone, counter.Server(behind, "--trusted-proxies", "127.0.0.1") as server, \
            Nginx(proxied, server.url) as nginx:
        yield alone, server, nginx


def test_the_hidden_request_would_be_done_if_it_were_seen(tmp_path):
    with counter.Server(tmp_path) as server:
        host = server.url.removeprefix("http://")
        answer = exchange(socket.create_connection(("127.0.0.1", server.port)), hidden(host, server.api_key).encode())
        assert answer.startswith(b"HTTP/1.1 201") and orders(server) == ["smuggled"]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_hides_behind_a_request(counter_and_nginx, way):
    alone, behind, nginx = counter_and_nginx
    host = alone.url.removeprefix("http://")
    answer = exchange(
        socket.create_connection(("127.0.0.1", alone.port)), attack(way, host, alone.api_key))
    assert "smuggled" not in orders(alone), answer
    context = ssl.create_default_context(cafile=nginx.authority.certificate)
    secured = context.wrap_socket(socket.create_connection(("127.0.0.1", nginx.port)), server_hostname="127.0.0.1")
    answer = exchange(secured, attack(way, f"127.0.0.1:{nginx.port}", behind.api_key))
    assert "smuggled" not in orders(behind), answer
