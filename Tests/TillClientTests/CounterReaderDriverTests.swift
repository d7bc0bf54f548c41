import Synchronization
import Testing
import TillClient
import TillCore
import TillHardware
import TillTestSupport

@Suite("The readers of a counter")
struct CounterReaderDriverTests {
    private let clock = QuickClock()

    private func driver(_ fake: FakeCounter, _ limits: CounterReaderLimits = Given.limits) throws
        -> CounterReaderDriver
    {
        CounterReaderDriver(try Given.client(fake, clock), limits: limits)
    }

    private func connected(
        _ fake: FakeCounter, _ limits: CounterReaderLimits = Given.limits
    ) async throws -> (CounterReaderDriver, CardReader) {
        let driver = try driver(fake, limits)
        let reader = CardReader(serial: "tmr_1", readerType: .simulatedWisePosE)
        let request = CardReaderConnectionRequest(
            attempt: CardReaderAttemptID(number: 1), options: CardReaderConnectionOptions(),
            configuration: NoCardReaderConfig())
        return (driver, try await driver.connect(reader, request))
    }

    private func intent(
        _ driver: CounterReaderDriver, _ reader: CardReader
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await driver.createIntent(
            CardReaderIntentRequest(
                attempt: CardReaderAttemptID(number: 2), account: .main,
                parameters: PaymentIntentParameters(amount: Given.amount, order: Given.order), reader: reader,
                metadata: [:], key: IdempotencyKey(rawValue: "intent-1")))
    }

    private func request(_ reader: CardReader) -> CardReaderConfirmRequest {
        CardReaderConfirmRequest(
            attempt: CardReaderAttemptID(number: 3), account: .main, reader: reader, clientSecret: nil,
            key: IdempotencyKey(rawValue: "confirm-1"))
    }

    private func thrown(
        _ body: () async throws(CardReaderFailure) -> PaymentIntent
    ) async -> CardReaderFailure? {
        do throws(CardReaderFailure) { _ = try await body() } catch { return error }
        return nil
    }

    private func confirms(_ fake: FakeCounter) -> [String?] { fake.calls(FakeCounter.confirm).map(\.key) }

    @Test("a sale through the reader service: the app writes before the counter is asked to charge")
    func sale() async throws {
        let fake = FakeCounter(.pays)
        let service = StandardCardReaderService(driver: try driver(fake), limits: .counter)
        try await service.start(NoCardReaderConfig())
        for await found in service.discoveredReaders {
            guard let first = found.first else { continue }
            try await service.connect(first)
            break
        }
        let events = service.readerEvents.subscribe()
        let written = Mutex<[Int]>([])
        let paid = try await service.collectPayment(
            PaymentIntentParameters(amount: Given.amount, order: Given.order)
        ) { _, _ in
            written.withLock { $0.append(fake.calls(FakeCounter.confirm).count) }
        }
        #expect(paid.status == .succeeded)
        #expect(paid.amount == Given.amount)
        #expect(paid.paymentMethod?.cardPresentDetails?.lastFour == "4242")
        #expect(written.withLock { $0 } == [0])
        // Neither a card nor the processing is reported before the counter has seen one.
        var types: [CardReaderEventType] = []
        for await event in events {
            types.append(event.type)
            if event.type == .approved { break }
        }
        #expect(types == [.intentCreated, .approved])
        #expect(confirms(fake) == ["till-pay_1-reader-1"])
        #expect(
            fake.calls(FakeCounter.confirm).first?.body == #"{"tender":{"type":"reader","reader":"tmr_1"}}"#)
    }

    @Test("collecting asks for no card and moves no money: the counter does both in the confirmation")
    func collecting() async throws {
        let fake = FakeCounter(.pays)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let before = fake.calls.count
        var parameters = PaymentIntentParameters(amount: Given.amount, order: Given.order)
        parameters.tipping = .onPart(Money(minorUnits: 1000, currency: .eur))
        let collected = try await driver.collect(
            CardReaderCollectRequest(
                attempt: CardReaderAttemptID(number: 3), account: .main, intent: made, clientSecret: nil,
                parameters: parameters, reader: reader))
        #expect(collected == made)
        #expect(fake.calls.count == before)
        _ = try await driver.confirm(collected, request(reader))
        #expect(
            fake.calls(FakeCounter.confirm).first?.body
                == #"{"tender":{"type":"reader","reader":"tmr_1","ask_tip":true,"tip_on":1000}}"#)
    }

    @Test(
        "an app that died finds its sale again, however far it came",
        arguments: [
            ("succeeded", PaymentIntentStatus.succeeded), ("processing", .processing), ("unknown", .processing),
            ("requires_capture", .requiresCapture), ("canceled", .canceled), ("declined", .requiresPaymentMethod),
        ])
    func foundAgain(_ status: String, _ expected: PaymentIntentStatus) async throws {
        let fake = FakeCounter()
        fake.books.withLock { $0.status = status }
        let (driver, reader) = try await connected(fake)
        #expect(try await intent(driver, reader).status == expected)
        #expect(fake.calls("POST /v1/payments").map(\.key) == ["intent-1"])
    }

    @Test("a sale that is found again with a tip is paid, and not of the wrong amount")
    func foundWithTip() async throws {
        let fake = FakeCounter()
        fake.books.withLock { books in
            books.status = "succeeded"
            books.tip = 250
        }
        let (driver, reader) = try await connected(fake)
        let failure = await thrown { () async throws(CardReaderFailure) in try await intent(driver, reader) }
        #expect(failure?.underlyingError == .orderAlreadyPaid)
        #expect(failure?.details.moneyMoved == .yes)
        #expect(failure?.details.intent?.rawValue == "pay_1")
    }

    @Test("a sale that is found again with refunds, or paid in part, is not paid, and not sold again")
    func foundWithOtherMoney() async throws {
        for (status, captured, refunded) in [
            ("refunded", 1250, 1250), ("partially_refunded", 1250, 300), ("succeeded", 500, 0),
            ("partially_captured", 500, 0),
        ] as [(String, Int64, Int64)] {
            let fake = FakeCounter()
            fake.books.withLock { books in
                books.status = status
                books.captured = captured
                books.refunded = refunded
            }
            let (driver, reader) = try await connected(fake)
            let failure = await thrown { () async throws(CardReaderFailure) in try await intent(driver, reader) }
            #expect(failure?.underlyingError == .orderAlreadyPaid)
            #expect(failure?.details.moneyMoved == .yes)
            #expect(failure?.details.intent?.rawValue == "pay_1")
            let amount = Money(minorUnits: captured, currency: .eur)
            #expect(failure?.details.sentence?.contains("\(amount) was captured") == true)
            let read = try await driver.retrieveIntent(
                ProviderReference(rawValue: "pay_1"), clientSecret: nil, account: .main)
            #expect(read.status.moneyMoved == .unknown)
        }
    }

    @Test(
        "a refusal because of something else that there is for the order does not say that nothing was charged",
        arguments: [
            ("idempotency_mismatch", MoneyMoved.unknown), ("order_has_a_payment", .unknown),
            ("order_already_paid", .unknown), ("order_held", .unknown), ("order_settled_in_shop", .unknown),
            ("amount_too_small", .no),
        ])
    func refusedCreation(_ code: String, _ moved: MoneyMoved) async throws {
        let fake = FakeCounter()
        fake.books.withLock { $0.refusesCreation = code }
        let (driver, reader) = try await connected(fake)
        let failure = await thrown { () async throws(CardReaderFailure) in try await intent(driver, reader) }
        #expect(failure?.details.providerCode == .api(code))
        #expect(failure?.details.moneyMoved == moved)
    }

    @Test("a payment of another order is not adopted; the counter's own name for the order may have a scope")
    func otherOrder() async throws {
        let fake = FakeCounter()
        let (driver, reader) = try await connected(fake)
        fake.books.withLock { $0.order = "2026/o-1" }
        let made = try await intent(driver, reader)
        #expect(made.order == Given.order)
        fake.books.withLock { $0.order = "2026/o-2" }
        let failure = await thrown { () async throws(CardReaderFailure) in try await intent(driver, reader) }
        #expect(failure?.underlyingError == .resultMismatch)
        #expect(failure?.details.moneyMoved == .unknown)
        let confirmed = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(confirmed?.underlyingError == .resultMismatch)
        #expect(confirmed?.intent == nil)
        #expect(confirms(fake) == [])
    }

    @Test("a hold that the counter is releasing is not paid, and its end is awaited")
    func voiding() async throws {
        for void in ["in_flight", "deferred", "unknown", "on_the_moon"] {
            let fake = FakeCounter()
            fake.books.withLock { books in
                books.status = "requires_capture"
                books.attempts = [("authorized", nil)]
                books.void = void
                books.queriesUntilPaid = 4
                books.endsAs = ("requires_payment_method", "voided")
            }
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            #expect(made.status == .processing)
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect(failure?.intent?.status == .requiresPaymentMethod)
            #expect(failure?.underlyingError == .commandCanceled)
            #expect(confirms(fake) == [])
        }
    }

    @Test("a hold that the counter captures itself is paid when it is captured")
    func automatic() async throws {
        let fake = FakeCounter()
        fake.books.withLock { books in
            books.status = "requires_capture"
            books.capture = "automatic"
            books.attempts = [("authorized", nil)]
            books.queriesUntilPaid = 4
        }
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        #expect(made.status == .processing)
        #expect(try await driver.confirm(made, request(reader)).status == .succeeded)
        #expect(confirms(fake) == [])
    }

    @Test("another amount than the whole one is not paid: the outcome is unknown, with what was captured")
    func partly() async throws {
        let changes: [@Sendable (inout FakeCounter.Books) -> Void] = [
            { books in (books.status, books.captured) = ("succeeded", 500) },
            { books in (books.status, books.captured) = ("succeeded", 1251) },
            // The tip was not captured.
            { books in (books.status, books.captured, books.tip) = ("succeeded", 1250, 250) },
            { books in (books.status, books.captured, books.held) = ("partially_captured", 500, 750) },
            { books in (books.status, books.held) = ("requires_capture", 500) },
            { books in (books.status, books.captured, books.refunded) = ("partially_refunded", 1250, 1) },
        ]
        for change in changes {
            let fake = FakeCounter()
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            fake.books.withLock { books in
                books.attempts = [("authorized", nil)]
                change(&books)
            }
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect(failure?.underlyingError == .resultMismatch)
            #expect(failure?.intent == nil)
            let captured = Money(minorUnits: fake.books.withLock { $0.captured } ?? 0, currency: .eur)
            #expect(failure?.details.sentence?.contains("\(captured) was captured") == true)
            #expect(confirms(fake) == [])
            let read = try await driver.retrieveIntent(made.id, clientSecret: nil, account: .main)
            #expect(read.status.moneyMoved == .unknown)
        }
    }

    @Test("a payment that is being charged, or is paid, is followed and not charged again")
    func followed() async throws {
        for (status, queries) in [("processing", 3), ("unknown", 5), ("succeeded", 0)] {
            let fake = FakeCounter()
            fake.books.withLock { books in
                books.status = status
                books.attempts = [(status == "succeeded" ? "authorized" : "in_flight", nil)]
                books.queriesUntilPaid = queries
            }
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            #expect(try await driver.confirm(made, request(reader)).status == .succeeded)
            #expect(confirms(fake) == [])
        }
    }

    @Test("a lost answer is followed to the end, and sent again only if it never arrived, under the same key")
    func lostAnswers() async throws {
        for (fates, sent) in [
            ([FakeCounter.Confirmation.paysUnheard], 1), ([.paysAfter(queries: 3)], 1),
            ([.hangs, .pays], 2), (Array(repeating: .inProgress, count: 7) + [.pays], 8),
            ([.hangs, .hangs, .hangs, .pays], 4), ([.neverArrives, .pays], 2),
            ([.notSent, .neverArrives, .pays], 3),
        ] {
            let fake = FakeCounter()
            fake.books.withLock { $0.confirmations = fates }
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            #expect(try await driver.confirm(made, request(reader)).status == .succeeded)
            #expect(confirms(fake) == Array(repeating: "till-pay_1-reader-1", count: sent))
        }
    }

    @Test("a decline has the intent; the same intent is not charged again, a newer one is, under another key")
    func declines() async throws {
        let fake = FakeCounter(.declines("insufficient_funds"), .pays)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let first = try #require(
            await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            })
        #expect(first.underlyingError == .paymentDeclinedByPaymentProcessor)
        #expect(first.details.decline?.reason == .insufficientFunds)
        let after = try #require(first.intent)
        #expect(after.status == .requiresPaymentMethod)
        // The same call once more, as after a crash of the app: the outcome that is there.
        let again = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(again?.intent == after)
        #expect(confirms(fake) == ["till-pay_1-reader-1"])
        #expect(try await driver.confirm(after, request(reader)).status == .succeeded)
        #expect(confirms(fake) == ["till-pay_1-reader-1", "till-pay_1-reader-2"])
    }

    @Test(
        "what ends at the reader has its reason",
        arguments: [
            ("canceled_at_reader", UnderlyingError.commandCanceled), ("no_card_presented", .cardReadTimedOut),
            ("reader_busy", .readerBusy), ("reader_offline", .readerOffline),
            ("fraud", .paymentDeclinedByPaymentProcessor),
        ])
    func reasons(_ reason: String, _ expected: UnderlyingError) async throws {
        let fake = FakeCounter(.declines(reason))
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(failure?.underlyingError == expected)
        #expect(failure?.details.moneyMoved == .no)
    }

    @Test("a refusal before the reader wakes has the intent, and no money moved")
    func refused() async throws {
        let fake = FakeCounter(.refuses(404, "reader_not_found"))
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(failure?.underlyingError == .readerNotFound)
        #expect(failure?.intent?.status == .requiresPaymentMethod)
        #expect(failure?.details.requestID == "req-1")
        #expect(failure?.details.moneyMoved == .no)
    }

    @Test("what never reached the counter is not paid; what may have reached it is unknown, without an intent")
    func neverArrived() async throws {
        var limits = Given.limits
        limits.maximumSends = 3
        for (fate, isSure) in [(FakeCounter.Confirmation.notSent, true), (.neverArrives, false)] {
            let fake = FakeCounter(fate, fate, fate)
            let (driver, reader) = try await connected(fake, limits)
            let made = try await intent(driver, reader)
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect((failure?.intent != nil) == isSure)
            #expect(confirms(fake).count == 3)
            // A later refusal does not settle what may still arrive.
            fake.books.withLock { $0.confirmations = [.refuses(409, "terminal_reader_busy")] }
            let later = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect((later?.intent != nil) == isSure)
            #expect(later?.details.moneyMoved == (isSure ? .no : nil))
        }
    }

    @Test("an end that a second copy may follow is unknown, and is asked for again under the same key")
    func copies() async throws {
        for end in [FakeCounter.Confirmation.endsUnsent, .endsVoided] {
            let fake = FakeCounter(.hangs, end)
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect(failure?.underlyingError.leavesOutcomeOpen == true)
            #expect(failure?.intent == nil)
            // The service reads it then, and finds no answer.
            let read = try await driver.retrieveIntent(made.id, clientSecret: nil, account: .main)
            #expect(read.charges == made.charges)
            #expect(read.status == made.status)
            fake.books.withLock { $0.confirmations = [.pays] }
            #expect(try await driver.confirm(made, request(reader)).status == .succeeded)
            #expect(confirms(fake) == Array(repeating: "till-pay_1-reader-1", count: 3))
        }
        for end in [FakeCounter.Confirmation.endsUnsent, .endsVoided] {
            // Only one copy was sent, and it is this one's end.
            let fake = FakeCounter(end)
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect(failure?.intent?.charges.count == 1)
            #expect(failure?.details.moneyMoved == .no)
        }
    }

    @Test("while one copy is being worked on no other is sent, and its refusal counts")
    func refusedLate() async throws {
        let fake = FakeCounter(.refusesAfter(queries: 30, "reader_not_found"), .inProgress, .pays)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(failure?.underlyingError == .readerNotFound)
        #expect(failure?.intent?.status == .requiresPaymentMethod)
        #expect(failure?.details.moneyMoved == .no)
        #expect(confirms(fake).count == 2)
    }

    @Test("no request of a confirmation may last longer than the confirmation")
    func deadlines() async throws {
        let fake = FakeCounter(.neverArrives, .pays)
        var limits = Given.limits
        limits.confirmation = .seconds(20)
        let (driver, reader) = try await connected(fake, limits)
        let made = try await intent(driver, reader)
        let before = fake.calls.count
        #expect(try await driver.confirm(made, request(reader)).status == .succeeded)
        let calls = fake.calls.dropFirst(before).filter { !$0.line.contains("/v1/events") }
        #expect(calls.count > 3)
        #expect(calls.allSatisfy { $0.deadline <= .seconds(20) })
    }

    @Test("a counter that never says how it ended leaves the outcome unknown, within the limit")
    func neverEnds() async throws {
        let fake = FakeCounter()
        fake.books.withLock { $0.status = "processing" }
        var limits = Given.limits
        limits.confirmation = .seconds(20)
        let (driver, reader) = try await connected(fake, limits)
        let made = try await intent(driver, reader)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(failure?.intent == nil)
        #expect(failure?.underlyingError.leavesOutcomeOpen == true)
        #expect(fake.calls("GET /v1/payments/pay_1").count < 30)
    }

    @Test("an answer of another amount or account does not count as paid")
    func mismatches() async throws {
        for change in [{ $0.amount = 1 }, { $0.account = "other" }] as [@Sendable (inout FakeCounter.Books) -> Void] {
            let fake = FakeCounter(.pays)
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            fake.books.withLock { change(&$0) }
            let failure = await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            #expect(failure?.underlyingError == .resultMismatch)
            #expect(failure?.intent == nil)
            #expect(confirms(fake) == [])
        }
    }

    @Test("the reader's progress is shown; what the service reports itself is not shown twice")
    func progress() async throws {
        let fake = FakeCounter(.lasts)
        fake.books.withLock {
            $0.events =
                "retry: 1000\n\nevent: reader\ndata: {\"payment\":\"pay_1\",\"type\":\"waiting_for_input\",\"message\":"
                + "\"Insert or tap the card.\",\"input\":[\"insert\",\"tap\",\"wave\"],\"percent\":40}\n\n"
                + "id: 4\nevent: attempted\ndata: {\"payment\":\"pay_1\"}\n\n: still here\n\nevent: reader\r\n"
                + "data: {\"payment\":\"pay_1\",\"type\":\"approved\",\"message\":\"\"}\n\n"
                + "event: reader\ndata: {\"payment\":\"pay_1\",\"type\":\"remove_card\",\"message\":\"Remove it.\"}\n\n"
        }
        let (driver, reader) = try await connected(fake)
        let seen = Mutex<[CardReaderEvent]>([])
        await driver.observe { event in
            if case .reader(let progress) = event { seen.withLock { $0.append(progress) } }
        }
        let made = try await intent(driver, reader)
        let sale = Task {
            await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
        }
        while seen.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.disconnect()
        #expect(await sale.value?.intent == nil)
        #expect(seen.withLock { $0 }.map(\.type) == [.waitingForInput, .removeCard])
        #expect(seen.withLock { $0 }.last?.message == "Remove it.")
        #expect(seen.withLock { $0 }.first?.input == [.insert, .tap])
        #expect(seen.withLock { $0 }.first?.percent == 40)
        #expect(seen.withLock { $0 }.map(\.attempt) == [request(reader).attempt, request(reader).attempt])
    }

    @Test("after a disconnect no loop asks the counter any more")
    func disconnects() async throws {
        let fake = FakeCounter(.lasts)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let sale = Task {
            await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
        }
        while fake.calls(FakeCounter.confirm).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.disconnect()
        #expect(await sale.value?.underlyingError.leavesOutcomeOpen == true)
        let count = fake.calls.count
        try await Task.sleep(for: .milliseconds(50))
        #expect(fake.calls.count == count)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(reader))
        }
        #expect(failure?.underlyingError == .notConnectedToReader)
    }

    @Test("confirmed and disconnected at once, many times: no command leaves after the end")
    func disconnectedMeanwhile() async throws {
        for _ in 0..<200 {
            let fake = FakeCounter(.pays)
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            async let failure = thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
            async let end: Void = {
                try? await driver.disconnect()
                fake.books.withLock { $0.isEnded = true }
            }()
            _ = await (failure, end)
            #expect(fake.books.withLock { $0.lateConfirmations } == 0)
        }
    }

    @Test("a canceled discovery asks the counter no more, and reports a list only when it changed")
    func discovery() async throws {
        let fake = FakeCounter()
        let driver = try driver(fake)
        let lists = Mutex(0)
        let request = CardReaderDiscoveryRequest(
            attempt: CardReaderAttemptID(number: 1), method: .internet, configuration: NoCardReaderConfig())
        let discovery = Task { () -> CardReaderFailure? in
            do throws(CardReaderFailure) {
                try await driver.discover(request) { _ in lists.withLock { $0 += 1 } }
            } catch { return error }
            return nil
        }
        while fake.calls.count < 5 { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.cancelDiscovery()
        #expect(await discovery.value?.underlyingError == .commandCanceled)
        let count = fake.calls.count
        try await Task.sleep(for: .milliseconds(50))
        #expect(fake.calls.count == count)
        #expect(lists.withLock { $0 } == 1)
    }

    @Test("the reader is canceled only while it serves a sale of this app")
    func canceling() async throws {
        let fake = FakeCounter(.lasts)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        try await driver.cancelCollect()
        #expect(fake.calls("POST /v1/terminal/readers/tmr_1/cancel").isEmpty)
        let sale = Task {
            await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
        }
        while fake.calls(FakeCounter.confirm).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.cancelCollect()
        #expect(fake.calls("POST /v1/terminal/readers/tmr_1/cancel").count == 1)
        fake.books.withLock { books in
            books.status = "declined"
            books.attempts = [("declined", "canceled_at_reader")]
        }
        let failure = await sale.value
        #expect(failure?.underlyingError == .commandCanceled)
        #expect(failure?.intent?.status == .requiresPaymentMethod)
    }

    @Test("the reader is not canceled for a payment that another app is paying")
    func cancelingAnothers() async throws {
        let fake = FakeCounter()
        fake.books.withLock { $0.status = "processing" }
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let before = fake.calls(FakeCounter.read).count
        let sale = Task {
            await thrown { () async throws(CardReaderFailure) in
                try await driver.confirm(made, request(reader))
            }
        }
        while fake.calls(FakeCounter.read).count < before + 2 { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.cancelCollect()
        #expect(fake.calls("POST /v1/terminal/readers/tmr_1/cancel").isEmpty)
        try await driver.disconnect()
        #expect(await sale.value?.intent == nil)
    }

    @Test("only the connected reader is asked for a card")
    func otherReader() async throws {
        let fake = FakeCounter(.pays)
        let (driver, reader) = try await connected(fake)
        let made = try await intent(driver, reader)
        let other = CardReader(serial: "tmr_2", readerType: .simulatedWisePosE)
        let confirmed = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, request(other))
        }
        #expect(confirmed?.underlyingError == .notConnectedToReader)
        let collected = await thrown { () async throws(CardReaderFailure) in
            try await driver.collect(
                CardReaderCollectRequest(
                    attempt: CardReaderAttemptID(number: 3), account: .main, intent: made, clientSecret: nil,
                    parameters: PaymentIntentParameters(amount: Given.amount, order: Given.order), reader: other))
        }
        #expect(collected?.underlyingError == .notConnectedToReader)
        #expect(confirms(fake) == [])
    }

    @Test("a connection that was left before it was made is not made")
    func leftWhileConnecting() async throws {
        let fake = FakeCounter(.pays)
        let driver = try driver(fake)
        let config = WaitingConfig()
        let request = CardReaderConnectionRequest(
            attempt: CardReaderAttemptID(number: 1), options: CardReaderConnectionOptions(), configuration: config)
        let connecting = Task { () -> UnderlyingError? in
            do throws(CardReaderFailure) {
                _ = try await driver.connect(CardReader(serial: "tmr_1", readerType: .simulatedWisePosE), request)
            } catch { return error.underlyingError }
            return nil
        }
        while !config.isAsked { try await Task.sleep(for: .milliseconds(1)) }
        try await driver.disconnect()
        config.answer()
        #expect(await connecting.value == .connectionAttemptInvalidated)
        let reader = CardReader(serial: "tmr_1", readerType: .simulatedWisePosE)
        let made = try await intent(driver, reader)
        let failure = await thrown { () async throws(CardReaderFailure) in
            try await driver.confirm(made, self.request(reader))
        }
        #expect(failure?.underlyingError == .notConnectedToReader)
    }

    @Test("an intent is canceled only while no attempt holds it")
    func cancelsIntents() async throws {
        for (status, isSent) in [
            ("requires_payment_method", true), ("declined", true), ("requires_capture", false),
            ("processing", false), ("succeeded", false),
        ] {
            let fake = FakeCounter()
            fake.books.withLock { $0.status = status }
            let (driver, reader) = try await connected(fake)
            let made = try await intent(driver, reader)
            let after = try await driver.cancelIntent(made, key: IdempotencyKey(rawValue: "cancel-1"))
            #expect(fake.calls("POST /v1/payments/pay_1/cancel").count == (isSent ? 1 : 0))
            #expect(after.status == (isSent ? .canceled : made.status))
        }
    }

    @Test("a reader in use is refused if the app wants that, and one that is not listed is not found")
    func connecting() async throws {
        let fake = FakeCounter()
        fake.books.withLock { $0.busy = true }
        let driver = try driver(fake)
        func connect(_ serial: String, _ failsIfInUse: Bool) async -> UnderlyingError? {
            var options = CardReaderConnectionOptions()
            options.failsIfInUse = failsIfInUse
            let request = CardReaderConnectionRequest(
                attempt: CardReaderAttemptID(number: 1), options: options, configuration: NoCardReaderConfig())
            do throws(CardReaderFailure) {
                let reader = CardReader(serial: serial, readerType: .simulatedWisePosE)
                let known = try await driver.connect(reader, request)
                #expect(known.status == .connected)
            } catch { return error.underlyingError }
            return nil
        }
        #expect(await connect("tmr_1", true) == .readerBusy)
        #expect(await connect("tmr_2", false) == .readerNotFound)
        #expect(await connect("tmr_1", false) == nil)
    }
}

/// A configuration that says its location when a test wants it, also to a canceled task.
private final class WaitingConfig: CardReaderConfigProvider {
    private let state = Mutex((isAsked: false, isAnswered: false))

    var isAsked: Bool { state.withLock { $0.isAsked } }
    func answer() { state.withLock { $0.isAnswered = true } }

    func connectionToken() async throws -> Secret<String> { Secret("") }
    func locationID() async throws -> String? {
        state.withLock { $0.isAsked = true }
        await Task {
            while !state.withLock({ $0.isAnswered }) { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        return nil
    }
}
