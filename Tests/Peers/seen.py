"""A page as a person sees it: pictures of its states at two widths, and what a judge of accessibility finds."""
import os
import pathlib

import pytest


def pictures(page, folder, prefix, narrow):
    """What keeps a picture of a state at desktop and phone width; nothing may need sideways scrolling."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", folder))

    def take(name):
        folder.mkdir(parents=True, exist_ok=True)
        for width in (1280, narrow):
            page.set_viewport_size({"width": width, "height": 800})
            page.screenshot(path=folder / f"{prefix}_{name}_{width}.png", full_page=True)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} wide at {width}"

    return take


# What fades in has its colours only in the end; what goes round for ever has them all the time.
STILL = """() => Promise.allSettled(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime)).map((one) => one.finished))"""


def axe(page, colors_are_forced=False):
    # A button that is enabled meanwhile must not fade in, either.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(STILL)
    judge = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # Where the browser forces its own colors, axe goes on to read the page's from `-webkit-text-fill-color`.
    rules = {"color-contrast": {"enabled": not colors_are_forced}}
    found = judge.run(page, options={"rules": rules}).response["violations"]
    assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
