"""The rival: the payment service one writes in an afternoon with FastAPI and sqlite3.

It makes the promises Till makes for a create: three rows (payment, idempotency record, event) in one
transaction, write-ahead log, `synchronous=FULL`, a stored answer for a repeated key, 422 when a key comes
back with another body. Its webhook endpoint makes those of Till's: signature and time are checked, the event
is recorded once, and it is on the disk before it is acknowledged. No tricks against it: one connection,
prepared statements, worker threads as
FastAPI gives them, and a lock around the transaction because SQLite has one writer anyway.
"""
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import threading
import time

from fastapi import FastAPI, Header, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

KEY = os.environ.get("RIVAL_API_KEY", "bench")
WEBHOOK_SECRET = os.environ.get("TILL_STRIPE_WEBHOOK_SECRET", "").encode()

database = sqlite3.connect(os.environ["RIVAL_DATABASE"], check_same_thread=False, isolation_level=None)
database.executescript(
    """
    PRAGMA journal_mode=WAL;
    PRAGMA synchronous=FULL;
    CREATE TABLE IF NOT EXISTS payment(
      id TEXT PRIMARY KEY, order_id TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL,
      status TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS idempotency(
      key TEXT PRIMARY KEY, body_hash BLOB NOT NULL, status INTEGER NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS event(
      sequence INTEGER PRIMARY KEY, payment_id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS webhook(
      id TEXT PRIMARY KEY, type TEXT NOT NULL, received INTEGER NOT NULL) WITHOUT ROWID;
    """
)
writer = threading.Lock()
app = FastAPI(openapi_url=None)


class NewPayment(BaseModel):
    order_id: str = Field(min_length=1, max_length=255)
    amount: int = Field(gt=0, lt=100_000_000)
    currency: str = Field(pattern="^[A-Z]{3}$")


def stored(row, body_hash):
    if row[0] != body_hash:
        return JSONResponse({"error": "idempotency_key_reused"}, status_code=422)
    return Response(row[2], status_code=row[1], media_type="application/json")


@app.get("/healthz")
async def healthz():
    return {"status": "ok"}


@app.post("/v1/payments")
def create(payment: NewPayment, authorization: str = Header(""), idempotency_key: str = Header("")):
    if not secrets.compare_digest(authorization, "Bearer " + KEY):
        return JSONResponse({"error": "unauthorized"}, status_code=401)
    if not idempotency_key:
        return JSONResponse({"error": "idempotency_key_required"}, status_code=400)
    body_hash = hashlib.sha256(payment.model_dump_json().encode()).digest()
    with writer:
        row = database.execute(
            "SELECT body_hash, status, answer FROM idempotency WHERE key = ?", (idempotency_key,)
        ).fetchone()
        if row:
            return stored(row, body_hash)
        identifier = "pay_" + secrets.token_hex(12)
        answer = json.dumps({"id": identifier, "status": "requires_payment_method", **payment.model_dump()})
        database.execute("BEGIN IMMEDIATE")
        try:
            database.execute(
                "INSERT INTO payment VALUES (?, ?, ?, ?, ?, ?)",
                (identifier, payment.order_id, payment.amount, payment.currency, "created", int(time.time())),
            )
            database.execute("INSERT INTO idempotency VALUES (?, ?, 201, ?)", (idempotency_key, body_hash, answer))
            database.execute(
                "INSERT INTO event(payment_id, type, data) VALUES (?, 'created', ?)", (identifier, answer)
            )
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise
    return Response(answer, status_code=201, media_type="application/json")


def record(event):
    with writer:
        database.execute(
            "INSERT OR IGNORE INTO webhook VALUES (?, ?, ?)", (event["id"], event["type"], int(time.time())))


@app.post("/webhooks/stripe")
async def webhook(request: Request, stripe_signature: str = Header("")):
    body = await request.body()
    parts = dict(part.split("=", 1) for part in stripe_signature.split(",") if "=" in part)
    signed = hmac.new(WEBHOOK_SECRET, parts.get("t", "").encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signed, parts.get("v1", "")) or abs(time.time() - int(parts["t"])) > 300:
        return JSONResponse({"error": "signature"}, status_code=400)
    await run_in_threadpool(record, json.loads(body))
    return {"received": True}
