"""Receipts as others read them: python-escpos, zbar, poppler, Chromium."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import requests

import counter

LOCALES = ["en_US", "de_DE", "fr_CA", "es_ES", "it_IT", "pl_PL", "ja_JP", "ar_EG", "he_IL"]
KEY = "0123456789abcdef" * 2
SHOP = ["--store", "Tea & Co <script>", "--address", "Road 1\\nTown", "--tax-id", "DE123"]


@pytest.fixture
def till(tmp_path):
    def run(*arguments, text=True):
        environment = {**os.environ, "TILL_JOURNAL": str(tmp_path / "journal.sqlite")}
        return subprocess.run([counter.binary(), *arguments], capture_output=True, text=text, timeout=60,
                              env=environment)

    return run


@pytest.fixture
def payment(till):
    done = till("sale", "--amount", "12.50", "--currency", "EUR", "--reader", "simulated", "--json",
                "--description", "<b>\x1b@Tea\u202e</b>")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["payment_id"]


def tool(name):
    return pytest.mark.skipif(not shutil.which(name), reason=f"needs {name}")


def show(till, payment, kind, *more):
    done = till("receipts", "show", payment, "--format", kind, *SHOP, *more, text=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_are_those_of_python_escpos(till, payment):
    escpos = pytest.importorskip("escpos.printer")
    ours = show(till, payment, "escpos")
    theirs = escpos.Dummy(profile="TM-T88V")
    theirs.hw("INIT")
    assert ours.startswith(theirs.output)
    theirs.clear()
    theirs.charcode("CP437")
    assert theirs.output in ours
    theirs.clear()
    theirs.set(bold=True)
    assert b"\x1bE\x01" in theirs.output and b"\x1bE\x01" in ours
    theirs.clear()
    theirs.cut(mode="PART")
    assert ours.endswith(theirs.output)
    theirs.clear()
    theirs.charcode("CP858")
    assert theirs.output in ours, "the euro sign goes in PC858"
    assert b"12.50" in ours


def test_a_native_code_is_python_escpos_own(till, payment):
    escpos = pytest.importorskip("escpos.printer")
    ours = show(till, payment, "escpos", "--profile", "tm-t88v", "--receipt-url", "https://shop.example")
    url = re.search(rb"https://shop\.example/r/[\w.]+", ours).group()
    theirs = escpos.Dummy(profile="TM-T88V")
    theirs.qr(url.decode(), native=True, ec=1, size=6, model=2)
    native = theirs.output[theirs.output.index(b"\x1d(k"):].rstrip(b"\n")
    assert native in ours


@tool("zbarimg")
def test_the_code_on_the_picture_is_read(till, payment, tmp_path):
    for locale in ("en_US", "ar_EG"):
        file = tmp_path / "r.png"
        file.write_bytes(show(till, payment, "png", "--locale", locale, "--receipt-url", "https://shop.example"))
        read = subprocess.run(["zbarimg", "-q", "--raw", file], capture_output=True, text=True).stdout
        assert re.fullmatch(r"https://shop\.example/r/[\w.]+\n", read)


@tool("pdffonts")
@pytest.mark.parametrize("locale", LOCALES)
def test_every_font_is_in_the_pdf_and_the_text_can_be_taken_out(till, payment, tmp_path, locale):
    file = tmp_path / "r.pdf"
    file.write_bytes(show(till, payment, "pdf", "--locale", locale))
    fonts = subprocess.check_output(["pdffonts", file], text=True).splitlines()[2:]
    assert fonts and all(line.split()[-5:-2][0] == "yes" for line in fonts), fonts
    text = subprocess.check_output(["pdftotext", "-layout", file, "-"], text=True)
    # A long name may be parted over two lines.
    assert payment[:20] in text and "A0000000031010" in text
    # pdftotext turns brackets around in what is written from right to left.
    assert "Tea & Co <script" in text and ("Tea & Co <script>" in text or locale in ("ar_EG", "he_IL"))
    size = re.search(r"Page size:\s+([\d.]+) x", subprocess.check_output(["pdfinfo", file], text=True))
    assert abs(float(size.group(1)) / 72 * 25.4 - 80) < 0.1


@pytest.mark.parametrize("kind", ["text", "html", "json", "escpos"])
@pytest.mark.parametrize("locale", ["en_US", "ar_EG", "ja_JP"])
def test_nothing_hostile_gets_through(till, payment, kind, locale):
    out = show(till, payment, kind, "--locale", locale)
    if kind == "escpos":
        assert b"\x1bp" not in out
        assert out.count(b"\x1b@") == 1
        return
    text = out.decode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    assert "<script>" not in text or kind != "html"
    # A cryptogram in hexadecimal can have sixteen digits by chance.
    cryptogram = re.search(r'"cryptogram":"([0-9A-F]{16})"', show(till, payment, "json").decode()).group(1)
    assert not re.search(r"\d{13,}", re.sub(rf"pay_\w+|A0000000031010|{cryptogram}", "", text))


@tool("chromium")
def test_the_page_in_a_browser(till, payment, tmp_path, browser):
    page_file = tmp_path / "r.html"
    for locale, direction in (("en_US", "ltr"), ("ar_EG", "rtl")):
        page_file.write_bytes(show(till, payment, "html", "--locale", locale, "--receipt-url", "https://shop.example"))
        page = browser.new_page(java_script_enabled=True)
        problems = []
        page.on("console", lambda message: problems.append(message.text))
        page.goto(page_file.as_uri())
        assert page.evaluate("getComputedStyle(document.documentElement).direction") == direction
        assert page.locator("h1").count() == 1 and page.locator("script").count() == 0
        assert page.locator("table").count() == page.locator("table > caption").count()
        assert page.locator("tbody th:not([scope=row])").count() == 0
        assert page.locator("svg[role=img][aria-label]").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.set_viewport_size({"width": 320, "height": 600})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert problems == []
        page.close()


def test_a_sale_that_nobody_numbered_has_no_order_on_its_receipt(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        made = server.request("POST", "/v1/payments", {"amount": 1250, "currency": "EUR"}, "plain").json()
        payment = made["id"]
        assert re.fullmatch("sale-[0-9a-f]{24}", made["order_id"]), made
        assert server.confirm(payment, "plain-c").status_code == 200

        def shown(kind, copy="customer"):
            answer = server.request("GET", f"/v1/payments/{payment}/receipt?format={kind}&copy={copy}")
            assert answer.status_code == 200, answer.text
            return answer.content.decode("utf-8", "replace")

        for kind in ("text", "html", "escpos"):
            words = shown(kind)
            assert payment in words, words
            assert not [word for word in ("sale-", "Order", "Address", "not provided") if word in words], words
            # The shop reads on its own copy what it has not set.
            assert "Address" in shown(kind, "merchant") and "not provided" in shown(kind, "merchant"), kind
        assert f"<title>Receipt {payment[-5:]} – " in shown("html")
        named = server.create("4711", "named").json()["id"]
        assert server.confirm(named, "named-c").status_code == 200
        payment = named
        assert re.search("^Order +4711$", shown("text"), re.MULTILINE) and "<title>Receipt 4711 – " in shown("html")


def test_a_link_shows_one_receipt_until_it_ends_and_a_changed_one_nothing(till, payment, tmp_path):
    port = counter.free_port()
    log = tmp_path / "serve.log"
    with open(log, "w") as output:
        server = subprocess.Popen(
            [counter.binary(), "serve", "--port", str(port), "--api-key", KEY],
            env={**os.environ, "TILL_JOURNAL": str(tmp_path / "journal.sqlite")}, stdout=output, stderr=output)
    try:
        base = f"http://127.0.0.1:{port}"
        counter.wait_for(base + "/healthz", server, log)
        url = till("receipts", "link", payment, "--base", base).stdout.strip()
        page = requests.get(url, timeout=5)
        assert page.status_code == 200 and payment in page.text
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["X-Robots-Tag"] == "noindex"
        for bad in (url[:-1] + ("0" if url[-1] != "0" else "1"), url.replace("pay_", "pax_"), base + "/r/x"):
            assert requests.get(bad, timeout=5).status_code == 404
        made = requests.post(f"{base}/v1/payments/{payment}/receipt/link", json={"days": 1}, timeout=5,
                             headers={"Authorization": "Bearer " + KEY})
        assert made.status_code == 200 and requests.get(base + made.json()["path"], timeout=5).status_code == 200
        assert requests.post(f"{base}/v1/payments/{payment}/receipt/link", json={}, timeout=5,
                             headers={"Authorization": "Bearer wrong"}).status_code == 401
        keys = pathlib.Path(str(tmp_path / "journal.sqlite") + "-links")
        assert keys.stat().st_mode & 0o077 == 0
    finally:
        server.terminate()
        server.wait(10)
