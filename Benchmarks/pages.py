"""The counter's pages in Chromium, for the part `pages` of `Benchmarks/run`: how soon the page of a sale can be used,
and how smoothly lists move while payments come in; beside them a plain page that writes its rows anew at each event.

Needs Playwright for Python (Tests/Peers/setup) and Chromium. Times are in milliseconds, shares from 0 to 1.
"""
import concurrent.futures
import contextlib
import re
import shutil
import time

from playwright.sync_api import Error, sync_playwright

VIEWPORT = {"width": 1280, "height": 800}
# A screen shows sixty frames a second: one that comes later than this after the last has missed its turn.
FRAME_MS = 1_000 / 60
# Times of frames are given in tenths of a millisecond.
ROUNDING_MS = 0.2
# A gap that people see as a jerk; it is also what browsers call a long task.
JERK_MS = 50
WAIT_MS = 30_000
# How long a list may take until it shows the last payment of a load: it is brought up to date once a second.
SETTLE_S = 15
# The rows of the pages: all of `/`, and of `/payments` the first page.
ROWS = {"/": 12, "/payments": 50}
CELLS = {"/": 5, "/payments": 6}

# When the page of a sale can be used: a key makes an amount, and Charge answers. It is pressed without an amount, which
# it says and sends nothing. Asked every few milliseconds from the beginning of the document on.
USABLE = """{
  const [POLL_MS, PATIENCE_MS] = [2, 30_000];
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const of = (id) => document.getElementById(id);
  window.usableAt = new Promise((resolve) => {
    function look() {
      if (of("amount") && of("till")?.hidden === false) {
        press("5");
        if (of("amount").value) {
          press("Backspace");
          of("charge").click();
          if (of("amount-fault").textContent) return resolve(performance.now());
        }
      }
      if (performance.now() > PATIENCE_MS) return resolve(0);
      setTimeout(look, POLL_MS);
    }
    look();
  });
}"""

# Follows the frames of a page until it is asked for what it has seen.
FOLLOW = """() => {
  const seen = window.seenFrames = { gaps: [], longest: 0, isOver: false };
  let last = 0;
  requestAnimationFrame(function frame(at) {
    if (last) seen.gaps.push(at - last);
    last = at;
    if (!seen.isOver) requestAnimationFrame(frame);
  });
  seen.tasks = new PerformanceObserver((list) => {
    for (const one of list.getEntries()) seen.longest = Math.max(seen.longest, one.duration);
  });
  seen.tasks.observe({ type: "longtask" });
}"""
SEEN = """() => {
  const seen = window.seenFrames;
  seen.isOver = true;
  for (const one of seen.tasks.takeRecords()) seen.longest = Math.max(seen.longest, one.duration);
  seen.tasks.disconnect();
  return { gaps: seen.gaps, longest: seen.longest };
}"""

# As many rows as the page has, with as many cells, and no style: it reads the same events, asks for nothing else, and
# writes all rows at each.
PLAIN_ADDRESS = "/plain-rival"
PLAIN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Plain</title></head><body><p id="state">…</p>
<table><tbody id="rows"></tbody></table>
<script>
  const [MOST, CELLS] = [%d, %d];
  const rows = [];
  function show() {
    document.getElementById("rows").innerHTML = rows.map(({ payment, at, type }) =>
      `<tr data-id="${payment}">` + [
        new Date(at).toLocaleTimeString(), `<a href="/payments/${payment}">${payment.slice(-8)}</a>`, type,
        "Visa •••• 4242", "€12.50", "sandbox",
      ].slice(0, CELLS).map((text) => `<td>${text}</td>`).join("") + "</tr>").join("");
  }
  function take(event) {
    if (!event.payment) return;
    const row = rows.find((one) => one.payment === event.payment);
    if (row) row.type = event.type;
    else if (event.type === "payment.created") rows.unshift(event);
    rows.length = Math.min(rows.length, MOST);
    show();
  }
  async function follow() {
    const answer = await fetch("/v1/events", { headers: { "X-Till-Page": "1", Accept: "text/event-stream" } });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    document.getElementById("state").textContent = "live";
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\\n\\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const data = block.split("\\n").find((line) => line.startsWith("data:"));
        if (data) take(JSON.parse(data.slice(5)));
      }
    }
  }
  follow();
</script></body></html>
"""


class Wrong(Exception):
    """A page that did not do what it is measured for; the sentence says what."""


class Counter:
    """A till in a browser that has signed in there once."""

    def __init__(self, browser, url, start_url):
        self.browser, self.url = browser, url
        self.state = None
        with self.context() as context:
            page = context.new_page()
            page.goto(start_url)
            page.locator("#till").wait_for(state="visible", timeout=WAIT_MS)
            self.state = context.storage_state()

    @contextlib.contextmanager
    def context(self):
        """A browser of its own, with nothing but the session: no file of the page is there yet."""
        context = self.browser.new_context(viewport=VIEWPORT, locale="en-US", storage_state=self.state)
        try:
            yield context
        finally:
            context.close()


@contextlib.contextmanager
def opened(url, start_url):
    programs = ("chromium-headless-shell", "chromium", "chromium-browser")
    path = next(filter(None, map(shutil.which, programs)), None)
    if not path:
        raise Wrong("chromium is not installed (Debian: apt-get install chromium-headless-shell).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield Counter(browser, url, start_url)
        except Error as error:
            raise Wrong(f"the browser says: {error.message[:800]}") from None
        finally:
            browser.close()


def usable(counter):
    """Milliseconds from the navigation until the page of a sale takes a key and Charge answers."""
    with counter.context() as context:
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.add_init_script(USABLE)
        page.goto(counter.url + "/")
        taken = page.evaluate("() => window.usableAt")
        if not taken:
            raise Wrong("the page of a sale took no key, or Charge did not answer, within 30 s.")
        # A real key, by a person who has the field.
        page.locator("#amount").focus()
        page.keyboard.press("7")
        amount, words = page.locator("#amount").input_value(), page.locator("#charge-words").inner_text()
        if amount != "7" or "7" not in words:
            raise Wrong(f"a key made the amount {amount!r} and Charge says {words!r}.")
        return taken


def busy_s(line):
    """Seconds that the page's main thread has worked."""
    return next(one["value"] for one in line.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")


def followed(page, load):
    """Follows a page's frames while `load` runs. The frames, and what it returned."""
    line = page.context.new_cdp_session(page)
    line.send("Performance.enable")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        page.evaluate(FOLLOW)
        busy, began = busy_s(line), time.monotonic()
        loaded = pool.submit(load)
        while not loaded.done():
            page.wait_for_timeout(50)
        busy, taken = busy_s(line) - busy, time.monotonic() - began
        seen = page.evaluate(SEEN)
        result = loaded.result()
    gaps = seen["gaps"]
    if not gaps:
        raise Wrong(f"{page.url} drew no frame.")
    return {
        "frames": len(gaps), "late": share(gaps, FRAME_MS + ROUNDING_MS), "jerks": share(gaps, JERK_MS),
        "longest_ms": seen["longest"], "busy": busy / taken,
    }, result


def share(gaps, limit):
    return sum(gap > limit for gap in gaps) / len(gaps)


def until(page, what, check):
    """Waits until the page shows what it should; what it shows instead is the error."""
    end = time.monotonic() + SETTLE_S
    while True:
        wrong = check()
        if not wrong:
            return
        if time.monotonic() > end:
            raise Wrong(f"{what}: {wrong}")
        page.wait_for_timeout(100)


def differ(shown, wanted):
    return "" if shown == wanted else f"it shows {shown[:3]} and {len(shown)} in all, not {wanted[:3]} of {len(wanted)}"


def frames_of_till(counter, path, load, newest):
    """Follows a page of the till. `newest` returns the identifiers of so many payments, the newest first."""
    count = ROWS[path]
    with counter.context() as context:
        page = context.new_page()
        page.goto(counter.url + path)
        ready = "#rows tr" if path == "/" else "#live .dot.paid"
        page.locator(ready).first.wait_for(state="attached", timeout=WAIT_MS)
        page.wait_for_timeout(500)
        frames, result = followed(page, load)
        if path == "/":
            shown = "() => [...document.querySelectorAll('#rows a')].map((one) => one.hash.slice(1))"
            until(page, "the latest payments are not the newest",
                  lambda: differ(page.evaluate(shown), newest(count)))
            return frames, result
        # No row moves under a finger: new payments are counted, and come when somebody asks for them.
        made = result["acknowledged"]
        until(page, f"{made} payments came", lambda: "" if number(page.locator("#news")) == made
              else f"the list says {page.locator('#news').inner_text()!r}")
        page.locator("#news").click()
        shown = "() => [...document.querySelectorAll('#rows tr[data-id]')].map((one) => one.dataset.id)"
        until(page, "the list does not begin with the newest", lambda: differ(page.evaluate(shown), newest(count)))
        return frames, result


def number(locator):
    digits = re.sub(r"\D", "", locator.inner_text())
    return int(digits) if digits else 0


def frames_of_rival(counter, path, load, newest):
    """Follows the plain page."""
    with counter.context() as context:
        page = context.new_page()
        body = PLAIN % (ROWS[path], CELLS[path])
        page.route("**" + PLAIN_ADDRESS, lambda route: route.fulfill(content_type="text/html", body=body))
        page.goto(counter.url + PLAIN_ADDRESS)
        page.locator("#state", has_text="live").wait_for(timeout=WAIT_MS)
        frames, result = followed(page, load)
        shown = "() => [...document.querySelectorAll('#rows tr')].map((one) => one.dataset.id)"
        until(page, "the plain page has not the newest",
              lambda: "" if newest(1)[0] in page.evaluate(shown) else f"it shows {page.evaluate(shown)[:3]}")
        return frames, result


def measure(url, start_url, openings, load, newest):
    """
    All of the part. `load(name)` makes payments for a while and returns what was acknowledged, under names that are
    used once. Returns the times of the openings in their order by length, by page the frames of both sides, and how
    many payments were made.
    """
    with opened(url, start_url) as counter:
        times = sorted(usable(counter) for _ in range(openings))
        # A list has something from the beginning.
        made = load("before")["acknowledged"]
        pages = {}
        for path in ROWS:
            pages[path] = {}
            for side, follow in (("till", frames_of_till), ("rival", frames_of_rival)):
                name = f"{side}-{path.strip('/') or 'sell'}"
                pages[path][side], result = follow(counter, path, lambda name=name: load(name), newest)
                made += result["acknowledged"]
        return {"usable": times, "pages": pages, "made": made}
