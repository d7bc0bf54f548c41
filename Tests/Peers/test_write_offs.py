"""What a person gives up of a statement is posted to the write-offs, and back; foreign judges read the books."""
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from beancount.loader import load_string

import counter


@pytest.fixture
def shop(tmp_path, sandbox):
    return counter.Shop(tmp_path, sandbox)


def play(sandbox, **what):
    answer = requests.post(sandbox.url + "/_sandbox/statements", json=what, timeout=5)
    assert answer.status_code == 200, answer.text


def sums(journal):
    told = counter.succeed("ledger", "balances", "--journal", journal, "--json")["balances"]
    assert sum(b["amount"] for b in told) == 0
    return {b["kind"]: b["amount"] for b in told if b["amount"]}


def exports(journal, folder):
    """The export that beancount reads, which hledger and bean-check find nothing against."""
    texts = {}
    for form in ("beancount", "hledger"):
        path = folder / f"ledger.{form}"
        texts[form] = counter.till("ledger", "export", "--format", form, "--journal", journal).out
        path.write_text(texts[form])
        judge = ([Path(sys.executable).parent / "bean-check", path] if form == "beancount"
                 else ["hledger", "-f", path, "check", "-s", "ordereddates"])
        judged = subprocess.run(judge, capture_output=True, timeout=60)
        assert judged.returncode == 0, judged
    entries, errors, _ = load_string(texts["beancount"])
    assert not errors
    return [e for e in entries if type(e).__name__ == "Transaction"]


def resolve(shop, incident, outcome, note):
    return counter.till("journal", "incidents", "--resolve", incident, "--outcome", outcome, "--note", note,
                        "--actor", "Ada", "--journal", shop.journal, "--json")


@pytest.fixture
def foreign(shop, sandbox):
    """An incident about a charge of 7.77 that no payment made."""
    shop.sale(order="o-1", amount="12.50")
    play(sandbox, do="foreign", amount=777, currency="EUR")
    answer = counter.till("reconcile", "--fetch", "stripe", *shop.common)
    assert answer.code == 2, answer
    return answer.json["open"][0]["id"]


def test_it_is_given_up_with_the_words_of_who_says_so_and_found_again(shop, foreign, tmp_path):
    before = sums(shop.journal)
    assert before["suspense"] == -777 and "write_offs" not in before
    refused = resolve(shop, foreign, "recovered", "nothing was given up")
    assert refused.code == 1 and refused.json["error"]["code"] == "nothing_written_off", refused
    done = resolve(shop, foreign, "written_off", "Stripe knows no such charge")
    assert done.code == 0 and done.json["incidents"][0]["outcome"] == "written_off", done
    after = sums(shop.journal)
    assert after == {**{k: v for k, v in before.items() if k != "suspense"}, "write_offs": -777}
    again = resolve(shop, foreign, "written_off", "again")
    assert again.code == 1 and again.json["error"]["code"] == "nothing_in_suspense", again
    assert sums(shop.journal) == after
    told = [e for e in exports(shop.journal, tmp_path) if "written_off" in e.narration]
    assert [e.narration for e in told] == ["statement.written_off: Stripe knows no such charge (Ada)"]
    assert {p.account.split(":")[1]: p.units.number * 100 for p in told[0].postings} == {
        "Suspense": 777, "WriteOffs": -777} or "Test" in told[0].postings[0].account
    assert resolve(shop, foreign, "recovered", "it was o-7, paid by phone").code == 0
    assert sums(shop.journal) == before
    assert len([e for e in exports(shop.journal, tmp_path) if "(Ada)" in e.narration]) == 2
    shop.verify()
    assert counter.till("reconcile", "--fetch", "stripe", *shop.common).code == 0


def test_over_http_it_is_one_commit_with_the_answer(shop, foreign, tmp_path):
    with counter.Server(tmp_path, *shop.stripe.flags) as server:
        path = f"/v1/incidents/{foreign}/resolve"
        body = {"evidence": "a cent too much", "actor": "Grace", "outcome": "written_off"}
        first = server.request("POST", path, body, key="k-1")
        assert first.status_code == 200 and first.json()["resolution"]["outcome"] == "written_off", first.text
        assert server.request("POST", path, body, key="k-1").json() == first.json()
        told = server.request("GET", "/v1/ledger/balances").json()["balances"]
        assert {b["kind"]: b["amount"] for b in told}["write_offs"] == -777
        second = server.request("POST", path, {**body, "actor": "Ada"}, key="k-2")
        assert second.status_code == 409, second.text
        found = server.request("POST", path, {**body, "outcome": "recovered"}, key="k-3")
        assert found.status_code == 200 and found.json()["resolution"]["outcome"] == "recovered", found.text
        again = server.request("POST", path, {**body, "outcome": "recovered"}, key="k-4")
        assert again.status_code == 409 and again.json()["code"] == "nothing_written_off", again.text
    assert sums(shop.journal)["suspense"] == -777
