"""Open sessions of the page: seen and ended by those whose they are and by whoever manages the staff; and tokens that
change with the person."""
import os
import pathlib
import threading

import pytest
import requests
from office import PASSWORD, Worker, enrolled
from playwright.sync_api import expect
from seen import axe
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


def own(worker):
    answer = worker.ask("GET", "/session/own")
    assert answer.status_code == 200, answer.text
    return answer.json()["sessions"]


def test_a_pin_gives_the_session_another_token_and_whoever_knew_the_one_before_has_nothing(server, shop):
    device = shop.device()
    tokens = []
    for name in ("Carl", "Mona", "Carl"):
        (before,) = device.session.cookies
        assert device.enter(name).status_code == 200
        (after,) = device.session.cookies
        assert after.value != before.value and after.name == before.name
        tokens.append({before.name: before.value})
        assert device.ask("GET", "/v1/payments").status_code == 200
    # Somebody who had put a session of his own into the browser, or had read the token that it had before.
    for token in tokens:
        for path in ("/v1/payments", "/session/person"):
            stolen = requests.get(server.url + path, cookies=token, timeout=10)
            assert (stolen.status_code, stolen.json()["code"]) == (401, "unauthorized"), path
    refused = device.enter("Mona", "000111")
    assert refused.status_code == 403 and "Set-Cookie" not in refused.headers


def test_of_two_who_enter_a_pin_at_once_one_has_the_device(server, shop):
    first, second = shop.device(), shop.device()
    second.session.cookies = first.session.cookies.copy()
    answers = []
    threads = [threading.Thread(target=lambda who=who, at=at: answers.append(at.enter(who).status_code))
               for who, at in (("Carl", first), ("Mona", second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 401], answers
    working = [one for one in (first, second) if one.ask("GET", "/v1/payments").status_code == 200]
    assert len(working) == 1


def test_everybody_sees_and_ends_their_own_sessions_and_nobody_elses(server, shop):
    olga, mona = enrolled(shop, "Olga"), enrolled(shop, "Mona")
    device = shop.device().signed_in("Mona")
    other = Worker.browser()
    assert mona.sign_in(other).status_code == 204
    seen = own(mona)
    assert sorted(one["kind"] for one in seen) == ["device", "password", "password"]
    assert {one["name"] for one in seen} == {"Mona"} and [one["current"] for one in seen].count(True) == 1
    assert all(one["address"] == "127.0.0.1" and one["began_at"] <= one["seen_at"] < one["ends_at"] for one in seen)
    (theirs,) = own(olga)
    problem(mona.ask("DELETE", "/session/own/" + theirs["id"]), 404, "not_found")
    # At a device the person goes, and the device stays.
    (at_till,) = [one for one in seen if one["kind"] == "device"]
    assert mona.ask("DELETE", "/session/own/" + at_till["id"]).status_code == 204
    problem(device.ask("GET", "/v1/payments"), 401, "person_required")
    assert device.enter("Carl").status_code == 200
    assert mona.ask("DELETE", "/session/own").status_code == 204
    assert mona.ask("GET", "/v1/payments", session=other).status_code == 401
    assert mona.ask("GET", "/v1/payments").status_code == olga.ask("GET", "/v1/payments").status_code == 200
    assert len(own(mona)) == 1
    ended = audit(server, "session.ended")
    assert len(ended) == 2 and {one["by"]["name"] for one in ended} == {"Mona"}


def test_whoever_manages_staff_sees_all_and_ends_those_below_them(server, shop):
    olga = enrolled(shop, "Olga")
    assert shop.roles("set", "hr", "--permissions", "staff").code == 0
    shop.add("Hanna", "hr", "604913")
    hanna = enrolled(shop, "Hanna")
    carl, empty = shop.device().signed_in("Carl"), shop.device()
    stream = carl.session.get(server.url + "/v1/events", stream=True, timeout=30)
    ended = threading.Event()
    threading.Thread(target=lambda: (list(stream.iter_content(64)), ended.set()), daemon=True).start()
    seen = olga.ask("GET", "/v1/sessions").json()["sessions"]
    assert {one["name"] for one in seen} == {"Olga", "Hanna", "Carl", None}
    by_name = {one["name"]: one["id"] for one in seen}
    problem(hanna.ask("DELETE", "/v1/sessions/" + by_name["Olga"]), 403, "role_exceeds_yours")
    problem(carl.ask("GET", "/v1/sessions"), 403, "permission_missing")
    assert olga.ask("DELETE", "/v1/sessions/" + by_name["Carl"]).status_code == 204
    assert ended.wait(2), "the stream goes on"
    assert carl.ask("GET", "/session/person").status_code == 401, "the device is signed out"
    assert olga.ask("DELETE", "/v1/sessions/" + by_name[None]).status_code == 204
    assert empty.ask("GET", "/session/person").status_code == 401
    problem(olga.ask("DELETE", "/v1/sessions/" + by_name[None]), 404, "not_found")


def test_the_command_line_lists_and_ends_them_on_a_running_counter(server, shop):
    olga, device = enrolled(shop, "Olga"), shop.device()
    run = lambda *more: counter.till("sessions", *more, "--journal", server.journal, "--json")  # noqa: E731
    seen = run("list").json["sessions"]
    assert [one["name"] for one in seen if one["kind"] == "password"] == ["Olga"]
    (theirs,) = [one["id"] for one in seen if one["name"] == "Olga"]
    assert run("end", theirs).json == {"ended": 1}
    assert counter.until(lambda: olga.ask("GET", "/v1/payments").status_code == 401, 2)
    assert run("end", theirs).json["error"]["code"] == "session_not_found"
    assert run("end").code != 0
    assert device.ask("GET", "/session/person").status_code == 200
    assert run("end", "--all").json["ended"] >= 1
    assert counter.until(lambda: device.ask("GET", "/session/person").status_code == 401, 2)
    assert run("list").json["sessions"] == []


@pytest.mark.parametrize("change", ["disable", "remove", "set-role"])
def test_what_ends_somebodys_rights_ends_their_sessions_everywhere(tmp_path, change):
    first = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms")
    with first:
        staff = Staff(first).shop()
        mona = enrolled(staff, "Mona")
        second = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms")
        second.log = tmp_path / "second.log"
        with second:
            (cookie,) = mona.session.cookies
            ask = lambda server: requests.get(  # noqa: E731
                server.url + "/v1/payments", cookies={cookie.name: cookie.value}, timeout=10).status_code
            assert ask(first) == ask(second) == 200
            more = ("cashier",) if change == "set-role" else ()
            assert staff.run(change, "Mona", *more).code == 0
            assert counter.until(lambda: ask(first) == ask(second) == 401)
            names = [one["name"] for one in counter.succeed(
                "sessions", "list", "--journal", first.journal, "--json")["sessions"]]
            assert "Mona" not in names


# ---- The page


def test_the_page_shows_the_account_invites_and_ends(page, server, shop, tmp_path):
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    server.url = server.url.replace("127.0.0.1", "localhost")
    olga = enrolled(shop, "Olga")
    other = Worker.browser()
    assert olga.sign_in(other).status_code == 204
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True}})
    (cookie,) = olga.session.cookies
    page.context.add_cookies([{"name": cookie.name, "value": cookie.value, "url": server.url}])
    page.goto(server.url + "/")
    page.get_by_role("link", name="Account").click(timeout=WAIT)
    expect(page.get_by_role("heading", name="Where you are signed in")).to_be_visible(timeout=WAIT)
    expect(page.locator("#own-sessions li")).to_have_count(2)
    expect(page.locator("#all-people")).to_contain_text("Olga, owner, signs in to the back office")
    page.get_by_label("Name of a new passkey").fill("Telephone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("#passkeys")).to_contain_text("Telephone", timeout=WAIT)
    expect(page.locator("#own-sessions li")).to_have_count(1)
    page.get_by_role("button", name="Invite Carl to the back office").click()
    expect(page.locator("#invitation")).to_contain_text("#invite=staff_", timeout=WAIT)
    axe(page)
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for width in (1280, 375):
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=folder / f"account_{width}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} wide at {width}"
    # A password is changed, and the page goes on.
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("short")
    page.get_by_label("One-time code").fill(olga.telephone.fresh())
    page.get_by_role("button", name="Change the password").click()
    expect(page.locator("#means-why")).to_contain_text("12 to 128 characters", timeout=WAIT)
    page.get_by_label("New password").fill("harbour window eleven")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_label("New password")).to_have_value("", timeout=WAIT)
    expect(page.locator("#means-why")).to_be_hidden()
    page.get_by_role("button", name="Remove Telephone").click()
    expect(page.locator("#passkeys li")).to_have_count(0, timeout=WAIT)
    # Somebody else's session ends from here.
    carl = shop.device().signed_in("Carl")
    page.reload()
    expect(page.locator("#all-sessions")).to_contain_text("Carl", timeout=WAIT)
    page.locator("#all-sessions li", has_text="Carl").get_by_role("button").click()
    expect(page.locator("#all-sessions")).not_to_contain_text("Carl", timeout=WAIT)
    assert carl.ask("GET", "/session/person").status_code == 401
    page.get_by_role("link", name="Sell").click()
    expect(page.locator("#counter-view")).to_be_visible()
    expect(page.locator("#account-view")).to_be_hidden()
    assert not faults, faults


def test_a_page_that_is_overtaken_by_a_pin_asks_again(browser, server, shop):
    """Two tabs of one browser: a PIN in one changes the cookie under the other."""
    context = browser.new_context()
    page, other = context.new_page(), context.new_page()
    for tab in (page, other):
        tab.goto(server.start_url() if tab is page else server.url + "/")
        expect(tab.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    for name in ("Carl", "Mona"):
        page.get_by_role("radio", name=name).check()
        page.get_by_label("PIN", exact=True).fill(PINS[name])
        page.get_by_label("PIN", exact=True).press("Enter")
        expect(page.locator("#who")).to_contain_text(name, timeout=WAIT)
        other.reload()
        expect(other.locator("#who")).to_contain_text(name, timeout=WAIT)
        expect(other.locator("#session")).to_be_hidden()
        if name == "Carl":
            page.get_by_role("button", name="Lock or switch").click()
            expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    context.close()
