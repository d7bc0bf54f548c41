// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillHardware

/// Of `CardReaderService.swift`.
private func example1(_ keep: @escaping PreConfirmation, _ service: any CardReaderService) async throws {
    let parameters = PaymentIntentParameters(
        amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1001"))
    let payment = try await service.collectPayment(parameters) { intent, order in
        try await keep(intent, order)  // durable before money can move
    }
    print(payment.status, payment.amount)
    _ = parameters
    _ = payment
}

/// Of `RefundParameters.swift`.
private func example2(_ charge: ProviderReference, _ service: any CardReaderService) async throws {
    let parameters = RefundParameters(
        account: .main, charge: charge, amount: Money(minorUnits: 450, currency: .eur),
        key: IdempotencyKey(rawValue: "1001-refund-1"))
    let refund = try await service.refund(parameters)
    if refund.status != .succeeded { print("Not refunded yet: \(refund.status.rawValue)") }
    _ = parameters
    _ = refund
}

/// Of `StandardCardReaderService.swift`.
private func example3() async throws {
    let driver = try SimulatedCardReaderDriver(card: SimulatedCard(parsing: "visa"))
    let readers = StandardCardReaderService(driver: driver)
    try await readers.start(NoCardReaderConfig())
    for await found in readers.discoveredReaders {
        guard let first = found.first else { continue }
        try await readers.connect(first)
        break
    }
    _ = driver
    _ = readers
}

/// Of `SimulatedCard.swift`.
private func example4() async throws {
    let plain = try SimulatedCard(parsing: "visa")
    let phone = try SimulatedCard(parsing: "mastercard+tap+check_phone")  // contactless; its owner unlocks the phone
    let worn = try SimulatedCard(parsing: "visa+misread")  // read at the second try
    let gone = try SimulatedCard(parsing: "disconnected:powered_off")  // the reader goes away while it waits
    print(plain.brand, phone.entryMode, worn.incidents, gone.behavior)
    _ = plain
    _ = phone
    _ = worn
    _ = gone
}

/// Of `SimulatedCardReaderDriver.swift`.
private func example5(_ service: any CardReaderService) async throws {
    let driver = try SimulatedCardReaderDriver(card: SimulatedCard(parsing: "visa+tap"), createsIntents: .onDevice)
    let readers = StandardCardReaderService(driver: driver)
    try await driver.present(SimulatedCard(parsing: "declined:insufficient_funds"))  // the next customer's card
    await driver.drain(to: 15)  // the service reports a low battery
    await driver.offer(CardReaderSoftwareUpdate(version: "2"))  // and an update
    await driver.lose(.bluetoothSignalLost, isReconnecting: true)
    await driver.regain()
    await driver.fail(.confirm, with: .answerLost)  // the next confirmation happens, and nobody hears of it
    _ = driver
    _ = readers
}
