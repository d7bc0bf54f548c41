"""Other people's pages in the clerk's browser, while the clerk is signed in: from another site, from another port of
the same host (whose requests the browser sends with the clerk's cookie), and under a name that was rebound to the
counter's address. None reads, changes, frames or steers anything, or puts the clerk into another account."""
import contextlib
import http.server
import json
import threading

import pytest
import requests
from playwright.sync_api import Error

import counter

EVIL, REBOUND, HOST = "evil.example", "rebound.example", "127.0.0.1"


class Attacker:
    """A web server with pages of its own, under whatever name it is called."""

    def __init__(self):
        self.pages, self.cookies, self.heard = {}, [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.heard.append((self.path, self.headers.get("Cookie")))
                page = outer.pages.get(self.path, "").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                for cookie in outer.cookies:
                    self.send_header("Set-Cookie", cookie)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((HOST, counter.free_port()), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def attacker():
    attacker = Attacker()
    yield attacker
    attacker.close()


@pytest.fixture(scope="module")
def chromium(browser, chromium_path):
    """Another browser, for which foreign names lead to this machine, and which does not guard the local network by
    itself. Playwright runs once in a process."""
    rules = f"MAP {EVIL} {HOST}, MAP {REBOUND} {HOST}"
    launched = browser.browser_type.launch(executable_path=chromium_path, args=[
        "--no-sandbox", f"--host-resolver-rules={rules}",
        "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,"
        "PrivateNetworkAccessSendPreflights"])
    yield launched
    launched.close()


@pytest.fixture
def clerk(chromium, server):
    """The clerk's browser, with the page open and a sale that was paid."""
    context = chromium.new_context()
    page = context.new_page()
    server.sign_in(page)
    server.payment = server.create("o-1", "c-1").json()["id"]
    assert server.confirm(server.payment, "s-1", counter.CARD_TENDER).json()["status"] == "succeeded"
    assert [cookie["sameSite"] for cookie in context.cookies()] == ["Strict"]
    yield page
    context.close()


@pytest.fixture(params=["another site", "another port"])
def origin(request, attacker):
    name = EVIL if request.param == "another site" else HOST
    return f"http://{name}:{attacker.port}"


def untouched(server, clerk):
    """The payment is as it was, nothing was made beside it, and the clerk goes on."""
    payments = server.request("GET", "/v1/payments").json()["payments"]
    assert [(p["id"], p["status"], p["refunded"]) for p in payments] == [(server.payment, "succeeded", 0)]
    clerk.bring_to_front()
    clerk.goto(server.url + "/")
    clerk.locator("#till").wait_for(state="visible", timeout=10_000)


WRITES = """async ([base, payment]) => {
  const tried = {};
  const note = async (name, act) => {
    try { const answer = await act(); tried[name] = [answer.type, answer.status, await answer.text()]; }
    catch (error) { tried[name] = ["error", 0, ""]; }
  };
  const body = JSON.stringify({amount: 100});
  const to = `${base}/v1/payments/${payment}/refunds`;
  const own = {"Content-Type": "application/json", "Idempotency-Key": "evil", "X-Till-Page": "1"};
  for (const mode of ["cors", "no-cors"]) {
    for (const headers of [own, {"Content-Type": "text/plain"}, {}]) {
      const options = {method: "POST", mode, headers, body, credentials: "include"};
      await note(`${mode} refund ${Object.keys(headers).length}`, () => fetch(to, options));
      await note(`${mode} sign out ${Object.keys(headers).length}`,
                 () => fetch(`${base}/session`, {...options, method: mode == "cors" ? "DELETE" : "POST"}));
    }
    for (const path of ["/v1/payments", "/v1/events", "/metrics", "/session/person", "/", "/openapi.yaml", "/healthz"])
      await note(`${mode} read ${path}`, () => fetch(base + path, {mode, credentials: "include",
                                                                  signal: AbortSignal.timeout(1500)}));
  }
  navigator.sendBeacon(to, new Blob([body], {type: "text/plain"}));
  return tried;
}"""


def test_scripts_of_other_pages_read_and_change_nothing(clerk, server, attacker, origin):
    evil = clerk.context.new_page()
    evil.goto(origin + "/")
    tried = evil.evaluate(WRITES, [server.url, server.payment])
    assert len(tried) == 26
    for name, (kind, status, text) in tried.items():
        assert kind in ("error", "opaque") and status == 0 and text == "", (name, kind, status, text)
    untouched(server, clerk)


FORM = """<form method="post" enctype="{enctype}" action="{action}"><input name='{name}' value='{value}'></form>
<script>document.forms[0].submit()</script>"""


@pytest.mark.parametrize("enctype", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_forms_of_other_pages_change_nothing(clerk, server, attacker, origin, enctype):
    document = json.dumps({"amount": 100, "reason": "x"})
    name, value = document[:-1].rsplit('"x"', 1)[0] + '"', 'x"}'
    evil = clerk.context.new_page()
    for number, path in enumerate((f"/v1/payments/{server.payment}/refunds", f"/v1/payments/{server.payment}/cancel",
                                   "/v1/payments", "/session", "/session/person")):
        attacker.pages[f"/{number}"] = FORM.format(enctype=enctype, action=server.url + path, name=name, value=value)
        with evil.expect_response(lambda answer, path=path: answer.url == server.url + path) as told:
            evil.goto(f"{origin}/{number}")
        assert told.value.status in (400, 401, 403, 415, 422), (path, told.value.status)
    untouched(server, clerk)


READS = "<script>window.loot = []; window.onerror = () => true;</script>{tags}"


def test_nothing_of_the_counter_is_loaded_into_other_pages(clerk, server, attacker, origin):
    """As script, style, picture, object and frame: of what is loaded nothing runs and nothing is seen."""
    link = server.request("POST", f"/v1/payments/{server.payment}/receipt/link", {}, "l").json()["path"]
    paths = ["/", "/v1/payments", f"/v1/payments/{server.payment}", "/counter.js", "/money.js", "/counter.css",
             "/payments", "/payments.js", f"/payments/{server.payment}", "/one-payment.js", "/design.css",
             "/day", "/day.js", "/day-report.js", "/insights", "/insights.js", "/v1/insights",
             "/settings", "/settings/keys", "/settings-keys.js", "/v1/keys",
             "/openapi.yaml", "/metrics", link, f"/v1/payments/{server.payment}/receipt?format=html"]
    tags = "".join(
        f'<script src="{server.url}{path}" onload="loot.push(`script {path}`)"></script>'
        f'<script type="module" src="{server.url}{path}" onload="loot.push(`module {path}`)"></script>'
        f'<link rel="stylesheet" href="{server.url}{path}" onload="loot.push(`style {path}`)">'
        f'<img src="{server.url}{path}" onload="loot.push(`picture {path}`)">'
        f'<object data="{server.url}{path}" onload="loot.push(`object {path}`)"></object>'
        f'<iframe name="frame" src="{server.url}{path}"></iframe>' for path in paths)
    attacker.pages["/"] = READS.format(tags=tags)
    evil = clerk.context.new_page()
    evil.goto(origin + "/", wait_until="load")
    evil.wait_for_timeout(1_000)
    # Scripts and styles of the page's own are loaded by pages of its own origin alone; the site of another port is one.
    assert evil.evaluate("loot") == []
    for frame in evil.frames[1:]:
        assert not frame.url.startswith(server.url) or "chrome-error" in frame.url, frame.url
        with contextlib.suppress(Error):
            assert "12.50" not in frame.content() and "Till" not in frame.title()
    untouched(server, clerk)


def test_whoever_opens_the_page_has_no_hold_on_its_window(clerk, server, attacker, origin):
    attacker.pages["/"] = f"<button onclick=\"window.held = window.open('{server.url}/')\">open</button>"
    evil = clerk.context.new_page()
    evil.goto(origin + "/")
    with clerk.context.expect_page() as opened:
        evil.click("button")
    page = opened.value
    page.locator("#till").wait_for(state="visible", timeout=10_000)
    assert page.evaluate("window.opener") is None
    assert evil.evaluate("held.closed") is True, "the opener's hold is gone"
    evil.evaluate("try { held.location = 'about:blank' } catch (error) {}")
    evil.evaluate("try { held.postMessage({start_code: 'x'}, '*') } catch (error) {}")
    page.wait_for_timeout(300)
    assert page.url.startswith(server.url) and page.locator("#till").is_visible()
    untouched(server, clerk)


REBINDING = """async ([payment, code]) => {
  const tried = {};
  const note = async (name, path, options = {}) => {
    const answer = await fetch(path, {credentials: "include", signal: AbortSignal.timeout(3000), ...options,
      headers: {"X-Till-Page": "1", "Content-Type": "application/json", "Idempotency-Key": name}});
    tried[name] = [answer.status, await answer.text()];
  };
  await note("payments", "/v1/payments");
  await note("payment", `/v1/payments/${payment}`);
  await note("metrics", "/metrics");
  await note("events", "/v1/events");
  await note("person", "/session/person");
  await note("refund", `/v1/payments/${payment}/refunds`, {method: "POST", body: JSON.stringify({amount: 100})});
  await note("sale", "/v1/payments", {method: "POST",
    body: JSON.stringify({order_id: "evil", amount: 100, currency: "EUR"})});
  await note("sign in", "/session", {method: "POST", body: JSON.stringify({start_code: code})});
  return tried;
}"""


def test_a_name_that_is_rebound_to_the_counter_gets_nothing(clerk, server):
    """The page was loaded from somewhere else under a name that now leads to the counter: its origin is the counter's
    by that name, and the browser lets it ask whatever it likes. What it has not is the clerk's cookie."""
    base = f"http://{REBOUND}:{server.port}"
    evil = clerk.context.new_page()
    evil.route(base + "/attack", lambda route: route.fulfill(body="<p>an attack</p>", content_type="text/html"))
    evil.goto(base + "/attack")
    assert evil.evaluate("document.cookie") == ""
    tried = evil.evaluate(REBINDING, [server.payment, "0" * 32])
    assert len(tried) == 8
    for name, (status, text) in tried.items():
        assert status == 401, (name, status, text)
        assert server.payment not in text or name == "payment", (name, text)
    evil.goto(base + "/")
    evil.get_by_role("heading", name="Sign in").wait_for(timeout=10_000)
    untouched(server, clerk)


def session_of(server, account):
    """A session that somebody has begun with a key of another account: the cookie's name and token."""
    key = counter.succeed("keys", "create", "--account", account, "--scope", "all", "--journal", server.journal,
                          "--json")["key"]
    session = requests.Session()
    answer = session.post(server.url + "/session", json={"key": key}, headers={"X-Till-Page": "1"}, timeout=10)
    assert answer.status_code == 204, answer.text
    (cookie,) = session.cookies
    return key, cookie.name, cookie.value


def sells(page, server):
    """The clerk takes 3.00 by the page; whether it was taken, and what the page says otherwise."""
    page.goto(server.url + "/")
    page.wait_for_timeout(1_500)
    if not page.locator("#till").is_visible():
        return False
    page.get_by_label("Amount", exact=True).fill("3.00")
    page.locator("#till").get_by_role("button", name="Charge").first.click()
    page.wait_for_timeout(2_000)  # there is no sign of a sale that is not made
    return "Paid" in page.locator("body").inner_text()


def test_a_cookie_that_another_page_puts_beside_the_clerks_signs_nobody_into_its_account(clerk, server, attacker):
    """Any script of another port can set a cookie of the same name for a longer path, which the browser sends first."""
    key, name, token = session_of(server, "thief")
    evil = clerk.context.new_page()
    evil.goto(f"http://{HOST}:{attacker.port}/")
    for path in ("/v1", "/v1/payments"):
        evil.evaluate("cookie => { document.cookie = cookie }", f"{name}={token}; path={path}")
    sells(clerk, server)
    taken = requests.get(server.url + "/v1/payments", headers={"Authorization": "Bearer " + key}, timeout=10).json()
    assert taken["payments"] == [], "the clerk has sold into the account of another"
    # The clerk signs in again, and the other's session is gone for good.
    clerk.context.clear_cookies()
    clerk.goto("about:blank")
    server.sign_in(clerk)
    assert sells(clerk, server)
    old = requests.get(server.url + "/v1/payments", cookies={name: token}, timeout=10)
    assert old.status_code == 401


def test_cookies_that_are_no_session_keep_no_clerk_out(clerk, server, attacker):
    (cookie,) = clerk.context.cookies()
    evil = clerk.context.new_page()
    evil.goto(f"http://{HOST}:{attacker.port}/")
    for path in ("/v1", "/v1/payments"):
        evil.evaluate("cookie => { document.cookie = cookie }", f"{cookie['name']}=nothing; path={path}")
    assert cookie["value"] not in evil.evaluate("document.cookie"), "a script reads the clerk's cookie"
    assert sells(clerk, server)
