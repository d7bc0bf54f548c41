"""Schemathesis reads /applepay/openapi.yaml and asks the server everything the page allows, and what it forbids."""
import os
import pathlib
import subprocess
import sys

import requests

import counter

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_apple_pay_s_routes_keep_to_their_description(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        basket = requests.post(server.url + "/shop/baskets", json={"service": "delivery"}).json()["basket"]
        proof = requests.get(f"{server.url}/applepay/basket/{basket}").json()["proof"]
        for more in ([], ["--header", "X-Till-Basket-Proof: " + proof]):
            done = subprocess.run(
                [
                    str(pathlib.Path(sys.executable).with_name("schemathesis")), "run",
                    server.url + "/applepay/openapi.yaml", "--checks", CHECKS, "--phases", counter.PHASES,
                    "--max-examples", os.environ.get("TILL_EXAMPLES", "8"), "--seed", "1",
                    "--generation-database", "none", "--continue-on-failure", "--no-color", *more,
                ],
                capture_output=True, text=True, cwd=tmp_path,
                timeout=int(os.environ.get("TILL_EXAMPLES_SECONDS", "900")),
            )
            assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
        assert server.process.poll() is None, "the server ended under odd input"
        assert requests.get(f"{server.url}/applepay/basket/{basket}").status_code == 200
