import Testing
import TillCore
import TillTestSupport

@testable import TillHardware

/// The nine checks that a card-reader layer is accepted by, with a scripted driver in the vendor's place.
@Suite struct AcceptanceTests {
    typealias Point = ScriptedDriver.Point

    // 1
    @Test(arguments: [Point.createIntent, .collect, .confirm], [false, true])
    func check1TheProcessDiesAtEveryStepAndTheOrderIsPaidOnceOrNotAtAll(point: Point, happens: Bool) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(point, happens ? .happensThenHangs : .hangs)
            // The process that dies here never hears the end of its call.
            world.start { world in try await world.pay() }
            await world.reaches(point)
            await world.pass(.seconds(1))
            // The next process: a service without memory, the same provider, the same reader.
            let next = StandardCardReaderService(
                driver: world.driver, clock: world.clock, executor: world.executor)
            world.driver.set { $0.running = [] }
            try await next.start(world.config())
            await world.pass(.milliseconds(50))
            try await next.connect(ScriptedDriver.m2)
            let intent = try await next.collectPayment(world.parameters(), beforeConfirmation: world.hook)
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.paid(world.parameters().order).map(\.id) == [intent.id])
            #expect(world.driver.book(intent.id)?.confirms == 1)
        }
    }

    // 2
    static let responses: [(Point, String)] = [Point.createIntent, .retrieveIntent, .collect, .confirm, .cancelIntent]
        .flatMap { point in ["lost before", "lost after", "late", "never", "told twice"].map { (point, $0) } }

    @Test(arguments: responses)
    func check2NoAnswerThatIsLostDelayedOrDoubledMakesTwoPaidIntents(point: Point, how: String) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let broken = CardReaderFailure(.requestTimedOut)
            switch how {
            case "lost before": world.driver.next(point, .fail(broken), .fail(broken))
            case "lost after": world.driver.next(point, .happensThenFails(broken), .happensThenFails(broken))
            case "late": world.driver.next(point, .reportedAfter(.minutes(4)))
            case "never": world.driver.next(point, .happensThenHangs)
            default: break
            }
            if point == .retrieveIntent { world.driver.next(.confirm, .happensThenFails(broken)) }
            if point == .cancelIntent {
                world.driver.customer(.cancels(after: .seconds(1)))
                _ = try? await world.pay()
                world.driver.customer(.pays(after: .seconds(1)))
            }
            var paid: PaymentIntent?
            for _ in 0..<12 where paid == nil {
                do throws(CardReaderServiceError) {
                    paid = try await world.pay()
                } catch {
                    paid = try? await world.service.retryActivePayment(beforeConfirmation: world.hook)
                    if paid == nil {
                        await world.pass(.minutes(5))
                        world.driver.release()
                        await world.pass(.seconds(1))
                    }
                }
            }
            #expect(paid?.status == .requiresCapture)
            #expect(world.driver.paid(world.parameters().order).count == 1)
            if how == "told twice", let paid {
                let again = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
                #expect(again?.details.intent == paid.id)
            }
        }
    }

    // 3
    @Test(arguments: [Point.discover, .connect, .createIntent, .collect, .confirm, .cancelIntent, .disconnect])
    func check3AfterASwitchNothingIsMadeOnTheOtherAccount(point: Point) throws {
        try ReaderWorld().run { world in
            world.driver.next(point, .after(.seconds(20)))
            if point == .cancelIntent { world.driver.customer(.cancels(after: .seconds(1))) }
            let old = world.start { world in
                try await world.connect()
                var parameters = world.parameters(order: "acct_shop/1")
                parameters.account = ReaderWorld.shop
                _ = try? await world.pay(parameters)
                try? await world.service.disconnect()
            }
            await world.reaches(point)
            // The clerk switches the store, again and again, until it is let.
            var isSwitched = false
            for _ in 0..<60 where !isSwitched {
                do {
                    try? await world.service.disconnect()
                    try await world.service.clear()
                    try await world.connect(account: ReaderWorld.other)
                    isSwitched = true
                } catch { await world.pass(.seconds(3)) }
            }
            #expect(isSwitched)
            _ = try? await old.value
            // The old store's order, paid by somebody whose screen is old.
            var stale = world.parameters(order: "acct_shop/2")
            stale.account = ReaderWorld.shop
            let refused = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay(stale) }
            #expect(refused?.underlyingError == .accountMismatch || refused?.underlyingError == .notConnectedToReader)
            let refund = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
            }
            #expect(refund?.interaction == .refundCreation)
            for book in world.driver.books {
                #expect(book.intent.order?.rawValue.hasPrefix(book.intent.account.rawValue) == true)
            }
        }
    }

    // 4
    @Test(arguments: 0..<24)
    func check4EventsThatComeTwiceLateReorderedOrNeverChangeNothing(order: Int) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.pays(after: .seconds(5)))
            let told: [CardReaderEventType] = [.cardInserted, .cardDetailsCollected, .declined, .cardRemoved]
            var random = SeededRandom(seed: UInt64(order))
            let shuffled = order == 0 ? [] : told.shuffled(using: &random) + told.shuffled(using: &random)
            let payment = world.start { world in try await world.pay() }
            for type in shuffled {
                await world.pass(.milliseconds(800))
                await world.driver.say(.reader(CardReaderEvent(type)))
                if order % 3 == 0 { await world.driver.say(.reconnected(ScriptedDriver.m2)) }
            }
            let intent = try await payment.value
            #expect(intent.status == .requiresCapture)
            #expect(world.state == "connected")
            #expect(world.driver.paid(world.parameters().order).map(\.id) == [intent.id])
        }
    }

    // 5
    @Test(arguments: 0..<60)
    func check5CancelAtAnyMomentReturnsAndNoSuccessIsLost(tick: Int) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            for point in [Point.createIntent, .collect, .confirm, .cancelIntent] {
                world.driver.next(point, .reportedAfter(.seconds(2)))
            }
            let payment = world.start { world in
                try await world.service.collectPayment(world.parameters()) { intent, order in
                    await world.pass(.seconds(2))
                    world.written.add(intent, order)
                }
            }
            await world.pass(.milliseconds(Int64(tick) * 200))
            let begun = world.now
            let refusal: CardReaderServiceError?
            do throws(CardReaderServiceError) {
                try await world.service.cancelPayment()
                refusal = nil
            } catch { refusal = error }
            #expect(world.now.since(begun) <= CancelTests.bound)
            let outcome: Result<PaymentIntent, any Error> = await payment.result
            let paid = world.driver.paid(world.parameters().order)
            switch outcome {
            case .success(let intent):
                #expect(paid.map(\.id) == [intent.id])
                #expect(refusal != nil || tick >= 50)
            case .failure(let error as CardReaderServiceError):
                #expect(error.moneyMoved == .no)
                #expect(paid.isEmpty)
            case .failure(let error): throw error
            }
        }
    }

    // 6
    @Test func check6AmountsAreExactInEveryCurrencyAndHostileOnesAreRefused() throws {
        for currency in Currency.all {
            for minor: Int64 in [1, 7, 50, 99, 100, 1234, 99_999_999] {
                let money = Money(minorUnits: minor, currency: currency)
                #expect(try Money(parsing: money.decimalString, currency: currency) == money)
            }
        }
        for minor: Int64 in [0, -1, -500, .min] {
            let failure = #expect(throws: CardReaderFailure.self) {
                try PaymentIntentParameters(
                    amount: Money(minorUnits: minor, currency: .usd), order: OrderID(rawValue: "1")
                ).check(against: .narrow)
            }
            #expect(failure?.underlyingError == .invalidAmount)
        }
        for (minor, currency, why): (Int64, Currency, UnderlyingError) in [
            (49, .usd, .amountTooSmall), (29, .gbp, .amountTooSmall), (49, .jpy, .amountTooSmall),
            (100_000_000, .usd, .amountTooLarge), (.max, .kwd, .amountTooLarge),
        ] {
            let failure = #expect(throws: CardReaderFailure.self) {
                try AmountLimits.narrow.check(Money(minorUnits: minor, currency: currency))
            }
            #expect(failure?.underlyingError == why)
            #expect(failure?.details.sentence?.contains(currency.code) == true)
        }
        try AmountLimits.narrow.check(Money(minorUnits: 50, currency: .usd))
        for text in ["NaN", "inf", "1e3", "-", "", "0x10", "99999999999999999999", "1.2345"] {
            #expect(throws: MoneyError.self) { try Money(parsing: text, currency: .kwd) }
        }
    }

    // 7. What a receipt does with hostile text is checked where receipts are made.
    @Test func check7AChipCardsReceiptKnowsWhatItLacks() throws {
        var receipt = ReceiptDetails()
        func missing(_ method: CardReadMethod, _ receipt: ReceiptDetails?) -> [String] {
            CardPresentTransactionDetails(brand: .interac, lastFour: "1933", readMethod: method, receipt: receipt)
                .missingReceiptFields
        }
        #expect(missing(.contactEMV, nil) == ["application_preferred_name", "dedicated_file_name"])
        receipt.applicationPreferredName = "Interac"
        #expect(missing(.contactlessEMV, receipt) == ["dedicated_file_name"])
        receipt.dedicatedFileName = "A0000002771010"
        receipt.accountType = "checking"
        #expect(missing(.contactEMV, receipt).isEmpty)
        #expect(missing(.magneticStripeFallback, nil).isEmpty)
        let details = CardPresentTransactionDetails(
            brand: .interac, lastFour: "1933", readMethod: .contactEMV, receipt: receipt)
        let intent = try PaymentIntent(
            id: ProviderReference(rawValue: "pi_1"), account: ReaderWorld.shop, order: OrderID(rawValue: "1"),
            status: .succeeded, amount: Money(minorUnits: 1250, currency: .cad),
            collected: .interacPresent(details: details))
        // Interac customers get a receipt too.
        let parameters = try #require(
            CardPresentReceiptParameters(intent, storeName: "Shop", date: Timestamp(milliseconds: 0), reader: nil))
        #expect(parameters.cardDetails.summary.emv?.accountType == "checking")
        #expect(parameters.cardDetails.summary.entryMode == "contact_emv")
        #expect(intent.paymentMethod?.isSingleMessage == true)
    }

    // 8. The total of an order's refunds is kept by its payment in the journal; here: one at a time, none twice.
    @Test func check8RefundsNeverMeetAndNoneIsGivenTwice() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let refunds = (0..<8).map { index in
                world.start { world in
                    try await world.service.refund(StateTableTests.refund("re-\(index)", charge: "ch_1"))
                }
            }
            var done = 0
            for refund in refunds where (try? await refund.value) != nil { done += 1 }
            #expect(done == 1)
            #expect(world.driver.overlaps.isEmpty)
            // An unknown one is tried again under its own name, and gives the money back once.
            world.driver.next(.refund, .happensThenFails(CardReaderFailure(.requestTimedOut)))
            let lost = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-a", charge: "ch_2"))
            }
            #expect(lost?.moneyMoved == .unknown)
            _ = try await world.service.refund(StateTableTests.refund("re-a", charge: "ch_2"))
            #expect(world.driver.refundCount == 2)
        }
    }
}
