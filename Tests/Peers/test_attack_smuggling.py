"""Requests whose end two readers see in different places: what hides behind one is never done, at the counter itself
and with a real nginx before it, and nobody gets the answer to another's request over a connection that nginx keeps."""
import json
import socket
import ssl

import pytest
import requests

import counter
from nginx import Nginx


def hidden(host, key, order):
    body = json.dumps({"order_id": order, "amount": 100, "currency": "EUR"})
    return (f"POST /v1/payments HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            f"Idempotency-Key: k-{order}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}")


def order_of(way):
    """The order of the request that is hidden behind one."""
    return f"smuggled-{[*WAYS, *OTHERS].index(way)}"


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
    "capitals and a comma": ("Transfer-Encoding: ,CHUNKED\r\nContent-Length: {whole}\r\n", "0\r\n\r\n{hidden}"),
    "chunked twice": ("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n{hidden}"),
    "chunked, then identity": ("Transfer-Encoding: chunked, identity\r\nContent-Length: {whole}\r\n",
                               "0\r\n\r\n{hidden}"),
    "vertical tab before chunked": ("Transfer-Encoding: \x0bchunked\r\nContent-Length: {whole}\r\n",
                                    "0\r\n\r\n{hidden}"),
    "name with an underscore": ("Content_Length: 0\r\nContent-Length: {whole}\r\n", "{hidden}"),
    "length without digits": ("Content-Length: \r\n", "{hidden}"),
    "length with a space": ("Content-Length: 0 0\r\n", "{hidden}"),
    "chunk without its end": ("Transfer-Encoding: chunked\r\n", "2\r\n{{}}X0\r\n\r\n{hidden}"),
    "chunk's size and a space": ("Transfer-Encoding: chunked\r\n", "0 \r\n\r\n{hidden}"),
    "chunk's size in hexadecimal of C": ("Transfer-Encoding: chunked\r\n", "0x0\r\n\r\n{hidden}"),
    "framing in a trailer": ("Transfer-Encoding: chunked\r\n",
                             "0\r\nContent-Length: {whole}\r\nTransfer-Encoding: chunked\r\n\r\n"),
}

# Other requests that something hides behind; {whole} is the length of what is hidden.
OTHERS = {
    "a length for GET": "GET /healthz HTTP/1.1\r\n{usual}Content-Length: {whole}\r\n\r\n{hidden}",
    "a length for HEAD": "HEAD /healthz HTTP/1.1\r\n{usual}Content-Length: {whole}\r\n\r\n{hidden}",
    "a body that no route reads": "POST /healthz HTTP/1.1\r\n{usual}Content-Length: {whole}\r\n\r\n{hidden}",
    "a body of somebody unknown": "POST /v1/payments HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer x\r\n"
                                  "Content-Length: {whole}\r\n\r\n{hidden}",
    "go on first": "POST /v1/payments/none/cancel HTTP/1.1\r\n{usual}Expect: 100-continue\r\n"
                   "Content-Length: {whole}\r\n\r\n{hidden}",
    "HTTP/1.0 with chunks": "POST /v1/payments/none/cancel HTTP/1.0\r\n{usual}Connection: keep-alive\r\n"
                            "Transfer-Encoding: chunked\r\nContent-Length: {whole}\r\n\r\n0\r\n\r\n{hidden}",
    "HTTP/1.2": "GET /healthz HTTP/1.2\r\n{usual}Content-Length: {whole}\r\n\r\n{hidden}",
    "HTTP/0.9": "GET /healthz\r\n{hidden}",
    "an upgrade to HTTP/2": "GET /healthz HTTP/1.1\r\n{usual}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                            "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Length: {whole}\r\n\r\n{hidden}",
    "an upgrade to a socket": "GET /v1/events HTTP/1.1\r\n{usual}Connection: Upgrade\r\nUpgrade: websocket\r\n"
                              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n"
                              "Content-Length: {whole}\r\n\r\n{hidden}",
    "HTTP/2 as known before": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{hidden}",
    "two hosts": "GET /healthz HTTP/1.1\r\n{usual}Host: evil.example\r\nContent-Length: {whole}\r\n\r\n{hidden}",
    "two hosts in one": "GET /healthz HTTP/1.1\r\nHost: {host}, evil.example\r\nContent-Length: {whole}\r\n\r\n"
                        "{hidden}",
    "another host in the address": "GET http://evil.example/v1/payments HTTP/1.1\r\n{usual}Content-Length: {whole}"
                                   "\r\n\r\n{hidden}",
    "a line in the address": "GET /healthz%0d%0a%0d%0aGET%20/v1/payments HTTP/1.1\r\n{usual}Content-Length: {whole}"
                             "\r\n\r\n{hidden}",
    "a tunnel": "CONNECT {host} HTTP/1.1\r\n{usual}\r\n{hidden}",
    "connection drops the framing": "POST /v1/payments/none/cancel HTTP/1.1\r\n{usual}"
                                    "Connection: Content-Length\r\nContent-Length: {whole}\r\n\r\n{hidden}",
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
    inner = hidden(host, key, order_of(way))
    body = body.format(hidden=inner, chunked=chunk(inner), whole=len(inner.encode()))
    head = head.format(whole=len(body.encode()))
    return (f"POST /v1/payments/none/cancel HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            f"Idempotency-Key: k-outer\r\nContent-Type: application/json\r\n{head}\r\n{body}").encode()


def other(way, host, key):
    inner = hidden(host, key, order_of(way))
    usual = (f"Host: {host}\r\nAuthorization: Bearer {key}\r\nIdempotency-Key: k-outer\r\n"
             "Content-Type: application/json\r\n")
    return OTHERS[way].format(usual=usual, host=host, whole=len(inner.encode()), hidden=inner).encode()


def everything(host, key):
    """All attacks by their names."""
    return {**{way: attack(way, host, key) for way in WAYS}, **{way: other(way, host, key) for way in OTHERS}}


def final_answers(answer):
    """How many there are, those left out that only say to go on."""
    return answer.count(b"HTTP/1.1 ") - answer.count(b"HTTP/1.1 100 ")


def orders(server):
    return [p["order_id"] for p in server.request("GET", "/v1/payments?limit=100").json()["payments"]]


def kept_alive(upstream):
    """nginx as in the document, with one connection to the counter that it keeps for whoever comes next."""
    def change(site):
        place = f"proxy_pass {upstream};"
        assert site.count(place) == 1
        address = upstream.removeprefix("http://")
        return f"upstream till {{ server {address}; keepalive 1; }}\n" + site.replace(place, "proxy_pass http://till;")
    return change


@pytest.fixture(scope="module")
def counter_and_nginx(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smuggling")
    for name in ("nginx", "direct", "behind"):
        (folder / name).mkdir()
    with counter.Server(folder / "direct") as alone, \
            counter.Server(folder / "behind", "--trusted-proxies", "127.0.0.1") as server, \
            Nginx(folder / "nginx", server.url, kept_alive(server.url)) as nginx:
        server.known = [server.create(f"known-{number}", f"k-{number}").json()["id"] for number in range(3)]
        yield alone, server, nginx


def test_the_hidden_request_would_be_done_if_it_were_seen(tmp_path):
    with counter.Server(tmp_path) as server:
        host = server.url.removeprefix("http://")
        alone = hidden(host, server.api_key, "seen").encode()
        answer = exchange(socket.create_connection(("127.0.0.1", server.port)), alone)
        assert answer.startswith(b"HTTP/1.1 201") and orders(server) == ["seen"]
        both = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n" + hidden(host, server.api_key, "second")
        assert final_answers(exchange(socket.create_connection(("127.0.0.1", server.port)), both.encode())) == 2


def through(nginx, data):
    context = ssl.create_default_context(cafile=nginx.authority.certificate)
    return exchange(context.wrap_socket(
        socket.create_connection(("127.0.0.1", nginx.port)), server_hostname="127.0.0.1"), data)


@pytest.mark.parametrize("way", [*WAYS, *OTHERS])
def test_nothing_hides_behind_a_request(counter_and_nginx, way):
    alone, behind, nginx = counter_and_nginx
    host = alone.url.removeprefix("http://")
    answer = exchange(
        socket.create_connection(("127.0.0.1", alone.port)), everything(host, alone.api_key)[way])
    assert order_of(way) not in orders(alone), answer
    assert final_answers(answer) <= 1, answer
    assert b"HTTP/1.1 101" not in answer and b"HTTP/2" not in answer
    answer = through(nginx, everything(f"127.0.0.1:{nginx.port}", behind.api_key)[way])
    # What nginx itself takes for a second request, and answers, hides from nobody.
    assert order_of(way) not in orders(behind) or final_answers(answer) == 2, answer
    assert b"HTTP/1.1 101" not in answer
    # Whoever comes next over the connection that nginx has kept gets the answer to his own request.
    for payment in behind.known * 2:
        told = nginx.ask("GET", f"/v1/payments/{payment}", behind.api_key)
        assert told.status_code == 200 and told.json()["id"] == payment, (way, told.text)


@pytest.mark.parametrize("hosts", [("{host}", "{host}"), ("{host}", "evil.example"), ("{host}, evil.example",),
                                   ("{host} evil.example",), ("user@{host}",), ("{host}/x",), ("a" * 300,)])
def test_a_request_names_one_host(counter_and_nginx, hosts):
    """RFC 9112, 3.2: 400 to more than one host and to one that cannot be one."""
    alone, _, _ = counter_and_nginx
    host = alone.url.removeprefix("http://")
    lines = "".join(f"Host: {one.format(host=host)}\r\n" for one in hosts)
    answer = exchange(socket.create_connection(("127.0.0.1", alone.port)),
                      f"GET /v1/payments HTTP/1.1\r\n{lines}Authorization: Bearer {alone.api_key}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400"), answer


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "OPTIONS", "PURGE", "DEBUG", "PROPFIND"])
def test_no_method_echoes_a_request_or_opens_a_tunnel(counter_and_nginx, method):
    alone, _, _ = counter_and_nginx
    for path in ("/", "/v1/payments", "/healthz", "*", "127.0.0.1:22"):
        answer = exchange(socket.create_connection(("127.0.0.1", alone.port)), (
            f"{method} {path} HTTP/1.1\r\nHost: {alone.url.removeprefix('http://')}\r\nX-Echo: marked-4711\r\n"
            f"Authorization: Bearer {alone.api_key}\r\nConnection: close\r\n\r\n").encode())
        assert answer.split(b" ")[1] in (b"400", b"404", b"405"), answer
        assert b"marked-4711" not in answer and alone.api_key.encode() not in answer
    assert requests.get(alone.url + "/healthz", timeout=10).status_code == 200
