"""Customers' contacts are read, erased and gone: a shop's server and its pages, over HTTP, and the journal's files,
which are searched for every text of the customer.
"""
import hashlib
import sqlite3

import pytest
import requests
from staff import audit

import counter
from applepay import CONTACT, Page

CUSTOMER = {**CONTACT, "givenName": "Zebedee", "familyName": "Quillfeather",
            "emailAddress": "Erase.Me@customer.example", "addressLines": ["17 Hidden Lane"]}
NOTE = "Ring the blue bell"
TRACES = [b"Quillfeather", b"Erase.Me@customer", b"erase.me@customer", b"17 Hidden Lane", NOTE.encode()]


def paid(server, order, customer=None, **more):
    """The answer to a guest's sheet."""
    made = server.request("POST", "/v1/applepay/baskets", {
        "order_id": order, "amount": 1149, "currency": "GBP", "items": [{"label": "Margherita", "amount": 899}],
        "service": "delivery", "shipping_methods": [{"id": "van", "label": "Delivery", "amount": 250}],
        "note": NOTE, **more})
    assert made.status_code == 201, made.text
    page = Page(server, basket=made.json()["id"])
    answer = page.pay(page.token().json(), contact=customer or CUSTOMER)
    assert answer.status_code == 201, answer.text
    return {"basket": made.json()["id"], **answer.json()}


def contact(server, order, method="GET"):
    answer = server.request(method, f"/v1/orders/{order}/contact")
    assert answer.status_code == 200, answer.text
    return answer.json()


def files_with(folder, texts):
    """The files in which one of the texts is."""
    return [file.name for file in folder.iterdir() if file.is_file()
            and any(text in file.read_bytes() for text in texts)]


def names(server):
    """The names under which guests are stored."""
    with sqlite3.connect(server.journal) as database:
        return [row[0] for row in database.execute("SELECT key FROM record WHERE collection = 'wallet_account'")]


def test_the_contact_of_a_paid_order_is_erased_from_every_file(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        sold = paid(server, "o-1")
        # The counter books the order itself, with the note and without the contact.
        assert counter.until(lambda: contact(server, "o-1")["booked"])
        kept = contact(server, "o-1")
        assert kept["note"] == NOTE
        assert kept["customer"] is None
        [basket] = kept["baskets"]
        assert basket["basket_id"] == sold["basket"] and basket["payment_id"] == sold["paymentId"]
        assert basket["contact"]["email"] == CUSTOMER["emailAddress"] and basket["note"] == NOTE
        assert files_with(tmp_path, TRACES), "the search finds what is there"
        erased = contact(server, "o-1", "DELETE")
        assert erased["erased"] == {"order": True, "baskets": [sold["basket"]], "guests": [sold["guestAccount"]]}
        assert erased["order"]["note"] is None and erased["log_emptied"]
        assert files_with(tmp_path, TRACES) == [] and names(server) == []
        again = contact(server, "o-1", "DELETE")["erased"]
        assert again == {"order": False, "baskets": [], "guests": []}
        [left] = contact(server, "o-1")["baskets"]
        assert left["contact"] is None and left["note"] is None and left["payment_id"] == sold["paymentId"]
        shown = server.request("GET", f"/v1/applepay/baskets/{sold['basket']}").json()
        assert shown["state"] == "paid" and shown["contact"] is None and shown["note"] is None
        entries = audit(server, "order.contact_erased")
        assert [entry["subject"] for entry in entries] == ["o-1", "o-1"], "the baskets, and the order"
        assert all(entry["by"]["kind"] == "key" for entry in entries)
    # The end of the counter, and a second start, bring nothing back.
    assert files_with(tmp_path, TRACES) == []
    with server.start():
        assert contact(server, "o-1")["baskets"][0]["contact"] is None
    verified = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert verified.json["ok"] is True and files_with(tmp_path, TRACES) == []


def test_a_contact_is_erased_though_the_counter_died_before_it_answered_the_sheet(tmp_path):
    # Between the money and the answer.
    server = counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_WALLET_FAILPOINT": "4"}).start()
    with pytest.raises(requests.ConnectionError):
        paid(server, "o-1")
    server.process.wait(10)
    server.env = {}
    with server.start():
        # Nobody has asked for the basket before.
        erased = contact(server, "o-1", "DELETE")
        [basket] = erased["erased"]["baskets"]
        assert erased["log_emptied"] and files_with(tmp_path, TRACES) == []
        shown = server.request("GET", f"/v1/applepay/baskets/{basket}").json()
        assert shown["state"] == "paid" and shown["payment_id"] and shown["contact"] is None and shown["note"] is None
        assert names(server) == [], "no guest was made of it"


def test_a_booked_order_loses_both_contacts(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        paid(server, "o-1")
        booked = server.request("POST", "/v1/orders", {
            "order_id": "o-1", "amount": 1149, "currency": "GBP", "note": NOTE,
            "customer": {"name": "Zebedee Quillfeather", "email": CUSTOMER["emailAddress"]}})
        assert booked.status_code == 201, booked.text
        kept = contact(server, "o-1")
        assert kept["customer"]["email"] == kept["baskets"][0]["contact"]["email"] == CUSTOMER["emailAddress"]
        erased = contact(server, "o-1", "DELETE")
        assert erased["erased"]["order"] and len(erased["erased"]["baskets"]) == 1
        assert erased["order"]["customer"] is None and erased["order"]["payment"]["status"] == "paid"
        assert files_with(tmp_path, TRACES) == []


def test_one_customer_is_erased_among_many(tmp_path):
    """Pages of the file that are shared with others, written over and over, hold nothing either."""
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        for number in range(12):
            paid(server, f"o-{number}", {**CONTACT, "emailAddress": f"other{number}@customer.example"}, note="Knock")
            if number == 6:
                paid(server, "o-mine")
        contact(server, "o-mine", "DELETE")
        assert files_with(tmp_path, TRACES) == []
        assert contact(server, "o-3")["baskets"][0]["contact"]["email"] == "other3@customer.example"
        assert len(names(server)) == 12


def test_a_guests_name_is_no_hash_that_can_be_tried_out(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        first, second = paid(server, "o-1"), paid(server, "o-2")
        assert first["guestAccount"] == second["guestAccount"]
        [name] = names(server)
        address = CUSTOMER["emailAddress"].lower()
        for text in (address, CUSTOMER["emailAddress"], "main\0" + address):
            assert name != hashlib.sha256(text.encode()).hexdigest()
        path = f"/v1/applepay/guests/{first['guestAccount']}"
        erased = server.request("DELETE", path)
        assert erased.status_code == 200 and erased.json()["erased"] and erased.json()["log_emptied"], erased.text
        assert server.request("DELETE", path).json()["erased"] is False and names(server) == []
        assert files_with(tmp_path, [name.encode()]) == []
        [entry] = audit(server, "guest.erased")
        assert entry["subject"] == first["guestAccount"]
        # The next order makes a new customer.
        assert paid(server, "o-3")["guestAccount"] != first["guestAccount"]


def test_a_key_that_may_not_sell_neither_reads_nor_erases(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        paid(server, "o-1")
        reader = counter.succeed("keys", "create", "--label", "display", "--scope", "read", "--journal", server.journal,
                                 "--json")["key"]
        for method in ("GET", "DELETE"):
            answer = server.request(method, "/v1/orders/o-1/contact", Authorization="Bearer " + reader)
            assert answer.status_code == 403, answer.text
            assert server.request(method, "/v1/orders/o-2/contact").json()["code"] == "order_not_found"
        assert contact(server, "o-1")["baskets"][0]["contact"]["email"] == CUSTOMER["emailAddress"]
