"""Processes the tests talk to: each is started on a free port and ended by its own id."""
import fnmatch
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import postgres
import pytest
from playwright.sync_api import Page, sync_playwright
from tally import Tally

import clerk as counter_page
import counter
import pcsc
import printers

# What takes longest begins first, so that no worker is left with it at the end.
LONGEST = [
    "test_paypal_kill", "test_kill", "test_applepay_kill", "test_applepay_production", "test_schemathesis",
    "test_paypal_schemathesis", "test_hostile_provider", "test_postgres", "test_printing_cups", "test_cards_compile",
    "test_terminal", "test_pcsc", "test_working_day", "test_many_payments",
]


# What costs minutes of Chromium and differs from its neighbors in width, language or colors only: for `make prove`.
THOROUGH = [
    line.split("  ")[0] for line in (pathlib.Path(__file__).parent / "thorough.txt").read_text().splitlines()
    if line and not line.startswith("#")]


def mark_thorough(config, items):
    """Marks what the table names. A line that names nothing is a fault where everything is collected."""
    found = set()
    for item in items:
        name = item.nodeid.rsplit("/", 1)[-1].replace("[", "<").replace("]", ">")
        for line in THOROUGH:
            if fnmatch.fnmatchcase(name, line.replace("[", "<").replace("]", ">")):
                found.add(line)
                item.add_marker(pytest.mark.thorough)
    is_whole = all(os.path.isdir(place) for place in config.args)
    if is_whole and "thorough" in (config.option.markexpr or "") and found != set(THOROUGH):
        raise pytest.UsageError(f"thorough.txt names no test: {sorted(set(THOROUGH) - found)}")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for groups
def pytest_collection_modifyitems(config, items):
    """Tests that share something of their module, or of the machine, stay together in one worker (pytest-xdist's
    `--dist loadgroup`); every other test may run anywhere, since it has folders, ports and servers of its own."""
    for item in items:
        module = item.module.__name__
        if item.get_closest_marker("last"):
            continue
        if "service" in item.fixturenames and module == "test_pcsc":
            item.add_marker(pytest.mark.xdist_group("pcsc"))  # the machine has one smart card service
        elif "cups" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("cups"))
        elif any(
            definition[-1].scope == "module" for name, definition in item._fixtureinfo.name2fixturedefs.items()
        ):
            item.add_marker(pytest.mark.xdist_group(module))
    mark_thorough(config, items)
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (
        item.get_closest_marker("last") is not None, order.get(item.module.__name__, len(order))))


def pytest_collection_finish(session):
    """Refuses to run where pytest-xdist has not seen the groups: tests of one machine-wide service would meet."""
    lost = [item for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]
    if lost and session.config.getoption("loadgroup", False):
        raise pytest.UsageError(f"{len(lost)} tests have lost their group, the first is {lost[0].nodeid}")


PROCESSOR = pytest.StashKey()
FAILED = pytest.StashKey()


def processor_seconds():
    """Of this process and of all that it has started and that have ended."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[PROCESSOR] = processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    """What a test has cost goes into the report, so that what makes the suite long is seen."""
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor", f"{processor_seconds() - item.stash[PROCESSOR]:.1f}"))


@pytest.fixture
def tally(record_property):
    """Counts the sales that go on beside an attack."""
    counted = Tally()
    yield counted
    record_property("sales", str(counted))


@pytest.fixture(autouse=True)
def no_server_outlives_its_test():
    """Those that a module shares were started before, and end with the module."""
    before = len(counter.Server.started)
    yield
    while len(counter.Server.started) > before:
        process = counter.Server.started.pop()
        if process.poll() is None:
            process.kill()
            process.wait()


def run_until_done(arguments, ready, log, **options):
    with open(log, "w") as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT)
    try:
        counter.wait_for(ready, process, log, **options)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def localstripe(tmp_path):
    """A Stripe written by others, empty, with its access log in `localstripe.log`."""
    stripe = counter.Stripe(f"http://127.0.0.1:{counter.free_port()}")
    port = stripe.url.rsplit(":", 1)[1]
    yield from (
        stripe
        for _ in run_until_done(
            [sys.executable, "-m", "localstripe", "--from-scratch", "--port", port],
            stripe.url + "/v1/balance",
            tmp_path / "localstripe.log",
            headers={"Authorization": "Bearer " + stripe.key},
        )
    )


@pytest.fixture
def sandbox(tmp_path):
    """Our own stand-in for Stripe as a process; its ledger is what the provider believes happened."""
    stripe = counter.Stripe(f"http://127.0.0.1:{counter.free_port()}")
    port = stripe.url.rsplit(":", 1)[1]
    yield from (
        stripe
        for _ in run_until_done(
            [counter.binary(), "sandbox", "stripe", "--port", port, "--ledger", str(tmp_path / "ledger.json")],
            stripe.url + "/_sandbox/ledger",
            tmp_path / "sandbox.log",
        )
    )


@pytest.fixture(scope="session")
def database_server():
    """A private server of PostgreSQL, one for all tests of a worker."""
    cluster = postgres.Cluster()
    try:
        yield cluster.start()
    finally:
        cluster.end()


@pytest.fixture
def cluster(database_server, tmp_path, monkeypatch):
    """The server with a new database, and a folder in which the counters' own files go."""
    database_server.renew()
    know_password(tmp_path, monkeypatch)
    return database_server


def know_password(folder, monkeypatch):
    """What is started knows the database's, and leaves its files in the folder."""
    password = folder / "pgpass"
    password.write_text("127.0.0.1:*:*:shop:a-secret\n")
    password.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(password))
    monkeypatch.chdir(folder)


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """A primary and its synchronous standby, which nobody else uses."""
    know_password(tmp_path, monkeypatch)
    pair = postgres.Pair()
    yield pair
    pair.end()


@pytest.fixture
def shop(tmp_path, localstripe):
    return counter.Shop(tmp_path, localstripe)


@pytest.fixture
def till(tmp_path):
    """The command line on a journal of its own (printers.py)."""
    return printers.Till(tmp_path)


@pytest.fixture
def bus():
    """A message bus for printers that announce themselves, and want one even when they do not. Its socket has a short
    path of its own: the kernel takes 107 bytes, which the folder of a test may need for itself."""
    with tempfile.TemporaryDirectory(prefix="till-bus-", dir="/tmp") as folder:
        socket, configuration = pathlib.Path(folder, "bus"), pathlib.Path(folder, "bus.conf")
        configuration.write_text(printers.BUS % socket)
        process = subprocess.Popen(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"],
                                   stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 10
        while not socket.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        if not socket.exists():
            process.kill()
            pytest.fail(f"the message bus does not listen: {process.communicate()[1]}", pytrace=False)
        yield f"unix:path={socket}"
        process.terminate()
        process.communicate()


@pytest.fixture
def printer(tmp_path, bus):
    """Makes printers of CUPS's own kind: `roll`, `a4`, or as it comes: `sheet`."""
    made = []

    def make(kind="roll", formats='"application/pdf","image/pwg-raster"', script="exit 0\n", secure=False,
             register="off"):
        folder = tmp_path / f"printer{len(made)}"
        folder.mkdir()
        if kind in ("roll", "a4"):
            (folder / "media.conf").write_text((printers.ROLL if kind == "roll" else printers.SHEETS) % formats)
            arguments = ["-a", str(folder / "media.conf")]
        else:
            arguments = ["-f", formats.replace('"', "")]
        if secure:
            (folder / "keys").mkdir()
            arguments += ["-K", str(folder / "keys")]
        made.append(printers.Printer(folder, bus, counter.free_port(), arguments, script, register))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def cups():
    """A cupsd of its own; its filters run as another user, who must be able to reach its folder."""
    if not (shutil.which("cupsd") or os.path.exists("/usr/sbin/cupsd")) or os.geteuid() != 0:
        pytest.skip("needs Debian's cups, as root")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="till-cups-", dir="/var/tmp"))
    folder.chmod(0o755)
    daemon = printers.Cups(folder)
    yield daemon
    daemon.stop()
    shutil.rmtree(folder, ignore_errors=True)


def stand_in_process(name, folder):
    """The address of one of our stand-ins, as a process, until whoever asked is done."""
    url = f"http://127.0.0.1:{counter.free_port()}"
    command = [counter.binary(), "sandbox", name, "--port", url.rsplit(":", 1)[1]]
    for _ in run_until_done(command, url + "/_sandbox/ledger", folder / f"{name}.log"):
        yield url


@pytest.fixture
def stand_in(tmp_path):
    yield from stand_in_process("paypal", tmp_path)


@pytest.fixture
def braintree_url(tmp_path):
    """Our stand-in for Braintree as a process."""
    yield from stand_in_process("braintree", tmp_path)


@pytest.fixture
def adyen_url(tmp_path):
    """Our stand-in for Adyen as a process."""
    yield from stand_in_process("adyen", tmp_path)


@pytest.fixture
def shop_url(tmp_path):
    """Our stand-in for a shop with WooCommerce as a process, with three open orders."""
    yield from stand_in_process("shop", tmp_path)


@pytest.fixture(scope="session")
def chromium_path():
    """Debian's Chromium, the shell without windows first: the whole browser draws its own window around each page,
    though nobody looks, which costs six times as much of a processor."""
    programs = ("chromium-headless-shell", "chromium", "chromium-browser")
    path = next(filter(None, map(shutil.which, programs)), None)
    if not path:
        pytest.fail("chromium is not installed (Debian: apt-get install chromium-headless-shell)", pytrace=False)
    return path


@pytest.fixture(scope="session")
def browser(chromium_path):
    """One browser for all tests; each opens pages of its own in it, which share nothing."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def kept_pictures():
    """Pictures of states are kept where they are asked for: each costs up to a second of a processor."""
    if "TILL_SCREENSHOTS" in os.environ:
        return (yield)
    take = Page.screenshot
    Page.screenshot = lambda page, **options: b"" if "path" in options else take(page, **options)
    yield
    Page.screenshot = take


@pytest.fixture
def latency():
    return "20ms"


@pytest.fixture
def server(tmp_path, latency):
    """A counter on the sandbox, which takes its time to answer."""
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", latency) as running:
        yield running


@pytest.fixture
def width():
    return 1280


# The tallest page of which the whole is kept, in CSS pixels: a picture of a taller one takes longer than it may on a
# machine under load.
TALLEST = 12_000


@pytest.fixture
def page(tmp_path, request, browser, width):
    """An empty page; what it shows at the end is kept as a picture if the test fails, or if pictures are asked for."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    if not request.node.stash.get(FAILED, False) and "TILL_SCREENSHOTS" not in os.environ:
        return page.close()
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    is_tall = page.evaluate("document.documentElement.scrollHeight") > TALLEST
    (folder / f"{request.node.name}.png").write_bytes(page.screenshot(full_page=not is_tall))
    page.close()


@pytest.fixture
def clerk(page, server):
    clerk = counter_page.Counter(page, server).open()
    yield clerk
    assert not clerk.faults, clerk.faults


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The real smart card service, with a virtual reader in it."""
    why = pcsc.missing()
    if why:
        pytest.skip(why)
    service = pcsc.Service(tmp_path_factory.mktemp("pcsc"))
    yield service
    service.clear()
    service.stop()
