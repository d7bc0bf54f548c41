"""The audit log by another hand: Python computes its chain anew from the export, and files are changed as somebody with
access to the machine could do it. And who did what stands in every event."""
import csv
import hashlib
import http.client
import io
import json
import os
import pathlib
import pwd
import sqlite3
import subprocess
import threading
import time

import pytest
import requests
from playwright.sync_api import expect
from staff import Staff

import clerk as counter_page
import counter

USER = pwd.getpwuid(os.geteuid()).pw_name


def chain(export):
    """The rule of docs/AUDIT.md, with nothing of ours: the entries, if each link fits; else a sentence."""
    lines = export.encode().splitlines()
    head = json.loads(lines[0])
    assert head["audit"] == "till-audit/1"
    place, link = head["base"].split(":")
    place, link, entries = int(place), bytes.fromhex(link), []
    for line in lines[1:]:
        told = json.loads(line)
        body = line[len(b'{"hash":"') + 64 + len(b'","entry":'):-1]
        link = hashlib.sha256(link + body).digest()
        entry = json.loads(body)
        place += 1
        if told["hash"] != link.hex() or entry["sequence"] != place or entry != told["entry"]:
            return f"entry {place} does not fit"
        entries.append(entry)
    if head["whole"] and head["head"] != f"{place}:{link.hex()}":
        return f"it ends at {place}, and its head is {head['head']}"
    return entries


def export(journal, *more):
    answer = counter.till("audit", "export", "--journal", journal, *more)
    assert answer.code == 0, answer
    return answer.out


def entries(journal, *more):
    found = chain(export(journal, *more))
    assert isinstance(found, list), found
    return found


def of(found, action):
    return [e for e in found if e["action"] == action]


@pytest.fixture
def journal(tmp_path):
    """Its first entry is the mode that it was given, the others are three keys."""
    path = tmp_path / "journal.db"
    for label in ("one", "two", "three"):
        counter.succeed("keys", "create", "--label", label, "--journal", path, "--json")
    return path


def test_export_is_checked_by_another_program(journal):
    found = entries(journal)
    assert [e["action"] for e in found] == ["journal.mode_changed"] + ["key.created"] * 3
    assert [e["by"] for e in found] == [{"kind": "os_user", "id": str(os.geteuid()), "name": USER}] * 4
    whole = export(journal)
    changed = whole.replace('"two"', '"TWO"')
    assert changed != whole and chain(changed) == "entry 3 does not fit"
    lines = whole.splitlines(keepends=True)
    assert chain("".join(lines[:2] + lines[3:])) == "entry 2 does not fit"
    assert chain("".join(lines[:-1])).startswith("it ends at 3, and its head is 4:")


@pytest.mark.parametrize("sql, finding", [
    ("UPDATE audit SET body = replace(body, 'two', 'TWO')", "the entry 3 of the audit log is not what was written"),
    ("DELETE FROM audit WHERE sequence = 2", "the entry 2 of the audit log is missing"),
    ("DELETE FROM audit WHERE sequence = 4", "the audit log ends at entry 3, and entry 4 was written"),
])
def test_verify_names_what_was_changed(journal, sql, finding):
    with sqlite3.connect(journal) as database:
        database.execute(sql)
    answer = counter.till("journal", "verify", "--journal", journal, "--json")
    assert answer.code == 1 and any(finding in p for p in answer.json["problems"]), answer


def seal(collection, key, body):
    """The rule of docs/AUDIT.md."""
    digits = hashlib.sha256(f"{collection}/{key}".encode() + b"\0" + body).hexdigest()
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digits)


@pytest.fixture
def staffed(tmp_path):
    """A journal with an owner, a cashier and a role, all made the regular way."""
    path = tmp_path / "journal.db"
    for arguments in (["staff", "add", "Olga", "--role", "owner", "--without-pin"],
                      ["staff", "add", "Carl", "--role", "cashier", "--without-pin"],
                      ["roles", "set", "lead", "--permissions", "sell"],
                      ["roles", "set", "gone", "--permissions", "sell"],
                      ["staff", "set-role", "Carl", "lead"], ["staff", "disable", "Carl"], ["staff", "enable", "Carl"],
                      ["staff", "set-role", "Carl", "cashier"], ["roles", "remove", "gone"]):
        answer = counter.till(*arguments, "--journal", path, "--json")
        assert answer.code == 0, answer
    answer = counter.till("journal", "verify", "--journal", path, "--json")
    assert answer.code == 0 and answer.json["notices"] == [], answer
    return path


def test_seals_are_computed_by_another_program(staffed):
    with sqlite3.connect(staffed) as database:
        rows = database.execute("SELECT collection, key, body FROM record WHERE collection IN ('staff', 'staff_role')")
        seals = {key: seal(collection, key, body) for collection, key, body in rows}
    assert len(seals) == 3
    found = {}
    for entry in entries(staffed):
        changes = {change["name"]: change for change in entry.get("changes", [])}
        if "record" in changes:
            found[entry["subject"]] = changes["record"].get("after")
            whole = changes["staff_records"]["after"]
    assert {key.removeprefix("main/"): value for key, value in seals.items()} == {
        key: value for key, value in found.items() if value}
    digits = hashlib.sha256("".join(sorted(seals.values())).encode()).hexdigest()
    assert whole == "".join(chr(ord("a") + int(digit, 16)) for digit in digits)


CARL = "collection = 'staff' AND instr(CAST(body AS TEXT), '\"name\":\"Carl\"')"
COPY = ("INSERT INTO record(collection, key, version, body, created_at, updated_at) SELECT collection, 'staff_eve', 1, "
        "CAST(replace(CAST(body AS TEXT), 'Olga', 'Eve') AS BLOB), created_at, updated_at FROM record "
        "WHERE collection = 'staff' AND instr(CAST(body AS TEXT), 'Olga');"
        "INSERT INTO record_field(collection, name, value, record) SELECT 'staff', 'account', 'main', position "
        "FROM record WHERE key = 'staff_eve'")


@pytest.mark.parametrize("sql, whose", [
    (f"UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'cashier', 'owner') AS BLOB) WHERE {CARL}", "Carl"),
    ("UPDATE record SET body = CAST(replace(CAST(body AS TEXT), '\"sell\"', '\"sell\",\"staff\"') AS BLOB) "
     "WHERE collection = 'staff_role'", "main/lead"),
    (f"DELETE FROM record WHERE {CARL}", "Carl"),
    (COPY, "staff_eve"),
], ids=["another role", "a role that may do more", "taken out", "put in"])
def test_verify_names_staff_that_was_changed_past_the_counter(staffed, sql, whose):
    with sqlite3.connect(staffed) as database:
        before = database.total_changes
        for statement in sql.split(";"):
            database.execute(statement)
        assert database.total_changes > before
    answer = counter.till("journal", "verify", "--journal", staffed, "--json")
    assert answer.code == 1 and not answer.json["ok"] and len(answer.json["problems"]) == 1, answer
    assert whose in answer.json["problems"][0] and "past the counter" in answer.json["problems"][0], answer
    # A regular change of the same record makes nothing of it unseen.
    if whose == "Carl" and not sql.startswith("DELETE"):
        assert counter.till("staff", "disable", "Carl", "--journal", staffed, "--json").code == 0
        answer = counter.till("journal", "verify", "--journal", staffed, "--json")
        assert answer.code == 1 and "Carl" in answer.json["problems"][0], answer


def test_signed_head_names_a_tail_that_was_cut_without_a_trace(journal, tmp_path):
    key, line = tmp_path / "signing.key", tmp_path / "line.txt"
    assert counter.till("journal", "head", "--new-key", key, "--journal", journal).code == 0
    line.write_text(counter.till("journal", "head", "--sign-with", key, "--journal", journal).out)

    def verify():
        return counter.till("journal", "verify", "--journal", journal, "--json", "--signed-head", line,
                            "--public-key", f"{key}.pub")

    assert verify().code == 0, verify()
    with sqlite3.connect(journal) as database:
        database.executescript(
            "DELETE FROM audit WHERE sequence = 4;"
            "UPDATE audit_log SET sequence = 3, head = (SELECT link FROM audit WHERE sequence = 3)")
    assert counter.till("journal", "verify", "--journal", journal).code == 0
    cut = verify()
    assert cut.code == 1 and any("audit log is entry 4" in p for p in cut.json["problems"]), cut


def test_csv_is_no_formula(journal):
    counter.succeed("keys", "create", "--label", '=1+1,"x"', "--journal", journal, "--json")
    counter.succeed("keys", "create", "--label", "four", "--actor", "=cmd", "--journal", journal, "--json")
    rows = list(csv.DictReader(io.StringIO(export(journal, "--format", "csv"), newline="")))
    assert len(rows) == 6 and {len(r) for r in rows} == {15}
    assert all(not value.startswith(("=", "+", "@", "\t")) for row in rows for value in row.values())
    assert rows[4]["changes"].startswith('label:  → =1+1,"x"')
    assert rows[-1]["hash"] == json.loads(export(journal).splitlines()[0])["head"].split(":")[1]


def test_a_damaged_entry_is_named_and_hides_no_other(server):
    for label in ("one", "two"):
        counter.succeed("keys", "create", "--label", label, "--journal", server.journal, "--json")
    before = server.request("GET", "/v1/audit").json()
    assert before["unreadable"] == []
    sequences = [e["entry"]["sequence"] for e in before["entries"]]
    with sqlite3.connect(server.journal) as database:
        database.execute("UPDATE audit SET body = '{\"broken\":' WHERE sequence = 2")
    for query in ("", "?before=9007199254740991", "?limit=500&actor=nobody"):
        answer = server.request("GET", "/v1/audit" + query)
        assert answer.status_code == 200, answer.text
        assert [one["sequence"] for one in answer.json()["unreadable"]] == [2], answer.text
        found = sorted(e["entry"]["sequence"] for e in answer.json()["entries"])
        assert found == ([] if "nobody" in query else [one for one in sequences if one != 2])
    paged, query = [], "after=0"
    while query:
        page = server.request("GET", f"/v1/audit?limit=1&{query}").json()
        paged += [e["entry"]["sequence"] for e in page["entries"]] + [e["sequence"] for e in page["unreadable"]]
        query = page["next"] and f"after={page['next']}"
    assert paged == sequences
    server.stop()
    answer = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert answer.code == 1 and any("entry 2 of the audit log" in p for p in answer.json["problems"]), answer


def test_what_people_and_keys_do_is_there(server):
    """Through the counter's own ways in: sign-in by code and by key, a refused key, a missing scope, sign-out."""
    made = counter.succeed("keys", "create", "--label", "reader of lists", "--scope", "read", "--journal",
                           server.journal, "--json")
    narrow = {"Authorization": "Bearer " + made["key"]}
    assert requests.get(server.url + "/v1/audit", headers=narrow, timeout=10).status_code == 403
    for _ in range(3):
        assert requests.get(server.url + "/v1/payments", headers={"Authorization": "Bearer wrong"},
                            timeout=10).status_code == 401
    page = requests.Session()
    begun = page.post(server.url + "/session", json={"key": made["key"]},
                      headers={"X-Till-Page": "1", "X-Request-Id": "the-request"}, timeout=10)
    assert begun.status_code == 204, begun.text
    assert page.delete(server.url + "/session", headers={"X-Till-Page": "1"}, timeout=10).status_code == 204
    counter.succeed("keys", "revoke", made["id"], "--journal", server.journal, "--json")
    answer = server.request("GET", "/v1/audit")
    assert answer.status_code == 200, answer.text
    listed = [e["entry"] for e in answer.json()["entries"]]
    started = of(listed, "counter.started")
    assert len(started) == 1 and started[0]["by"]["kind"] == "os_user", started
    settings = {c["name"]: c["after"] for c in of(listed, "settings.changed")[0]["changes"]}
    assert settings["provider"] == "sandbox", settings
    assert settings["api_key"].startswith("secret ") and counter.API_KEY not in answer.text
    signed = of(listed, "session.signed_in")[-1]
    assert signed["by"]["id"] == made["id"] and signed["by"]["request"] == "the-request", signed
    assert signed["by"]["address"] == "127.0.0.1" and signed["reason"] == "key", signed
    assert of(listed, "session.signed_out")[-1]["outcome"] == "done"
    assert of(listed, "key.revoked")[0]["subject"] == made["id"]
    # The newest first, in pages, and of one actor.
    found, query = [], "before=9007199254740991"
    while query:
        page = server.request("GET", f"/v1/audit?limit=3&{query}").json()
        found += [e["entry"] for e in page["entries"]]
        query = page["next"] and f"before={page['next']}"
    assert found == listed[::-1]
    mine = server.request("GET", f"/v1/audit?before=9007199254740991&limit=1&actor={made['id']}").json()
    last = [e for e in listed if e["by"].get("id") == made["id"]][-1]
    assert [e["entry"] for e in mine["entries"]] == [last] and mine["next"] == last["sequence"], mine
    for wrong in ("x", "-1", "9007199254740992"):
        assert server.request("GET", f"/v1/audit?before={wrong}").status_code == 422, wrong
    # Refusals are counted, and written at the end at the latest.
    server.stop()
    refused = of(entries(server.journal), "access.refused")
    strangers = [e for e in refused if e["reason"] == "unauthorized"]
    assert [e.get("count", 1) for e in strangers] == [3], refused
    assert [e["by"]["id"] for e in refused if e["reason"] == "permission_missing"] == [made["id"]], refused
    assert counter.till("journal", "verify", "--journal", server.journal).code == 0


def test_settings_that_changed_are_named(tmp_path):
    for flags, env in ((["--provider", "sandbox"], {}), (["--provider", "sandbox", "--host", "127.0.0.1"], {}),
                       (["--provider", "sandbox", "--host", "127.0.0.1"], {"TILL_API_KEY": counter.API_KEY[::-1]})):
        with counter.Server(tmp_path, *flags, env=env) as server:
            pass
    changed = of(entries(server.journal), "settings.changed")
    found = [{c["name"]: c for c in e["changes"] if c["name"] != "port"} for e in changed]
    assert "provider" in found[0] and set(found[1]) == {"host"} and set(found[2]) == {"api_key"}, changed
    before, after = found[2]["api_key"]["before"], found[2]["api_key"]["after"]
    assert before != after and before.startswith("secret ") and len(after) == len("secret ") + 4


def test_an_attacker_fills_no_disk(server):
    """Hundreds of refusals from a hundred addresses are a few entries, and none is missing in their number."""
    for number in range(600):
        stranger = http.client.HTTPConnection(
            "127.0.0.1", server.port, timeout=10, source_address=(f"127.0.1.{1 + number % 100}", 0))
        stranger.request("GET", f"/v1/payments/pay_{number}")
        assert stranger.getresponse().status == 401
        stranger.close()
    server.stop()
    found = of(entries(server.journal), "access.refused")
    assert len(found) <= 17 and sum(e.get("count", 1) for e in found) == 600, found


def test_the_page_shows_who_did_what(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows(r"^\s*paid")
    payment = counter_page.payments(clerk.server)[0]["id"]
    refunded = clerk.server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 200}, key="r-1")
    assert refunded.status_code < 300, refunded.text
    history = clerk.page.locator("#history")
    clerk.page.get_by_text("Who did what").click()
    expect(history.locator("li").first).to_contain_text("By: counter page.", timeout=counter_page.WAIT)
    expect(history.locator("li").last).to_contain_text("By: key ", timeout=counter_page.WAIT)
    expect(history.locator("li").last).to_contain_text("Refunded.")
    expect(history.locator("li").first).to_contain_text("At device ")
    expect(history.locator("li").last).not_to_contain_text("At device ")


def test_what_is_done_on_the_page_names_the_device(server):
    """The session at which it was done, by the name that the list of sessions has, in events and in the audit log."""
    shop = Staff(server).shop()
    device, other = shop.device().signed_in("Mona"), shop.device().signed_in("Carl")
    mine, theirs = (one.ask("GET", "/session/own").json()["sessions"] for one in (device, other))
    (mine,), (theirs,) = mine, theirs
    payment = device.paid("o-1")
    sold = device.ask("GET", f"/v1/payments/{payment}").json()["events"]
    assert len(sold) >= 3 and {event["by"]["device"] for event in sold} == {mine["id"]}, sold
    assert other.refund(payment, 100).status_code == 403
    approved = other.approve(payment, 100, "Mona")
    assert approved.status_code == 201, approved.text
    assert other.refund(payment, 100, approval=approved.json()["id"]).status_code == 201
    events = device.ask("GET", f"/v1/payments/{payment}").json()["events"]
    by = {event["type"]: event["by"] for event in events}
    assert by["refund.started"]["device"] == theirs["id"] and by["refund.started"]["name"] == "Carl", events
    assert server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 1}, key="r").status_code == 201
    last = server.request("GET", f"/v1/payments/{payment}").json()["events"][-1]["by"]
    assert last["kind"] == "key" and "device" not in last
    assert other.ask("DELETE", "/session/person").ok
    found = entries(server.journal)
    assert {e["by"]["device"] for e in of(found, "refund.approved")} == {theirs["id"]}
    assert {e["by"]["device"] for e in of(found, "staff.signed_in")} == {mine["id"], theirs["id"]}
    assert {e["by"].get("device") for e in of(found, "session.signed_in")} >= {mine["id"], theirs["id"]}
    assert of(found, "staff.locked")[-1]["by"]["device"] == theirs["id"]


def test_recovery_is_not_put_down_to_who_began(tmp_path):
    """A sale on the command line dies behind its attempt; the counter that finishes it says that it did."""
    shop = ["--journal", tmp_path / "journal.db", "--json", "--provider", "sandbox"]
    died = counter.till("sale", "--amount", "12.50", "--currency", "EUR", "--card-number", counter.CARD, "--expiry",
                        "12/30", "--cvc", "123", "--order", "o-1", *shop, env={"TILL_FAILPOINT": "7"})
    assert died.killed, died
    payment = counter.succeed("payments", "list", *shop)["payments"][0]["id"]

    def last():
        answer = server.request("GET", f"/v1/payments/{payment}").json()
        return answer["events"][-1]["by"]["kind"] == "till" and answer["events"]

    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        assert counter.until(last), server.request("GET", f"/v1/payments/{payment}").text
        events = last()
    assert events[0]["by"]["kind"] == "os_user", events
    assert events[-1]["by"] == {"text": "Till (recovery)", "kind": "till", "id": "recovery"}, events


def test_events_say_who_caused_them(server):
    made = counter.succeed("keys", "create", "--label", "web shop", "--journal", server.journal, "--json")
    key = {"Authorization": "Bearer " + made["key"], "X-Request-Id": "req-of-shop"}

    def post(path, body, name):
        answer = requests.post(server.url + path, json=body, headers={**key, "Idempotency-Key": name}, timeout=20)
        assert answer.status_code < 300, answer.text
        return answer.json()

    payment = post("/v1/payments", {"amount": 1250, "currency": "EUR", "order_id": "o-1"}, "c")["id"]
    post(f"/v1/payments/{payment}/confirm",
         {"tender": {"type": "card", "number": counter.CARD, "expiry": "12/30", "cvc": "123"}}, "p")
    refunded = counter.till("payments", "refund", payment, "--amount", "2.00", "--journal", server.journal, "--json",
                            "--provider", "sandbox")
    assert refunded.code == 0, refunded
    shown = requests.get(f"{server.url}/v1/payments/{payment}", headers=key, timeout=10).json()
    by = {e["type"]: e["by"] for e in shown["events"]}
    assert by["payment.created"]["id"] == made["id"] and by["payment.created"]["name"] == "web shop"
    assert by["payment.created"]["request"] == "req-of-shop"
    assert by["capture.succeeded"]["kind"] == "key"
    assert by["refund.started"]["kind"] == "os_user" and by["refund.started"]["name"] == USER
    assert "address" not in json.dumps(shown["events"])
    listed = counter.till("payments", "show", payment, "--journal", server.journal)
    assert "web shop" in listed.out and f"user {USER}" in listed.out, listed
    assert counter.till("journal", "verify", "--journal", server.journal).code == 0


def test_nothing_is_lost_or_torn_by_kill_9(tmp_path):
    """Keys are made by four processes while they are killed: what was acknowledged is there, once, and the chain is
    whole."""
    journal = tmp_path / "journal.db"
    counter.succeed("keys", "create", "--label", "first", "--journal", journal, "--json")
    acknowledged, lock, end = set(), threading.Lock(), time.monotonic() + 15

    def make(worker):
        number = 0
        while time.monotonic() < end:
            number += 1
            process = subprocess.Popen(
                [counter.binary(), "keys", "create", "--label", f"w{worker}-{number}", "--journal", journal, "--json"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            timer = threading.Timer(0.1 * (1 + (number * 7 + worker * 3) % 20), process.kill)
            timer.start()
            out = process.communicate()[0]
            timer.cancel()
            if process.returncode == 0:
                with lock:
                    acknowledged.add(json.loads(out)["id"])

    workers = [threading.Thread(target=make, args=(n,)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = entries(journal)
    created = [e["subject"] for e in of(found, "key.created")]
    assert len(created) == len(set(created)) and acknowledged <= set(created) and acknowledged
    kept = {k["id"] for k in counter.succeed("keys", "list", "--journal", journal, "--json")["keys"]}
    assert kept == set(created), "a key and its entry are one commit"
    assert counter.till("journal", "verify", "--journal", journal).code == 0


def databases(base):
    for path in pathlib.Path(base).rglob("*.db"):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3":
            yield path


@pytest.mark.last
def test_nothing_in_any_journal_of_the_suite_is_put_down_to_nobody(tmp_path_factory):
    """Every event and every entry that a real binary wrote in any test says who caused it."""
    faults, events = [], 0
    for path in databases(tmp_path_factory.getbasetemp()):
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'audit_log'").fetchone():
                    continue
                for sequence, name, body in database.execute("SELECT sequence, name, body FROM event"):
                    events += 1
                    try:
                        by = json.loads(body).get("by")
                    except ValueError:
                        continue  # a test has damaged it
                    if by is None or by["kind"] == "unattributed":
                        faults.append(f"{path}: event {sequence} {name}")
                for sequence, body in database.execute("SELECT sequence, body FROM audit"):
                    if '"unattributed"' in body:
                        faults.append(f"{path}: audit entry {sequence} {body}")
        except sqlite3.DatabaseError:
            continue  # a test has damaged it
    assert not faults, "\n".join(faults[:20])
