import Testing
import TillCore
import TillHardware

@Suite struct SimulatedCardReaderTests {
    private func order(_ minorUnits: Int64, _ currency: Currency = .eur) -> PaymentIntentParameters {
        PaymentIntentParameters(
            amount: Money(minorUnits: minorUnits, currency: currency), order: OrderID(rawValue: "o-1"))
    }

    @Test func aCardIsCollectedWithItsEventsInOrder() async throws {
        let reader = SimulatedCardReader(card: try SimulatedCard(parsing: "visa"))
        try await reader.start(NoCardReaderConfig())
        var found: [CardReader] = []
        for await readers in reader.discoveredReaders where !readers.isEmpty {
            found = readers
            break
        }
        try await reader.connect(try #require(found.first))
        let events = reader.readerEvents.subscribe()
        let payload = try await reader.collectPaymentMethod(order(1250))
        await reader.show(CardReaderEvent(.approved))
        await reader.waitForInsertedCardToBeRemoved()
        #expect(payload.sealed.reveal() == "sim:4242424242424242:visa:contact_emv")
        #expect(payload.card == CardSummary(brand: "visa", lastFour: "4242", entryMode: "contact_emv"))
        #expect(payload.reader == "simulated")
        var seen: [CardReaderEventType] = []
        for await event in events {
            seen.append(event.type)
            if event.type == .cardRemoved { break }
        }
        #expect(
            seen == [
                .waitingForInput, .cardInserted, .cardDetailsCollected, .processing, .approved, .removeCard,
                .cardRemoved,
            ])
    }

    @Test(arguments: [
        "", "viisa", "declined:", "declined:Robert'); DROP", "visa+tap+tap", "visa+", "+tap", "visa+misread+misread",
        "visa+sing", "disconnected:boredom", "timeout:1",
    ])
    func anUnknownCardIsRefusedWithTheListOfKnownOnes(name: String) {
        let error = #expect(throws: SimulatedCardError.self) { try SimulatedCard(parsing: name) }
        #expect(error?.description.contains("interac") == true)
        #expect(error?.description.contains("+misread") == true)
    }

    @Test func everyWordFollowsEveryName() throws {
        for name in SimulatedCard.known {
            let name = name.replacing("<reason>", with: name.hasPrefix("declined") ? "expired_card" : "powered_off")
            for word in SimulatedCard.knownWords { _ = try SimulatedCard(parsing: "\(name)+\(word)") }
        }
        #expect(try SimulatedCard(parsing: "visa+misread+tap+pin").incidents == [.misread, .pin])
    }

    @Test(arguments: [
        ("timeout", UnderlyingError.cardReadTimedOut), ("removed", .cardRemoved), ("canceled", .commandCanceled),
        ("disconnected", .notConnectedToReader), ("visa+swipe", .cardInsertNotRead),
        ("interac", .currencyNotSupported), ("eftpos", .currencyNotSupported),
    ])
    func whatGoesWrongAtTheReaderIsToldAndMovesNoMoney(name: String, why: UnderlyingError) async throws {
        let reader = await SimulatedCardReader.connected(card: try SimulatedCard(parsing: name))
        let error = await #expect(throws: CardReaderServiceError.self) {
            _ = try await reader.collectPaymentMethod(order(1250))
        }
        #expect(error?.underlyingError == why)
        #expect(error?.moneyMoved == .no)
    }

    @Test func nationalCardsPayInTheirOwnCurrency() async throws {
        let reader = await SimulatedCardReader.connected(card: try SimulatedCard(parsing: "interac+tap"))
        let payload = try await reader.collectPaymentMethod(order(1250, .cad))
        #expect(payload.card?.brand == "interac")
        #expect(payload.card?.entryMode == "contactless_emv")
    }

    @Test func cancellingTheTaskOrThePaymentEndsTheCollection() async throws {
        let reader = await SimulatedCardReader.connected(
            card: try SimulatedCard(parsing: "visa"), pace: .milliseconds(200))
        let parameters = order(1250)
        let task = Task { try await reader.collectPaymentMethod(parameters) }
        task.cancel()
        await #expect(throws: CardReaderServiceError.self) { _ = try await task.value }

        let events = reader.readerEvents.subscribe()
        let other = Task { try await reader.collectPaymentMethod(parameters) }
        for await event in events where event.type == .waitingForInput { break }
        try await reader.cancelPayment()
        let error = await #expect(throws: CardReaderServiceError.self) { _ = try await other.value }
        #expect(error?.interaction == .paymentMethod)
        #expect(error?.underlyingError == .commandCanceled)
        #expect(error?.details.canceledBy == .app)
    }

    @Test func withoutAConnectedReaderNothingIsCollected() async throws {
        let reader = SimulatedCardReader(card: try SimulatedCard(parsing: "visa"))
        await #expect(throws: CardReaderServiceError(.intentCreation, .notConnectedToReader)) {
            _ = try await reader.collectPaymentMethod(order(1250))
        }
    }
}
