import Synchronization
import Testing
import TillAdyen
import TillCore
import TillHardware
import TillSandbox
import TillStandInAdyen
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// What is particular to one vendor's driver.
@Suite("Drivers of Stripe's readers and Adyen's terminals", .timeLimit(.minutes(10))) struct VendorDriverTests {
    private let attempt = CardReaderAttemptID(number: 1)
    private let parameters = PaymentIntentParameters(
        amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "o-1"))

    private func refund(_ paid: PaymentIntent, _ key: String, _ minorUnits: Int64? = nil) throws -> RefundParameters {
        let amount = minorUnits.map { Money(minorUnits: $0, currency: paid.amount.currency) } ?? paid.amount
        return RefundParameters(
            account: .main, charge: try #require(paid.charges.last?.id), intent: paid.id, amount: amount,
            key: IdempotencyKey(rawValue: key))
    }

    // MARK: Stripe

    @Test("a confirmation that the reader loses ends the intent, so that a late one charges nothing; then a card pays")
    func lostByTheReader() async throws {
        let shop = try await StripeShop()
        let service = try await shop.service()
        shop.whenWaiting { await shop.present(isRefused: false) }
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(parameters) { _, _ in
                try shop.world.act("fault", shop.reader, [JSONMember(key: "fault", value: .string("lost"))])
            }
            Issue.record("the reader did nothing")
        } catch { #expect(error.moneyMoved == .no) }
        #expect(try await shop.world.charges().map(\.state) == [.voided])
        shop.whenWaiting { await shop.present(isRefused: false) }
        _ = try await service.collectPayment(parameters) { _, _ in }
        #expect(try await shop.taken() == [1250])
    }

    @Test("a refund whose answer is lost is made once; asked for again it is found; after the end nothing is sent")
    func interac() async throws {
        let shop = try await StripeShop(country: "CA")
        let service = try await shop.service()
        var sale = PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .cad), order: OrderID(rawValue: "o-1"))
        sale.methods = [.cardPresent, .interacPresent]
        let card = try #require(TerminalTestCard(named: "interac"))
        func presents() {
            shop.whenWaiting {
                let key = shop.world.key("card-\(UInt64.random(in: .min ... .max))")
                _ = try? await shop.world.readers.present(card, at: shop.reader.id, key: key)
            }
        }
        presents()
        let paid = try await service.collectPayment(sale) { _, _ in }
        shop.world.wire.plan.withLock { $0.loseAnswer = ["/refund_payment"] }
        presents()
        let first = try await shop.driver.refund(refund(paid, "r-1", 500))
        #expect(first.status == .succeeded)
        let before = shop.requests
        #expect(try await shop.driver.refund(refund(paid, "r-1", 500)) == first)
        #expect(shop.requests == before + 1, "found in the list, before a reader is asked")
        #expect(try await shop.world.charges().first?.refunds.count == 1)

        let last = Mutex<Int?>(nil)
        shop.whenWaiting {
            try? await shop.driver.disconnect()
            last.withLock { $0 = shop.requests }
        }
        await #expect(throws: CardReaderFailure.self) { _ = try await shop.driver.refund(refund(paid, "r-2", 500)) }
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(shop.requests == last.withLock { $0 })
        #expect(try await shop.world.charges().map(\.refunded) == [500])
    }

    @Test("a refund that may still come stays open under its key, whatever later calls do")
    func openRefund() async throws {
        let shop = try await StripeShop(country: "CA")
        let service = try await shop.service()
        var sale = PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .cad), order: OrderID(rawValue: "o-1"))
        sale.methods = [.cardPresent, .interacPresent]
        let card = try #require(TerminalTestCard(named: "interac"))
        shop.whenWaiting {
            _ = try? await shop.world.readers.present(card, at: shop.reader.id, key: shop.world.key("card"))
        }
        let paid = try await service.collectPayment(sale) { _, _ in }
        let wish = try refund(paid, "r-1")
        func refused() async -> CardReaderFailure? {
            do throws(CardReaderFailure) {
                _ = try await shop.driver.refund(wish)
                return nil
            } catch { return error }
        }
        shop.world.wire.plan.withLock { $0.loseRequest = ["/refund_payment"] }
        #expect(await refused()?.underlyingError == .requestTimedOut)
        let other = try await shop.world.readers.createIntent(
            TerminalIntentDraft(amount: 777, currency: "cad"), key: shop.world.key("other"))
        _ = try await shop.world.readers.process(
            other, at: shop.reader.id, TerminalCollection(), key: shop.world.key("other-process"))
        let open = await refused()
        #expect(open?.underlyingError == .requestTimedOut && open?.refund == nil)
        shop.clock.advance(by: .minutes(6))
        let settled = try #require(await refused())
        #expect(settled.underlyingError == .cardReadTimedOut, "nobody presented the card again")
        // Without the intent the reader's action cannot be told from another till's.
        let blind = RefundParameters(
            account: .main, charge: try #require(paid.charges.last?.id), amount: paid.amount,
            key: IdempotencyKey(rawValue: "r-2"))
        do throws(CardReaderFailure) {
            _ = try await shop.driver.refund(blind)
            Issue.record("it names no intent")
        } catch { #expect(error.underlyingError == .invalidRefundParameters) }
    }

    @Test("another till's collection that has replaced this one is not called off")
    func othersCollection() async throws {
        let shop = try await StripeShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        let (world, reader) = (shop.world, shop.reader.id)
        let other = try await world.readers.createIntent(
            TerminalIntentDraft(amount: 777, currency: "eur"), key: world.key("other"))
        let isReplaced = Mutex(false)
        shop.whenWaiting {
            _ = try? await world.readers.cancelAction(at: reader, key: world.key("replace"))
            _ = try? await world.readers.collect(
                for: other, at: reader, TerminalCollection(), key: world.key("other-collect"))
            try? await shop.driver.cancelCollect()
            isReplaced.withLock { $0 = true }
        }
        await #expect(throws: CardReaderFailure.self) {
            _ = try await shop.driver.collect(
                CardReaderCollectRequest(
                    attempt: attempt, account: .main, intent: intent, clientSecret: nil, parameters: parameters,
                    reader: device))
        }
        try await shop.until { isReplaced.withLock { $0 } }
        let action = try await world.readers.reader(reader).action
        #expect(action?.status == .inProgress && action?.paymentIntent == other)
    }

    @Test("a collection is not sent to a reader that cannot be read: an earlier one would pass for it")
    func unreadReader() async throws {
        let shop = try await StripeShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        let collection = CardReaderCollectRequest(
            attempt: attempt, account: .main, intent: intent, clientSecret: nil, parameters: parameters,
            reader: device)
        shop.whenWaiting { await shop.present(isRefused: false) }
        _ = try await shop.driver.collect(collection)
        shop.world.wire.plan.withLock { $0.loseRequest = [shop.reader.id] }
        let before = shop.requests
        await #expect(throws: CardReaderFailure.self) { _ = try await shop.driver.collect(collection) }
        #expect(shop.world.wire.lines.withLock { $0[before...].allSatisfy { $0.hasPrefix("GET") } })
    }

    // MARK: Adyen

    private func connected(_ shop: StripeShop) async throws -> CardReader {
        try await shop.driver.connect(
            CardReader(
                serial: shop.reader.serialNumber, vendorIdentifier: shop.reader.id,
                readerType: CardReaderType(rawValue: shop.reader.deviceType.rawValue)),
            CardReaderConnectionRequest(
                attempt: attempt, options: CardReaderConnectionOptions(), configuration: NoCardReaderConfig()))
    }

    private func connected(_ shop: AdyenShop) async throws -> CardReader { try await connected(shop.driver) }

    private func connected(_ driver: any CardReaderDriver) async throws -> CardReader {
        try await driver.connect(
            CardReader(serial: "V400m-324688179", readerType: CardReaderType(rawValue: "V400m")),
            CardReaderConnectionRequest(
                attempt: attempt, options: CardReaderConnectionOptions(), configuration: NoCardReaderConfig()))
    }

    private func made(_ driver: any CardReaderDriver, _ device: CardReader) async throws -> PaymentIntent {
        try await driver.createIntent(
            CardReaderIntentRequest(
                attempt: attempt, account: .main, parameters: parameters, reader: device, metadata: [:],
                key: IdempotencyKey(rawValue: "intent-1")))
    }

    private func confirmation(_ device: CardReader) -> CardReaderConfirmRequest {
        CardReaderConfirmRequest(
            attempt: attempt, account: .main, reader: device, clientSecret: nil,
            key: IdempotencyKey(rawValue: "confirm-1"))
    }

    @Test("the app dies after the money was taken: the next one finds it by the id that it stored, and by the key")
    func restart() async throws {
        let shop = try await AdyenShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        #expect(intent.status == .requiresPaymentMethod)
        shop.whenWaiting { await shop.present(isRefused: false) }
        _ = try await shop.driver.confirm(intent, confirmation(device))
        let next = try next(shop)
        let found = try await next.retrieveIntent(intent.id, clientSecret: nil, account: .main)
        #expect(found.status == .succeeded && found.amount == intent.amount)
        #expect(try await made(next, device).status == .succeeded)
        #expect(try await shop.taken() == [1250])
        // Another terminal knows nothing, which is no answer.
        let other = AdyenTerminalDriver(
            try #require(
                AdyenTerminal(
                    terminal: "V400m-2", till: "Till", url: "http://127.0.0.1:1", seal: nil, transport: shop.wire)),
            clock: shop.clock)
        await #expect(throws: CardReaderFailure.self) {
            _ = try await other.retrieveIntent(intent.id, clientSecret: nil, account: .main)
        }
    }

    @Test("a request without an answer is not sent again while it may still arrive")
    func sentOnce() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        shop.lose(.request)
        for _ in 0..<2 {
            do throws(CardReaderFailure) {
                _ = try await shop.driver.confirm(intent, confirmation(device))
                Issue.record("it never came")
            } catch { #expect(error.intent == nil && error.underlyingError == .requestTimedOut) }
            #expect(payments(shop) == 1)
        }
        shop.clock.advance(by: .minutes(3))
        #expect(try await shop.driver.confirm(intent, confirmation(device)).status == .succeeded)
        #expect(payments(shop) == 2)
        #expect(try await shop.taken() == [1250])
    }

    private func next(_ shop: AdyenShop, till: String = "Till") throws -> AdyenTerminalDriver {
        AdyenTerminalDriver(try AdyenShop.terminal(till, shop.wire, shop.clock), clock: shop.clock)
    }

    private func payments(_ shop: AdyenShop) -> Int { shop.wire.categories.withLock { $0.count { $0 == "Payment" } } }

    @Test(
        "what the terminal says of the query is not the payment's outcome",
        arguments: AdyenTerminalStandIn.OddStatus.allCases)
    func oddStatus(_ odd: AdyenTerminalStandIn.OddStatus) async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        shop.lose(.answer)
        await shop.sandbox.terminal.setStatus(odd)
        do throws(CardReaderFailure) {
            _ = try await shop.driver.confirm(intent, confirmation(device))
            Issue.record("the answer was lost")
        } catch { #expect(error.intent == nil && error.underlyingError == .requestTimedOut) }
        if let read = try? await shop.driver.retrieveIntent(intent.id, clientSecret: nil, account: .main) {
            #expect(read.status == .processing)
        }
        await shop.sandbox.terminal.setStatus(nil)
        #expect(try await shop.driver.confirm(intent, confirmation(device)).status == .succeeded)
        #expect(try await shop.taken() == [1250])
    }

    @Test("an intent of another till is refused: its till alone can be told")
    func otherTill() async throws {
        let shop = try await AdyenShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        let other = try next(shop, till: "Renamed")
        #expect(try await made(other, device).id != intent.id)
        do throws(CardReaderFailure) {
            _ = try await other.retrieveIntent(intent.id, clientSecret: nil, account: .main)
            Issue.record("it is another till")
        } catch { #expect(error.underlyingError == .readerNotFound) }
    }

    @Test("the app dies before its request arrives: the next one waits for it, and a card pays once")
    func restartBeforeArrival() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        shop.lose(.request)
        _ = try? await shop.driver.confirm(intent, confirmation(device))
        #expect(payments(shop) == 1)
        let next = try next(shop)
        _ = try await connected(next)
        #expect(
            try await next.retrieveIntent(intent.id, clientSecret: nil, account: .main).status == .processing)
        for _ in 0..<2 {
            do throws(CardReaderFailure) {
                _ = try await next.confirm(intent, confirmation(device))
                Issue.record("it is not known")
            } catch { #expect(error.intent == nil && error.underlyingError == .requestTimedOut) }
        }
        #expect(payments(shop) == 1)
        try await shop.wire.deliver()
        #expect(try await next.confirm(intent, confirmation(device)).status == .succeeded)
        #expect(try await shop.taken() == [1250])
    }

    @Test("a request without an answer is not forgotten by clear(): a card pays once")
    func clearKeeps() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        shop.lose(.request)
        _ = try? await shop.driver.confirm(intent, confirmation(device))
        await shop.driver.clear()
        _ = try await connected(shop)
        _ = try await made(shop.driver, device)
        _ = try? await shop.driver.confirm(intent, confirmation(device))
        #expect(payments(shop) == 1)
        try await shop.wire.deliver()
        #expect(try await shop.driver.confirm(intent, confirmation(device)).status == .succeeded)
        #expect(try await shop.taken() == [1250])
    }

    @Test("two confirmations of one intent at once: a card pays once")
    func concurrent() async throws {
        let shop = try await AdyenShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        shop.whenWaiting { await shop.present(isRefused: false) }
        let request = confirmation(device)
        async let first = try? shop.driver.confirm(intent, request)
        async let second = try? shop.driver.confirm(intent, request)
        let both = await [first, second].compactMap { $0 }
        #expect(both.contains { $0.status == .succeeded })
        #expect(payments(shop) == 1)
        #expect(try await shop.driver.confirm(intent, request).status == .succeeded)
        #expect(try await shop.taken() == [1250])
    }

    @Test("a canceled intent is not sent any more, also if the confirmation was waiting meanwhile")
    func canceled() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        // The confirmation tells of the wait just before it sends.
        let driver = shop.driver
        await driver.observe { _ in _ = try? await driver.cancelIntent(intent, key: IdempotencyKey(rawValue: "c-1")) }
        for _ in 0..<2 {
            do throws(CardReaderFailure) {
                _ = try await driver.confirm(intent, confirmation(device))
                Issue.record("it was canceled")
            } catch { #expect(error.underlyingError == .commandCanceled && error.intent?.status == .canceled) }
        }
        #expect(try await driver.retrieveIntent(intent.id, clientSecret: nil, account: .main).status == .canceled)
        #expect(try await driver.cancelIntent(intent, key: IdempotencyKey(rawValue: "c-2")).status == .canceled)
        #expect(payments(shop) == 0)
        #expect(try await shop.taken() == [])
    }

    @Test("called off before it is sent: it is not sent")
    func calledOffBefore() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        let driver = shop.driver
        await driver.observe { _ in try? await driver.cancelCollect() }
        do throws(CardReaderFailure) {
            _ = try await driver.confirm(intent, confirmation(device))
            Issue.record("it was called off")
        } catch { #expect(error.underlyingError == .commandCanceled && error.intent != nil) }
        #expect(payments(shop) == 0)
    }

    @Test("confirmed and disconnected at once, many times: no command leaves after the end")
    func disconnectedMeanwhile() async throws {
        let shop = try await AdyenShop()
        await shop.sandbox.terminal.setWaits(false)
        let driver = shop.driver
        for round in 0..<200 {
            let device = try await connected(shop)
            let intent = try await driver.createIntent(
                CardReaderIntentRequest(
                    attempt: attempt, account: .main, parameters: parameters, reader: device, metadata: [:],
                    key: IdempotencyKey(rawValue: "round-\(round)")))
            let request = confirmation(device)
            async let paid = try? driver.confirm(intent, request)
            async let end: Void = {
                try? await driver.disconnect()
                shop.wire.isEnded.withLock { $0 = true }
            }()
            _ = await (paid, end)
            shop.wire.isEnded.withLock { $0 = false }
        }
        #expect(shop.wire.late.withLock { $0 } == 0)
    }

    @Test("an amount that is not positive is refused", arguments: [0, -1250] as [Int64])
    func amounts(_ minorUnits: Int64) async throws {
        let shop = try await AdyenShop()
        let device = try await connected(shop)
        let intent = try await made(shop.driver, device)
        let wrong = PaymentIntentParameters(
            amount: Money(minorUnits: minorUnits, currency: .eur), order: OrderID(rawValue: "o-1"))
        await #expect(throws: CardReaderFailure.self) {
            _ = try await shop.driver.createIntent(
                CardReaderIntentRequest(
                    attempt: attempt, account: .main, parameters: wrong, reader: device, metadata: [:],
                    key: IdempotencyKey(rawValue: "intent-2")))
        }
        let id = ProviderReference(rawValue: intent.id.rawValue.replacing(".1250.", with: ".\(minorUnits)."))
        do throws(CardReaderFailure) {
            _ = try await shop.driver.retrieveIntent(id, clientSecret: nil, account: .main)
            Issue.record("no such payment can be")
        } catch { #expect(error.underlyingError == .paymentIntentIDMissing) }
    }
}
