// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillAdyen
import TillCore
import TillHardware

/// Of `AdyenNotification.swift`.
private func example1(_ adyen: AdyenProvider, _ body: [UInt8], _ config: AdyenConfig) async throws {
    guard let webhooks = AdyenWebhooks(config) else { return }
    let events = try webhooks.verify(body: body)
    try await adyen.book.take(events)
    print(AdyenWebhooks.accepted)
    _ = events
}

/// Of `AdyenProvider.swift`.
private func example2(
    _ key: Secret<String>, _ transport: any HTTPTransport, _ webhookKey: Secret<String>
) async throws {
    let config = try AdyenConfig(merchantAccount: "ShopECOM", apiKey: key, webhookKeys: [webhookKey])
    let adyen = AdyenProvider(config: config, transport: transport, book: AdyenNotificationLog())
    let identity = await adyen.identity()
    print(identity.account ?? "unknown account", adyen.mode.rawValue)
    _ = config
    _ = adyen
    _ = identity
}

/// Of `AdyenTerminalDriver.swift`.
private func example3(_ keep: @escaping PreConfirmation, _ terminal: AdyenTerminal) async throws {
    let service = StandardCardReaderService(driver: AdyenTerminalDriver(terminal), limits: .adyenTerminal)
    try await service.start(NoCardReaderConfig())
    for await found in service.discoveredReaders {
        guard let reader = found.first else { continue }
        try await service.connect(reader)
        break
    }
    let parameters = PaymentIntentParameters(
        amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1001"))
    let paid = try await service.collectPayment(parameters) { intent, order in
        try await keep(intent, order)  // durable before money can move
    }
    print(paid.status, paid.amount)
    _ = service
    _ = parameters
    _ = paid
}
