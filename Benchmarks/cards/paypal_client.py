"""Orders through PayPal's own Python client, as Benchmarks/cards/run asks for them.

    paypal_client.py URL COUNT CLIENTS
"""
import json
import sys
import threading
import time
import uuid

from paypalserversdk.configuration import Configuration, Environment, Server
from paypalserversdk.http.auth.o_auth_2 import ClientCredentialsAuthCredentials
from paypalserversdk.paypal_serversdk_client import PaypalServersdkClient

url, count, clients = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
Configuration.environments[Environment.SANDBOX][Server.DEFAULT] = url
BODY = {
    "intent": "CAPTURE",
    "purchase_units": [{"amount": {"currency_code": "USD", "value": "10.00"}}],
    "payment_source": {"card": {"number": "4032036247327321", "expiry": "2030-11", "security_code": "987"}},
}


def client():
    return PaypalServersdkClient(
        client_credentials_auth_credentials=ClientCredentialsAuthCredentials("shop", "secret"),
        environment=Environment.SANDBOX,
    )


def buy(shop):
    made = shop.orders.create_order(
        {"body": BODY, "paypal_request_id": str(uuid.uuid4()), "prefer": "return=representation"})
    assert made.body.purchase_units[0].payments.captures[0].status == "COMPLETED"


shops = [client() for _ in range(clients)]
for shop in shops:
    for _ in range(5):
        buy(shop)
times = []


def lane(shop):
    for _ in range(count // clients):
        start = time.perf_counter()
        buy(shop)
        times.append((time.perf_counter() - start) * 1e3)


began, spent = time.perf_counter(), time.process_time()
threads = [threading.Thread(target=lane, args=(shop,)) for shop in shops]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
seconds, spent = time.perf_counter() - began, time.process_time() - spent
times.sort()
print(json.dumps({"orders": len(times), "per_second": int(len(times) / seconds),
                  "cpu_us": int(spent / len(times) * 1e6), "p50_ms": times[len(times) // 2]}))
