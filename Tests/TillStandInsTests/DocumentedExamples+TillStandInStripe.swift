// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillSandbox
import TillStandInStripe
import TillStripe

/// Of `SandboxStripeServer.swift`.
private func example1() async throws {
    let server = SandboxStripeServer(store: SandboxMemoryStore())
    server.faults.fail(.capture, with: .timeoutAfterCommit)
    try await server.run(port: 12111) { port in print("http://127.0.0.1:\(port)") }
    _ = server
}

/// Of `SandboxStripeTransport.swift`.
private func example2() async throws {
    let transport = SandboxStripeTransport(ledger: SandboxLedger(store: SandboxMemoryStore()))
    let stripe = try StripeProvider(secretKey: Secret("sk_test_example"), transport: transport, clock: SystemClock())
    let identity = await stripe.identity()
    _ = transport
    _ = stripe
    _ = identity
}
