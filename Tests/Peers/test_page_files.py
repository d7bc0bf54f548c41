"""The pages' files as they are sent: compressed for whoever takes it, never what is no file, and not a second time to
whoever has them. The judges are Python's gzip and its client for HTTP."""
import gzip
import http.client

import pytest

import counter

ASSETS = counter.ROOT / "Sources" / "TillFeatures" / "Page" / "Assets"
FILES = sorted("/" + file.name for file in ASSETS.rglob("*") if file.suffix in (".js", ".css", ".yaml"))
PAGES = ["/", "/payments", "/day", "/insights", "/settings", "/docs", "/kitchen"]
# Of other features, read by customers' pages.
OTHERS = ["/card/client.js", "/card/frame.css", "/applepay/client.js", "/applepay/client.css", "/kitchen.js"]


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def ask(server):
    """Asks over one connection, which every answer has to leave in order."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    def asked(path, coding="identity", method="GET", **headers):
        line.request(method, path, headers={"Accept-Encoding": coding, **headers})
        answer = line.getresponse()
        return answer, answer.read()

    yield asked
    line.close()


@pytest.mark.parametrize("paths", [FILES, PAGES, OTHERS], ids=["files", "pages", "others"])
def test_a_compressed_file_has_the_bytes_of_the_plain_one(ask, paths):
    assert len(paths) >= 5
    for path in paths:
        plain, whole = ask(path)
        assert plain.status == 200 and plain.headers["Content-Encoding"] is None, path
        for coding in ("gzip", "br;q=1, gzip;q=0.8, *;q=0.1"):
            packed, short = ask(path, coding)
            assert packed.status == 200 and packed.headers["Content-Encoding"] == "gzip", path
            assert gzip.decompress(short) == whole, path
            assert len(short) < len(whole), path
            assert packed.headers["Content-Length"] == str(len(short)), path
        for answer in (plain, packed):
            assert "Accept-Encoding" in answer.headers["Vary"], path
        assert plain.headers["ETag"] != packed.headers["ETag"], path
        assert plain.headers["Content-Type"] == packed.headers["Content-Type"], path


def test_who_refuses_gzip_gets_none(ask):
    for coding in ("identity", "br", "gzip;q=0", "gzip;q=0, *", "*;q=0", "gzip;q=nonsense", ""):
        answer, body = ask("/counter.js", coding)
        assert answer.headers["Content-Encoding"] is None and b"\nimport {" in body, coding


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_what_a_browser_has_is_not_sent_again(ask, coding):
    for path in ("/counter.js", "/design.css", "/", "/card/client.js"):
        first, body = ask(path, coding)
        tag = first.headers["ETag"]
        head, nothing = ask(path, coding, "HEAD")
        assert nothing == b"" and head.headers["Content-Length"] == str(len(body)), path
        assert head.headers["ETag"] == tag, path
        for method in ("GET", "HEAD"):
            again, nothing = ask(path, coding, method, **{"If-None-Match": tag})
            assert again.status == 304 and nothing == b"", path
            assert again.headers["ETag"] == tag and again.headers["Vary"] == first.headers["Vary"], path
            assert again.headers["Content-Length"] is None and again.headers["Transfer-Encoding"] is None, path
            assert again.headers["Content-Security-Policy"] == first.headers["Content-Security-Policy"], path
        other, whole = ask(path, "gzip" if coding == "identity" else "identity", **{"If-None-Match": tag})
        assert other.status == 200 and whole, path


def test_answers_with_data_are_never_compressed(server):
    made = server.create("A", "a", 1250)
    assert made.status_code == 201, made.text
    session = server.session()
    for name in range(20):
        server.create(f"Many-{name}", f"many-{name}", 1250)
    for answer in (
        server.request("GET", "/v1/payments", **{"Accept-Encoding": "gzip"}),
        server.request("GET", "/v1/payments/" + made.json()["id"], **{"Accept-Encoding": "gzip"}),
        session.get(
            server.url + "/session/person", headers={"Accept-Encoding": "gzip", "X-Till-Page": "1"}, timeout=10),
        server.request("GET", "/metrics", **{"Accept-Encoding": "gzip"}),
    ):
        assert answer.status_code == 200, answer.text
        assert "Content-Encoding" not in answer.headers, answer.url
