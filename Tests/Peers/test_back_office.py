"""The back office's own sign-in: invited by whoever manages the staff, with a password and the codes of a telephone."""
import json
import sqlite3
import time

import pytest
import requests
from office import PASSWORD, STEP, Telephone, Worker, enrolled, invite
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff, audit, problem

import counter

WAIT = 60_000
expect.set_options(timeout=WAIT)


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def shop(server):
    return Staff(server).shop()


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "office", narrow=375)


# ---- What the counter takes


def test_an_invited_person_chooses_a_password_and_is_signed_in_as_themselves(server, shop):
    olga = enrolled(shop, "Olga")
    who = olga.ask("GET", "/session/person").json()
    assert who["person"]["name"] == "Olga" and who["personal"] is True
    assert olga.ask("GET", "/v1/payments").status_code == 200, "no PIN is asked for"
    assert shop.run("show", "Olga").json["office"] == "enrolled"
    again = Worker.browser()
    assert olga.sign_in(again).status_code == 204
    assert olga.ask("GET", "/v1/staff", session=again).status_code == 200
    # Only what the role says.
    carl = enrolled(shop, "Carl")
    problem(carl.ask("GET", "/v1/staff"), 403, "permission_missing")
    # Nobody else uses that session; a lock ends it.
    problem(carl.ask("POST", "/session/person", {"staff": shop.ids["Mona"], "pin": PINS["Mona"]}), 409,
            "session_is_personal")
    assert carl.ask("DELETE", "/session/person").status_code == 204
    assert carl.ask("GET", "/v1/payments").status_code == 401
    assert olga.ask("DELETE", "/session", session=again).status_code == 204
    for action in ("session.signed_in", "session.signed_out"):
        who = {one["by"]["name"] for one in audit(server, action) if one["by"]["kind"] == "staff"}
        assert who == {"Olga", "Carl"}, action
    changed = audit(server, "staff.credential_changed")
    assert {one["by"]["name"] for one in changed} == {"Olga", "Carl"}
    assert not any(PASSWORD in json.dumps(one) for one in changed)


def test_whatever_is_wrong_is_one_refusal_and_no_code_is_taken_twice(server, shop):
    olga = enrolled(shop, "Olga")
    code = olga.telephone.fresh()
    stranger = Worker.browser
    wrong = [{"name": "Nobody"}, {"password": "gravel tulip norwax"}, {"code": "000000"}, {"name": "Mona"}]
    answers = [olga.sign_in(stranger(), **({"code": code} | one)) for one in wrong[:2]]
    time.sleep(1)
    answers += [olga.sign_in(stranger(), **({"code": code} | one)) for one in wrong[2:]]
    first = problem(answers[0], 401, "sign_in_refused")
    for answer in answers:
        assert problem(answer, 401, "sign_in_refused") == first and "Set-Cookie" not in answer.headers
    time.sleep(2)  # the wait after the second wrong one
    assert olga.sign_in(stranger(), code=code).status_code == 204
    problem(olga.sign_in(stranger(), code=code), 401, "sign_in_refused")
    time.sleep(1.1)
    old = olga.telephone.code(int(time.time()) // STEP - 3)
    problem(olga.sign_in(stranger(), code=old), 401, "sign_in_refused")
    server.stop()  # which writes what was counted
    refused = audit(server, "session.refused")
    assert {one["reason"] for one in refused} >= {"sign_in_refused"}
    assert {one["by"]["kind"] for one in refused if one["reason"] == "sign_in_refused"} == {"stranger", "staff"}


def test_a_guesser_is_locked_out_of_one_name_from_one_address_and_a_restart_forgets_nothing(server, shop):
    olga = enrolled(shop, "Olga")
    codes = []
    end = time.monotonic() + 240
    while time.monotonic() < end and codes.count("sign_in_refused") < 10:
        codes.append(olga.sign_in(Worker.browser(), code="000000").json()["code"])
        time.sleep(0.3)
    assert codes.count("sign_in_refused") == 10 and set(codes) == {"sign_in_refused", "too_many_sign_ins"}
    server.stop()
    server.start()
    refused = olga.sign_in(Worker.browser())
    assert problem(refused, 429, "too_many_sign_ins") and int(refused.headers["Retry-After"]) > 30
    # Whoever has the machine gets in, and PINs at devices are not held up.
    assert shop.device().enter("Olga").status_code == 200
    text = server.request("GET", "/metrics").text
    assert "till_passwords_wrong_total" in text and "\ntill_office_lockouts_total 1\n" in text
    assert "\ntill_passkeys_wrong_total 0\n" in text


def test_an_invitation_ends_what_there_was_and_is_good_once(server, shop):
    olga = enrolled(shop, "Olga")
    link = invite(shop, "Olga")
    assert counter.until(lambda: olga.ask("GET", "/v1/payments").status_code == 401, 2), "within a second"
    problem(olga.sign_in(Worker.browser()), 401, "sign_in_refused")
    assert link.startswith(server.url + "/#invite=staff_")
    other = invite(shop, "Olga")
    word = link.split("invite=")[1]
    problem(olga.ask("POST", "/session/invitation", {"invitation": word}), 401, "invitation_spent")
    word, _ = olga.invited(other)
    body = {"invitation": word, "password": PASSWORD, "code": olga.telephone.code()}
    for password, code in (("short", "invalid_password"), ("olga-till-123", "weak_password"),
                           ("password12345", "weak_password"), ("a" * 129, "invalid_password")):
        problem(olga.ask("POST", "/session/enrolment", body | {"password": password}), 422, code)
    problem(olga.ask("POST", "/session/enrolment", body | {"code": "000000"}), 422, "code_wrong")
    assert olga.ask("POST", "/session/enrolment", body).status_code == 204
    problem(olga.ask("POST", "/session/enrolment", body), 401, "invitation_spent")


def test_whoever_manages_staff_invites_those_below_them_and_nobody_else(server, shop):
    olga = enrolled(shop, "Olga")
    made = olga.ask("POST", f"/v1/staff/{shop.ids['Carl']}/invitation")
    assert made.status_code == 201 and made.json()["staff"]["office"] == "invited"
    assert Worker(server, "Carl").enrol(made.json()["url"]).status_code == 204
    assert shop.roles("set", "hr", "--permissions", "staff").code == 0
    shop.add("Hanna", "hr", "604913")
    hanna = enrolled(shop, "Hanna")
    problem(hanna.ask("POST", f"/v1/staff/{shop.ids['Olga']}/invitation"), 403, "role_exceeds_yours")
    problem(hanna.ask("POST", "/v1/staff/staff_none/invitation"), 404, "staff_not_found")


def test_another_password_ends_every_other_session(server, shop):
    olga = enrolled(shop, "Olga")
    other = Worker.browser()
    assert olga.sign_in(other).status_code == 204
    (before,) = olga.session.cookies
    body = {"password": PASSWORD, "code": olga.telephone.fresh(), "new_password": "harbour window eleven"}
    problem(olga.ask("POST", "/session/password", body | {"password": "gravel tulip norwax"}), 401, "sign_in_refused")
    assert olga.ask("POST", "/session/password", body).status_code == 204
    (after,) = olga.session.cookies
    assert after.value != before.value
    assert olga.ask("GET", "/v1/payments").status_code == 200
    for cookies in ({before.name: before.value}, requests.utils.dict_from_cookiejar(other.cookies)):
        answer = requests.get(server.url + "/v1/payments", cookies=cookies, timeout=10)
        assert answer.status_code == 401
    device = shop.device().signed_in("Olga")
    problem(device.ask("POST", "/session/password", body), 409, "session_not_personal")


def test_who_is_removed_is_out_also_when_nobody_is_left(server):
    staff = Staff(server)
    staff.add("Olga", "owner")
    time.sleep(0.6)
    olga = enrolled(staff, "Olga")
    assert olga.ask("GET", "/v1/payments").status_code == 200
    assert staff.run("end").code == 0
    assert counter.until(lambda: olga.ask("GET", "/v1/payments").status_code == 401, 2)
    # Without staff a device has one person again; what belonged to somebody stays ended.
    assert staff.device().ask("GET", "/v1/payments").status_code == 200
    problem(olga.ask("GET", "/v1/payments"), 401, "unauthorized")


def test_nothing_that_somebody_signs_in_with_stays_in_the_journal(server, shop):
    olga = enrolled(shop, "Olga")
    secret = olga.telephone.key
    server.stop()
    for path in server.folder.iterdir():
        if path.is_file():
            data = path.read_bytes()
            for word in (PASSWORD.encode(), secret, secret.hex().encode(), PINS["Olga"].encode()):
                assert word not in data, path
    with sqlite3.connect(f"file:{server.journal}?mode=ro", uri=True) as journal:
        (body,) = journal.execute("SELECT body FROM record WHERE collection = 'office_credentials'").fetchone()
    kept = json.loads(body)
    assert kept["password"]["n"] == 2**14 and kept["password"]["p"] == 5 and len(kept["password"]["salt"]) == 32


# ---- The page


def test_the_page_invites_signs_in_and_shows_who_is_there(page, server, shop, shoot):
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(invite(shop, "Olga"))
    expect(page.get_by_role("heading", name="Olga, choose how you sign in")).to_be_visible(timeout=WAIT)
    assert "invite" not in page.url
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    axe(page)
    shoot("invited")
    olga = Worker(server, "Olga")
    olga.telephone = Telephone(page.locator("#invited-secret").inner_text().replace(" ", ""))
    page.get_by_label("Password, at least").fill("password12345")
    page.get_by_label("The code that the app shows now").fill(olga.telephone.code())
    page.get_by_role("button", name="Save and sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("one of the first that anybody tries")
    shoot("refused")
    page.get_by_label("Password, at least").fill(PASSWORD)
    page.get_by_label("The code that the app shows now").fill(olga.telephone.fresh())
    page.get_by_role("button", name="Save and sign in").click()
    expect(page.locator("#who")).to_contain_text("Olga, owner", timeout=WAIT)
    expect(page.get_by_role("button", name="Lock or switch")).to_be_hidden()
    page.reload()
    expect(page.locator("#who")).to_contain_text("Olga, owner", timeout=WAIT)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=WAIT)
    page.get_by_label("Sign-in name").fill("Olga")
    page.get_by_label("Password", exact=True).fill("gravel tulip norwax")
    page.get_by_label("Code from your authenticator app").fill("000000")
    page.get_by_role("button", name="Sign in with password").click()
    expect(page.get_by_role("alert")).to_contain_text("do not go together")
    axe(page)
    shoot("sign_in")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Code from your authenticator app").fill(olga.telephone.fresh())
    page.get_by_role("button", name="Sign in with password").click()
    expect(page.locator("#who")).to_contain_text("Olga, owner", timeout=WAIT)
    shoot("signed_in")
    page.goto(server.url + "/payments")
    expect(page.locator("#who")).to_contain_text("Olga, owner", timeout=WAIT)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=WAIT)
    assert not faults, faults
