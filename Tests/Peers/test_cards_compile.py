"""What needs the shop's secret does not exist for an app, and what is not paid cannot be used as paid: programs that
try are refused by the compiler. The same lines with the right types compile, so the refusals are about the types."""
import pathlib
import shutil
import subprocess

import pytest

import counter

HEAD = """import TillCards
import TillCore
import TillPayPal
import TillPayPalClient

struct Wire: HTTPTransport {
    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        throw .notSent(reason: "nowhere")
    }
}
let key = IdempotencyKey(rawValue: "k")
func app() throws -> CardClient<CoreConfig> {
    CardClient(try CoreConfig(clientID: "c", environment: .sandbox), transport: Wire())
}
func server() throws -> CardClient<ServerConfig> {
    CardClient(
        try ServerConfig(clientID: "c", secret: Secret("s"), environment: .sandbox), transport: Wire(),
        recorder: MemorySentRequests())
}
""".replace("import TillCards\n", "import HTTPTypes\nimport TillCards\n", 1)

# What a server may do, and what the compiler says when an app tries.
SERVER_ONLY = {
    "makes and executes an order": "_ = try await client.executeOrder(request, card: card, key: key)",
    "executes an order": "_ = try await client.executeOrder(orderID: order, card: card, key: key)",
    "captures": "_ = try await client.capture(hold, key: key)",
    "lets go": "try await client.void(hold, key: key)",
    "refunds": "_ = try await client.refund(capture, key: key)",
    "stores a card": "_ = try await client.createSetupToken(card: card, key: key)",
    "reads an order": "_ = try await client.order(order)",
}
USE = """func use(
    _ client: CardClient<{config}>, _ request: OrderRequest, _ card: PaymentCard, _ order: PayPalOrderID,
    _ hold: PayPalAuthorizationID, _ capture: PayPalCaptureID
) async throws {{
    {line}
}}
"""
OTHERS = {
    "an app's configuration holds no secret": (
        'let config = try CoreConfig(clientID: "c", environment: .sandbox)',
        'let config = try CoreConfig(clientID: "c", secret: Secret("s"), environment: .sandbox)'),
    "an authorization is no capture": (
        "func back(_ c: CardClient<ServerConfig>, _ id: PayPalCaptureID) async throws { _ = try await c.refund(id, key: key) }",
        "func back(_ c: CardClient<ServerConfig>, _ id: PayPalAuthorizationID) async throws { _ = try await c.refund(id, key: key) }"),
    "a capture is not paid until it says so": (
        "func pay(_ capture: OrderCapture) -> CompletedCapture? { CompletedCapture(capture) }",
        "func pay(_ capture: OrderCapture) -> CompletedCapture { CompletedCapture(capture) }"),
    "a card's number cannot be compared or written by accident": (
        "func show(_ card: CardNumber) -> String { card.description }",
        "func same(_ one: CardNumber, _ other: CardNumber) -> Bool { one == other }"),
    "a card's number is not codable": (
        "func show(_ card: SecurityCode) -> String { String(describing: card) }",
        "func code(_ card: CardNumber) -> any Codable { card }"),
}


def compiles(folder, text):
    modules = pathlib.Path(counter.binary()).resolve().parent / "Modules"
    if not (modules / "TillPayPal.swiftmodule").exists() or not shutil.which("swiftc"):
        pytest.skip("the modules of the build lie elsewhere than beside the binary")
    source = folder / "main.swift"
    source.write_text(HEAD + text)
    checkouts = counter.ROOT / ".build" / "checkouts"
    maps = [f"-fmodule-map-file={m}" for m in checkouts.glob("*/Sources/*/include/module.modulemap")]
    maps += [f"-fmodule-map-file={m}" for m in modules.parent.glob("*.build/module.modulemap")]
    done = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-I", str(modules), *[a for m in maps for a in ("-Xcc", m)],
         str(source)], capture_output=True, text=True, timeout=120)
    return done.returncode == 0, done.stderr


def test_the_same_lines_compile_for_a_server(tmp_path):
    lines = "\n    ".join(SERVER_ONLY.values())
    others = "\n".join(f"do {{ {a} }}" if a.startswith("let") else a for a, _ in OTHERS.values())
    good = USE.format(config="ServerConfig", line=lines) + others
    ok, said = compiles(tmp_path, good)
    assert ok, said


def test_an_app_that_tries_what_needs_a_secret_does_not_compile(tmp_path):
    for name, line in SERVER_ONLY.items():
        ok, said = compiles(tmp_path, USE.format(config="CoreConfig", line=line))
        assert not ok and "ServerConfig" in said, (name, said)


def test_what_the_types_forbid_does_not_compile(tmp_path):
    for name, (_, bad) in OTHERS.items():
        ok, said = compiles(tmp_path, bad)
        assert not ok and said.count(": error: ") == 1, (name, said)
