"""/docs: the counter's interface as a page, made of /openapi.yaml by its own script. PyYAML judges how it is read."""
import os
import pathlib
import re

import pytest
import yaml
from playwright.sync_api import expect
from seen import axe, pictures

import counter

SOURCE = counter.ROOT / "Sources" / "TillFeatures" / "Page" / "Assets" / "Docs"
METHODS = ("get", "put", "post", "patch", "delete")
WAIT = 30_000


@pytest.fixture(scope="module")
def description():
    return yaml.safe_load((SOURCE / "openapi.yaml").read_text())


def operations(description):
    return [(path, method, item[method]) for path, item in description["paths"].items() for method in METHODS
            if method in item]


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def docs(page, server):
    """The page, of which nothing may fail and nothing may come from elsewhere."""
    expect.set_options(timeout=WAIT)
    faults, asked = [], []
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url + "/docs")
    expect(page.locator("#operations article").first).to_be_attached()
    yield page
    assert not faults, faults
    assert asked and all(url.startswith(server.url + "/") for url in asked), asked


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "docs", narrow=390)


@pytest.fixture
def shot(tmp_path):
    """Where a picture of what is in the window goes: the whole page is too long for one."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name, scheme: folder / f"docs_{name}_{scheme}.png"


def test_the_description_is_read_as_others_read_it(docs, description):
    read = docs.evaluate("""async () => {
        const { parse } = await import("/docs-yaml.js");
        return parse(await (await fetch("/openapi.yaml")).text());
    }""")

    def plain(value):
        """As JSON has it: keys are texts."""
        if isinstance(value, dict):
            return {str(key): plain(one) for key, one in value.items()}
        return [plain(one) for one in value] if isinstance(value, list) else value

    assert read == plain(description)


SMALL = [
    "a: 1\nb:\n  - x\n  - {c: 'it''s', d: \"\\u00e4\\n\"}\n", "a:\n- b: 1\n  c:\n  - 2\n- |\n  x\n\n  y\n",
    "a: >-\n  b\n  c\n\n  d\n", "a: [1, [2, \"x, y\"],\n  w]\n", "a: &n {b: true}\nc: *n\n",
    "a: b # no\nc: \"# yes\"\nd: e#f\n", "a: one\n  two\nb: -1.5\nc: ~\nd:\ne: null\n",
    "'a b': \"c\n  d\"\n\"e\": x:y\n",
    "- - 1\n  - 2\n- a: |-\n    x\n     y\n  b: 2\n",
]
UNREAD = [
    "a: 1\na: 2\n", "a: [1\n", "a: {b: 1\n", "a: \"b\n", "a: *b\n", "a: !x b\n", "a: 1\n  b: 2\nc\n", "a: [1] x\n",
    "a:\n  b: 1\n c: 2\n", "a: ? b\nx\n", "a: @b\n",
]


def test_small_documents_are_read_as_others_read_them_or_not_at_all(docs):
    parse = "async (text) => (await import('/docs-yaml.js')).parse(text)"
    for text in SMALL:
        assert docs.evaluate(parse, text) == yaml.safe_load(text), text
    for text in UNREAD:
        with pytest.raises(Exception, match=r"line \d"):
            docs.evaluate(parse, text)


def test_every_operation_is_there_with_what_belongs_to_it(docs, description):
    shown = docs.evaluate("""() => Object.fromEntries(
        [...document.querySelectorAll("#operations article")].map((one) => [one.id, one.textContent]))""")
    every = operations(description)
    assert len(every) > 100
    for path, method, operation in every:
        text = shown[operation["operationId"]]
        assert text.startswith(f"{method.upper()} {path}") and operation["summary"] in text
        if "x-till-scope" in operation:
            assert f"Scope {operation['x-till-scope']}" in text
        for code in operation["responses"]:
            assert str(code) in text, (path, code)
        for parameter in operation.get("parameters", []):
            name = parameter.get("name") or description["components"]["parameters"][
                parameter["$ref"].split("/")[-1]]["name"]
            assert name in text, (path, name)
        for media in (operation.get("requestBody") or {}).get("content", {}).values():
            for name in media["schema"].get("properties", {}):
                assert name in text, (path, name)
    schemas = description["components"]["schemas"]
    for name, schema in schemas.items():
        for member in schema.get("properties", {}):
            assert member in shown["schema-" + name], (name, member)
    assert len(shown) == len(every) + len(schemas)
    codes = docs.locator("#operations table code").all_inner_texts()
    assert "order_already_paid" in codes and "idempotency_mismatch" in codes
    # Each link on the page leads somewhere on it.
    broken = docs.evaluate("""() => [...document.querySelectorAll("a[href^='#']")]
        .filter((link) => !document.getElementById(link.hash.slice(1))).map((link) => link.hash)""")
    assert not broken


def test_the_page_may_load_nothing_of_others_and_be_in_no_frame(server):
    answer = server.request("GET", "/docs")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy
    for name in ("docs.html", "docs.js", "docs-yaml.js", "docs.css"):
        text = (SOURCE / name).read_text()
        assert "innerHTML" not in text and "http://" not in text and "https://" not in text, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_developer_finds_an_operation_with_the_keyboard(docs, shoot, shot, scheme):
    docs.emulate_media(color_scheme=scheme)
    expect(docs.locator("#state")).to_contain_text("Made from /openapi.yaml")
    expect(docs.locator("body")).to_contain_text("TEST – no real money moves")
    docs.set_viewport_size({"width": 1280, "height": 800})
    docs.screenshot(path=shot("top", scheme))
    axe(docs)
    docs.keyboard.press("Tab")
    expect(docs.locator(".skip")).to_be_focused()
    docs.keyboard.press("Enter")
    expect(docs.locator("#operations")).to_be_focused()
    docs.locator("#filter").focus()
    docs.keyboard.type("/refunds")
    expect(docs.locator("#found")).to_contain_text("operation")
    there = docs.locator("#operations article:visible .method")
    expect(docs.locator("#operations article:visible h3", has_text="/v1/payments/{id}/refunds")).to_have_count(1)
    assert there.count() < 20
    docs.locator("#filter").fill("/v1/orders/{id}/fulfil")
    one = docs.locator("#operations article:visible", has=docs.locator("h3", has_text="/v1/orders/{id}/fulfil"))
    expect(one).to_have_count(1)
    errors = one.locator("summary")
    errors.focus()
    docs.keyboard.press("Enter")
    expect(one.locator("details")).to_have_attribute("open", "")
    expect(one.locator("details dt", has_text="409")).to_be_visible()
    axe(docs)
    shoot(f"found_{scheme}")
    # A link to what the filter hides shows it.
    docs.evaluate("location.hash = '#schema-Problem'")
    expect(docs.locator("#schema-Problem")).to_be_in_viewport()
    expect(docs.locator("#filter")).to_have_value("")
    docs.locator("#filter").fill("nothing has this name")
    expect(docs.locator("#found")).to_have_text("0 operations")


@pytest.mark.parametrize("width", [390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(docs, shot, scheme, width):
    docs.emulate_media(color_scheme=scheme)
    expect(docs.locator("#menu")).not_to_have_attribute("open", "")
    assert docs.evaluate("document.documentElement.scrollWidth") <= width
    docs.screenshot(path=shot("phone", scheme))
    docs.locator("#bookOrder").scroll_into_view_if_needed()
    docs.screenshot(path=shot("phone_order", scheme))
    docs.locator("#menu summary").click()
    docs.locator("#menu a", has_text="/v1/webhook_endpoints/{id}/rotate").click()
    expect(docs.locator("#operations article", has_text="/v1/webhook_endpoints/{id}/rotate").first).to_be_in_viewport()
    docs.locator("#filter").fill("/rotate")
    axe(docs)


def test_a_description_that_cannot_be_had_is_said(page, server):
    page.route("**/openapi.yaml", lambda route: route.fulfill(status=503, body=""))
    page.goto(server.url + "/docs")
    expect(page.locator("#state")).to_contain_text("The description cannot be shown: status 503.")
    page.unroute("**/openapi.yaml")
    page.route("**/openapi.yaml", lambda route: route.fulfill(status=200, body="a: [1\n"))
    page.goto(server.url + "/docs")
    expect(page.locator("#state")).to_contain_text(re.compile(r"line \d: a value has no end"))
