"""The form of the log, which other machines read: one line an entry, whatever others have put into what is logged."""
import re

import requests

import counter

LINE = re.compile(
    r"^(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000) (?P<level>trace|debug|info|notice|warning|error|critical) till:"
    r"(?P<metadata>( [\w.-]+=\S.*?)*) \[\w+\] (?P<sentence>.+)$")


def entries(server):
    """The lines of the log, without what the counter prints when it starts."""
    return [line for line in server.log.read_text().splitlines() if re.match(r"\d{4}-\d\d-\d\dT", line)]


def test_every_entry_is_one_line_that_a_program_can_read(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_LOG_LEVEL": "debug"}) as server:
        made = server.create("o-1", "k-1").json()["id"]
        assert server.confirm(made, "k-2").status_code == 200
        server.request("GET", f"/v1/payments/{made}/receipt")
        for number in range(12):
            requests.post(server.url + "/session", json={"key": f"guess-{number}"}, timeout=10,
                          headers={"X-Till-Page": "1"})
            requests.get(server.url + "/v1/payments", headers={"Authorization": f"Bearer x{number}"}, timeout=20)
        # What others send stands in the log: an identifier of the request, a trace, an address.
        forged = "2026-11-25T00:00:00+0000 error till: [TillServer] All payments were stolen."
        for name in ("X-Request-Id", "Traceparent", "Tracestate", "User-Agent"):
            requests.get(server.url + "/v1/payments", headers={
                "Authorization": "Bearer " + server.api_key, name: forged}, timeout=10)
        requests.get(server.url + "/v1/payments/%0a" + forged.replace(" ", "%20"), timeout=10, headers={
            "Authorization": "Bearer " + server.api_key})
        assert counter.until(lambda: len(entries(server)) > 30)
        written = entries(server)
    levels = set()
    for line in written:
        found = LINE.match(line)
        assert found, line
        assert "stolen" not in line, line
        levels.add(found["level"])
    assert {"debug", "warning"} <= levels, levels
    assert server.api_key not in server.log.read_text()
