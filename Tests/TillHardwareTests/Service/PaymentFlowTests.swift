import Testing
import TillCore

@testable import TillHardware

@Suite struct PaymentFlowTests {
    @Test func aPaymentIsThreeStepsThatEverybodyCanSee() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let events = world.service.readerEvents.subscribe()
            let intent = try await world.pay()
            #expect(intent.status == .requiresCapture)
            #expect(intent.metadata[PaymentIntentParameters.MetadataKey.order] == "1001")
            #expect(intent.metadata[PaymentIntentParameters.MetadataKey.account] == "acct_shop")
            #expect(intent.metadata[PaymentIntentParameters.MetadataKey.reader] == "M2-1")
            #expect(world.written.all.map(\.0) == [intent.id])
            var seen: [String] = []
            for await event in events {
                seen.append(event.type.rawValue)
                if event.type == .approved { break }
            }
            #expect(
                seen == ["intent_created", "waiting_for_input", "card_details_collected", "processing", "approved"])
            #expect(world.state == "connected")
        }
    }

    @Test func theWriteComesBeforeTheMoneyAndStopsItIfItFails() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            struct DiskFull: Error {}
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.collectPayment(world.parameters()) { _, _ in
                    #expect(world.driver.calls(.confirm) == 0)
                    throw DiskFull()
                }
            }
            #expect(error?.underlyingError == .preConfirmationFailed)
            #expect(error?.moneyMoved == .no)
            #expect(world.driver.calls(.confirm) == 0)
            // The card was collected: the retry asks for its money without asking for the card again.
            let intent = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.calls(.collect) == 1)
        }
    }

    @Test func aWriteThatNeverReturnsAsksForNoMoney() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.collectPayment(world.parameters()) { _, _ in
                    await world.pass(.hours(1))
                }
            }
            #expect(error?.underlyingError == .preConfirmationFailed)
            #expect(world.driver.calls(.confirm) == 0)
        }
    }

    @Test func aDeclineKeepsTheIntentForAnotherCard() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.isDeclined(after: .seconds(1), reason: .fraud))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.interaction == .capturePayment)
            #expect(error?.underlyingError == .paymentDeclinedByPaymentProcessor)
            #expect(error?.moneyMoved == .no)
            #expect(error?.retry == .sameIntent)
            #expect(error?.details.decline?.requestID == "req_1")
            #expect(error?.details.providerCode == .sdk(6000))
            #expect(error?.customerSentence == DeclineReason.generic.customerSentence)
            world.driver.customer(.pays(after: .seconds(1)))
            let intent = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.books.count == 1)
            #expect(world.driver.book(intent.id)?.confirms == 2)
        }
    }

    @Test func oneOrderHasOneIntent() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let intent = try await world.pay()
            let again = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(again?.underlyingError == .orderAlreadyPaid)
            #expect(again?.moneyMoved == .yes)
            #expect(again?.details.intent == intent.id)
            #expect(world.driver.calls(.collect) == 1)
        }
    }

    @Test func anOpenPaymentOfAnotherAmountMustBeCalledOffFirst() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.isDeclined(after: .seconds(1), reason: .generic))
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            let other = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.pay(world.parameters(2000))
            }
            #expect(other?.underlyingError == .orderHasOpenIntent)
            try await world.service.cancelPayment()
            world.driver.customer(.pays(after: .seconds(1)))
            let intent = try await world.pay(world.parameters(2000))
            #expect(intent.amount.minorUnits == 2000)
            #expect(world.driver.books.map(\.intent.status) == [.canceled, .requiresCapture])
        }
    }

    @Test func anUnknownOutcomeIsAskedAgainWithItsOwnIntentAndKey() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .fail(CardReaderFailure(.requestTimedOut)))
            world.driver.always(.retrieveIntent, .fail(CardReaderFailure(.notConnectedToInternet)))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.moneyMoved == .unknown)
            #expect(error?.retry == .confirmOriginal)
            let second = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(second?.underlyingError == .orderHasOpenIntent)
            #expect(second?.moneyMoved == .unknown)
            let intent = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.books.count == 1)
            #expect(world.driver.book(intent.id)?.confirms == 1)
            #expect(world.driver.calls(.collect) == 1)
        }
    }

    @Test func aFailureThatIsReportedAlthoughTheMoneyWasTakenIsASuccess() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .happensThenFails(CardReaderFailure(.idempotencyConflict)))
            let intent = try await world.pay()
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.calls(.retrieveIntent) == 1)
        }
    }

    @Test func anIntentThatShowsNoTryYetMayStillBeOvertaken() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            // The request is on its way for a minute and a half: the intent that is read meanwhile looks untouched.
            world.driver.next(.confirm, .after(.seconds(90)))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.moneyMoved == .unknown)
            await world.pass(.minutes(2))
            #expect(world.late.all.count == 1)
            let intent = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            #expect(intent.status == .requiresCapture)
            #expect(world.driver.calls(.confirm) == 1)
        }
    }

    @Test func aTipIsPartOfTheAmountOnlyIfItWasAskedFor() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.set { $0.tip = 200 }
            var parameters = world.parameters()
            let refused = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay(parameters) }
            #expect(refused?.underlyingError == .resultMismatch)
            #expect(world.driver.calls(.confirm) == 0)
            parameters = world.parameters(order: "1002")
            parameters.tipping = .onWholeAmount
            let intent = try await world.pay(parameters)
            #expect(intent.amount.minorUnits == 1450)
            #expect(intent.tip?.minorUnits == 200)
        }
    }

    @Test func aReaderThatTakesServerIntentsOnlyIsToldSoBeforeItWakes() throws {
        try ReaderWorld().run { world in
            world.driver.set { $0.devices = [ScriptedDriver.p400] }
            try await world.connect(serial: "P400-1")
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.interaction == .intentCreation)
            #expect(error?.underlyingError == .serverSideIntentRequired)
            #expect(world.driver.calls(.createIntent) == 0)
            let parameters = world.parameters()
            let made = try world.driver.serverIntent(parameters.order, parameters.amount, account: ReaderWorld.shop)
            let intent = try await world.service.collectPayment(
                parameters, existing: ExistingPaymentIntent(id: made.id), beforeConfirmation: world.hook)
            #expect(intent.id == made.id)
            #expect(intent.status == .requiresCapture)
        }
    }

    @Test(arguments: ["account", "amount", "order"])
    func aServerIntentMustBeThatOfTheOrder(what: String) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let parameters = world.parameters()
            let made = try world.driver.serverIntent(
                what == "order" ? OrderID(rawValue: "9") : parameters.order,
                what == "amount" ? Money(minorUnits: 1, currency: .eur) : parameters.amount,
                account: what == "account" ? ReaderWorld.other : ReaderWorld.shop)
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.collectPayment(
                    parameters, existing: ExistingPaymentIntent(id: made.id), beforeConfirmation: world.hook)
            }
            #expect(error?.underlyingError == (what == "account" ? .accountMismatch : .resultMismatch))
            #expect(error?.moneyMoved == .no)
            #expect(world.driver.calls(.collect) == 0)
        }
    }

    @Test func aCardThatIsStillInTheReaderMustComeOutFirst() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await world.driver.say(.reader(CardReaderEvent(.cardInserted)))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.underlyingError == .cardLeftInReader)
            #expect(world.driver.calls(.createIntent) == 0)
            let payment = world.start { world in try await world.pay() }
            await world.pass(.seconds(5))
            await world.driver.say(.reader(CardReaderEvent(.cardRemoved)))
            #expect(try await payment.value.status == .requiresCapture)
        }
    }

    @Test func nobodyComesForTwoMinutes() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.neverComes)
            let begun = world.now
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.interaction == .paymentMethod)
            #expect(error?.underlyingError == .cardReadTimedOut)
            #expect(world.now.since(begun).milliseconds >= 120_000)
            #expect(world.now.since(begun).milliseconds <= 131_000)
            #expect(world.driver.calls(.cancelCollect) == 1)
            #expect(world.state == "connected")
            world.driver.customer(.pays(after: .seconds(1)))
            #expect(try await world.pay().status == .requiresCapture)
            #expect(world.driver.books.count == 1)
        }
    }

    @Test func theCustomerCancelsAtTheReader() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.cancels(after: .seconds(3)))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.underlyingError == .commandCanceled)
            #expect(error?.details.canceledBy == .reader)
            #expect(world.driver.books.map(\.intent.status) == [.canceled])
        }
    }
}
