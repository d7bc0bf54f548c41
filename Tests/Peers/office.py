"""Somebody who signs in to the back office as themselves, with a telephone of their own: one-time codes are computed
here once more, by RFC 6238 alone."""
import base64
import hashlib
import hmac
import struct
import time
import urllib.parse

import requests

PASSWORD = "gravel tulip norway"
STEP = 30


class Telephone:
    def __init__(self, secret):
        self.key = base64.b32decode(secret + "=" * (-len(secret) % 8))
        self.used = 0

    def code(self, step=None):
        step = int(time.time()) // STEP if step is None else step
        mac = hmac.new(self.key, struct.pack(">Q", step), hashlib.sha1).digest()
        offset = mac[-1] & 15
        return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"

    def fresh(self):
        """A code that was not used yet; a step early is taken, so nobody waits longer than a step."""
        while True:
            now = int(time.time()) // STEP
            for step in (now, now + 1):
                if step > self.used:
                    self.used = step
                    return self.code(step)
            time.sleep(0.2)


class Worker:
    """A browser's session without a browser."""

    def __init__(self, server, name, password=PASSWORD):
        self.server, self.name, self.password = server, name, password
        self.telephone = None
        self.session = self.browser()

    @staticmethod
    def browser():
        session = requests.Session()
        session.headers["X-Till-Page"] = "1"
        return session

    def ask(self, method, path, body=None, session=None, **headers):
        return (session or self.session).request(
            method, self.server.url + path, json=body, timeout=60, headers=headers)

    def invited(self, link):
        word = urllib.parse.urlsplit(link).fragment.removeprefix("invite=")
        offer = self.ask("POST", "/session/invitation", {"invitation": word})
        assert offer.status_code == 200, offer.text
        self.telephone = Telephone(offer.json()["secret"])
        return word, offer.json()

    def enrol(self, link):
        word, _ = self.invited(link)
        return self.ask("POST", "/session/enrolment", {
            "invitation": word, "password": self.password, "code": self.telephone.fresh()})

    def sign_in(self, session=None, **other):
        """In another browser, if one is given."""
        body = {"name": self.name, "password": self.password, "code": other.pop("code", None) or self.telephone.fresh()}
        return self.ask("POST", "/session", body | other, session)


def invite(staff, name):
    answer = staff.run("invite", name)
    assert answer.code == 0, answer
    return answer.json["url"]


def enrolled(staff, name):
    """Somebody of the staff who has chosen a password, and is signed in."""
    worker = Worker(staff.server, name)
    answer = worker.enrol(invite(staff, name))
    assert answer.status_code == 204, answer.text
    return worker
