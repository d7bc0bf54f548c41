"""The counter's page as a clerk sees it, in a real browser."""
import re

from playwright.sync_api import expect

# Only what fails waits for so long; a machine with four browsers beside is slow.
WAIT = 30_000


def words(*alternatives):
    return re.compile("|".join(alternatives), re.IGNORECASE)


class Counter:
    """The page as a clerk sees it: by label and by role, never by the names inside the document."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.key = page.get_by_label(words("API key"))
        self.amount = page.get_by_label(words("^amount"))
        self.order = page.get_by_label(words("^order"))
        self.card = page.get_by_label(words("card number"))
        self.expiry = page.get_by_label(words("expiry"))
        self.code = page.get_by_label(words("security code", "cvc"))
        self.by_card = page.get_by_role("radio", name=words("^card( number| online|$)", "^keyed card"))
        self.charge = page.get_by_role("button", name=words("^(charge|pay|take payment|sell)"))
        self.refund = page.get_by_role("button", name=words("^refund"))
        self.status = page.get_by_role("status").first
        self.faults = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda m: self.faults.append(m.text) if "Content Security Policy" in m.text else None)

    def open(self):
        if self.page.url.startswith(self.server.url):
            self.page.goto(self.server.url + "/")
        else:
            self.server.sign_in(self.page)
        expect(self.amount).to_be_visible(timeout=WAIT)
        return self

    def fill(self, amount, card, order=None):
        self.amount.fill(amount)
        if order and self.order.count():
            self.order.first.fill(order)
        if self.by_card.count():
            self.by_card.first.check()
        self.card.fill(card)
        self.expiry.fill("12/30")
        self.code.fill("123")

    def give_back(self):
        """The whole refund that the page proposes: asked for, and then sent by the button that names the amount."""
        self.refund.first.click()
        self.page.get_by_role("dialog").get_by_role("button", name=words("^refund")).click()

    def shows(self, *alternatives):
        """What has become of the payment. The rest of the page has the same words in its headings and choices."""
        expect(self.page.locator("#result")).to_contain_text(words(*alternatives), timeout=WAIT)


def payments(server):
    answer = server.request("GET", "/v1/payments").json()
    return answer if isinstance(answer, list) else answer.get("payments", answer.get("data"))
