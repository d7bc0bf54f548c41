// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillClient
import TillCore
import TillHardware

/// Of `CounterCheckout.swift`.
private func example1(_ presenter: any ChallengePresenter, _ session: CounterCheckoutSession) async throws {
    let checkout = CounterCheckout(address: try CounterAddress("https://counter.example.com"), session: session)
    switch await checkout.pay(.token(Secret("pm_card_visa")), presenter: presenter) {
    case .paid(let payment): print("Paid: order \(payment.orderNumber), \(payment.amount)")
    case let other: print(other.sentence, other.next)
    }
    _ = checkout
}

/// Of `CounterClient.swift`.
private func example2() async throws {
    let counter = try CounterClient(
        address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
    let draft = CounterPaymentDraft(order: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .eur))
    let payment = try await counter.createPayment(draft, key: IdempotencyKey(rawValue: "create-1001"))
    print(payment.id, payment.status)
    _ = counter
    _ = draft
    _ = payment
}

/// Of `CounterSession.swift`.
private func example3() async throws {
    let session = CounterSession(token: Secret("example-key"))
    let counter = try CounterClient(address: CounterAddress("https://counter.example.com"), session: session)
    for order in try await counter.orders(in: .open).orders { print(order.number, order.amount) }
    if case .notRenewed(let error) = await session.standing { print(error.what, error.next) }
    _ = session
    _ = counter
}

/// Of `CounterOrder.swift`.
private func example4() async throws {
    let counter = try CounterClient(
        address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
    for listed in try await counter.orders(in: .open).orders { print(listed.number, listed.amount) }
    let order = try await counter.order(OrderID(rawValue: "1001"))
    let payment = try await counter.createPayment(of: order, key: IdempotencyKey(rawValue: "pay-1001"))
    let paid = try await counter.confirm(payment, .cash(nil), key: IdempotencyKey(rawValue: "cash-1001"))
    print(paid.status)
    _ = counter
    _ = order
    _ = payment
    _ = paid
}

/// Of `CounterDeviceIntent.swift`.
private func example5(_ collect: (Secret<String>) async throws -> Void) async throws {
    let counter = try CounterClient(
        address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
    let draft = CounterPaymentDraft(order: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .eur))
    let intent = try await counter.deviceIntent(draft, device: "iPad 3")
    try await collect(intent.clientSecret)  // the provider's SDK: retrieve, collect, confirm
    let payment = try await counter.settle(intent.payment)
    print(payment.status, payment.captured)
    _ = counter
    _ = draft
    _ = intent
    _ = payment
}

/// Of `CounterReaderConfig.swift`.
private func example6() async throws {
    let client = try CounterClient(
        address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
    let config = CounterReaderConfig(client, location: "tml_example")
    let token = try await config.connectionToken()  // a fresh one with each call
    print(token)
    _ = client
    _ = config
    _ = token
}

/// Of `CounterReaderDriver.swift`.
private func example7() async throws {
    let counter = try CounterClient(
        address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
    let service = StandardCardReaderService(driver: CounterReaderDriver(counter), limits: .counter)
    try await service.start(CounterReaderConfig(counter))
    _ = counter
    _ = service
}
