"""What must be mended of Apple Pay while a counter runs: a domain file that vanishes, and certificates that end."""
import datetime
import json
import re

import pytest
import requests
from playwright.sync_api import expect

import counter

WAIT = 30_000
# Files are read again within thirty seconds; a busy machine takes longer.
READ_AGAIN = 75
ASSOCIATION = "/.well-known/apple-developer-merchantid-domain-association"
STRIPE = ["--provider", "stripe", "--stripe-url", "http://127.0.0.1:1", "--stripe-key", "sk_test_peer"]


class Shop:
    """A counter of a shop with Apple Pay on `localhost`, with certificates of a throw-away Apple."""

    def __init__(self, folder, **made):
        """`made` is the day on which the certificates of a kind were made; by default today."""
        self.folder, self.file = folder, folder / "association.txt"
        for kind in ("identity", "processing"):
            when = ["--at", made[kind].strftime("%Y-%m-%dT%H:%M:%SZ")] if kind in made else []
            done = counter.till("applepay", "synthesize", "--out", folder / kind, "--merchant", "merchant.x", *when)
            assert done.code == 0, done
        pairs = {kind: [{"certificate": f"{kind}/{kind}.pem", "key": f"{kind}/{kind}.key"}]
                 for kind in ("identity", "processing")}
        (folder / "settings.json").write_text(json.dumps({
            "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
            "processing": pairs["processing"],
            "domains": [{"name": "localhost", "merchant": "merchant.x", "association": "association.txt",
                         "identities": pairs["identity"]}],
        }))
        self.file.write_bytes(b"first")
        self.server = counter.Server(folder, *STRIPE, "--apple-pay", str(folder / "settings.json"))

    def get(self, path):
        return requests.get(f"http://localhost:{self.server.port}{path}", timeout=10, allow_redirects=False)

    def state(self):
        answer = self.get("/applepay/metadata").json()
        return answer["enabled"], answer["reason"]

    def setup(self):
        answer = self.server.request("GET", "/v1/attention")
        assert answer.status_code == 200, answer.text
        return {notice["code"]: notice for notice in answer.json()["setup"]}

    def health(self):
        findings = self.server.request("GET", "/v1/settings/health").json()["findings"]
        return " ".join(finding["text"] for finding in findings if not finding["ok"])

    def metric(self, name, labels='{place="0"}'):
        text = self.server.request("GET", "/metrics").text
        return int(re.search(rf"^{name}{re.escape(labels)} (-?\d+)$", text, re.MULTILINE)[1])


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)


def test_a_domain_file_that_vanishes_is_served_on_and_everybody_is_told(shop, browser):
    with shop.server as server:
        assert shop.state() == (True, None) and shop.setup() == {}
        assert "association" not in shop.health()
        assert (shop.metric("applepay_offered"), shop.metric("applepay_association_missing_seconds")) == (1, 0)
        before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=5)
        shop.file.unlink()
        assert counter.until(lambda: shop.setup(), READ_AGAIN)
        notice = shop.setup()["association_gone"]
        since = datetime.datetime.fromisoformat(notice["since"])
        assert before < since <= datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=5)
        assert notice["subject"] == "localhost" and "association.txt" in notice["reason"], notice
        assert "Put the file back" in notice["next"] and notice["age_seconds"] >= 0
        # Apple and customers notice nothing.
        answer = shop.get(ASSOCIATION)
        assert (answer.status_code, answer.content) == (200, b"first")
        assert shop.state() == (True, None)
        assert "association.txt" in shop.health() and notice["since"] in shop.health()
        assert shop.metric("applepay_association_missing_seconds") >= 1
        assert counter.until(lambda: "association.txt" in server.log.read_text())
        assert server.log.read_text().count("association.txt") == 1
        page = browser.new_page()
        server.sign_in(page, "/#attention")
        row = page.locator("#queue-list li", has_text="Setup: localhost")
        expect(row).to_contain_text("is served on", timeout=WAIT)
        expect(row.get_by_role("link")).to_have_attribute("href", "/settings/health")
        page.close()
        # Another key's shop has no part in it.
        key = counter.succeed(
            "keys", "create", "--scope", "all", "--account", "other", "--journal", server.journal, "--json")["key"]
        other = requests.get(server.url + "/v1/attention", headers={"Authorization": "Bearer " + key}, timeout=10)
        assert other.json()["setup"] == []

        shop.file.write_bytes(b"second")
        assert counter.until(lambda: shop.get(ASSOCIATION).content == b"second", READ_AGAIN)
        assert shop.setup() == {} and shop.metric("applepay_association_missing_seconds") == 0
        assert counter.until(lambda: "is there again" in server.log.read_text())

    # A counter that starts without the file has nothing to serve.
    shop.file.unlink()
    with shop.server:
        assert shop.state() == (False, "association_missing") and shop.get(ASSOCIATION).status_code == 404
        assert "association_missing" in shop.setup() and shop.metric("applepay_offered") == 0


def test_certificates_that_end_soon_are_said_while_they_still_work(tmp_path):
    # They are good for two years.
    soon = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=690)
    shop = Shop(tmp_path, identity=soon, processing=soon)
    with shop.server:
        assert shop.state() == (True, None)
        setup = shop.setup()
        assert set(setup) == {"identity_ending", "processing_ending"}, setup
        assert "till applepay request identity" in setup["identity_ending"]["next"]
        assert "identity certificate of localhost ends in" in shop.health()
        assert 0 <= shop.metric("applepay_certificate_days_left", '{kind="identity",place="0"}') < 30


@pytest.mark.parametrize("kind", ["identity", "processing"])
def test_a_certificate_that_has_ended_ends_apple_pay_with_the_reason(tmp_path, kind):
    shop = Shop(tmp_path, **{kind: datetime.datetime(2023, 1, 1)})
    with shop.server:
        assert shop.state() == (False, kind + "_ended")
        assert set(shop.setup()) == {kind + "_ended"} and shop.setup()[kind + "_ended"]["since"]
        assert "has ended" in shop.health() and shop.metric("applepay_offered") == 0
