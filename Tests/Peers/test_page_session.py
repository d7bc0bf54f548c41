"""Who may act with the session of the counter's page: its own script, and nobody else.

The cookie comes with the browser whoever asks (another site's form, a name that was made to point here), so it is not
enough. And a session comes from a start address or a key alone: where a request seems to come from says nothing.
"""
import re
import subprocess
import time

import pytest
import requests

import counter

SALE = {"order_id": "o-1", "amount": 1250, "currency": "EUR"}


@pytest.fixture
def session(server):
    """A browser that has opened the page by a start address, and has its cookie."""
    return server.session()


def sell(session, server, **headers):
    headers = {"Idempotency-Key": "k-1", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return session.post(server.url + "/v1/payments", json=SALE, headers=headers, timeout=10)


def sign_in(server, secret, **headers):
    return requests.post(
        server.url + "/session", json=secret, headers={"X-Till-Page": "1", **headers}, timeout=10)


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
    code = server.start_url().split("#start=")[1]
    begun = sign_in(server, {"start_code": code}, Origin=origin)
    assert (begun.status_code, "set-cookie" in begun.headers) == (403, False), begun.text
    assert sign_in(server, {"start_code": code}).status_code == 204, "a foreign page has spent the code"


def test_nobody_gets_a_session_by_where_he_comes_from(server):
    port = server.url.rsplit(":", 1)[1]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "evil.example"):
        answer = requests.get(server.url + "/", headers={"Host": host}, timeout=10)
        assert answer.status_code == 200 and "set-cookie" not in answer.headers, host
        for path in ("/v1/payments", "/metrics", "/v1/events", "/v1/attention"):
            assert requests.get(server.url + path, headers={"Host": host}, timeout=10).status_code == 401, path


def test_metrics_are_open_to_anybody_only_if_the_shop_says_so(tmp_path):
    with counter.Server(tmp_path, env={"TILL_METRICS_OPEN": "true"}) as server:
        assert requests.get(server.url + "/metrics", timeout=10).status_code == 200
        assert requests.get(server.url + "/v1/payments", timeout=10).status_code == 401


def test_the_cookie_is_for_this_page_only(server):
    cookie = sign_in(server, {"key": server.api_key}).headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert word in cookie
    assert re.match(r"till_session_[0-9a-f]{8}=[0-9a-f]{64};", cookie) and "Secure" not in cookie
    wrong = {"Cookie": cookie.split(";")[0][:-1] + "x", "X-Till-Page": "1", "Idempotency-Key": "k-1"}
    answer = requests.post(server.url + "/v1/payments", json=SALE, headers=wrong, timeout=10)
    assert answer.status_code == 401, answer.text
    assert counter.API_KEY not in cookie


def test_a_start_address_is_good_once_and_named_by_the_command_line_too(server):
    first = server.start_url()
    assert first.startswith(server.url + "/#start="), "the counter printed none"
    made = counter.succeed("sign-in", "--journal", server.journal, "--json")
    assert made["start_url"].startswith(server.url + "/#start=") and made["valid_seconds"] == 600, made
    named = counter.succeed(
        "sign-in", "--journal", server.journal, "--json", "--url", "https://till.example/")["start_url"]
    assert named.startswith("https://till.example/#start="), named
    wrong = counter.till("sign-in", "--journal", server.journal, "--json", "--url", "till.example/x")
    assert wrong.code == 1 and wrong.json["error"]["code"] == "invalid_url", wrong
    for url in (first, made["start_url"], named):
        code = {"start_code": url.split("#start=")[1]}
        assert sign_in(server, code).status_code == 204
        again = sign_in(server, code)
        assert (again.status_code, again.json()["code"]) == (401, "start_code_spent"), again.text
        assert "till sign-in" in again.json()["next"]
    kept = b"".join(file.read_bytes() for file in server.folder.glob("journal.db*"))
    for url in (first, made["start_url"], named):
        assert url.split("#start=")[1].encode() not in kept, "the code itself lies in the journal"


def test_programs_are_given_the_start_address(tmp_path):
    with counter.Server(tmp_path, "--json") as server:
        assert counter.until(lambda: '"start_url":"' + server.url + "/#start=" in server.log.read_text())


def test_a_session_outlives_the_counter_and_ends_with_its_streams(server):
    session = server.session()
    server.stop()
    server.start()
    assert session.get(server.url + "/v1/payments", timeout=10).status_code == 200, "a restart has ended it"
    stream = session.get(server.url + "/v1/events", stream=True, timeout=30)
    assert stream.status_code == 200
    lines = stream.iter_content(None)
    next(lines)
    assert session.delete(server.url + "/session", timeout=10).status_code == 403, "a form can sign people out"
    began = time.monotonic()
    kept = dict(session.cookies)
    assert session.delete(server.url + "/session", headers={"X-Till-Page": "1"}, timeout=10).status_code == 204
    for _ in lines:
        pass
    assert time.monotonic() - began < 1, "a stream went on"
    assert not session.cookies, "the cookie was not taken back"
    assert requests.get(server.url + "/v1/payments", cookies=kept, timeout=10).status_code == 401


def test_a_session_that_another_counter_of_the_journal_ended_ends_here(server):
    with counter.Server(server.folder) as other:
        session = server.session()
        assert session.get(other.url + "/v1/payments", timeout=10).status_code == 200
        stream = session.get(server.url + "/v1/events", stream=True, timeout=30)
        assert stream.status_code == 200
        lines = stream.iter_content(None)
        next(lines)
        began = time.monotonic()
        assert session.delete(other.url + "/session", headers={"X-Till-Page": "1"}, timeout=10).status_code == 204
        for _ in lines:
            pass
        assert time.monotonic() - began < 4, "the stream went on"


def test_two_counters_of_a_machine_have_sessions_of_their_own(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    with counter.Server(folders[0]) as one, counter.Server(folders[1]) as two:
        session = one.session()
        code = {"start_code": two.start_url().split("#start=")[1]}
        assert session.post(
            two.url + "/session", json=code, headers={"X-Till-Page": "1"}, timeout=10).status_code == 204
        for server in (one, two):
            assert session.get(server.url + "/v1/payments", timeout=10).status_code == 200, server.url


def test_guessing_is_slow_logged_and_keeps_no_owner_out(server):
    statuses = []
    while 429 not in statuses and len(statuses) < 100:
        statuses.append(sign_in(server, {"key": f"guess-{len(statuses)}"}).status_code)
    assert statuses[:4] == [401] * 4 and statuses[-1] == 429, statuses
    refused = sign_in(server, {"key": "guess"})
    assert refused.headers["Retry-After"] and "till sign-in" in refused.json()["next"], refused.text
    server.session()
    assert "sign-in refused" in server.log.read_text() and "127.0.0.1" in server.log.read_text()
    assert "guess-0" not in server.log.read_text()
    figures = server.request("GET", "/metrics").text
    assert int(re.search(r"(?m)^till_sign_in_refused_total (\d+)$", figures)[1]) >= len(statuses) + 1


def test_no_other_program_sees_the_code_of_a_page_that_is_opened(tmp_path):
    """On a desktop the browser is started with a file that only its owner can read."""
    programs = tmp_path / "programs"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text('#!/bin/sh\n{ echo "$#" "$1"; stat -c %a "$1" "$(dirname "$1")"; cat "$1"; } > "$OPENED"\n')
    opener.chmod(0o755)
    opened, port = tmp_path / "opened", counter.free_port()

    def serve(**more):
        opened.unlink(missing_ok=True)
        env = f"OPENED={opened} DISPLAY=:9 PATH={programs}:$PATH TMPDIR={tmp_path} " + " ".join(
            f"{name}={value}" for name, value in more.items())
        command = f"{env} {counter.binary()} serve --port {port} --journal {tmp_path}/journal.db"
        with open(tmp_path / "log", "w") as log:
            # A terminal of its own.
            process = subprocess.Popen(
                ["script", "-qfec", command, "/dev/null"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        counter.Server.started.append(process)
        counter.wait_for(f"http://127.0.0.1:{port}/healthz", process, tmp_path / "log")
        found = counter.until(lambda: opened.exists() and "refresh" in opened.read_text(), 3)
        process.terminate()
        process.wait(15)
        return found

    assert serve(), (tmp_path / "log").read_text()
    lines = opened.read_text().splitlines()
    assert lines[0].startswith("1 /") and lines[0].endswith("start.html") and lines[1:3] == ["600", "700"], lines
    assert f"http://127.0.0.1:{port}/#start=" in opened.read_text()
    assert not serve(TILL_OPEN_BROWSER="false"), "the setting does not turn it off"
