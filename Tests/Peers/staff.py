"""Those who work at a shop, as tests make them and sign them in."""
import time

import requests

import counter

PINS = {"Olga": "718293", "Mona": "493817", "Carl": "260415"}


def problem(answer, status, code):
    """A refusal in its whole form: what happened, that no money moved, and what to do next."""
    assert answer.headers["Content-Type"] == "application/problem+json", answer.text
    document = answer.json()
    assert (answer.status_code, document["code"]) == (status, code), answer.text
    assert document["detail"] and document["next"] and document["money_moved"] == "no", answer.text
    return document


def audit(server, action):
    """What the audit log has of one kind."""
    lines = counter.succeed("audit", "list", "--limit", "200", "--journal", server.journal, "--json")
    return [one["entry"] for one in lines["entries"] if one["entry"]["action"] == action]


class Staff:
    def __init__(self, server):
        self.server = server
        self.ids = {}

    def run(self, *arguments, pin=None):
        return counter.typed("staff", *arguments, "--journal", self.server.journal, "--json", text=(pin or "") + "\n")

    def roles(self, *arguments):
        return counter.till("roles", *arguments, "--journal", self.server.journal, "--json")

    def add(self, name, role, pin=None):
        answer = self.run("add", name, "--role", role, pin=pin or PINS[name])
        assert answer.code == 0, answer
        self.ids[name] = answer.json["id"]
        return answer.json

    def shop(self):
        """An owner, a manager and a cashier."""
        for name, role in (("Olga", "owner"), ("Mona", "manager"), ("Carl", "cashier")):
            self.add(name, role)
        time.sleep(0.6)  # a running counter hears of them within half a second
        return self

    def device(self):
        """A browser that is signed in, with nobody at it."""
        return Device(self)


class Device:
    def __init__(self, staff):
        self.staff, self.url = staff, staff.server.url
        self.session = staff.server.session()
        self.session.headers["X-Till-Page"] = "1"
        self.count = 0

    def ask(self, method, path, body=None, key=None, **options):
        self.count += 1
        headers = {"Idempotency-Key": key or f"d{id(self)}-{self.count}"}
        return self.session.request(method, self.url + path, json=body, headers=headers, timeout=60, **options)

    def enter(self, name, pin=None):
        return self.ask("POST", "/session/person", {"staff": self.staff.ids[name], "pin": pin or PINS[name]})

    def signed_in(self, name):
        answer = self.enter(name)
        assert answer.status_code == 200, answer.text
        return self

    def paid(self, order, minor=2000):
        made = self.ask("POST", "/v1/payments", {"order_id": order, "amount": minor, "currency": "EUR"}).json()
        done = self.ask("POST", f"/v1/payments/{made['id']}/confirm", {"tender": {"type": "cash"}})
        assert done.json()["status"] == "succeeded", done.text
        return made["id"]

    def refund(self, payment, minor, key=None, **more):
        return self.ask("POST", f"/v1/payments/{payment}/refunds", {"amount": minor, **more}, key)

    def approve(self, payment, minor, name, pin=None, key=None):
        return self.ask("POST", "/v1/approvals", {
            "action": "refund", "payment": payment, "amount": minor, "staff": self.staff.ids[name],
            "pin": pin or PINS[name]}, key)


def cookies(device):
    return requests.utils.dict_from_cookiejar(device.session.cookies)
