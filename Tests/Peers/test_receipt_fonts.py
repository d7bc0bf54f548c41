"""A machine without fonts for a script: a receipt in it is refused with a sentence, and never printed as boxes."""
import json
import shutil
import subprocess
import sys
import time

import pytest

import counter
import printers
from printers import Port9100, states

FONTS = counter.ROOT / "Tests" / "Fonts" / "latin.conf"
LATIN = {"FONTCONFIG_FILE": str(FONTS)}
NAMES = ["Kana (Japanese)", "Han (Chinese and Japanese)", "fonts-noto-cjk"]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Fontconfig"),
    pytest.mark.skipif(
        not shutil.which("fc-list")
        or not subprocess.run(["fc-list"], capture_output=True, env=LATIN, check=False).stdout,
        reason="needs DejaVu Serif or Noto Sans"),
]


@pytest.fixture
def till(tmp_path):
    return printers.Till(tmp_path, **LATIN, TILL_LOCALE="ja_JP")


@pytest.mark.parametrize("form", ["pdf", "png", "escpos"])
def test_the_command_writes_nothing_and_names_script_and_package(till, form, tmp_path):
    file = tmp_path / "receipt"
    done = till.run("receipts", "show", till.sale(), "--format", form, "--output", file)
    assert done.returncode == 1 and not file.exists(), done.stdout
    assert all(name in done.stderr for name in NAMES) and "No money moved" in done.stderr, done.stderr


@pytest.mark.parametrize("form", ["text", "html", "json"])
def test_text_and_html_need_no_font(till, form):
    done = till.run("receipts", "show", till.sale(), "--format", form)
    assert done.returncode == 0 and ("json" == form or "合計" in done.stdout), done.stderr


def test_other_languages_are_drawn(till):
    assert till.run("receipts", "show", till.sale(), "--format", "pdf", "--locale", "pl_PL", text=False
                    ).stdout.startswith(b"%PDF")


def test_over_http_it_is_503_with_the_sentence(tmp_path):
    with counter.Server(tmp_path, "--locale", "ja_JP", env=LATIN) as server:
        payment = server.create("o-1", "k-1").json()["id"]
        server.confirm(payment, "k-2")
        for form in ("pdf", "png", "escpos"):
            answer = server.request("GET", f"/v1/payments/{payment}/receipt?format={form}")
            assert answer.status_code == 503, answer.text
            problem = json.dumps(answer.json(), ensure_ascii=False)
            assert "font_not_installed" in problem and all(name in problem for name in NAMES), problem
        assert server.request("GET", f"/v1/payments/{payment}/receipt?format=html").status_code == 200


def test_a_receipt_printer_gets_nothing_and_the_receipt_waits_with_the_sentence(till):
    port = Port9100(printers.READY)
    payment = till.sale()
    done = till.print(payment, port.address)
    assert states(done) == ["waiting"], done.stdout + done.stderr
    assert all(name in till.queue(payment)[0]["message"] for name in NAMES)
    assert port.received == b""


@printers.needs_printer
def test_an_ipp_printer_gets_nothing_either(till, printer):
    roll = printer("roll")
    payment = till.sale()
    done = till.print(payment, roll.address)
    assert states(done) == ["waiting"], done.stdout + done.stderr
    assert all(name in till.queue(payment)[0]["message"] for name in NAMES)
    assert roll.jobs() == []


def test_a_font_that_is_installed_is_noticed_while_the_counter_runs(tmp_path):
    """What waits is printed then; nobody has to start the counter again."""
    found = subprocess.run(["fc-list", ":charset=3042 6f22", "file"], capture_output=True, text=True, check=True).stdout
    if not found:
        pytest.skip("needs a Japanese font: scripts/setup installs fonts-noto-cjk")
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    asked = ["fc-list", ":lang=pl", "file"]
    latin = subprocess.run(asked, capture_output=True, text=True, check=True, env=LATIN).stdout
    shutil.copy(latin.split(":")[0], fonts)
    (tmp_path / "fonts.conf").write_text(
        f"<fontconfig><dir>{fonts}</dir><cachedir>{tmp_path}/cache</cachedir>"
        "<config><rescan><int>1</int></rescan></config></fontconfig>")
    with counter.Server(tmp_path, "--locale", "ja_JP", env={"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}) as server:
        payment = server.create("o-1", "k-1").json()["id"]
        server.confirm(payment, "k-2")

        def drawn():
            return server.request("GET", f"/v1/payments/{payment}/receipt?format=pdf").content.startswith(b"%PDF")

        assert not drawn()
        time.sleep(1.1)
        shutil.copy(found.split(":")[0], fonts)
        assert counter.until(drawn, 20)


def test_the_doctor_lists_languages_and_what_to_install(till):
    shown = till.run("doctor").stdout
    sentence = " ".join(shown.split())
    assert "Receipts can be drawn in English, German, French, Spanish, Italian, Polish" in sentence, shown
    assert "Receipts in Japanese cannot be drawn" in sentence and "Install fonts-noto-cjk (Debian)" in sentence, shown
    told = json.loads(till.run("doctor", "--json").stdout)
    languages = {one["language"]: one for one in told["languages"]}
    assert len(languages) == 9 and languages["en"] == {
        "language": "en", "drawn": True, "missing_scripts": [], "packages": []}
    assert languages["ja"] == {
        "language": "ja", "drawn": False, "missing_scripts": ["kana", "han"], "packages": ["fonts-noto-cjk"]}
    assert "thai" in told["missing_scripts"] and "latin" not in told["missing_scripts"]
    assert told["packages"] == ["fonts-noto-cjk", "fonts-noto-core"]
