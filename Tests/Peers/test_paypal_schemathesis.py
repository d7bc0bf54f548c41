"""Schemathesis reads PayPal's own interface descriptions and asks our stand-in everything they allow."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

import counter
import paypal

NAMES = ["checkout_orders_v2.json", "payments_payment_v2.json", "vault_payment_tokens_v3.json"]


@pytest.mark.skipif(not paypal.SPECS, reason="TILL_PAYPAL_SPECS names no folder with PayPal's descriptions")
@pytest.mark.parametrize("name", NAMES)
def test_the_stand_in_keeps_to_paypals_description(tmp_path, stand_in, name):
    document = paypal.specification(name)
    path = tmp_path / name
    path.write_text(json.dumps(document))
    done = subprocess.run(
        [
            str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", str(path), "--url", stand_in,
            "--header", "Authorization: Bearer " + paypal.token(stand_in),
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
            "--phases", counter.PHASES, "--mode", "positive",
            "--max-examples", os.environ.get("TILL_EXAMPLES", "8"),
            "--suppress-health-check", "all",
            "--seed", "1", "--generation-database", "none", "--continue-on-failure", "--no-color",
        ],
        capture_output=True, text=True, cwd=tmp_path,
        timeout=int(os.environ.get("TILL_EXAMPLES_SECONDS", "900")),
    )
    folder = os.environ.get("TILL_PEER_OUTPUT")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        pathlib.Path(folder, name + ".txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
