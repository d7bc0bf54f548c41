"""What the inventories in docs/ say is what the sources have: no algorithm and no line of the log is missing there."""
import re

import yaml
from prometheus_client.parser import text_string_to_metric_families

import counter

SOURCES = counter.ROOT / "Sources"
CRYPTOGRAPHY = counter.ROOT / "docs" / "CRYPTOGRAPHY.md"
LOGGING = counter.ROOT / "docs" / "LOGGING.md"
# Other sides, with keys of their own that are made for a run.
OTHER_SIDES = {"TillSandbox", "TillSimulation", "till-simulate"}
ALGORITHM = re.compile(
    r"\b(HMAC<[\w.]+>|KDF\.(?:Insecure\.)?\w+|Insecure\.(?:SHA1|MD5)|SHA(?:256|384|512)\b|AES\.(?:GCM|_CBC|_CTR|KeyWrap|permute)"
    r"|ChaChaPoly|HPKE|(?:P256|P384|P521|Curve25519|_RSA)\.(?:KeyAgreement|Signing|Encryption))")
CALL = re.compile(r"\blogger\.(trace|debug|info|notice|warning|error|critical|log)\(")


def code(file):
    """Without comments."""
    return re.sub(r"//.*", "", file.read_text())


def room(file):
    """The target of a file. The features of the server have a folder in common."""
    first, second, *_ = file.relative_to(SOURCES).parts
    return "TillFeature" + second if first == "TillFeatures" else first


def is_other_side(file):
    return room(file) in OTHER_SIDES or room(file).startswith("TillStandIn")


def rows(document, heading):
    """The cells of the table under a heading."""
    part = document.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|--")]


def test_every_algorithm_is_in_the_inventory():
    used = {}
    for file in SOURCES.rglob("*.swift"):
        if not is_other_side(file) and (found := set(ALGORITHM.findall(code(file)))):
            used.setdefault(room(file), set()).update(found)
    said = {name.strip("`"): set(re.findall(r"`([^`]+)`", algorithms))
            for name, algorithms in rows(CRYPTOGRAPHY, "Algorithms by room")}
    assert {name: sorted(found) for name, found in used.items()} == {
        name: sorted(found) for name, found in said.items()}
    assert len(used) > 8


def test_every_line_of_the_log_is_in_the_inventory():
    written = {}
    for file in SOURCES.rglob("*.swift"):
        if is_other_side(file):
            continue
        for level in CALL.findall(code(file)):
            written.setdefault((file.relative_to(SOURCES).as_posix(), level), 0)
            written[file.relative_to(SOURCES).as_posix(), level] += 1
    said = {}
    for place, level, *_ in rows(LOGGING, "Lines of the log"):
        key = (place.strip("`"), level)
        said[key] = said.get(key, 0) + 1
    assert said == written
    assert len(written) > 15


def test_the_counts_of_the_standard_are_those_of_its_table():
    text = (counter.ROOT / "docs" / "ASVS.md").read_text()
    counts = {}
    for requirement, verdict in re.findall(r"(?m)^\| (\d+\.\d+\.\d+[^|]*) \| ([a-z ]+) \|", text):
        many = re.search(r"\((\d+)\)$", requirement)
        counts[verdict] = counts.get(verdict, 0) + (int(many[1]) if many else 1)
    said = re.search(
        r"Of the (\d+) requirements (\d+) are met, (\d+) partly met, (\d+) not met and (\d+) not applicable"
        r"(?:; (\d+) wait)?",
        text.replace("\n", " "))
    assert said, "the sentence with the counts is not there"
    verdicts = ("met", "partly met", "not met", "not applicable", "open")
    assert [int(number or 0) for number in said.groups()] == [
        sum(counts.values()), *(counts.get(verdict, 0) for verdict in verdicts)]


def test_every_alert_asks_for_metrics_that_there_are(tmp_path):
    """Each has its threshold, its severity, and words for whoever is woken up."""
    rules = [rule for group in yaml.safe_load((counter.ROOT / "docs" / "alerts.yml").read_text())["groups"]
             for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 8
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        there = {sample.name for family in text_string_to_metric_families(server.request("GET", "/metrics").text)
                 for sample in family.samples}
    # Only where a copy is kept, or TLS is.
    there |= {"copy_lag_seconds", "till_tls_certificate_expires_timestamp_seconds", "till_tls_certificate_refused"}
    for rule in rules:
        asked = set(re.findall(r"[a-z_]{6,}", re.sub(r"\[\w+\]", "", rule["expr"]))) - {"increase"}
        assert asked and asked <= there, (rule["alert"], asked - there)
        assert re.search(r"[<>] [\d.]+", rule["expr"]) and rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"] and rule["annotations"]["what"]
