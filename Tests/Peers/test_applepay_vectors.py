"""Genuine tokens of Apple's, for whoever has one with its key (docs/APPLE_PAY.md, "Tokens").

TILL_APPLEPAY_VECTORS names a folder with one folder for each token: `token.json`; `processing.key`, or
`processing.p12` with its passphrase in TILL_APPLEPAY_VECTORS_PASSPHRASE; `processing.cer`, or a text file `merchant`;
`root.pem` only for a token that is not Apple's.
"""
import json
import os
import pathlib
import re
import types

import pytest
from test_applepay_production import BASKETS, Page, goods

import counter
from applepay import CONTACT

VARIABLE, PASSPHRASE = "TILL_APPLEPAY_VECTORS", "TILL_APPLEPAY_VECTORS_PASSPHRASE"
# An old signer's certificate has ended, too, which is said first.
TOO_OLD = {"too_old", "expired"}


def vectors(folder):
    found = sorted(p.parent for p in pathlib.Path(folder).glob("*/token.json"))
    assert found, f"{folder} has no folder with a token.json"
    return found


@pytest.fixture
def genuine():
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} names no folder with genuine tokens")
    return vectors(folder)


def decrypt(vector, *more):
    bundle, certificate, merchant, root = (
        vector / name for name in ("processing.p12", "processing.cer", "merchant", "root.pem"))
    flags = []
    if bundle.exists():
        flags += ["--certificate", bundle, "--passphrase-env", PASSPHRASE]
    else:
        flags += ["--key", vector / "processing.key"]
        if certificate.exists():
            flags += ["--certificate", certificate]
    if merchant.exists():
        flags += ["--merchant", merchant.read_text().strip()]
    if root.exists():
        flags += ["--root", root]
    return counter.till(
        "applepay", "decrypt", "--token", vector / "token.json", "--sandbox", "--json", *flags, *more)


def opened(vector):
    """The token opens as of its signing and at no other time, and shows no number."""
    late = decrypt(vector)
    assert late.code == 1 and late.json["error"]["code"] in TOO_OLD, late
    signed = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", late.json["error"]["next"])
    answer = decrypt(vector, "--at", signed[0])
    assert answer.code == 0 and answer.json["verified"] is True, answer
    number = str(answer.json["payment"].get("applicationPrimaryAccountNumber"))
    assert not re.fullmatch(r"\d{12,19}", number), "the number is not masked"
    return answer


def test_genuine_tokens_open_as_of_their_signing(genuine):
    for vector in genuine:
        opened(vector)


def test_a_token_of_this_form_is_read_from_such_a_folder(tmp_path):
    """The way of the test above, with a throw-away Apple in place of Apple."""
    made, vector = tmp_path / "made", tmp_path / "vectors" / "one"
    done = counter.till("applepay", "synthesize", "--out", made, "--at", "2025-11-18T11:06:40Z")
    assert done.code == 0, done
    vector.mkdir(parents=True)
    for name, file in (("token.json", "token.json"), ("processing.key", "processing.key"),
                       ("processing.cer", "processing.pem"), ("root.pem", "root.pem")):
        (vector / name).write_bytes((made / file).read_bytes())
    [found] = vectors(tmp_path / "vectors")
    assert opened(found).json["amount"] == "12.34"
    (vector / "processing.key").write_bytes((made / "identity.key").read_bytes())
    with pytest.raises(AssertionError):
        opened(found)


def test_a_genuine_token_of_long_ago_pays_nothing_at_a_counter(genuine, tmp_path):
    """The counter trusts Apple's own root and no other."""
    vector = next((v for v in genuine if not (v / "root.pem").exists()), None)
    if vector is None:
        pytest.skip(f"{VARIABLE} has no token under Apple's own root")
    made = counter.till("applepay", "synthesize", "--out", tmp_path / "made", "--merchant", "merchant.x")
    assert made.code == 0, made
    pairs = {kind: [{"certificate": f"made/{kind}.pem", "key": f"made/{kind}.key"}]
             for kind in ("identity", "processing")}
    (tmp_path / "settings.json").write_text(json.dumps({
        "environment": "sandbox", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "processing": pairs["processing"],
        "domains": [{"name": "shop.example", "merchant": "merchant.x", "identities": pairs["identity"]}]}))
    with counter.Server(
            tmp_path, "--provider", "sandbox", "--apple-pay", tmp_path / "settings.json") as server:
        page = Page(types.SimpleNamespace(server=server), "o-1")
        sheet = page.sheet["request"]
        answer = page.post("/applepay/payment", {
            "version": page.sheet["version"], "token": json.loads((vector / "token.json").read_bytes()),
            "total": sheet["total"]["amount"],
            "currency": sheet["currencyCode"], "shippingContact": CONTACT})
        assert answer.status_code == 422 and answer.json()["code"] in TOO_OLD, answer.text
        basket = server.request("GET", f"{BASKETS}/{page.basket}").json()
        assert basket["state"] == "open", basket
        assert server.request("POST", BASKETS, goods("o-1")).json()["id"] == page.basket
