"""A shop that sells one thing, with nothing of Till but the counter's HTTP interface (docs/integrate/README.md).

    pip install -r requirements.txt
    TILL_API_KEY=… SHOP_WEBHOOK_SECRET=whsec_… python shop.py
    curl -s localhost:3000/orders --json '{"card": "pm_card_visa"}'

The counter's address is in TILL_COUNTER (http://127.0.0.1:8080 without it). The secret is what the counter showed when
the endpoint http://127.0.0.1:3000/till was added, or what `till listen --forward-to http://127.0.0.1:3000/till` prints.
"""
import contextlib
import os
import secrets
import sqlite3

import requests
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from standardwebhooks import Webhook, WebhookVerificationError

COUNTER = os.environ.get("TILL_COUNTER", "http://127.0.0.1:8080")
KEY = os.environ["TILL_API_KEY"]
WEBHOOK = Webhook(os.environ["SHOP_WEBHOOK_SECRET"])
DATABASE = os.environ.get("SHOP_DATABASE", "shop.db")

THING, PRICE, CURRENCY = "Teapot", 1850, "EUR"  # €18.50 in minor units, as all amounts are
STOCK = 10
SECONDS = 8  # for one request to the counter, which waits ten for the answer to a webhook
MOST_BYTES = 20_000  # of a webhook

app = FastAPI()


class Purchase(BaseModel):
    """What the customer's page sends: the reference that the card fields gave it, and nothing else of the card."""

    card: str = Field(pattern=r"^[\w-]{1,200}$")


@contextlib.contextmanager
def database():
    """One transaction, which is on the disk when it is over."""
    db = sqlite3.connect(DATABASE, timeout=SECONDS)
    try:
        with db:
            db.execute("BEGIN IMMEDIATE")
            yield db
    finally:
        db.close()


def prepare():
    with database() as db:
        db.execute(
            "CREATE TABLE IF NOT EXISTS orders"
            " (id TEXT PRIMARY KEY, payment TEXT UNIQUE, paid INTEGER NOT NULL DEFAULT 0)")
        db.execute("CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY)")
        db.execute("CREATE TABLE IF NOT EXISTS shelf (thing TEXT PRIMARY KEY, left INTEGER NOT NULL)")
        db.execute("INSERT OR IGNORE INTO shelf VALUES (?, ?)", (THING, STOCK))


class Refused(Exception):
    """The counter's own words: what was wrong, and what to do next."""


def ask(method, path, body=None, key=None):
    """A request to the counter. Under the same key it is carried out once, however often it is sent."""
    headers = {"Authorization": f"Bearer {KEY}", **({"Idempotency-Key": key} if key else {})}
    answer = requests.request(method, COUNTER + path, json=body, headers=headers, timeout=SECONDS)
    if answer.status_code >= 500:
        answer.raise_for_status()
    if not answer.ok:
        raise Refused(f"{answer.json()['detail']} {answer.json()['next']}")
    return answer.json()


@app.exception_handler(Refused)
def refused(_, error):
    return JSONResponse({"error": str(error)}, 409)


@app.exception_handler(requests.RequestException)
def lost(*_):
    return JSONResponse({"error": "The counter gave no answer. If the order is paid, the webhook says so."}, 503)


@app.post("/orders", status_code=202)
def buy(purchase: Purchase):
    """Books the order and asks for the money. Whether it is paid is decided by the webhook alone."""
    order = "teapot-" + secrets.token_hex(5)
    with database() as db:
        if not db.execute("SELECT 1 FROM shelf WHERE left > 0").fetchone():
            return JSONResponse({"error": "Sold out."}, 409)
        db.execute("INSERT INTO orders (id) VALUES (?)", (order,))
    money = {"order_id": order, "amount": PRICE, "currency": CURRENCY}
    ask("POST", "/v1/orders", {**money, "lines": [{"name": THING, "amount": PRICE}], "handover": "collection"})
    payment = ask("POST", "/v1/payments", money, f"{order}-payment")["id"]
    # Written before the card is charged, so that no webhook is about a payment that the shop does not know.
    with database() as db:
        db.execute("UPDATE orders SET payment = ? WHERE id = ?", (payment, order))
    tender = {"type": "token", "token": purchase.card}
    charged = ask("POST", f"/v1/payments/{payment}/confirm", {"tender": tender}, f"{order}-card-1")
    return {"order": order, "payment": payment, "status": charged["status"], "message": charged["message"]}


@app.get("/orders/{order}")
def show(order: str):
    with database() as db:
        found = db.execute("SELECT paid FROM orders WHERE id = ?", (order,)).fetchone()
    return {"order": order, "paid": bool(found[0])} if found else Response(status_code=404)


@app.get("/shelf")
def shelf():
    with database() as db:
        return {"left": db.execute("SELECT left FROM shelf").fetchone()[0]}


@app.post("/orders/{order}/hand_over")
def hand_over(order: str):
    """The customer has come for it. The counter refuses what is not paid."""
    return {"state": ask("POST", f"/v1/orders/{order}/fulfil")["state"]}


@app.post("/till")
async def hear(request: Request):
    """A message of the counter. It counts after its signature is verified, of the bytes as they came."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return Response(status_code=413)
    try:
        message = WEBHOOK.verify(body, request.headers)
    except WebhookVerificationError:
        return Response(status_code=400)
    if message["type"] == "payment.captured":
        await run_in_threadpool(settle, request.headers["webhook-id"], message["data"]["payment_id"])
    return Response(status_code=204)


def settle(message, payment):
    """Marks an order as paid, once, if the counter says so when it is asked. A lost answer is an error, and the counter
    sends the message again."""
    with database() as db:
        found = db.execute("SELECT id FROM orders WHERE payment = ?", (payment,)).fetchone()
        known = db.execute("SELECT 1 FROM messages WHERE id = ?", (message,)).fetchone()
    if not found or known:
        return
    order, now = found[0], ask("GET", f"/v1/payments/{payment}")
    if (now["order_id"], now["currency"]) != (order, CURRENCY) or now["captured"] < PRICE:
        return
    with database() as db:
        if db.execute("INSERT OR IGNORE INTO messages VALUES (?)", (message,)).rowcount:
            if db.execute("UPDATE orders SET paid = 1 WHERE id = ? AND paid = 0", (order,)).rowcount:
                db.execute("UPDATE shelf SET left = left - 1")


if __name__ == "__main__":
    prepare()
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("SHOP_PORT", "3000")), log_level="warning")
