import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillSandbox
import TillHTTP
import TillHardware
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// The reader service over Stripe's smart readers, through a real connection to the sandbox's server: every verb of
/// the contract, with the states and events that an app sees.
@Suite("Reader service over HTTP", .timeLimit(.minutes(30))) struct ServiceOverHTTPTests {
    /// A server, a reader at it, and a service that knows nothing of Stripe.
    struct Shop: Sendable {
        let ledger: SandboxLedger
        let readers: StripeTerminal
        let reader: TerminalReader
        let service: StandardCardReaderService
        let wire: HTTPClientTransport
        let port: Int

        /// What the world does at the reader.
        func act(_ word: String) async throws -> Bool {
            let body = #"{"reader":"\#(reader.id)","do":"\#(word)"}"#
            let request = HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: "/_sandbox/readers")
            return try await wire.send(request, body: Array(body.utf8), deadline: .seconds(5)).response.status == .ok
        }

        func key(_ text: String) -> IdempotencyKey { IdempotencyKey(rawValue: text) }

        /// Finds the reader and connects it.
        func connect(_ config: any CardReaderConfigProvider = NoCardReaderConfig()) async throws -> CardReader {
            let service = service
            async let finding: Void = service.start(config, discoveryMethod: .internet)
            var found: CardReader?
            for await readers in service.discoveredReaders.subscribe() {
                found = readers.first { $0.vendorIdentifier == reader.id }
                if found != nil { break }
            }
            try await finding
            return try await service.connect(try #require(found))
        }

        /// Somebody acts at the reader once it waits for a card.
        func customer(_ act: @escaping @Sendable (Shop) async throws -> Void) -> Task<Void, any Error> {
            Task { [self] in
                while try await readers.reader(reader.id).action?.status != .inProgress {
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await act(self)
            }
        }

        func presents(_ card: String) -> Task<Void, any Error> {
            customer { shop in
                let card = try #require(TerminalTestCard(named: card))
                _ = try await shop.readers.present(
                    card, at: shop.reader.id, key: shop.key("card-\(UInt64.random(in: .min ... .max))"))
            }
        }
    }

    private func withShop(_ body: @escaping @Sendable (Shop) async throws -> Void) async throws {
        let server = SandboxStripeServer(store: SandboxMemoryStore())
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let serving = Task { try await server.run(port: 0) { port.yield($0) } }
        let wire = HTTPClientTransport()
        do {
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            let online = try StripeProvider(
                secretKey: Secret("sk_test_http"), baseURL: "http://127.0.0.1:\(number)", transport: wire,
                clock: SystemClock())
            let readers = StripeTerminal(online)
            let reader = try await readers.register(
                code: "simulated-s700", label: "Front", location: nil, key: IdempotencyKey(rawValue: "register"))
            try await body(
                Shop(
                    ledger: server.ledger, readers: readers, reader: reader,
                    service: StandardCardReaderService(driver: StripeTerminalDriver(readers)), wire: wire, port: number)
            )
        } catch {
            await wire.shutdown()
            serving.cancel()
            throw error
        }
        await wire.shutdown()
        serving.cancel()
    }

    @Test("a whole sale: found, connected, shown, collected, written down, confirmed; then given back, and let go")
    func wholeSale() async throws {
        try await withShop { shop in
            let service = shop.service
            let states = service.states.subscribe()
            let events = service.readerEvents.subscribe()
            let device = try await shop.connect()
            #expect(device.status == .connected)
            #expect(device.readerType == .simulatedS700)
            let money = Money(minorUnits: 1250, currency: .eur)
            let line = ReaderCart.Line(description: "Tea", quantity: 1, amount: money)
            try await service.display(ReaderCart(lines: [line], tax: .zero(.eur), total: money))
            #expect(try await shop.readers.reader(shop.reader.id).action?.kind == .setReaderDisplay)
            try await service.display(nil)

            let written = Mutex<[String]>([])
            let customer = shop.presents("visa")
            let ledger = shop.ledger
            let paid = try await service.collectPayment(
                PaymentIntentParameters(amount: money, order: OrderID(rawValue: "o-1"))
            ) { intent, order in
                let held = try await ledger.charges().map(\.authorized)
                written.withLock { $0 = ["\(intent.id)", "\(order)", "\(held)"] }
            }
            try await customer.value
            #expect(paid.status == .requiresCapture)
            #expect(paid.paymentMethod?.cardPresentDetails?.missingReceiptFields == [])
            #expect(written.withLock { $0 } == ["\(paid.id)", "o-1", "[0]"], "before any money was asked for")
            #expect(try await shop.ledger.charges().map(\.authorized) == [1250])

            try await service.disconnect()
            var seen: [String] = []
            for await state in states {
                let word = String("\(state)".prefix { $0 != "(" })
                if seen.last != word { seen.append(word) }
                if seen.count > 3, state == .idle { break }
            }
            // A list of readers that has come to its end is over before the connection begins, or is ended by it.
            if seen.count > 2, seen[2] == "idle" { seen.remove(at: 2) }
            let order = "idle discovering connecting connected collecting confirming connected idle"
            #expect(seen.joined(separator: " ") == order)
            var told: [CardReaderEventType] = []
            for await event in events {
                told.append(event.type)
                if event.type == .approved { break }
            }
            #expect(told.contains(.waitingForInput) && told.contains(.cardDetailsCollected) && told.last == .approved)
        }
    }

    @Test("canceled by the shop and by the customer: nothing is charged, and the intent cannot be paid any more")
    func calledOff() async throws {
        try await withShop { shop in
            _ = try await shop.connect()
            let money = Money(minorUnits: 900, currency: .eur)
            for byCustomer in [true, false] {
                let actor = shop.customer { shop in
                    if byCustomer {
                        let did = try await shop.act("customer_cancel")
                        #expect(did)
                    } else {
                        try await shop.service.cancelPayment()
                    }
                }
                let order = OrderID(rawValue: "o-\(byCustomer)")
                do throws(CardReaderServiceError) {
                    _ = try await shop.service.collectPayment(
                        PaymentIntentParameters(amount: money, order: order)
                    ) { _, _ in Issue.record("money was about to be asked for") }
                    Issue.record("it was not canceled")
                } catch {
                    #expect(error.underlyingError == .commandCanceled)
                    #expect(error.details.canceledBy == (byCustomer ? .reader : .app))
                    #expect(error.moneyMoved == .no)
                }
                try await actor.value
            }
            #expect(try await shop.ledger.charges().map(\.state) == [.voided, .voided])
            #expect(try await shop.ledger.charges().map(\.authorized) == [0, 0])
        }
    }

    @Test("a refund at the reader is made once; without its card it is none")
    func refund() async throws {
        try await withShop { shop in
            _ = try await shop.connect()
            let money = Money(minorUnits: 700, currency: .cad)
            var sale = PaymentIntentParameters(amount: money, order: OrderID(rawValue: "o-1"))
            sale.methods = [.cardPresent, .interacPresent]
            let buyer = shop.presents("interac")
            let paid = try await shop.service.collectPayment(sale) { _, _ in }
            try await buyer.value
            #expect(paid.status == .succeeded, "Interac takes the money when it is confirmed")
            let charge = try #require(paid.charges.first?.id)
            func parameters(_ key: String) -> RefundParameters {
                RefundParameters(
                    account: .main, charge: charge, intent: paid.id, amount: money, key: shop.key(key))
            }
            let leaver = shop.customer { shop in
                let did = try await shop.act("customer_cancel")
                #expect(did)
            }
            await #expect(throws: CardReaderServiceError.self) {
                _ = try await shop.service.refund(parameters("r-1"))
            }
            try await leaver.value
            #expect(try await shop.ledger.charges().map(\.refunded) == [0])
            let owner = shop.presents("interac")
            let back = try await shop.service.refund(parameters("r-2"))
            try await owner.value
            #expect(back.status == .succeeded)
            #expect(try await shop.ledger.charges().map(\.refunded) == [700])
        }
    }

    @Test("what a smart reader does by itself is refused with a reason; so is a command that does not fit")
    func refused() async throws {
        try await withShop { shop in
            do throws(CardReaderServiceError) {
                try await shop.service.disconnect()
                Issue.record("nothing was connected")
            } catch { #expect(error.underlyingError == .notConnectedToReader) }
            _ = try await shop.connect()
            do throws(CardReaderServiceError) {
                try await shop.service.installUpdate()
                Issue.record("a smart reader was updated by hand")
            } catch { #expect(error.interaction == .softwareUpdate) }
            do throws(CardReaderServiceError) {
                _ = try await shop.service.collectPayment(
                    PaymentIntentParameters(
                        amount: Money(minorUnits: 49, currency: .eur), order: OrderID(rawValue: "o-1"))
                ) { _, _ in }
                Issue.record("less than the least was taken")
            } catch { #expect(error.underlyingError == .amountTooSmall) }
            #expect(try await shop.ledger.charges().isEmpty, "the reader never woke")
            try await shop.service.disconnect()
            try await shop.service.clear()
        }
    }
}
