// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import Foundation
import TillCore
import TillTapToPay

/// Of `PaymentCardReader.swift`.
private func example1(_ driver: any PaymentCardReaderDriver, _ token: PaymentCardReader.Token) async throws {
    let reader = PaymentCardReader(driver: driver)
    if try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
    let session = try await reader.prepare(using: token)
    let read = try await session.readPaymentCard(
        PaymentCardTransactionRequest(Money(minorUnits: 1250, currency: .eur), reference: "1001"))
    print(read.outcome.name)
    _ = reader
    _ = session
    _ = read
}

/// Of `TapToPayService.swift`.
private func example2(_ psp: any TapToPayService.PaymentServiceProvider, _ reader: PaymentCardReader) async throws {
    let service = TapToPayService(psp: psp, reader: reader)
    try await service.initialize()
    let result = try await service.charge(amount: Decimal(1250) / 100, currency: "EUR")
    _ = service
    _ = result
}

/// Of `TapToPayService.swift`.
private func example3(_ service: TapToPayService) async throws {
    let passes = VASRequest(vasMerchants: [VASRequest.Merchant(id: "pass.com.example.loyalty")])
    let charge = try await service.charge(Money(minorUnits: 1250, currency: .eur), with: passes)
    for visit in charge.visits { print(visit.text) }
    print(charge.payment?.sentence ?? "A pass without a card: nothing was charged.")
    _ = passes
    _ = charge
}
