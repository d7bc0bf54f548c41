// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillSandbox
import TillStandIns
import TillStripe

/// Of `SandboxTokenMaker.swift`.
private func example1() async throws {
    let now = SystemClock().now()
    let apple = try SandboxAppleAuthority(issued: now)
    let identity = try apple.processingIdentity(merchant: "merchant.com.example")
    let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
    let price = Money(minorUnits: 4200, currency: .gbp)
    let token = try maker.paymentData(SandboxTokenRequest(amount: price, signedAt: now))
    _ = now
    _ = apple
    _ = identity
    _ = maker
    _ = price
    _ = token
}

/// Of `SandboxReceiptPrinter.swift`.
private func example2(_ bytes: [UInt8]) async throws {
    let printer = SandboxReceiptPrinter()
    printer.change { $0.paper = .low }
    let answer = printer.take(bytes)
    for line in printer.output.lines { print(line) }
    _ = printer
    _ = answer
}

/// Of `SandboxStripeServer.swift`.
private func example3() async throws {
    let server = SandboxStripeServer(store: SandboxMemoryStore())
    server.faults.fail(.capture, with: .timeoutAfterCommit)
    try await server.run(port: 12111) { port in print("http://127.0.0.1:\(port)") }
    _ = server
}

/// Of `SandboxStripeTransport.swift`.
private func example4() async throws {
    let transport = SandboxStripeTransport(ledger: SandboxLedger(store: SandboxMemoryStore()))
    let stripe = try StripeProvider(secretKey: Secret("sk_test_example"), transport: transport, clock: SystemClock())
    let identity = await stripe.identity()
    _ = transport
    _ = stripe
    _ = identity
}
