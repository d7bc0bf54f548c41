"""Schemathesis reads /openapi.yaml and asks the server everything the page allows, and what it forbids."""
import os
import pathlib
import subprocess
import sys

import counter

CHECKS = ",".join(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "ignored_auth",
    ]
)


def test_the_server_keeps_to_its_own_description(tmp_path):
    # It comes with a wrong key after each request that succeeds, to see that it is refused.
    env = {"TILL_LIMITS_GUESS_DELAY": "0ms"}
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env) as server:
        done = subprocess.run(
            [
                str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", server.url + "/openapi.yaml",
                "--header", "Authorization: Bearer " + server.api_key,
                "--checks", CHECKS,
                "--phases", "examples,coverage,fuzzing",
                "--max-examples", os.environ.get("TILL_EXAMPLES", "8"),
                # A stream of events has no end, so it cannot be asked thousands of times.
                "--exclude-path", "/v1/events", "--exclude-path", "/v1/orders/events",
                "--seed", "1",
                "--generation-database", "none",
                "--continue-on-failure",
                "--no-color",
            ],
            capture_output=True, text=True, cwd=tmp_path,
            timeout=int(os.environ.get("TILL_EXAMPLES_SECONDS", "900")),
        )
        folder = os.environ.get("TILL_PEER_OUTPUT")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            pathlib.Path(folder, "schemathesis.txt").write_text(done.stdout + done.stderr)
        assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
        assert server.process.poll() is None, "the server ended under odd input"
        assert server.request("GET", "/healthz").status_code == 200
    verified = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert verified.code == 0 and verified.json["ok"] is True, verified
