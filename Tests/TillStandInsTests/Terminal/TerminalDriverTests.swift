import Testing
import TillCore
import TillSandbox
import TillHardware
import TillStripe

@testable import TillStandInStripe

/// The reader service over Stripe's smart readers: the same verbs as with any reader, against the sandbox.
@Suite("Reader service over Stripe", .timeLimit(.minutes(30))) struct TerminalDriverTests {
    let world: TerminalWorld
    let reader: TerminalReader
    let driver: StripeTerminalDriver

    init() async throws {
        world = try TerminalWorld()
        reader = try await world.register()
        driver = StripeTerminalDriver(world.readers)
    }

    private func connected() async throws -> CardReader {
        try await driver.connect(
            CardReader(
                serial: reader.serialNumber, vendorIdentifier: reader.id, name: reader.label,
                readerType: CardReaderType(rawValue: reader.deviceType.rawValue)),
            CardReaderConnectionRequest(
                attempt: CardReaderAttemptID(number: 1), options: CardReaderConnectionOptions(),
                configuration: NoCardReaderConfig()))
    }

    private func intent(_ reader: CardReader, _ order: String = "o-1") async throws -> (
        PaymentIntent, PaymentIntentParameters
    ) {
        let parameters = PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: order))
        let made = try await driver.createIntent(
            CardReaderIntentRequest(
                attempt: CardReaderAttemptID(number: 2), account: .main, parameters: parameters, reader: reader,
                metadata: parameters.metadata(account: .main, reader: reader), key: world.key("intent-\(order)")))
        return (made, parameters)
    }

    private func collect(_ intent: PaymentIntent, _ parameters: PaymentIntentParameters, _ reader: CardReader)
        async throws
        -> PaymentIntent
    {
        try await driver.collect(
            CardReaderCollectRequest(
                attempt: CardReaderAttemptID(number: 2), account: .main, intent: intent, clientSecret: nil,
                parameters: parameters, reader: reader))
    }

    private func confirm(_ intent: PaymentIntent, _ reader: CardReader, _ key: String = "confirm") async throws
        -> PaymentIntent
    {
        try await driver.confirm(
            intent,
            CardReaderConfirmRequest(
                attempt: CardReaderAttemptID(number: 2), account: .main, reader: reader, clientSecret: nil,
                key: world.key(key)))
    }

    @Test("discovered, connected, collected, confirmed: nothing is charged before the last")
    func wholeSale() async throws {
        let card = try #require(TerminalTestCard(named: "mastercard"))
        let device = try await connected()
        #expect(device.readerType == .simulatedWisePosE)
        let (made, parameters) = try await intent(device)
        #expect(made.order == OrderID(rawValue: "o-1"))
        world.customer(presents: card, at: reader)
        let collected = try await collect(made, parameters, device)
        #expect(collected.status == .requiresConfirmation)
        #expect(collected.paymentMethod?.cardPresentDetails?.lastFour == "4444")
        #expect(try await world.charges().map(\.authorized) == [0])
        let done = try await confirm(collected, device)
        #expect(done.status == .requiresCapture)
        #expect(done.paymentMethod?.cardPresentDetails?.missingReceiptFields == [])
        #expect(try await confirm(collected, device) == done, "the same key asks for the money once")
        #expect(try await world.charges().map(\.authorized) == [1250])
    }

    @Test("a decline comes with the intent as it stands, and its code")
    func declined() async throws {
        let device = try await connected()
        let (made, parameters) = try await intent(device)
        world.customer(presents: try #require(TerminalTestCard(named: "declined:insufficient_funds")), at: reader)
        let collected = try await collect(made, parameters, device)
        do {
            _ = try await confirm(collected, device)
            Issue.record("it was not declined")
        } catch let failure as CardReaderFailure {
            #expect(failure.underlyingError == .paymentDeclinedByPaymentProcessor)
            #expect(failure.details.decline?.reason == .insufficientFunds)
            #expect(failure.intent?.status == .requiresPaymentMethod)
        }
    }

    @Test("canceled by the shop and by the customer")
    func canceled() async throws {
        let device = try await connected()
        let (made, parameters) = try await intent(device)
        for byCustomer in [true, false] {
            world.customer { [reader, driver] world in
                if byCustomer {
                    _ = try? world.act("customer_cancel", reader)
                } else {
                    try? await driver.cancelCollect()
                }
            }
            do {
                _ = try await collect(made, parameters, device)
                Issue.record("it was not canceled")
            } catch let failure as CardReaderFailure {
                #expect(failure.underlyingError == .commandCanceled)
                if byCustomer { #expect(failure.details.canceledBy == .reader) }
            }
        }
        let ended = try await driver.cancelIntent(made, key: world.key("end"))
        #expect(ended.status == .canceled)
    }

    @Test("busy, offline and foreign readers, and a reader that is not connected: typed, with Stripe's own word")
    func failures() async throws {
        await #expect(throws: CardReaderFailure.self) { try await driver.display(nil) }
        let device = try await connected()
        let (made, parameters) = try await intent(device)
        try world.act("offline", reader)
        do {
            _ = try await collect(made, parameters, device)
            Issue.record("an offline reader was taken")
        } catch let failure as CardReaderFailure {
            #expect(failure.details.providerCode == .api("terminal_reader_offline"))
        }
    }
}
