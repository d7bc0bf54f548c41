"""A real nginx before the counter, as docs/HARDENING.md sets it up: before everything, and before the listener for the
public alone."""
import re
import threading
import time

import pytest
import requests

import counter
from nginx import CLIENT, Nginx
from slow_clients import FILES


@pytest.fixture
def sandboxed(sandbox):
    return [*sandbox.flags], {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET, "TILL_LOG_LEVEL": "debug"}


def clients(server, path):
    """The addresses from which a route was asked, as the log says."""
    time.sleep(0.2)
    lines = [line for line in server.log.read_text().splitlines() if f"route={path}" in line.replace('"', "")]
    return [re.search(r"client=([^\s\]]+)", line.replace('"', ""))[1] for line in lines]


def paid(server):
    made = server.create("n-1", "c-1").json()["id"]
    assert server.confirm(made, "p-1", counter.CARD_TENDER).json()["status"] == "succeeded"
    return made


def link(server, payment):
    made = server.request("POST", f"/v1/payments/{payment}/receipt/link", {})
    assert made.status_code == 200, made.text
    return made.json()


def appends(site):
    """A proxy that adds to what its client says, instead of replacing it."""
    old = "X-Forwarded-For   $remote_addr"
    assert old in site
    return site.replace(old, "X-Forwarded-For $proxy_add_x_forwarded_for")


@pytest.mark.parametrize("change", [lambda site: site, appends], ids=["replaces", "appends"])
def test_a_proxy_before_everything(tmp_path, sandboxed, change):
    flags, env = sandboxed
    with counter.Server(tmp_path, *flags, "--trusted-proxies", "127.0.0.1", "--receipt-url", "https://till.example",
                        env=env) as server, Nginx(tmp_path, server.url, change) as proxy:
        made = proxy.ask("POST", "/v1/payments", server.api_key, {"amount": 100, "currency": "EUR"},
                         **{"Idempotency-Key": "k"})
        assert made.status_code == 201, made.text
        # What the client says about itself changes nothing.
        for spoofed in ({"X-Forwarded-For": "198.51.100.9"}, {"X-Forwarded-For": "127.0.0.1, 198.51.100.9"},
                        {"Forwarded": "for=198.51.100.9;proto=http"}, {"X-Real-IP": "198.51.100.9"}, {}):
            assert proxy.ask("GET", "/v1/payments", server.api_key, **spoofed).status_code == 200, spoofed
        asked = clients(server, "/v1/payments")
        assert len(asked) == 6 and set(asked) == {CLIENT}, asked
        assert made.headers["Strict-Transport-Security"]
        # The page signs in over the proxy, and its cookie is for TLS alone.
        signed = proxy.ask("POST", "/session", body={"key": server.api_key}, Origin=proxy.url,
                           **{"X-Till-Page": "1"})
        assert signed.status_code == 204 and "Secure" in signed.headers["Set-Cookie"], signed.text
        foreign = proxy.ask("POST", "/session", body={"key": server.api_key}, Origin="https://evil.example",
                            **{"X-Till-Page": "1"})
        assert foreign.status_code == 403
        assert link(server, paid(server))["url"].startswith("https://till.example/r/")


def test_only_the_public_behind_a_proxy(tmp_path, sandboxed):
    flags, env = sandboxed
    port = counter.free_port()
    with counter.Server(tmp_path, *flags, "--public-listen", f"127.0.0.1:{port}", "--trusted-proxies", "127.0.0.1",
                        "--receipt-url", "https://till.example", env=env) as server, \
            Nginx(tmp_path, f"http://127.0.0.1:{port}") as proxy:
        payment = paid(server)
        receipt = proxy.ask("GET", link(server, payment)["path"])
        assert receipt.status_code == 200 and "12.50" in receipt.text
        assert proxy.ask("GET", "/counter.css").status_code == 200, "the page of those who come back from a bank"
        # The webhook is reached: its signature is what is wrong.
        told = proxy.ask("POST", "/webhooks/stripe", body={"id": "evt_1"}, **{"Stripe-Signature": "t=1,v1=0"})
        assert told.status_code == 400 and told.json()["code"] != "not_found", told.text
        for method, path in (
            ("GET", "/"), ("GET", "/v1/payments"), ("GET", f"/v1/payments/{payment}"), ("POST", "/v1/payments"),
            ("POST", f"/v1/payments/{payment}/refunds"), ("POST", "/session"), ("GET", "/v1/events"),
            ("GET", "/metrics"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/openapi.yaml"),
            ("GET", "/counter.js"), ("GET", "/v1/printers"), ("GET", "/payments"), ("GET", "/v1/payments.csv"),
            ("GET", "/settings"), ("GET", "/v1/keys"), ("POST", "/v1/keys"), ("GET", "/v1/settings/backups"),
        ):
            answer = proxy.ask(method, path, server.api_key, {} if method == "POST" else None)
            assert answer.status_code == 404 and answer.json()["code"] == "not_found", (method, path, answer.text)
        assert server.request("GET", "/v1/payments").status_code == 200, "the main listener serves everything"
        assert requests.get(server.url + link(server, payment)["path"], timeout=10).status_code == 200
        words = server.log.read_text()
        assert f"The counter is open: {server.url}\n" in words
        assert f"For the public, receipts and webhooks only: http://127.0.0.1:{port}\n" in words


def test_a_proxy_that_the_counter_knows_nothing_of_is_noticed(tmp_path, sandboxed):
    flags, env = sandboxed
    with counter.Server(tmp_path, *flags, env=env) as server, Nginx(tmp_path, server.url) as proxy:
        for path in ("/", "/v1/payments", "/r/x", "/healthz"):
            answer = proxy.ask("GET", path, server.api_key)
            assert answer.status_code == 400 and answer.json()["code"] == "untrusted_proxy", answer.text
            assert "trusted_proxies" in answer.json()["next"] and "Set-Cookie" not in answer.headers


def stock(site):
    """A proxy that says nothing about its clients, and names the counter's own address as the host."""
    return re.sub(r" *proxy_set_header .*\n", "", site)


def test_a_stock_proxy_before_a_counter_that_trusts_it_lets_nobody_in(tmp_path, sandboxed):
    flags, env = sandboxed
    with counter.Server(tmp_path, *flags, "--trusted-proxies", "127.0.0.1", env=env) as server, \
            Nginx(tmp_path, server.url, stock) as proxy:
        page = proxy.ask("GET", "/")
        assert page.status_code == 200 and "Set-Cookie" not in page.headers, "the page of this machine is not theirs"
        assert proxy.ask("GET", "/metrics").status_code == 401
        assert proxy.ask("GET", "/metrics", server.api_key).status_code == 200
        assert proxy.ask("GET", "/healthz").status_code == 200


GUESSERS = 200


def test_wrong_keys_through_the_proxy_starve_no_right_one(tmp_path, tally):
    """More of them wait for their answers than the counter has places, all from the address that sells, too."""
    with counter.Server(tmp_path, "--provider", "sandbox", "--trusted-proxies", "127.0.0.1", files=FILES) as server, \
            Nginx(tmp_path, server.url) as proxy:
        stop, guessed, missed = threading.Event(), [], []

        def guess():
            while not stop.is_set():
                try:
                    guessed.append(requests.get(
                        proxy.url + "/v1/payments", headers={"Authorization": "Bearer wrong"}, timeout=30,
                        verify=str(proxy.authority.certificate)).status_code)
                except requests.RequestException:
                    time.sleep(0.05)

        def ask(path, body, key):
            """Sent again with its key where the proxy has lost it, as its clients do."""
            for _ in range(4):
                answer = proxy.ask("POST", path, server.api_key, body, **{"Idempotency-Key": key})
                if answer.status_code != 502:
                    return answer
                missed.append(key)
            return answer

        def sell(order):
            with tally.sale():
                made = ask("/v1/payments", {"amount": 100, "currency": "EUR", "order_id": order}, f"c-{order}")
                assert made.status_code == 201, made.text
                paid = ask(f"/v1/payments/{made.json()['id']}/confirm", {"tender": counter.CARD_TENDER}, f"p-{order}")
                assert paid.status_code == 200 and paid.json()["status"] == "succeeded", paid.text

        for number in range(10):
            sell(f"before-{number}")
        tally.beside()
        threads = [threading.Thread(target=guess, daemon=True) for _ in range(GUESSERS)]
        for thread in threads:
            thread.start()
        try:
            assert counter.until(lambda: len(guessed) >= GUESSERS)
            for number in range(10):
                sell(f"o-{number}")
                # So does the right key at sign-in, whatever wrong ones come beside it.
                begun = proxy.ask("POST", "/session", body={"key": server.api_key}, Origin=proxy.url,
                                  **{"X-Till-Page": "1"})
                assert begun.status_code in (204, 502), begun.text
        finally:
            stop.set()
            for thread in threads:
                thread.join(40)
        print(f"{len(guessed)} wrong keys, {len(missed)} requests sent again, sales {tally}")
        assert set(guessed) <= {401, 429, 502}, set(guessed)
