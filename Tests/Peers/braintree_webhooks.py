#!/usr/bin/env python3
"""Records webhooks as Braintree's own library signs them.   Tests/Peers/braintree_webhooks.py >
…/braintree_webhooks.json"""
import datetime
import json

import braintree

KINDS = [
    braintree.WebhookNotification.Kind.Check, braintree.WebhookNotification.Kind.TransactionSettled,
    braintree.WebhookNotification.Kind.TransactionSettlementDeclined,
    braintree.WebhookNotification.Kind.TransactionDisbursed, braintree.WebhookNotification.Kind.DisputeOpened,
    braintree.WebhookNotification.Kind.DisputeWon, braintree.WebhookNotification.Kind.DisputeLost,
    braintree.WebhookNotification.Kind.DisputeAccepted, braintree.WebhookNotification.Kind.DisputeExpired,
    braintree.WebhookNotification.Kind.DisputeUnderReview, braintree.WebhookNotification.Kind.RefundFailed,
]


def main():
    gateway = braintree.BraintreeGateway(braintree.Configuration(
        braintree.Environment.Development, "integration_merchant_id", "integration_public_key",
        "integration_private_key"))
    samples = []
    for kind in KINDS:
        sample = gateway.webhook_testing.sample_notification(kind, "my_id")
        payload = sample["bt_payload"]
        samples.append({
            "kind": kind, "signature": sample["bt_signature"],
            "payload": payload.decode() if isinstance(payload, bytes) else payload,
        })
    now = datetime.datetime.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({"library": "braintree " + braintree.version.Version, "now": now, "samples": samples}, indent=1))


if __name__ == "__main__":
    main()
