import Testing
import TillCore
import TillTestSupport

@testable import TillHardware

/// The simulated reader that holds intents, and what can be made to happen at it.
@Suite struct SimulatedIntentTests {
    @Test func theSameKeyHasTheSameAnswer() async throws {
        let driver = SimulatedCardReaderDriver(card: try SimulatedCard(parsing: "visa"), createsIntents: .onDevice)
        let device = SimulatedCardReaderDriver.mobileDevice
        let attempt = CardReaderAttemptID(number: 1)
        _ = try await driver.connect(
            device,
            CardReaderConnectionRequest(
                attempt: attempt, options: CardReaderConnectionOptions(), configuration: NoCardReaderConfig()))
        var parameters = PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1"))
        parameters.captureMethod = .automatic
        let request = CardReaderIntentRequest(
            attempt: attempt, account: .main, parameters: parameters, reader: device, metadata: [:],
            key: IdempotencyKey(rawValue: "i"))
        let intent = try await driver.createIntent(request)
        #expect(try await driver.createIntent(request) == intent)
        let collecting = CardReaderCollectRequest(
            attempt: attempt, account: .main, intent: intent, clientSecret: nil, parameters: parameters, reader: device)
        func confirming(_ key: String) -> CardReaderConfirmRequest {
            CardReaderConfirmRequest(
                attempt: attempt, account: .main, reader: device, clientSecret: nil, key: IdempotencyKey(rawValue: key))
        }
        // A declined card, twice with one key: one charge.
        await driver.present(try SimulatedCard(parsing: "declined:expired_card"))
        _ = try await driver.collect(collecting)
        for _ in 0..<2 {
            let failure = await #expect(throws: CardReaderFailure.self) {
                _ = try await driver.confirm(intent, confirming("c1"))
            }
            #expect(failure?.intent?.charges.count == 1)
            #expect(failure?.intent?.lastDecline?.reason == .expiredCard)
        }
        // The next card with the next key, its answer lost: it is charged once, and the key still has its answer.
        await driver.present(try SimulatedCard(parsing: "visa"))
        _ = try await driver.collect(collecting)
        await driver.fail(.confirm, with: .answerLost)
        let lost = await #expect(throws: CardReaderFailure.self) {
            _ = try await driver.confirm(intent, confirming("c2"))
        }
        #expect(lost == CardReaderFailure(.requestTimedOut))
        let paid = try await driver.confirm(intent, confirming("c2"))
        #expect(paid.charges.map(\.status) == [.failed, .succeeded])
        #expect(paid.paymentMethod?.cardPresentDetails?.lastFour == "4242")
        #expect(try await driver.cancelIntent(paid, key: IdempotencyKey(rawValue: "x")).status == .succeeded)
        let other = await #expect(throws: CardReaderFailure.self) {
            _ = try await driver.retrieveIntent(intent.id, clientSecret: nil, account: AccountID(rawValue: "other"))
        }
        #expect(other?.underlyingError == .accountMismatch)
        try await refunds(of: paid, at: driver)
    }

    private func refunds(of paid: PaymentIntent, at driver: SimulatedCardReaderDriver) async throws {
        func back(_ minorUnits: Int64, _ key: String) async throws(CardReaderFailure) -> CardReaderRefund {
            try await driver.refund(
                RefundParameters(
                    account: .main, charge: paid.charges[1].id, amount: Money(minorUnits: minorUnits, currency: .eur),
                    key: IdempotencyKey(rawValue: key)))
        }
        await driver.fail(.refund, with: .answerLost)
        let lost = await #expect(throws: CardReaderFailure.self) { _ = try await back(1000, "r1") }
        #expect(lost == CardReaderFailure(.requestTimedOut))
        #expect(try await back(1000, "r1") == (try await back(1000, "r1")))
        // Never more than was taken.
        let over = await #expect(throws: CardReaderFailure.self) { _ = try await back(251, "r2") }
        #expect(over?.underlyingError == .refundFailed)
        await driver.present(try SimulatedCard(parsing: "declined:lost_card"))
        #expect(try await back(250, "r3").status == .failed)
        await driver.present(try SimulatedCard(parsing: "visa"))
        #expect(try await back(250, "r4").status == .succeeded)
    }

    @Test func aLostAnswerLeavesAnIntentThatIsFoundPaidOnce() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await world.connect()
            await world.driver.fail(.confirm, with: .answerLost)
            await world.driver.fail(.retrieveIntent, with: .fails(.requestTimedOut))
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.pay("visa", order: "1") }
            #expect(error?.moneyMoved == .unknown)
            let paid = try await world.service.retryActivePayment { _, _ in }
            #expect(paid.charges.count == 1)
            #expect(paid.status == .succeeded)
        }
    }

    @Test func theReaderAsksAgainForWhatItDidNotRead() throws {
        let all: CardReaderInput = [.insert, .tap, .swipe]
        let cards: [(String, String, CardReaderInput, String)] = [
            ("visa+misread", "waiting_for_input read_retry waiting_for_input card_inserted", all, "contact_emv"),
            ("visa+tap+insert", "waiting_for_input waiting_for_input card_inserted", .insert, "contact_emv"),
            (
                "visa+check_phone", "waiting_for_input check_phone waiting_for_input card_inserted", .tap,
                "contactless_emv"
            ),
            (
                "visa+swipe", "waiting_for_input read_retry waiting_for_input card_inserted", .swipe,
                "magnetic_stripe_fallback"
            ),
            ("visa+pin", "waiting_for_input display_message card_inserted", all, "contact_emv"),
        ]
        for (card, types, lastAsked, method) in cards {
            let world = try SimulatedReaderWorld()
            try world.run { world in
                try await world.connect()
                let paid = try await world.pay(card, order: "1")
                #expect(paid.paymentMethod?.cardPresentDetails?.readMethod?.rawValue == method)
            }
            let shown = world.said.all.events.map(\.type)
            let upToCard = shown.drop { $0 != .waitingForInput }.prefix { $0 != .cardDetailsCollected }
            #expect(upToCard.map(\.rawValue).joined(separator: " ") == types, "\(card)")
            let asked = world.said.all.events.filter { $0.type == .waitingForInput }.map(\.input)
            #expect(asked.first == all)
            #expect(asked.last == lastAsked)
        }
    }

    @Test func aTappedCardIsNotWaitedFor() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await world.connect()
            let begun = world.clock.now()
            for order in ["1", "2"] { try await world.pay("visa+tap", order: order) }
            #expect(world.clock.now().since(begun) < .seconds(10))
        }
        #expect(!world.said.all.events.map(\.type).contains(.removeCard))
    }

    @Test(arguments: CardReaderDisconnectReason.known)
    func aReaderThatGoesAwayWhileItWaitsSaysWhyAndTakesNothing(reason: CardReaderDisconnectReason) throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) {
                try await world.pay("disconnected:\(reason)", order: "1")
            }
            #expect(error?.underlyingError == .notConnectedToReader)
            #expect(error?.moneyMoved == .no)
        }
        let last = world.said.all.events.last
        #expect(last?.type == .disconnected)
        #expect(last?.message == reason.advice)
        #expect(world.service.connectedReaders.current == [])
    }

    @Test func aReaderThatIsReconnectedDuringASaleSaysSoOnceAndSellsAgain() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await world.connect()
            let sale = world.start { world in try await world.pay("visa+misread", order: "1") }
            await world.reaches("collecting")
            for await event in world.service.readerEvents where event.type == .readRetry { break }
            await world.driver.lose(.bluetoothSignalLost, isReconnecting: true)
            await #expect(throws: CardReaderServiceError.self) { try await sale.value }
            await world.reaches("reconnecting")
            await world.driver.regain()
            // The card of the sale that was cut off is nobody's.
            for await status in world.service.serviceStatus where status == .ready { break }
            #expect(try await world.pay("visa", order: "1").status == .succeeded)
        }
        let types = world.said.all.events.map(\.type)
        #expect(types.filter { $0 == .reconnecting }.count == 1)
        #expect(types.filter { $0 == .reconnected }.count == 1)
        #expect(types.filter { $0 == .cardInserted }.count == 1)
        #expect(!types.contains(.disconnected))
    }

    @Test func anUpdateThatCannotBeCanceledGoesOnAndOneThatCanStops() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await world.connect()
            await world.driver.offer(CardReaderSoftwareUpdate(version: "2"), isCancelable: false)
            let fixed = world.start { world in try await world.service.installUpdate() }
            for await state in world.service.softwareUpdateEvents { if case .installing = state { break } }
            await #expect(throws: CardReaderServiceError(.softwareUpdate, .cancelFailedUnavailable)) {
                try await world.service.cancelUpdate()
            }
            try await fixed.value
            await world.driver.offer(CardReaderSoftwareUpdate(version: "3"))
            let free = world.start { world in try await world.service.installUpdate() }
            for await state in world.service.softwareUpdateEvents { if case .installing = state { break } }
            try await world.service.cancelUpdate()
            await #expect(throws: CardReaderServiceError.self) { try await free.value }
            #expect(world.service.connectedReaders.current?.first?.softwareVersion == "2")
            // Below half a battery nothing is installed, neither asked for nor required.
            await world.driver.drain(to: 40)
            let low = await #expect(throws: CardReaderServiceError.self) { try await world.service.installUpdate() }
            #expect(low?.underlyingError == .readerSoftwareUpdateFailedBatteryLow)
            try await world.service.disconnect()
            await world.driver.offer(CardReaderSoftwareUpdate(version: "4", requiredAt: world.clock.now()))
            let required = await #expect(throws: CardReaderServiceError.self) { try await world.connect() }
            #expect(required?.underlyingError == .readerSoftwareUpdateFailedBatteryLow)
            #expect(required?.details.batteryPercent == 40)
        }
        let percents = world.said.all.events.filter { $0.type == .updating }.compactMap(\.percent)
        #expect(percents.starts(with: [0, 20, 40, 60, 80, 100]))
    }

    @Test func aRequiredUpdateEndsWithTheConnectionThatIsCalledOff() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            await world.driver.offer(CardReaderSoftwareUpdate(version: "2", requiredAt: world.clock.now()))
            let connection = world.start { world in try await world.connect() }
            for await state in world.service.softwareUpdateEvents { if case .installing = state { break } }
            try await world.service.disconnect()
            await #expect(throws: CardReaderServiceError.self) { try await connection.value }
            #expect(world.service.states.current == .idle)
            #expect(!world.said.all.updates.contains(.completed))
        }
    }

    @Test func whatACardsTextSaysOfTheReaderHappensBeforeTheSale() async throws {
        let reader = SimulatedCardReader(card: try SimulatedCard(parsing: "visa+update+reconnect+low_battery"))
        let events = reader.readerEvents.subscribe()
        await reader.wake()
        let payload = try await reader.collectPaymentMethod(
            PaymentIntentParameters(amount: Money(minorUnits: 1, currency: .eur), order: OrderID(rawValue: "1")))
        #expect(payload.card?.lastFour == "4242")
        var seen: [CardReaderEventType] = []
        for await event in events {
            if event.type != seen.last { seen.append(event.type) }
            if event.type == .processing { break }
        }
        #expect(
            seen == [
                .updating, .reconnecting, .reconnected, .waitingForInput, .lowBattery, .cardInserted,
                .cardDetailsCollected, .processing,
            ])
    }

    @Test func aReaderOfSealedCardsHoldsNoIntentsAndOneOfIntentsSealsNothing() async throws {
        let sealed = SimulatedCardReaderDriver(card: try SimulatedCard(parsing: "visa"))
        let refused = await #expect(throws: CardReaderFailure.self) {
            _ = try await sealed.retrieveIntent(ProviderReference(rawValue: "x"), clientSecret: nil, account: .main)
        }
        #expect(refused?.underlyingError == .featureNotAvailableWithConnectedReader)
        let holding = SimulatedCardReaderDriver(card: try SimulatedCard(parsing: "visa"), createsIntents: .onDevice)
        let request = CardReaderCollectRequest(
            attempt: CardReaderAttemptID(number: 1), account: .main, intent: nil, clientSecret: nil,
            parameters: PaymentIntentParameters(
                amount: Money(minorUnits: 1, currency: .eur), order: OrderID(rawValue: "1")),
            reader: SimulatedCardReaderDriver.mobileDevice)
        let unsealed = await #expect(throws: CardReaderFailure.self) { _ = try await holding.collectSealed(request) }
        #expect(unsealed?.underlyingError == .featureNotAvailableWithConnectedReader)
    }
}
