"""Processes the tests talk to: each is started on a free port and ended by its own id."""
import subprocess
import sys

import pytest

import counter


def pytest_collection_modifyitems(items):
    """What looks at all that the others have left comes last."""
    items.sort(key=lambda item: "after_the_whole_suite" in item.name)


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


@pytest.fixture
def shop(tmp_path, localstripe):
    return counter.Shop(tmp_path, localstripe)
