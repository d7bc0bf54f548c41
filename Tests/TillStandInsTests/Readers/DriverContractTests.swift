import Synchronization
import Testing
import TillCore
import TillHardware
import TillTestSupport

/// What an app's reader service promises, over every driver that is delivered, with the money counted at the vendor:
/// never taken twice, never lost.
@Suite("The reader service over each vendor's driver", .timeLimit(.minutes(10))) struct DriverContractTests {
    @Test("a card is presented: written down before the money, and taken once", arguments: Vendor.allCases)
    func approved(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        let before = Mutex<[Int64]?>(nil)
        shop.whenWaiting { await shop.present(isRefused: false) }
        let paid = try await service.collectPayment(Self.parameters) { _, _ in
            let taken = try await shop.taken()
            before.withLock { $0 = taken }
        }
        #expect(paid.status.moneyMoved == .yes && paid.amount.minorUnits == 1250)
        #expect(paid.paymentMethod?.cardPresentDetails?.lastFour != nil)
        #expect(before.withLock { $0 } == [])
        #expect(try await shop.taken() == [1250])
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
            Issue.record("the order was paid already")
        } catch { #expect(error.underlyingError == .orderAlreadyPaid) }
        #expect(try await shop.taken() == [1250])
    }

    @Test("the issuer refuses: nothing is taken, and the next card pays", arguments: Vendor.allCases)
    func declined(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        shop.whenWaiting { await shop.present(isRefused: true) }
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
            Issue.record("it was refused")
        } catch {
            #expect(error.underlyingError == .paymentDeclinedByPaymentProcessor)
            #expect(error.details.decline?.reason == .insufficientFunds && error.moneyMoved == .no)
        }
        #expect(try await shop.taken() == [])
        // The service waits for no card while it reads: only the sale itself does.
        shop.whenWaiting { await shop.present(isRefused: false) }
        let paid = try await service.collectPayment(Self.parameters) { _, _ in }
        #expect(paid.status.moneyMoved == .yes)
        #expect(try await shop.taken() == [1250])
    }

    @Test(
        "called off while it waits: nothing is taken, and a card that comes late pays nothing",
        arguments: Vendor.allCases)
    func calledOff(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        shop.whenWaiting { await shop.callOff(service) }
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
            Issue.record("it was called off")
        } catch {
            #expect(error.underlyingError == .commandCanceled && error.moneyMoved == .no)
        }
        #expect(await shop.present(isRefused: false) == false)
        #expect(try await shop.taken() == [])
        shop.whenWaiting { await shop.present(isRefused: false) }
        _ = try await service.collectPayment(Self.parameters) { _, _ in }
        #expect(try await shop.taken() == [1250])
    }

    @Test("the answer is lost though the money was taken: paid, once", arguments: Vendor.allCases)
    func lostAnswer(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        shop.lose(.answer)
        shop.whenWaiting { await shop.present(isRefused: false) }
        let paid = try await service.collectPayment(Self.parameters) { _, _ in }
        #expect(paid.status.moneyMoved == .yes)
        #expect(try await shop.taken() == [1250])
    }

    @Test(
        "the request is lost: not known, nothing else is sold, and asked for again it is paid once",
        arguments: Vendor.allCases)
    func lostRequest(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        shop.lose(.request)
        if vendor == .stripe { shop.whenWaiting { await shop.present(isRefused: false) } }
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
            Issue.record("it never came")
        } catch { #expect(error.moneyMoved == .unknown) }
        await #expect(throws: CardReaderServiceError.self) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
        }
        #expect(try await shop.taken() == [])
        // No copy of the request can come any more.
        shop.clock.advance(by: .minutes(3))
        if vendor == .adyen { shop.whenWaiting { await shop.present(isRefused: false) } }
        let paid = try await service.retryActivePayment { _, _ in }
        #expect(paid.status.moneyMoved == .yes)
        #expect(try await shop.taken() == [1250])
    }

    @Test("confirmed twice under one key: the same answer, and taken once", arguments: Vendor.allCases)
    func twice(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let device = try await connected(shop)
        let intent = try await intent(shop, device)
        shop.whenWaiting { await shop.present(isRefused: false) }
        let collected = try await shop.driver.collect(collection(intent, device))
        let first = try await shop.driver.confirm(collected, confirmation(device))
        let second = try await shop.driver.confirm(collected, confirmation(device))
        #expect(first == second && first.status.moneyMoved == .yes)
        #expect(try await shop.taken() == [1250])
        #expect(
            try await shop.driver.retrieveIntent(intent.id, clientSecret: nil, account: .main).status == first.status)
    }

    @Test(
        "another till uses the reader: this sale ends unpaid, and a card pays the other one only",
        arguments: Vendor.allCases)
    func inUse(_ vendor: Vendor) async throws {
        let shop = try await vendor.open()
        let service = try await shop.service()
        try await shop.otherTill()
        do throws(CardReaderServiceError) {
            _ = try await service.collectPayment(Self.parameters) { _, _ in }
            Issue.record("another till was there")
        } catch { #expect(error.underlyingError == .readerBusy && error.moneyMoved == .no) }
        try? await shop.driver.cancelCollect()
        #expect(await shop.present(isRefused: false))
        #expect(try await shop.taken() == [777])
        // Then the reader is free.
        shop.whenWaiting { await shop.present(isRefused: false) }
        _ = try await service.collectPayment(Self.parameters) { _, _ in }
        #expect(try await shop.taken().sorted() == [777, 1250])
    }

    enum Ender: String, CaseIterable { case canceledTask, disconnect, clear }

    @Test("after the end of a command nothing more is sent", arguments: Vendor.allCases, Ender.allCases)
    func silent(_ vendor: Vendor, _ ender: Ender) async throws {
        let shop = try await vendor.open()
        let device = try await connected(shop)
        let intent = try await intent(shop, device)
        let driver = shop.driver
        let task = Mutex<Task<Void, any Error>?>(nil)
        let last = Mutex<Int?>(nil)
        shop.whenWaiting {
            switch ender {
            case .canceledTask: task.withLock { $0 }?.cancel()
            case .disconnect: try? await driver.disconnect()
            case .clear: await driver.clear()
            }
            last.withLock { $0 = shop.requests }
        }
        let (collection, confirmation) = (collection(intent, device), confirmation(device))
        task.withLock {
            $0 = Task {
                let collected = try await driver.collect(collection)
                _ = try await driver.confirm(collected, confirmation)
            }
        }
        let running = try #require(task.withLock { $0 })
        do {
            try await running.value
            Issue.record("it was ended")
        } catch let failure as CardReaderFailure {
            #expect(failure.intent == nil, "the outcome is not known, or no money was asked for")
        }
        try await shop.until { last.withLock { $0 } != nil }
        // Whatever still looped would send at once: the clock waits for nobody.
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(shop.requests == last.withLock { $0 })
        #expect(try await shop.taken() == [])
    }

    // MARK: Without a service

    private static let parameters = PaymentIntentParameters(
        amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "o-1"))
    private let attempt = CardReaderAttemptID(number: 1)

    private func connected(_ shop: any ReaderShop) async throws -> CardReader {
        let found = Mutex<[CardReader]>([])
        try await shop.driver.discover(
            CardReaderDiscoveryRequest(attempt: attempt, method: .internet, configuration: NoCardReaderConfig())
        ) { readers in found.withLock { $0 = readers } }
        return try await shop.driver.connect(
            try #require(found.withLock { $0.first }),
            CardReaderConnectionRequest(
                attempt: attempt, options: CardReaderConnectionOptions(), configuration: NoCardReaderConfig()))
    }

    private func intent(_ shop: any ReaderShop, _ device: CardReader) async throws -> PaymentIntent {
        try await shop.driver.createIntent(
            CardReaderIntentRequest(
                attempt: attempt, account: .main, parameters: Self.parameters, reader: device,
                metadata: Self.parameters.metadata(account: .main, reader: device),
                key: IdempotencyKey(rawValue: "till-main-o-1-intent-1")))
    }

    private func collection(_ intent: PaymentIntent, _ device: CardReader) -> CardReaderCollectRequest {
        CardReaderCollectRequest(
            attempt: attempt, account: .main, intent: intent, clientSecret: nil, parameters: Self.parameters,
            reader: device)
    }

    private func confirmation(_ device: CardReader) -> CardReaderConfirmRequest {
        CardReaderConfirmRequest(
            attempt: attempt, account: .main, reader: device, clientSecret: nil,
            key: IdempotencyKey(rawValue: "till-o-1-confirm-1"))
    }
}
