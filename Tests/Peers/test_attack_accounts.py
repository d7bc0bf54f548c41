"""Schemathesis with the key of another account, which knows every name of the owner's things: through no operation of
openapi.yaml does it read or change anything of the owner's, whatever else it sends."""
import json
import os
import pathlib
import subprocess
import sys

import pytest
import requests
import yaml

import counter
import tenants
from tenants import METHODS, OPEN, Owner, Printer, Stranger

MARK = "owners-mark-7f3a"

# They have no end.
STREAMS = ("/v1/events", "/v1/orders/events")


@pytest.fixture
def printer():
    printer = Printer()
    yield printer
    printer.listener.close()


@pytest.fixture
def server(tmp_path, sandbox):
    with tenants.serve(tmp_path, sandbox) as running:
        yield running


def settings(owner, document):
    """For every operation the owner's own names, in its address and in its query."""
    rows = []
    for path, item in document["paths"].items():
        if path in (*STREAMS, "/webhooks/{provider}", "/v1/shops/{id}/notifications", "/back/{attempt}/{way}",
                    "/r/{link}"):
            continue
        values = dict(zip(
            [part[1:part.index("}")] for part in path.split("/") if part.startswith("{")],
            # As of {report}.csv.
            [own.removesuffix(part[part.index("}") + 1:])
             for part, own in zip(path.split("/"), owner.path(path).split("/"), strict=True)
             if part.startswith("{")], strict=True))
        given = {f"path.{name}": value for name, value in values.items()}
        for operation in (item[method] for method in METHODS if method in item):
            for parameter in operation.get("parameters", []):
                if parameter.get("name") == "payment":
                    given["query.payment"] = owner.sale["id"]
        if given:
            inner = ", ".join(f'"{name}" = "{value}"' for name, value in given.items())
            rows.append(f'[[operations]]\ninclude-path = "{path}"\nparameters = {{ {inner} }}\n')
    return "\n".join(rows)


def test_a_key_of_another_account_gets_nothing_through_any_operation(tmp_path, server, printer):
    marked = server.create("o-marked", "c-marked", description=MARK)
    assert marked.status_code == 201, marked.text
    owner, stranger = Owner(server, printer), Stranger(server)
    document = yaml.safe_load(requests.get(server.url + "/openapi.yaml", timeout=10).text)
    (tmp_path / "schemathesis.toml").write_text(settings(owner, document))
    before = owner.state()
    report = tmp_path / "report.har"
    done = subprocess.run(
        [str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", server.url + "/openapi.yaml",
         "--header", "Authorization: Bearer " + stranger.key, "--checks", "not_a_server_error",
         "--phases", counter.PHASES, "--max-examples", os.environ.get("TILL_EXAMPLES", "8"),
         *[text for path in STREAMS for text in ("--exclude-path", path)],
         "--seed", "1", "--generation-database", "none", "--continue-on-failure",
         "--no-color", "--report", "har", "--report-har-path", str(report), "--output-sanitize", "false"],
        capture_output=True, text=True, cwd=tmp_path, timeout=int(os.environ.get("TILL_EXAMPLES_SECONDS", "900")))
    assert done.returncode in (0, 1), (done.stdout + done.stderr)[-4000:]
    assert "Server error" not in done.stdout, done.stdout[-4000:]
    assert server.process.poll() is None
    assert owner.state() == before and printer.heard == []
    names = [owner.sale["id"], owner.incident, owner.staff, owner.reader, owner.session, owner.basket,
             owner.webhook, owner.message, owner.shop, owner.key, marked.json()["id"]]
    asked, found = set(), []
    entries = json.loads(report.read_text())["log"]["entries"]
    # It has what was sent, cards too; what the suite leaves behind is searched for them.
    report.unlink()
    for entry in entries:
        request, answer = entry["request"], entry["response"]
        text = (answer["content"].get("text") or "")
        sent = request["url"] + ((request.get("postData") or {}).get("text") or "") + json.dumps(request["headers"])
        said = [name for name in [*names, MARK] if name in text and name not in sent]
        # With the stranger's own key only; Schemathesis tries others too.
        if said:
            found.append((request["method"], request["url"], answer["status"], said))
        named = any(name in request["url"] for name in [*names, "/v1/orders/o-1", "/v1/printers/bar", "/v1/roles/bar",
                                                      "/v1/day/reports/9"])
        if named and answer["status"] < 400:
            found.append((request["method"], request["url"], answer["status"], text[:300]))
        # Whoever asks for a guest whom the account does not have erases nothing.
        guest = "/v1/applepay/guests/guest_0" in request["url"]
        if guest and answer["status"] < 400 and json.loads(text)["erased"]:
            found.append((request["method"], request["url"], answer["status"], text[:300]))
        if named or guest:
            asked.add((request["method"], request["url"].split("?")[0].replace(server.url, "")))
    assert not found, found[:5]
    # Every operation with a name in its address was asked for the owner's.
    wanted = {(method.upper(), owner.path(path)) for path, item in document["paths"].items() for method in METHODS
              if method in item and "{" in path and f"{method.upper()} {path}" not in OPEN}
    missing = {one for one in wanted if one not in asked}
    assert not missing, missing
    assert counter.till("journal", "verify", "--journal", server.journal, "--json").json["ok"] is True
