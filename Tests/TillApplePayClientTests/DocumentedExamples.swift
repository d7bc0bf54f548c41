// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillApplePay
import TillApplePayClient
import TillClient
import TillCore

/// Of `CounterApplePay.swift`.
private func example1(_ basketID: String) async throws {
    let counter = try CounterApplePay(address: CounterAddress("https://counter.example.com"))
    let sheet = try await counter.sheet(of: basketID)
    print(try sheet.basket.total(), sheet.factory.displayName)
    _ = counter
    _ = sheet
}
