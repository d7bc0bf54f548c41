"""Whoever tries receipt links out waits longer each time, and is counted and logged; a right one never waits."""
import time

import requests

import counter


def test_guessing_receipt_links_becomes_slow_and_is_told(tmp_path):
    with counter.Server(tmp_path, env={"TILL_LIMITS_GUESS_DELAY": "400ms"}) as server:
        payment = server.create("o-1", "k-1").json()["id"]
        assert server.confirm(payment, "k-2").ok
        path = server.request("POST", f"/v1/payments/{payment}/receipt/link", {}, "k-3").json()["path"]
        forged = path[:-4] + ("0000" if path[-4:] != "0000" else "1111")

        def took(address):
            began = time.monotonic()
            answer = requests.get(server.url + address, timeout=10)
            return answer.status_code, time.monotonic() - began

        answers = [took(forged) for _ in range(16)]
        assert {status for status, _ in answers} == {404}
        assert max(seconds for _, seconds in answers[:10]) < 0.3
        assert min(seconds for _, seconds in answers[-2:]) >= 0.4
        status, seconds = took(path)
        assert status == 200 and seconds < 0.3
        metrics = server.request("GET", "/metrics").text
        assert "\ntill_receipt_links_refused_total 16\n" in metrics
    log = server.log.read_text()
    assert log.count("with a wrong receipt link") == 1 and path not in log and forged not in log
