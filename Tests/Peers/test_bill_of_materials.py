"""The bill of materials, judged by CycloneDX's own library, and the versions that it stands on."""
import json
import re
import shutil
import subprocess

from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import counter

RECORD = "docs/dependencies.json"
# Of the C library and of Swift, which come with the compiler.
COMPILERS = {"BlocksRuntime", "dispatch", "c", "m", "gcc_s", "stdc++", "pthread", "dl", "rt"}
SWIFT = ("swift", "Foundation", "_Foundation")
NAMES = {"z": "zlib"}


def run(root, script, *arguments):
    return subprocess.run([root / "scripts" / script, *arguments], capture_output=True, text=True)


def copied(tmp_path):
    """What the scripts read, so that it can be changed."""
    for name in ("scripts/dependencies", "scripts/bill-of-materials", RECORD, "Package.swift", "Package.resolved",
                 "Sources/TillCommandLine/Till.swift"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(counter.ROOT / name, tmp_path / name)
    return tmp_path


def test_the_bill_of_materials_is_one_of_cyclonedx_1_6():
    made = run(counter.ROOT, "bill-of-materials")
    assert made.returncode == 0, made.stderr
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made.stdout) is None
    document = json.loads(made.stdout)
    bom = Bom.from_json(document)
    record = json.loads((counter.ROOT / RECORD).read_text())
    assert record.items() and {(c.name, c.version) for c in bom.components if c.version} == {
        (name, package["version"]) for name, package in record.items()}
    assert all(c.licenses for c in bom.components if c.version)
    assert run(counter.ROOT, "bill-of-materials").stdout == made.stdout
    linked = subprocess.run(["readelf", "-d", counter.binary()], capture_output=True, text=True, check=True).stdout
    of_system = {name for name in re.findall(r"NEEDED.*\[lib([\w+]+)\.so", linked)
                 if name not in COMPILERS and not name.startswith(SWIFT)}
    named = {part["name"] for part in document["components"]
             if part["bom-ref"].startswith("system:") and part["scope"] == "required"}
    assert {NAMES.get(name, name) for name in of_system} == named, "what is linked is named"
    broken = {**document, "components": [{"type": "library"}]}
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(broken)) is not None


def test_another_version_than_the_recorded_one_is_refused(tmp_path):
    root = copied(tmp_path)
    assert run(root, "dependencies").returncode == 0
    resolved = json.loads((root / "Package.resolved").read_text())
    pin = next(pin for pin in resolved["pins"] if pin["identity"] == "swift-nio")
    kept, pin["state"]["version"] = pin["state"]["version"], "2.0.0"
    (root / "Package.resolved").write_text(json.dumps(resolved))
    refused = run(root, "dependencies")
    assert refused.returncode == 1 and "swift-nio is 2.0.0" in refused.stderr, refused
    warned = run(root, "dependencies", "--warn")
    assert warned.returncode == 0 and "swift-nio is 2.0.0" in warned.stderr, warned
    pin["state"]["version"] = kept
    resolved["pins"].append({"identity": "left-pad", "location": "https://example.com/left-pad", "state": {
        "revision": "0", "version": "1.0.0"}})
    (root / "Package.resolved").write_text(json.dumps(resolved))
    refused = run(root, "dependencies")
    assert refused.returncode == 1 and "left-pad 1.0.0 is not recorded" in refused.stderr, refused
    (root / "Package.resolved").unlink()
    assert run(root, "dependencies").returncode == 1
