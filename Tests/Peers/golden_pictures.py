"""Golden pictures: what of a picture of a page is stored, how two are compared, and the fonts they were drawn with.

A picture is scaled down by a whole factor, which averages antialiasing away and leaves what is as large as a word. It
keeps its colours: as greys, paid (#0a6a4b) and stop (#b0241c) are 74 and 77 of 255, and one could stand for the other.
"""
import functools
import io
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from PIL import Image, ImageChops

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORED = ROOT / "Tests" / "Pictures"
FONTS = STORED / "fonts.json"
DESIGN = ROOT / "Sources" / "TillFeatures" / "Page" / "Assets" / "Design" / "design.css"

# By the width of the page in CSS pixels: how many of them make one of the stored picture (320 and 130 wide), and how
# much of a page is kept, from its top. A letter of a phone's page is as large as one of the desktop's: more of it would
# be edges of letters, which is where antialiasing is, and no block, button or word is lost at a third.
SCALE = {1280: 4, 390: 3}
TALLEST = {1280: 1_200, 390: 1_650}
# What is below the end of a page that is shorter: no page has this ground.
BELOW = (128, 64, 160)
# A stored picture has 16 levels in each channel, which halves its file and changes a pixel by 8 of 255 at most.
STEP = 17
# A pixel is another one when a channel differs by more than this, of 255. Storing takes 8, and the averaged edge of a
# letter that is antialiased another way some 10 more; the grounds of paid and stop, the palest of the states, are 33
# apart, so that one in place of the other is seen after the 8.
LEVELS = 24
# The share of other pixels that may be, 28 of a desktop's 96,000 and 21 of a phone's 71,500. The smallest button is
# 25 × 11 pixels, its edge alone 68 of them, and a word of a desktop's page some 30; one letter is 5. A whole page that
# is drawn a sixth of a pixel beside where it was has none.
MOST_OTHERS = 0.000_3
# What the files may take, in bytes: a picture of text, and all of them.
MOST_OF_ONE = 16_000
MOST_OF_ALL = 500_000

# What is drawn by fonts that no style sheet names: bold and Arabic letters, and the keypad's signs.
FALLBACKS = [
    "sans-serif", "sans-serif:bold", "sans-serif:lang=ar", "sans-serif:bold:lang=ar", "system-ui:lang=ar",
    "monospace", "sans-serif:charset=232b", "sans-serif:charset=2212",
]


def scaled(png, width):
    """A screenshot of a page of that width, as large as it is compared."""
    page = Image.open(io.BytesIO(png)).convert("RGB")
    if page.width != width:
        raise ValueError(f"the picture is {page.width} wide, not {width}")
    canvas = Image.new("RGB", (width, TALLEST[width]), BELOW)
    canvas.paste(page, (0, 0))
    return canvas.reduce(SCALE[width])


def whole(picture):
    """A picture as the bytes of a PNG, as a browser gives them."""
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def stepped(picture):
    """A picture in the levels that are stored."""
    return picture.point(lambda level: (level + STEP // 2) // STEP * STEP)


def encoded(picture):
    """The bytes of a picture as it is stored: a palette where its colours fit into one."""
    picture = stepped(picture)
    colors = picture.getcolors(256)
    if colors:
        palette = sorted(color for _, color in colors)
        places = {color: place for place, color in enumerate(palette)}
        pixels = picture.tobytes()
        flat = Image.new("P", picture.size)
        flat.putpalette([channel for color in palette for channel in color])
        flat.putdata([places[tuple(pixels[at:at + 3])] for at in range(0, len(pixels), 3)])
        picture = flat
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def others(old, new):
    """The pixels of two pictures that are not the same, white on black; None if the sizes differ."""
    if old.size != new.size:
        return None
    red, green, blue = ImageChops.difference(old.convert("RGB"), new.convert("RGB")).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return most.point(lambda level: 255 if level > LEVELS else 0)


def share(old, new):
    """The share of pixels that are not the same, 0 to 1."""
    found = others(old, new)
    return 1.0 if found is None else found.histogram()[255] / (found.width * found.height)


def is_same(old, new):
    return share(old, new) <= MOST_OTHERS


def shown_difference(old, new):
    """The new picture, pale, with what is not as it was in red."""
    found = others(old, new)
    if found is None:
        return new
    pale = Image.blend(new, Image.new("RGB", new.size, "white"), 0.7)
    pale.paste((200, 0, 0), (0, 0), found)
    return pale


def path_of(name):
    return STORED / f"{name}.png"


def stored(name):
    """The stored picture of that name, or None."""
    path = path_of(name)
    if not path.exists():
        return None
    with Image.open(path) as picture:
        return picture.convert("RGB")


def store(name, picture):
    STORED.mkdir(parents=True, exist_ok=True)
    path_of(name).write_bytes(encoded(picture))


def accepting(name=None):
    """The command that stores what is there now."""
    return "scripts/pictures --accept" + (f" {name}" if name else "")


def is_accepted(name):
    """Whoever runs the tests has asked for this picture to be stored, by names between commas; `all` asks for each."""
    asked = os.environ.get("TILL_ACCEPT_PICTURES", "").split(",")
    return name in asked or "all" in asked


def keep(name, folder, **pictures):
    """Writes pictures of a screen, by their kind, where whoever runs the tests can see them. Returns the folder."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", folder))
    folder.mkdir(parents=True, exist_ok=True)
    for kind, picture in pictures.items():
        picture.save(folder / f"{name}.{kind}.png")
    return folder


def explain(name, old, new, folder):
    """Writes both pictures and their difference into a folder. What to say of it."""
    folder = keep(name, folder, old=old, new=new, difference=shown_difference(old, new))
    return (f"{name} is not as it was: {share(old, new):.3%} of its pixels differ, at most {MOST_OTHERS:.3%} may. "
            f"See {folder}/{name}.difference.png, .old.png and .new.png. If that is meant: {accepting(name)}")


# ---- Fonts


def families():
    """The families that the pages name for text and for identifiers."""
    style = DESIGN.read_text()
    lists = re.findall(r"--(?:font|mono):([^;]+);", style)
    assert len(lists) == 2, "design.css names its fonts in --font and --mono"
    named = [name.strip().strip('"') for text in lists for name in text.split(",")]
    # The face "Nimbus level" is the machine's Nimbus Sans.
    return ["Nimbus Sans" if name == "Nimbus level" else name for name in named]


@functools.cache
def fonts():
    """What this machine draws each family with: the file and its version."""
    if not shutil.which("fc-match"):
        pytest.fail("fc-match is not installed (Debian: apt-get install fontconfig)", pytrace=False)
    found = {}
    for pattern in dict.fromkeys([*families(), *FALLBACKS]):
        done = subprocess.run(["fc-match", "-f", "%{file|basename} %{fontversion}", pattern.replace("-", r"\-")],
                              capture_output=True, text=True, timeout=20, check=True)
        found[pattern] = done.stdout.strip()
    return found


def drawn_with():
    """The fonts of the stored pictures and the browser that drew them, or None if there are none."""
    return json.loads(FONTS.read_text()) if FONTS.exists() else None


def note_fonts(browser):
    STORED.mkdir(parents=True, exist_ok=True)
    FONTS.write_text(json.dumps({"browser": browser, "fonts": fonts()}, indent=2, ensure_ascii=False) + "\n")


def other_fonts():
    """How the fonts of this machine differ from those of the stored pictures; empty if they do not."""
    was, now = drawn_with()["fonts"], fonts()
    return [f"{name}: {was.get(name, 'none')} there, {now.get(name, 'none')} here"
            for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name)]
