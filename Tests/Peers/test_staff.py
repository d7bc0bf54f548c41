"""Who works at the shop: added at the command line and over HTTP, signed in at a device with a PIN, allowed what their
role says, and out within a second when that ends. What a role may do is asked of every route that openapi.yaml has."""
import functools
import json
import os
import pty
import stat
import subprocess
import threading
import time

import pytest
import requests
import yaml
from staff import PINS, Device, Staff, audit, problem

import counter
from printers import READY, Port9100

METHODS = ("get", "post", "put", "patch", "delete")
ENTAILED = {"hold": {"sell"}, "void": {"sell"}, "refund_freely": {"refund"}, "discount": {"sell"},
            "discount_freely": {"discount", "sell"}}
SCOPES = {"sell": {"sell"}, "refund": {"refund"}, "readers": {"readers"}, "offline": {"readers"},
          "admin": {"review", "settings"}, "staff": {"staff"}}
PERMISSIONS = ["sell", "hold", "void", "refund", "refund_freely", "discount", "discount_freely", "drawer", "totals",
               "readers", "review", "staff", "settings"]


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def staff(server):
    return Staff(server)


@pytest.fixture
def shop(staff):
    return staff.shop()


# ---- The command line


def test_staff_are_added_changed_and_removed_at_the_command_line(server, staff):
    anna = staff.add("Anna", "cashier", "604913")
    assert anna["name"] == "Anna" and anna["role"] == "cashier" and anna["has_pin"] and anna["disabled_at"] is None
    assert staff.run("add", "ANNA", pin="604913").json["error"]["code"] == "staff_name_taken"
    assert staff.run("add", "Ben", "--role", "king", pin="604913").json["error"]["code"] == "unknown_role"
    for pin, code in (("60491", "invalid_pin"), ("60491a", "invalid_pin"), ("", "invalid_pin"),
                      ("1" * 13, "invalid_pin"), ("111111", "weak_pin"), ("123456", "weak_pin"),
                      ("987654", "weak_pin")):
        refused = staff.run("add", "Ben", pin=pin)
        assert (refused.code, refused.json["error"]["code"]) == (1, code), pin
        assert pin == "" or pin not in str(refused.json)
    assert [one["name"] for one in staff.run("list").json["staff"]] == ["Anna"]
    assert staff.run("show", "anna").json["id"] == anna["id"]
    assert staff.run("set-role", "Anna", "manager").json["role"] == "manager"
    assert staff.run("set-pin", anna["id"], pin="908172").json["has_pin"]
    assert staff.run("disable", "Anna").json["disabled_at"]
    assert staff.run("enable", "Anna").json["disabled_at"] is None
    assert staff.run("end").code == 0
    assert staff.run("list").json["staff"] == []
    assert staff.run("show", "Anna").json["error"]["code"] == "staff_not_found"
    pepper = server.folder / "journal.db-pepper"
    assert stat.S_IMODE(pepper.stat().st_mode) == 0o600 and len(pepper.read_bytes()) == 32


def test_a_shop_has_roles_of_its_own(staff):
    own = staff.roles("set", "shift-lead", "--permissions", "sell,refund", "--refund-limit", "EUR=5000")
    assert own.json["permissions"] == ["sell", "refund"] and own.json["refund_limits"] == {"EUR": 5000}
    assert staff.roles("set", "voider", "--permissions", "void").json["permissions"] == ["sell", "void"]
    assert staff.roles("set", "owner", "--permissions", "sell").json["error"]["code"] == "built_in_role"
    assert staff.roles("set", "Big Boss", "--permissions", "all").json["error"]["code"] == "invalid_role_name"
    assert staff.roles("set", "x", "--permissions", "fly").json["error"]["code"] == "unknown_permission"
    for limit in ("EUR=0", "EUR=-1", "EUR", "XXX=5", "EUR=1.5"):
        refused = staff.roles("set", "x", "--permissions", "refund", "--refund-limit", limit)
        assert refused.json["error"]["code"] == "invalid_limit", limit
    staff.add("Anna", "shift-lead", "604913")
    assert staff.roles("remove", "shift-lead").json["error"]["code"] == "role_in_use"
    assert staff.roles("remove", "voider").code == 0
    names = [role["name"] for role in staff.roles("list").json["roles"]]
    assert names == ["cashier", "manager", "owner", "shift-lead"]


def test_a_pin_is_typed_on_a_terminal_that_does_not_show_it(server):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [counter.binary(), "staff", "add", "Anna", "--journal", str(server.journal)], stdin=theirs, stdout=theirs,
        stderr=theirs, close_fds=True)
    os.close(theirs)
    seen = b""
    for word in (b"PIN for Anna:", b"The same again:"):
        while word not in seen:
            seen += os.read(ours, 1024)
        assert b"604913" not in " ".join(open(f"/proc/{process.pid}/cmdline").read().split("\0")).encode()
        os.write(ours, b"604913\n")
    assert process.wait(60) == 0
    try:
        while part := os.read(ours, 1024):
            seen += part
    except OSError:
        pass
    os.close(ours)
    assert b"604913" not in seen and b"Anna" in seen, seen
    assert Staff(server).run("show", "Anna").json["has_pin"]


# ---- The device


def test_without_staff_the_shop_has_one_person(server, staff):
    device = Device(staff)
    who = device.ask("GET", "/session/person").json()
    assert who == {"account": "main", "has_staff": False, "lock_seconds": 300, "personal": False, "zone": "GMT",
                   "person": None, "people": []}
    assert device.refund(device.paid("o-1"), 2000).status_code == 201
    assert requests.get(server.url + "/session/person", timeout=10).status_code == 401


def test_with_staff_a_device_asks_who_is_there(server, staff):
    device = Device(staff)
    assert device.ask("GET", "/v1/payments").status_code == 200
    staff.shop()
    problem(device.ask("GET", "/v1/payments"), 401, "person_required")
    who = device.ask("GET", "/session/person").json()
    assert who["has_staff"] and who["person"] is None
    assert [one["name"] for one in who["people"]] == ["Carl", "Mona", "Olga"]
    problem(device.enter("Carl", "000111"), 403, "pin_wrong")
    time.sleep(0.1)
    entered = device.enter("Carl")
    assert entered.json()["person"]["role"]["permissions"] == ["sell", "refund", "readers"]
    assert device.ask("GET", "/v1/payments").status_code == 200
    assert device.enter("Mona").json()["person"]["name"] == "Mona", "a PIN switches the person"
    assert device.ask("DELETE", "/session/person").status_code == 204
    problem(device.ask("GET", "/v1/payments"), 401, "person_required")
    # Whoever holds a key is a program, and goes on.
    assert server.request("GET", "/v1/payments").status_code == 200
    # A form of another site neither signs in nor locks.
    for method in ("POST", "DELETE"):
        foreign = requests.request(
            method, server.url + "/session/person", cookies=device.session.cookies, timeout=10,
            headers={"Origin": "http://evil.example", "X-Till-Page": "1"}, json={})
        assert foreign.status_code == 403, foreign.text
    # The end of staff is a step of its own, after which no device that was open may do everything.
    assert staff.run("end").json["error"]["code"] == "several_people"
    assert staff.run("remove", "Carl").code == staff.run("remove", "Mona").code == 0
    assert staff.run("remove", "Olga").json["error"]["code"] == "last_person"
    problem(device.ask("GET", "/v1/payments"), 401, "person_required")
    assert staff.run("end").json["name"] == "Olga"
    problem(device.ask("GET", "/v1/payments"), 401, "unauthorized")
    assert staff.device().ask("GET", "/v1/payments").status_code == 200, "one person again"
    noted = [change for entry in audit(server, "staff.removed") for change in entry["changes"]]
    assert {"name": "staff", "before": None, "after": "ended"} in noted, noted


def test_nothing_of_a_pin_stays_anywhere(server, shop):
    shop.device().signed_in("Mona")
    server.stop()
    for path in server.folder.iterdir():
        if path.is_file():
            data = path.read_bytes()
            assert not any(pin.encode() in data for pin in PINS.values()), path


def test_a_device_that_nobody_uses_is_locked(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_STAFF_LOCK_MINUTES": "1"}) as server:
        device = Staff(server).shop().device().signed_in("Carl")
        end = time.monotonic() + 58
        while time.monotonic() < end:
            # What the page asks by itself is no use.
            alone = device.session.get(server.url + "/v1/payments", headers={"X-Till-Alone": "1"}, timeout=10)
            assert alone.status_code == 200
            time.sleep(2)  # as often as the page asks
        assert counter.until(
            lambda: device.session.get(server.url + "/v1/payments", headers={"X-Till-Alone": "1"}, timeout=10)
            .status_code == 401, 6)
        problem(device.ask("GET", "/v1/payments"), 401, "person_required")
        assert device.enter("Carl").status_code == 200


CHANGES = {"disable": ("disable", "Carl"), "role": ("set-role", "Carl", "manager"), "pin": ("set-pin", "Carl"),
           "remove": ("remove", "Carl")}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_ends_what_somebody_has_open_within_a_second_on_every_process(tmp_path, change):
    first = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms")
    with first:
        staff = Staff(first).shop()
        device = staff.device().signed_in("Carl")
        second = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms")
        second.log = tmp_path / "second.log"
        with second:
            ended = threading.Event()
            stream = device.session.get(second.url + "/v1/events", stream=True, timeout=30)
            assert stream.status_code == 200
            threading.Thread(target=lambda: (list(stream.iter_content(64)), ended.set()), daemon=True).start()
            assert device.session.get(second.url + "/v1/payments", timeout=10).status_code == 200
            assert staff.run(*CHANGES[change], pin="551930").code == 0
            at = time.monotonic()
            assert ended.wait(2.5), "the stream goes on"
            for server in (first, second):
                assert counter.until(lambda: device.session.get(  # noqa: B023
                    server.url + "/v1/payments", timeout=10).status_code == 401, 2)  # noqa: B023
            assert time.monotonic() - at < 2.5


# ---- What a role may do


def described(server):
    document = yaml.safe_load(requests.get(server.url + "/openapi.yaml", timeout=10).text)
    return {f"{method.upper()} {path}": operation for path, item in document["paths"].items()
            for method, operation in item.items() if method in METHODS and "x-till-scope" in operation}


def may(permissions, operation):
    scope, needed = operation["x-till-scope"], operation.get("x-till-permission")
    return (scope == "read" or SCOPES[scope] & permissions) and (needed is None or needed in permissions)


STREAMS = ("/v1/events", "/v1/orders/events")


def cell(device, name):
    method, path = name.split(" ")
    for part in ("{id}", "{name}", "{number}"):
        path = path.replace(part, "x")
    body = None if method == "GET" else {}
    with device.ask(method, path, body, stream=True) as answer:
        if not (path in STREAMS and answer.ok):  # a stream that is open has no end
            assert answer.content is not None
        return answer.status_code, answer


def test_every_route_answers_those_roles_that_may_and_no_other(server, staff):
    """Every cell of roles × routes: the roles that every shop has, and one of its own for each permission."""
    routes = described(server)
    assert len(routes) > 40
    held = {"cashier": {"sell", "refund", "readers"}, "owner": set(PERMISSIONS),
            "manager": set(PERMISSIONS) - {"staff", "settings"}}
    for permission in PERMISSIONS:
        role = "only-" + permission.replace("_", "-")
        assert staff.roles("set", role, "--permissions", permission).code == 0
        held[role] = {permission} | ENTAILED.get(permission, set())
    for number, role in enumerate(held):
        staff.add(f"Person {number}", role, "604913")
    time.sleep(0.6)
    device = staff.device()
    for name in routes:
        status, answer = cell(device, name)
        assert status == 401 and answer.json()["code"] == "person_required", name
    cells = 0
    for number, (role, permissions) in enumerate(held.items()):
        assert device.enter(f"Person {number}", "604913").status_code == 200
        for name, operation in routes.items():
            status, answer = cell(device, name)
            what = f"{role}: {name} -> {status}"
            if may(permissions, operation):
                assert status not in (401, 403), what
            else:
                found = problem(answer, 403, "permission_missing")
                assert found["permission_needed"] not in permissions, what
                assert role in found["detail"], what
            cells += 1
    assert cells == len(routes) * len(held)


def test_a_list_by_staff_has_what_they_sold_whoever_took_the_money(server, staff):
    staff.shop()
    device = staff.device()
    made = {}
    for number, name in enumerate(("Mona", "Olga", "Mona")):
        device.signed_in(name)
        sale = {"order_id": f"by-{number}", "amount": 900, "currency": "EUR"}
        made.setdefault(name, []).insert(0, device.ask("POST", "/v1/payments", sale).json()["id"])
    assert server.create("by-key", "by-key").status_code == 201
    paid = device.ask("POST", f"/v1/payments/{made['Olga'][0]}/confirm", {"tender": {"type": "cash"}})
    assert paid.json()["status"] == "succeeded", paid.text
    people = {one["name"]: one["id"] for one in device.ask("GET", "/session/person").json()["people"]}
    for name, wanted in made.items():
        found = server.request("GET", f"/v1/payments?staff={people[name]}").json()["payments"]
        assert [one["id"] for one in found] == wanted, name
        paid = server.request("GET", f"/v1/payments?staff={people[name]}&status=succeeded").json()["payments"]
        assert [one["id"] for one in paid] == (wanted if name == "Olga" else [])
    listed = counter.succeed(
        "payments", "list", "--staff", people["Mona"], "--journal", server.journal, "--json")["payments"]
    assert [one["id"] for one in listed] == made["Mona"]
    # Any of them may note something, under their own name.
    noted = device.ask("POST", f"/v1/payments/{made['Olga'][0]}/notes", {"text": "Comes back."})
    assert noted.status_code == 201 and noted.json()["by"]["id"] == people["Mona"], noted.text


def test_holds_and_voids_are_of_those_who_may(server, staff):
    staff.roles("set", "seller", "--permissions", "sell")
    staff.add("Sam", "seller", "604913")
    staff.shop()
    device = staff.device()
    device.enter("Sam", "604913")
    held = {"order_id": "h-1", "amount": 900, "currency": "EUR", "capture": "manual"}
    assert problem(device.ask("POST", "/v1/payments", held), 403, "permission_missing")["permission_needed"] == "hold"
    dropped = device.ask("POST", "/v1/payments", {"order_id": "d-1", "amount": 900, "currency": "EUR"}).json()["id"]
    assert device.ask("POST", f"/v1/payments/{dropped}/cancel", {}).json()["status"] == "canceled"
    device.signed_in("Mona")
    made = device.ask("POST", "/v1/payments", held).json()["id"]
    tender = {"tender": {"type": "reader", "reader": "simulated", "card": "visa"}}
    assert device.ask("POST", f"/v1/payments/{made}/confirm", tender).json()["status"] == "requires_capture"
    device.enter("Sam", "604913")
    for verb, needed in (("capture", "hold"), ("cancel", "void")):
        refused = problem(device.ask("POST", f"/v1/payments/{made}/{verb}", {}), 403, "permission_missing")
        assert refused["permission_needed"] == needed
    assert server.request("GET", f"/v1/payments/{made}").json()["status"] == "requires_capture"
    device.signed_in("Mona")
    assert device.ask("POST", f"/v1/payments/{made}/cancel", {}).json()["status"] == "canceled"


def test_a_session_that_a_key_began_is_worth_no_more_than_the_key(server, shop):
    key = counter.succeed("keys", "create", "--scope", "read", "--journal", server.journal, "--json")["key"]
    device = shop.device()
    device.session.cookies.clear()
    assert device.ask("POST", "/session", {"key": key}).status_code == 204
    device.signed_in("Olga")
    assert device.ask("GET", "/v1/payments").status_code == 200
    refused = device.ask("POST", "/v1/payments", {"order_id": "k", "amount": 1, "currency": "EUR"})
    problem(refused, 403, "permission_missing")


def test_staff_over_http(server, shop):
    device = shop.device().signed_in("Olga")
    added = device.ask("POST", "/v1/staff", {"name": "Nina", "role": "cashier", "pin": "604913"}, "n-1")
    assert added.status_code == 201 and "604913" not in added.text
    again = device.ask("POST", "/v1/staff", {"name": "Nina", "role": "cashier", "pin": "604913"}, "n-1")
    assert (again.status_code, again.json()) == (201, added.json())
    problem(device.ask("POST", "/v1/staff", {"name": "nina", "role": "cashier"}), 409, "staff_name_taken")
    problem(device.ask("POST", "/v1/staff", {"name": "Ned", "role": "cashier", "pin": "123456"}), 422, "weak_pin")
    nina = f"/v1/staff/{added.json()['id']}"
    assert device.ask("PATCH", nina, {"disabled": True}).json()["disabled_at"]
    problem(device.ask("PATCH", "/v1/staff/staff_none", {"disabled": True}), 404, "staff_not_found")
    assert "Nina" not in [one["name"] for one in device.ask("GET", "/session/person").json()["people"]]
    assert [role["name"] for role in device.ask("GET", "/v1/roles").json()["roles"]] == ["cashier", "manager", "owner"]
    # Whoever manages staff makes nobody mightier than themselves.
    shop.roles("set", "clerk", "--permissions", "sell,staff")
    shop.run("set-role", "Mona", "clerk")
    time.sleep(0.6)
    device.signed_in("Mona")
    problem(device.ask("POST", "/v1/staff", {"name": "Eve", "role": "owner"}), 403, "role_exceeds_yours")
    problem(device.ask("PATCH", nina, {"role": "owner"}), 403, "role_exceeds_yours")
    problem(device.ask("PATCH", f"/v1/staff/{shop.ids['Olga']}", {"pin": "604913"}), 403, "role_exceeds_yours")
    # Holds need no other scope, so the role itself is compared.
    shop.roles("set", "holder", "--permissions", "hold")
    problem(device.ask("POST", "/v1/staff", {"name": "Eve", "role": "holder"}), 403, "role_exceeds_yours")
    shop.roles("set", "seller", "--permissions", "sell")
    assert device.ask("POST", "/v1/staff", {"name": "Eve", "role": "seller"}).status_code == 201


def test_roles_over_http_raise_nobody(server, shop):
    assert shop.roles("set", "hr", "--permissions", "sell,refund,staff", "--refund-limit", "EUR=500").code == 0
    shop.run("set-role", "Mona", "hr")
    time.sleep(0.6)
    device = shop.device().signed_in("Mona")
    # Neither a role that may do more, nor one's own.
    more = [{"permissions": ["sell", "settings"]}, {"permissions": ["refund"], "refund_limits": {"EUR": 501}},
            {"permissions": ["refund_freely"]}, {"permissions": ["sell"], "discount_limits": {"EUR": 1}}]
    for body in more:
        problem(device.ask("POST", "/v1/roles", {"name": "more", **body}), 403, "role_exceeds_yours")
        problem(device.ask("PUT", "/v1/roles/hr", body), 403, "role_exceeds_yours")
    problem(device.ask("DELETE", f"/v1/staff/{shop.ids['Olga']}"), 403, "role_exceeds_yours")
    limited = {"permissions": ["refund"], "refund_limits": {"EUR": 500}}
    assert device.ask("POST", "/v1/roles", {"name": "helper", **limited}).status_code == 201
    # Carl has what the role has as soon as it is changed.
    assert shop.run("set-role", "Carl", "helper").code == 0
    lower = {"permissions": ["sell"]}
    changed = device.ask("PUT", "/v1/roles/helper", lower)
    assert changed.status_code == 200 and changed.json()["refund_limits"] == {}, changed.text
    problem(device.ask("DELETE", "/v1/roles/helper"), 409, "role_in_use")
    assert device.ask("DELETE", f"/v1/staff/{shop.ids['Carl']}").status_code == 204
    problem(device.ask("DELETE", f"/v1/staff/{shop.ids['Carl']}"), 404, "staff_not_found")
    assert device.ask("DELETE", "/v1/roles/helper").status_code == 204
    # Whoever lowers their own role has no more than that from then on.
    assert device.ask("PUT", "/v1/roles/hr", {"permissions": ["sell", "staff"]}).status_code == 200
    problem(device.ask("PUT", "/v1/roles/hr", {"permissions": ["refund", "staff"]}), 403, "role_exceeds_yours")
    removed = audit(server, "staff.removed")[-1]
    assert removed["by"]["name"] == "Mona", removed
    assert {"name": "role", "before": "helper", "after": None} in removed["changes"]
    device.signed_in("Olga")
    assert device.ask("DELETE", f"/v1/staff/{shop.ids['Mona']}").status_code == 204
    olga = f"/v1/staff/{shop.ids['Olga']}"
    problem(device.ask("PATCH", olga, {"role": "cashier"}), 409, "last_staff_manager")
    problem(device.ask("DELETE", olga), 409, "last_person")


def held_back(send, document, meanwhile):
    """A request that begins, and whose body ends only after something else was done."""
    whole = json.dumps(document).encode()

    def parts():
        yield whole[:9]
        meanwhile()
        time.sleep(1.2)
        yield whole[9:]

    return send(data=parts(), headers={"Content-Type": "application/json", "Idempotency-Key": "late"}, timeout=30)


def test_what_is_held_back_until_a_right_is_gone_is_not_done(server, shop):
    assert shop.roles("set", "hr", "--permissions", "sell,refund,staff").code == 0
    shop.run("set-role", "Mona", "hr")
    time.sleep(0.6)
    device = shop.device().signed_in("Mona")

    def lower():
        assert shop.roles("set", "hr", "--permissions", "sell,staff").code == 0

    roles = functools.partial(device.session.put, server.url + "/v1/roles/hr")
    raised = held_back(roles, {"permissions": ["sell", "refund", "staff"]}, lower)
    problem(raised, 403, "role_exceeds_yours")
    assert shop.roles("list").json["roles"][-1]["permissions"] == ["sell", "staff"]

    def remove():
        assert shop.run("remove", "Mona").code == 0

    people = functools.partial(device.session.post, server.url + "/v1/staff")
    added = held_back(people, {"name": "Eve", "role": "hr", "pin": "604913"}, remove)
    assert added.status_code == 401, added.text
    scopes = ("--scope", "staff,read,sell")
    key = counter.succeed("keys", "create", *scopes, "--journal", server.journal, "--json")

    def revoke():
        counter.succeed("keys", "revoke", key["id"], "--journal", server.journal, "--json")

    session = requests.Session()
    session.headers["Authorization"] = "Bearer " + key["key"]
    people = functools.partial(session.post, server.url + "/v1/staff")
    problem(held_back(people, {"name": "Eve", "role": "hr"}, revoke), 401, "key_revoked")
    assert "Eve" not in [one["name"] for one in shop.run("list").json["staff"]]


def test_the_drawer_is_opened_by_those_who_may_and_never_unseen(server, shop):
    port = Port9100(READY)
    counter.succeed("printers", "add", "bar", port.address, "--journal", server.journal, "--json")
    counter.succeed("printers", "add", "office", "ipp://localhost/ipp/print", "--journal", server.journal, "--json")
    device = shop.device().signed_in("Carl")
    refused = problem(device.ask("POST", "/v1/printers/bar/drawer", {}), 403, "permission_missing")
    assert refused["permission_needed"] == "drawer" and port.received == b""
    device.signed_in("Mona")
    shown = {one["name"]: one["has_drawer"] for one in device.ask("GET", "/v1/printers").json()["printers"]}
    assert shown == {"bar": True, "office": False}
    opened = device.ask("POST", "/v1/printers/bar/drawer", {"pin": 5})
    assert opened.status_code == 200 and opened.json() == {
        "asked": True, "message": "The drawer was asked to open."}, opened.text
    assert counter.until(lambda: port.received == b"\x1b@\x1bp\x0122", 5), port.received
    problem(device.ask("POST", "/v1/printers/bar/drawer", {"pin": 3}), 422, "invalid_request")
    problem(device.ask("POST", "/v1/printers/office/drawer", {}), 409, "no_drawer")
    assert device.ask("POST", f"/v1/printers/socket:%2F%2F127.0.0.1:{port.port}/drawer", {}).status_code == 404
    made = audit(server, "drawer.opened")
    assert [(one["by"]["name"], one["subject"]) for one in made] == [("Mona", "bar")] and made[0]["by"]["device"]
    # A printer that is off is no drawer that opened, and the attempt is on record.
    port.server.close()
    counter.succeed("printers", "add", "off", f"socket://127.0.0.1:{counter.free_port()}", "--journal", server.journal,
                    "--json")
    failed = device.ask("POST", "/v1/printers/off/drawer", {})
    assert failed.status_code in (200, 409) and not failed.json().get("asked"), failed.text
    counter.till("printers", "drawer", "off", "--allow", "--journal", server.journal)
    assert [(one["by"]["kind"], one["subject"]) for one in audit(server, "drawer.opened")][1:] == [
        ("staff", "off"), ("os_user", "off")]


# ---- Refunds and their approval


def test_a_refund_above_the_limit_is_approved_once_on_the_spot(server, staff):
    staff.roles("set", "till-hand", "--permissions", "sell,refund", "--refund-limit", "EUR=500")
    staff.shop()
    staff.run("set-role", "Carl", "till-hand")
    time.sleep(0.6)
    device = staff.device().signed_in("Carl")
    payment = device.paid("o-1", 3000)
    assert device.refund(payment, 300).status_code == 201
    # The limit is one of the payment, not of each of its refunds.
    asked = problem(device.refund(payment, 300), 403, "approval_required")
    assert asked["approval"] == {"action": "refund", "payment": payment, "amount": 300, "currency": "EUR"}
    assert device.refund(payment, 200).status_code == 201
    other = device.paid("o-2", 3000)
    # Whoever approves must be allowed to, and prove who they are.
    problem(device.approve(payment, 1000, "Carl"), 403, "permission_missing")
    problem(device.approve(payment, 1000, "Mona", "000111"), 403, "pin_wrong")
    approved = device.approve(payment, 1000, "Mona", key="a-1")
    assert approved.status_code == 201, approved.text
    approval = approved.json()["id"]
    assert approved.json()["approved_by"] == "Mona" and approved.json()["requested_by"] == "Carl"
    # It is for that refund and nothing else, and only at that device.
    problem(device.refund(payment, 999, approval=approval), 403, "approval_invalid")
    problem(device.refund(other, 1000, approval=approval), 403, "approval_invalid")
    problem(staff.device().signed_in("Carl").refund(payment, 1000, approval=approval), 403, "approval_invalid")
    done = device.refund(payment, 1000, "r-1", approval=approval)
    assert done.status_code == 201 and done.json()["refunded"] == 1500
    again = device.refund(payment, 1000, "r-1", approval=approval)
    assert again.status_code == 201 and again.headers["Idempotent-Replayed"] == "true"
    problem(device.refund(payment, 1000, "r-2", approval=approval), 403, "approval_spent")
    shown = server.request("GET", f"/v1/payments/{payment}").json()
    assert shown["refunded"] == 1500
    assert [(one["approved_by"], one["approval"]["amount"]) for one in shown["approvals"]] == [("Mona", 1000)]
    # One whose approver may not any more is none.
    late = device.approve(other, 700, "Mona").json()["id"]
    staff.run("disable", "Mona")
    time.sleep(0.6)
    problem(device.refund(other, 700, approval=late), 403, "approval_invalid")
    assert server.request("GET", f"/v1/payments/{other}").json()["refunded"] == 0


def test_an_approval_ends_after_a_minute(server, shop):
    device = shop.device().signed_in("Carl")
    payment = device.paid("o-1")
    approval = device.approve(payment, 500, "Olga").json()["id"]
    time.sleep(61)  # its minute is measured by a clock that nobody can set
    problem(device.refund(payment, 500, approval=approval), 403, "approval_expired")


def test_a_key_needs_no_approval(server, shop):
    payment = shop.device().signed_in("Carl").paid("o-1")
    body = {"action": "refund", "payment": payment, "amount": 500, "staff": shop.ids["Mona"], "pin": PINS["Mona"]}
    problem(server.request("POST", "/v1/approvals", body, "a"), 409, "no_person")
    assert server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 500}, "r").status_code == 201
