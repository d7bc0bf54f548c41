// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillStandInApple

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
