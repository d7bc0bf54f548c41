"""The rival on PostgreSQL: the payment service one writes in an afternoon with FastAPI and asyncpg.

It makes the promises Till makes for a create: three rows (payment, idempotency record, event) in one transaction with
`synchronous_commit=on`, a stored answer for a repeated key, 422 when a key comes back with another body. No tricks
against it: a pool of connections, prepared statements, no more round trips than the promises need.
"""
import contextlib
import hashlib
import json
import os
import secrets
import time

import asyncpg
from fastapi import FastAPI, Header, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

KEY = os.environ.get("RIVAL_API_KEY", "bench")
CONNECTIONS = 32
TABLES = """
    CREATE TABLE IF NOT EXISTS payment(
      id text PRIMARY KEY, order_id text NOT NULL, amount bigint NOT NULL, currency text NOT NULL,
      status text NOT NULL, created bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS idempotency(
      key text PRIMARY KEY, body_hash bytea NOT NULL, status integer NOT NULL, answer text NOT NULL);
    CREATE TABLE IF NOT EXISTS event(
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payment_id text NOT NULL, type text NOT NULL,
      data text NOT NULL);
"""


@contextlib.asynccontextmanager
async def pool_of_connections(app):
    async with asyncpg.create_pool(os.environ["RIVAL_DATABASE"], min_size=CONNECTIONS, max_size=CONNECTIONS) as pool:
        await pool.execute(TABLES)
        app.state.pool = pool
        yield


app = FastAPI(openapi_url=None, lifespan=pool_of_connections)


class NewPayment(BaseModel):
    order_id: str = Field(min_length=1, max_length=255)
    amount: int = Field(gt=0, lt=100_000_000)
    currency: str = Field(pattern="^[A-Z]{3}$")


@app.get("/healthz")
async def healthz():
    return {"status": "ok"}


@app.post("/v1/payments")
async def create(payment: NewPayment, authorization: str = Header(""), idempotency_key: str = Header("")):
    if not secrets.compare_digest(authorization, "Bearer " + KEY):
        return JSONResponse({"error": "unauthorized"}, status_code=401)
    if not idempotency_key:
        return JSONResponse({"error": "idempotency_key_required"}, status_code=400)
    body_hash = hashlib.sha256(payment.model_dump_json().encode()).digest()
    identifier = "pay_" + secrets.token_hex(12)
    answer = json.dumps({"id": identifier, "status": "requires_payment_method", **payment.model_dump()})
    async with app.state.pool.acquire() as database:
        async with database.transaction():
            is_new = await database.fetchval(
                "INSERT INTO idempotency VALUES ($1, $2, 201, $3) ON CONFLICT DO NOTHING RETURNING true",
                idempotency_key, body_hash, answer)
            if is_new:
                await database.execute(
                    "INSERT INTO payment VALUES ($1, $2, $3, $4, $5, $6)",
                    identifier, payment.order_id, payment.amount, payment.currency, "created", int(time.time()))
                await database.execute(
                    "INSERT INTO event(payment_id, type, data) VALUES ($1, 'created', $2)", identifier, answer)
        if not is_new:
            stored = await database.fetchrow(
                "SELECT body_hash, status, answer FROM idempotency WHERE key = $1", idempotency_key)
            if stored["body_hash"] != body_hash:
                return JSONResponse({"error": "idempotency_key_reused"}, status_code=422)
            return Response(stored["answer"], status_code=stored["status"], media_type="application/json")
    return Response(answer, status_code=201, media_type="application/json")
