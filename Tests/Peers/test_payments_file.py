"""The file of payments: its columns, and a long one that is read slowly, or whose reader goes away in the middle."""
import concurrent.futures
import csv
import io
import socket
import time

import pytest
import requests
from staff import Staff
from test_many_payments import fill

import counter

COLUMNS = [
    "created_at", "order", "status", "tender", "card", "amount", "captured", "refunded", "currency", "provider",
    "payment", "discount", "discount_reason", "tip", "staff", "staff_name", "shop", "drawer",
]
FILE = "/v1/payments.csv"
MANY = 3_000
# A buffer that holds a few rows, so that the rest waits at the till's side.
BUFFER = 4_096
SLOW_BYTES = 16_384
SLOW_S = 0.02
# What the till may take to answer others while a reader is slow.
PROMPT_S = 5
GONE = 12


@pytest.fixture
def latency():
    return "0ms"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_row_has_its_tip_staff_shop_and_drawer_behind_what_was_always_there(server):
    shop = "shop_" + "b" * 24
    opened = server.request("POST", "/v1/day/open", {"currency": "EUR", "float": 1000, "drawer": "bar"})
    assert opened.status_code == 201, opened.text

    def pay(name, tender, **more):
        made = server.create(name, name, 1000, **more)
        assert made.status_code == 201, made.text
        paid = server.confirm(made.json()["id"], name + "-c", tender)
        assert paid.status_code == 200, paid.text

    pay("bar", {"type": "cash", "tendered": 1500, "tip": 200, "drawer": "bar"}, metadata={"shop": shop})
    pay("first", {"type": "cash", "tendered": 1000})
    pay("card", counter.CARD_TENDER)
    staff = Staff(server).shop()
    device = staff.device()
    device.signed_in("Mona")
    body = {"order_id": "monas", "amount": 900, "currency": "EUR"}
    made = device.ask("POST", "/v1/payments", body)
    assert made.status_code == 201, made.text
    text = server.request("GET", FILE).text
    assert text.split("\r\n", 1)[0].split(",") == COLUMNS
    rows = {row["order"]: row for row in table(text)}
    assert all(None not in row and None not in row.values() for row in rows.values()), rows
    last = {name: [row[column] for column in COLUMNS[13:]] for name, row in rows.items()}
    assert last == {
        "bar": ["2.00", "", "", shop, "bar"], "first": ["", "", "", "", "main"], "card": ["", "", "", "", ""],
        "monas": ["", staff.ids["Mona"], "Mona", "", ""],
    }
    # The columns find what they name, and times are in UTC.
    for query, name in (("staff=" + staff.ids["Mona"], "monas"), ("shop=" + shop, "bar")):
        assert [row["order"] for row in table(server.request("GET", f"{FILE}?{query}").text)] == [name]
    assert all(row["created_at"].endswith("Z") for row in rows.values())


@pytest.fixture
def many(server):
    fill(server, MANY)
    return server


def begin(server):
    """Asks for the file over a connection with a small buffer, and reads its head."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    link.settimeout(60)
    link.connect(("127.0.0.1", server.port))
    link.sendall((f"GET {FILE} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                  f"Authorization: Bearer {server.api_key}\r\nConnection: close\r\n\r\n").encode())
    return link


def orders(text):
    return [row["order"] for row in table(text)]


def test_a_long_file_is_whole_for_a_slow_reader_and_others_are_answered_meanwhile(many):
    server = many
    wanted = sorted((f"Many-{number:05}" for number in range(MANY)), reverse=True)
    answer = requests.get(server.url + FILE, headers={"Authorization": "Bearer " + server.api_key}, stream=True,
                          timeout=60)
    assert answer.status_code == 200 and "Content-Length" not in answer.headers, answer.headers
    began, text, prompt = time.monotonic(), b"", []
    # As it was when each page was read: a sale that comes meanwhile is newer than all of it.
    for number, part in enumerate(answer.iter_content(SLOW_BYTES)):
        text += part
        time.sleep(SLOW_S)
        if number % 8 == 0:
            before = time.monotonic()
            assert server.create(f"Between-{number}", f"between-{number}").status_code == 201
            prompt.append(time.monotonic() - before)
    assert len(text) > 10 * SLOW_BYTES and time.monotonic() - began >= 10 * SLOW_S
    assert prompt and max(prompt) < PROMPT_S, prompt
    found = table(text.decode())
    assert sorted((row["order"] for row in found if row["order"].startswith("Many-")), reverse=True) == wanted
    assert all(len(row) == len(COLUMNS) and None not in row.values() for row in found)
    assert not [row for row in found if row["created_at"].startswith("Cut after")]
    assert len({row["payment"] for row in found}) == len(found)


def test_readers_that_go_away_in_the_middle_leave_a_till_that_gives_the_next_one_all(many):
    server = many

    def leave(number):
        with begin(server) as link:
            head = link.recv(BUFFER)
            assert head.startswith(b"HTTP/1.1 200"), head
            if number % 2:
                # Not even a farewell: what is still under way is refused.
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    with concurrent.futures.ThreadPoolExecutor(GONE) as pool:
        list(pool.map(leave, range(GONE)))
    before = time.monotonic()
    assert server.create("After", "after").status_code == 201
    assert time.monotonic() - before < PROMPT_S
    found = orders(server.request("GET", FILE).text)
    assert len(found) == MANY + 1 and found[0] == "After"
    # A file that was cut off is no whole one: its last chunk is missing.
    with begin(server) as link:
        part = b""
        while len(part) < SLOW_BYTES:
            part += link.recv(BUFFER)
        assert b"\r\n0\r\n\r\n" not in part
