"""Who may act with the session of the counter's page: its own script, under the machine's own name, and nobody else.

The cookie comes with the browser whoever asks (another site's form, a name that was made to point here), so it is not
enough.
"""
import pytest
import requests

import counter

SALE = {"order_id": "o-1", "amount": 1250, "currency": "EUR"}


@pytest.fixture
def session(server):
    """A browser that has opened the page, and has its cookie."""
    session = requests.Session()
    assert session.get(server.url + "/", timeout=10).status_code == 200
    assert session.cookies, "the page of this machine came without a session"
    return session


def sell(session, server, **headers):
    headers = {"Idempotency-Key": "k-1", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return session.post(server.url + "/v1/payments", json=SALE, headers=headers, timeout=10)


def payments(server):
    return server.request("GET", "/v1/payments").json()


def test_the_pages_own_script_sells(session, server):
    answer = sell(session, server, X_Till_Page="1", Origin=server.url)
    assert answer.status_code == 201, answer.text
    assert sell(requests.Session(), server, X_Till_Page="1").status_code == 401, "the mark is no key"


@pytest.mark.parametrize("mark", [{}, {"X_Till_Page": "0"}])
def test_a_request_that_a_form_can_send_changes_nothing(session, server, mark):
    answer = sell(session, server, **mark)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page"), answer.text
    assert "o-1" not in str(payments(server))


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null"])
def test_another_sites_page_changes_and_reads_nothing(session, server, origin):
    answer = sell(session, server, X_Till_Page="1", Origin=origin)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page"), answer.text
    read = session.get(server.url + "/v1/payments", headers={"Origin": origin}, timeout=10)
    assert (read.status_code, read.json()["code"]) == (403, "foreign_page"), read.text
    assert "o-1" not in str(payments(server))


def test_a_name_that_was_made_to_point_here_gets_no_session(server):
    port = server.url.rsplit(":", 1)[1]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}"):
        answer = requests.get(server.url + "/", headers={"Host": host}, timeout=10)
        assert "set-cookie" not in answer.headers, host
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}"):
        assert "set-cookie" in requests.get(server.url + "/", headers={"Host": host}, timeout=10).headers, host


def test_the_cookie_is_for_this_page_only(server):
    cookie = requests.get(server.url + "/", timeout=10).headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert word in cookie
    wrong = {"Cookie": cookie.split(";")[0][:-1] + "x", "X-Till-Page": "1", "Idempotency-Key": "k-1"}
    answer = requests.post(server.url + "/v1/payments", json=SALE, headers=wrong, timeout=10)
    assert answer.status_code == 401, answer.text
    assert counter.API_KEY not in cookie
