"""Keys of programs as their owner handles them, against a running counter: scopes, ends, replacement, revocation by
another process, and people who guess."""
import json
import os
import re
import sqlite3
import subprocess
import threading
import time

import pytest
import requests
from streams import Stream

import counter


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms") as running:
        yield running


@pytest.fixture
def keys(server):
    def run(*arguments):
        return counter.till("keys", *arguments, "--journal", server.journal, "--json")

    return run


def made(keys, *arguments):
    answer = keys("create", *arguments)
    assert answer.code == 0, answer
    return answer.json


def asking(server, key, method="GET", path="/v1/payments", **options):
    return requests.request(method, server.url + path, headers={
        "Authorization": "Bearer " + key, "Idempotency-Key": "k-1"}, timeout=20, **options)


def listed(keys):
    return {key["id"]: key for key in keys("list").json["keys"]}


def test_a_key_may_do_what_its_scopes_say(server, keys):
    clerk = made(keys, "--label", "Front", "--scope", "read,sell", "--expires", "90d", "--actor", "anna")
    assert clerk["scopes"] == ["read", "sell"] and clerk["label"] == "Front" and clerk["account"] == "main"
    assert clerk["created_by"] == "anna" and clerk["expires_at"] > clerk["created_at"]
    assert re.fullmatch(r"till_[0-9a-f]{64}", clerk["key"]) and re.fullmatch(r"key_[0-9a-z]{12}", clerk["id"])
    sale = asking(server, clerk["key"], "POST", json={"amount": 1250, "currency": "EUR"})
    assert sale.status_code == 201, sale.text
    payment = f"/v1/payments/{sale.json()['id']}"
    paid = asking(server, clerk["key"], "POST", payment + "/confirm", json={"tender": {"type": "cash"}})
    assert paid.json()["status"] == "succeeded"
    refused = asking(server, clerk["key"], "POST", payment + "/refunds", json={})
    assert refused.status_code == 403 and refused.headers["Content-Type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "permission_missing" and problem["money_moved"] == "no"
    assert problem["scope_needed"] == "refund" and problem["scopes"] == ["read", "sell"]
    assert "refund" in problem["detail"] and "--scope refund" in problem["next"]
    owner = made(keys, "--scope", "all")
    assert asking(server, owner["key"], "POST", payment + "/refunds", json={}).status_code == 201
    again = asking(server, clerk["key"], "POST", payment + "/refunds", json={})
    assert again.status_code == 403, "the answer to somebody else's refund is none of its business"


def test_what_nobody_says_is_the_least(keys):
    assert made(keys)["scopes"] == ["read", "sell"]


def test_a_session_of_the_page_may_do_no_more_than_the_key_that_began_it(server, keys):
    reader = made(keys, "--scope", "read")
    page = requests.Session()
    page.headers.update({"X-Till-Page": "1", "Origin": server.url})
    assert page.post(server.url + "/session", json={"key": reader["key"]}, timeout=10).status_code == 204
    assert page.get(server.url + "/v1/payments", timeout=10).status_code == 200
    sale = page.post(server.url + "/v1/payments", json={"amount": 1, "currency": "EUR"},
                     headers={"Idempotency-Key": "s"}, timeout=10)
    assert sale.status_code == 403 and sale.json()["scope_needed"] == "sell"
    assert keys("revoke", reader["id"]).code == 0
    assert counter.until(
        lambda: page.get(server.url + "/v1/payments", timeout=10).status_code == 401, 2), "its session ends with it"


def test_a_key_that_another_process_revokes_ends_within_a_second(server, keys):
    lost, kept = made(keys, "--label", "lost laptop"), made(keys)
    streams = [Stream(server, lost["key"]) for _ in range(3)]
    other = Stream(server, kept["key"])
    assert asking(server, lost["key"]).status_code == 200
    answer = keys("revoke", lost["id"], "--actor", "bea")
    revoked = time.monotonic()
    assert answer.code == 0 and answer.json["revoked_at"] and answer.json["revoked_by"] == "bea"
    assert counter.until(lambda: all(stream.ended for stream in streams), 3), "streams go on"
    assert max(stream.ended for stream in streams) - revoked < 1.0
    time.sleep(max(0.0, revoked + 1.0 - time.monotonic()))
    refused = asking(server, lost["key"])
    assert refused.status_code == 401 and refused.json()["code"] == "key_revoked" and lost["id"] in refused.text
    assert asking(server, kept["key"]).status_code == 200 and other.ended is None
    again = keys("revoke", lost["id"])
    assert again.code == 1 and again.json["error"]["code"] == "key_revoked_before"
    assert keys("revoke", "key_nobody").json["error"]["code"] == "key_not_found"
    assert listed(keys)[lost["id"]]["revoked_at"] == answer.json["revoked_at"]


def test_a_key_expires_with_its_streams(server, keys):
    short = made(keys, "--expires", "3s")
    stream = Stream(server, short["key"])
    assert asking(server, short["key"]).status_code == 200
    assert counter.until(lambda: stream.ended, 6)
    refused = asking(server, short["key"])
    assert refused.status_code == 401 and refused.json()["code"] == "key_expired"
    assert "expired" in refused.json()["detail"]


def test_a_device_renews_its_session_until_it_is_revoked(server, keys):
    session = made(keys, "--label", "iPad 3", "--expires", "15min", "--renewable", "30d")
    assert session["renewable_until"] > session["expires_at"]
    renewed = asking(server, session["key"], "POST", "/v1/keys/renew")
    assert renewed.status_code == 200, renewed.text
    assert renewed.json()["id"] == session["id"] and 800 < renewed.json()["expires_in"] <= 900
    assert "key" not in renewed.json()
    plain = asking(server, made(keys)["key"], "POST", "/v1/keys/renew")
    assert plain.status_code == 409 and plain.json()["code"] == "key_not_renewable"
    assert keys("revoke", session["id"]).code == 0
    assert counter.until(lambda: asking(
        server, session["key"], "POST", "/v1/keys/renew").json().get("code") == "key_revoked", 2)


def test_a_key_is_replaced_at_once_or_after_a_grace(server, keys):
    first = made(keys, "--label", "Shop", "--scope", "read", "--expires", "30d")
    graced = keys("rotate", first["id"], "--grace", "3s").json
    assert graced["scopes"] == ["read"] and graced["label"] == "Shop" and graced["replaced"]["id"] == first["id"]
    assert asking(server, first["key"]).status_code == 200 and asking(server, graced["key"]).status_code == 200
    at_once = keys("rotate", graced["id"]).json
    assert counter.until(lambda: asking(server, graced["key"]).json().get("code") == "key_revoked", 2)
    assert counter.until(lambda: asking(server, first["key"]).json().get("code") == "key_expired", 5)
    assert asking(server, at_once["key"]).status_code == 200
    assert keys("rotate", graced["id"]).json["error"]["code"] == "key_revoked_before"


def test_the_last_use_is_known_and_seldom_written(server, keys):
    key = made(keys)
    assert listed(keys)[key["id"]]["last_used_at"] is None
    for _ in range(50):
        assert asking(server, key["key"]).status_code == 200
    assert counter.until(lambda: listed(keys)[key["id"]]["last_used_at"], 5)
    for _ in range(50):
        asking(server, key["key"])
    time.sleep(1)
    with sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True) as journal:
        versions = journal.execute("SELECT version FROM record WHERE collection = 'api_key_use'").fetchall()
    assert versions == [(1,)], "a minute is not over, so it was written once"


def test_keys_that_the_release_before_wrote_are_in_the_list_and_can_be_revoked(server, keys):
    key = made(keys, "--scope", "all")
    server.stop()
    with sqlite3.connect(server.journal) as journal:
        # As it was written then: no name, no scopes, and found by nothing but its digest.
        journal.execute("UPDATE record SET body = ? WHERE collection = 'api_key'",
                        (b'{"account":"main","label":"of before"}',))
        journal.execute("DELETE FROM record_field WHERE collection = 'api_key'")
    server.start()
    (old,) = listed(keys).values()
    assert old["label"] == "of before" and old["id"] != key["id"] and len(old["scopes"]) == 6
    assert asking(server, key["key"]).status_code == 200
    assert keys("revoke", old["id"]).code == 0
    assert counter.until(lambda: asking(server, key["key"]).status_code == 401, 2)


@pytest.mark.parametrize("arguments, code", [
    (["create", "--scope", "read,fly"], "unknown_scope"), (["create", "--scope", ""], "unknown_scope"),
    (["create", "--expires", "soon"], "invalid_time"), (["create", "--expires", "99999d"], "invalid_time"),
    (["create", "--renewable", "30d"], "invalid_device_session"),
    (["create", "--label", " "], "invalid_label"), (["rotate", "key_nobody"], "key_not_found"),
    (["revoke", "key_nobody"], "key_not_found")])
def test_what_cannot_be_done_is_said(tmp_path, arguments, code):
    answer = counter.till("keys", *arguments, "--journal", counter.made(tmp_path / "journal.db"), "--json")
    assert answer.code == 1 and answer.json["error"]["code"] == code, answer
    assert answer.json["error"]["next"] and answer.out.count("\n") == 1


def test_the_list_fits_a_terminal_and_never_shows_a_key(tmp_path):
    common = ["--journal", str(tmp_path / "journal.db")]
    shown, label = [], "A label that is rather long, about the kitchen's tablet " * 2
    for scope in ("all", "read,sell,refund,readers,offline", "admin"):
        answer = counter.till("keys", "create", "--label", label, "--scope", scope, "--expires", "90d", *common)
        assert answer.code == 0 and re.fullmatch(r"till_[0-9a-f]{64}\n", answer.out), answer
        shown.append(answer.out.strip())
    answer = counter.till("keys", "list", *common)
    lines = answer.out.splitlines()
    assert len(lines) == 6 and all(len(line) <= 80 for line in lines), answer
    assert "read,sell,refund,readers,offline" in answer.out and "never used" in answer.out
    assert not any(key[5:] in answer.out for key in shown)
    assert counter.till("keys", "list", "--account", "other", *common).out == "No keys.\n"


def test_a_key_of_the_settings_must_not_be_easy_to_guess(tmp_path):
    common = [counter.binary(), "serve", "--port", str(counter.free_port()), "--journal", str(tmp_path / "j.db")]
    for weak in ("secret", "k" * 64, "0123456789abcdef"):
        done = subprocess.run([*common, "--json"], env={**os.environ, "TILL_API_KEY": weak}, capture_output=True,
                              text=True, timeout=30)
        assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == "invalid_setting", done
        assert weak not in done.stdout + done.stderr and "128 bits" in done.stdout


def test_a_key_on_the_command_line_is_taken_with_a_warning(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--api-key", "0123456789abcdef" * 2) as server:
        assert asking(server, "0123456789abcdef" * 2).status_code == 200
        log = server.log.read_text()
        assert log.count("--api-key stands on the command line, where other users of this machine can see it") == 1
        assert "set TILL_API_KEY." in log and "0123456789abcdef" not in log


@pytest.mark.parametrize("command", [["payments", "list"], ["doctor"], ["keys", "list"]])
def test_every_command_warns_of_secrets_among_its_arguments_once(tmp_path, command):
    answer = counter.till(
        *command, "--journal", tmp_path / "journal.db", "--json", "--provider", "sandbox", "--stripe-key",
        "sk_test_visiblekey", "--paypal-secret", "visiblekey", "--provider-setting", "adyen.key=visiblekey")
    for name, variable in (("--stripe-key", "TILL_STRIPE_KEY"), ("--paypal-secret", "TILL_PAYPAL_SECRET"),
                           ("“adyen.key”", "TILL_ADYEN_KEY")):
        assert answer.err.count(f"{name} stands on the command line") == 1, answer
        assert f"set {variable}." in answer.err
    assert "visiblekey" not in answer.out + answer.err and answer.out.count("\n") == 1, answer
    quiet = counter.till(*command, "--journal", tmp_path / "journal.db", "--json", "--provider", "sandbox",
                         env={"TILL_STRIPE_KEY": "sk_test_visiblekey"})
    assert "command line" not in quiet.err, quiet


def test_who_guesses_waits_and_who_has_a_key_does_not(server):
    def guess(number):
        return requests.get(server.url + "/v1/payments", headers={"Authorization": f"Bearer till_{number:064x}"},
                            timeout=30)

    began = time.monotonic()
    for number in range(10):
        assert guess(number).status_code == 401
    assert time.monotonic() - began < 2
    began = time.monotonic()
    threads = [threading.Thread(target=guess, args=(number,)) for number in range(10, 40)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    for _ in range(20):
        right = time.monotonic()
        assert server.request("GET", "/v1/payments").status_code == 200
        assert time.monotonic() - right < 1
    for thread in threads:
        thread.join()
    assert time.monotonic() - began > 1.5
    assert "\ntill_keys_refused_total 40\n" in server.request("GET", "/metrics").text
    log = server.log.read_text()
    assert log.count("came with a wrong key") == 1, "one line a minute"
