"""What an app links runs on the iOS that Package.swift names: nothing in it needs a newer one without asking first."""
import re

import pytest

import counter

SOURCES = counter.ROOT / "Sources"
MANIFEST = (counter.ROOT / "Package.swift").read_text()
LIBRARIES = (counter.ROOT / "docs" / "integrate" / "LIBRARIES.md").read_text()
# For a smart card reader at a computer.
NOT_FOR_IOS = {"TillPCSC"}
# Of another section, and of use in an app, too.
ALSO_FOR_IOS = {"TillCore", "TillOrders", "TillReceipts"}
# The names that need a newer system, with its version. They may stand behind @available or #available of it.
NEWER = [
    (re.compile(r"\bimport Synchronization\b"), 18),
    (re.compile(r"\b(?:Mutex|Atomic)\b[<(]"), 18),
    (re.compile(r"\bU?Int128\b"), 18),
    (re.compile(r"\bTaskExecutor\b|\bexecutorPreference\b"), 18),
    (re.compile(r"\(validating: [^()]*, as: UTF8\.self\)"), 18),
    (re.compile(r"\b(?:some|any) AsyncSequence<"), 18),
    (re.compile(r"ASWebAuthenticationSession\.Callback"), 17.4),
    (re.compile(r"@Observable\b|\bwithObservationTracking\b"), 17),
    (re.compile(r"\bHPKE\b"), 17),
    (re.compile(r"\bwith(?:Throwing)?DiscardingTaskGroup\b"), 17),
    (re.compile(r"\bPKDeferredPaymentRequest\b"), 16.4),
    (re.compile(r"\.postFinance\b"), 16.4),
    (re.compile(r"\.(?:pagoBancomat|tmoney)\b"), 17),
    (re.compile(r"\.meeza\b"), 17.4),
    (re.compile(r"\.bankAxept\b"), 17.5),
    (re.compile(r"\.(?:himyan|jaywan)\b"), 18.4),
]
RELEASE = re.compile(r"[@#]available\([^()]*\biOS (\d+(?:\.\d+)?)")


def floor(manifest):
    return float(re.search(r"^ *platforms: \[.*\.iOS\(\.v(\d+)\)\],$", manifest, re.M)[1])


def for_apps(page):
    """The products of the sections about apps."""
    sections = [part for part in page.split("\n## ") if part.startswith("An app ")]
    named = {name for part in sections for name in re.findall(r'\.product\(name: "(\w+)"', part)}
    return named - NOT_FOR_IOS | ALSO_FOR_IOS


def closure(manifest, names):
    """The targets and all that they depend on within the package."""
    depends = {name: set(re.findall(r'"(Till\w+)"', rest)) for name, rest in re.findall(
        r'(?m)^ *\.target\(\s*name: "(\w+)",((?s:.*?))swiftSettings', manifest)}
    found, open_names = set(), set(names)
    while open_names:
        name = open_names.pop()
        found.add(name)
        open_names |= depends[name] - found
    return found


def plain(text):
    """Swift without comments, the contents of literals, and what is for other systems than Apple's."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"#if canImport\(Darwin\)\n(.*?)#else\n.*?#endif", r"\1", text, flags=re.S)


def head(text):
    """The beginning of the statement or declaration at the end of the text, with its attributes."""
    return re.split(r"[{}\0]|\n\s*\n", text)[-1]


def asked(text):
    """The newest iOS that the code at the end of the text has asked for."""
    parts = [head(text)]
    while True:
        # What is closed is passed, so that the last brace left is the one around.
        text, count = re.subn(r"\{[^{}]*\}", "\0", text)
        if count:
            continue
        before, brace, inside = text.rpartition("{")
        if not brace:
            return max((float(release) for part in parts for release in RELEASE.findall(part)), default=0)
        parts += [head(before), *re.findall(r"guard #available\([^()]*\)", inside)]
        text = before


def too_new(text, least):
    text = plain(text)
    found = [match[0] for name, release in NEWER for match in name.finditer(text)
             if release > least and asked(text[:match.end()]) < release]
    if "import Observation" in text and "@Observable" not in text:
        found.append("import Observation")
    return found


def findings(manifest, page):
    return {
        f"{file.relative_to(SOURCES)}: {name}"
        for target in closure(manifest, for_apps(page)) for file in (SOURCES / target).rglob("*.swift")
        for name in too_new(file.read_text(), floor(manifest))}


def test_nothing_that_an_app_links_needs_a_newer_system():
    targets = closure(MANIFEST, for_apps(LIBRARIES))
    assert {"TillCore", "TillClient", "TillApplePayClient", "TillTapToPay", "TillReceipts"} <= targets
    assert not targets & {"TillCheckout", "TillJournal", "TillProvider", "TillServer"}
    assert len(targets) > 12
    assert not findings(MANIFEST, LIBRARIES)


def test_the_page_names_the_system():
    assert f"iOS {floor(MANIFEST):.0f}" in LIBRARIES.split("\n## ")[1]


def test_a_dependency_on_a_room_of_the_server_is_found():
    wrong = MANIFEST.replace(
        'name: "TillClient", dependencies: ["TillCore",',
        'name: "TillClient", dependencies: ["TillStatements", "TillCore",')
    assert wrong != MANIFEST
    assert any("import Synchronization" in finding for finding in findings(wrong, LIBRARIES))


@pytest.mark.parametrize("place, said, wrong", [
    ("TillHardware/Service/Reply.swift", "import TillCore", "import Synchronization"),
    ("TillHardware/Service/Reply.swift", "import TillCore", "internal import Synchronization"),
    ("TillHardware/Service/Reply.swift", "import TillCore", "import Observation"),
    ("TillCore/Concurrency/Guarded.swift", "    import os\n#else\n", "    import os\n"),
    ("TillHardware/Service/Reply.swift", "Guarded(State.open)", "Mutex(State.open)"),
    ("TillCore/Money/DecimalText.swift", "let digits: WideInteger", "let digits: Int128"),
    ("TillCore/JSON/JSONReader.swift", "String(ifUTF8: run)", "String(validating: run, as: UTF8.self)"),
    ("TillTapToPay/Service/PaymentViewModel.swift", "@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)\n", ""),
    ("TillTapToPay/Service/PaymentViewModel.swift", "iOS 17, tvOS", "iOS 16, tvOS"),
    ("TillTapToPay/Service/ReaderSessionManager.swift", "@available(macOS 15, iOS 18, ", "@available(macOS 15, "),
    ("TillTapToPay/Reader/ReaderEngine.swift", "let executor: PreferredExecutor", "let executor: (any TaskExecutor)?"),
    ("TillOffline/Seal/StoredCardSeal.swift", "        guard #available(", "        guard #unavailable("),
    ("TillApplePay/Apple/PassKitConversion+Agreement.swift", "#available(macOS 13.3, iOS 16.4, *)", "true"),
])
def test_a_name_of_a_newer_system_is_found(place, said, wrong):
    text = (SOURCES / place).read_text()
    assert said in text
    assert not too_new(text, floor(MANIFEST))
    assert too_new(text.replace(said, wrong, 1), floor(MANIFEST))


def test_what_was_asked_for_elsewhere_does_not_count():
    asks = "    @available(iOS 18, *)\n    func a() { guard #available(iOS 18, *) else { return } }\n"
    assert too_new(f"struct A {{\n{asks}\n    var b: Int128\n}}\n", 16) == ["Int128"]
    assert too_new(f"struct A {{\n{asks}    func b() {{ f(Int128(0)) }}\n}}\n", 16) == ["Int128"]
    assert not too_new("struct A {\n    @available(iOS 18, *)\n    var b: Int128 { 0 }\n}\n", 16)
    guarded = "guard #available(iOS 18, *) else { return }\n    do {\n        f(Int128(0))\n    }"
    assert not too_new(f"func a() {{\n    {guarded}\n}}\n", 16)
    assert not too_new("@available(iOS 18, *)\nstruct A {\n    func a() {}\n\n    var b: Int128\n}\n", 16)
