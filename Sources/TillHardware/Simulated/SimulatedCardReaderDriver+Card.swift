public import TillCore

extension SimulatedCardReaderDriver {
    /// Collects a card, sealed.
    public func collectSealed(
        _ request: CardReaderCollectRequest
    ) async throws(CardReaderFailure) -> CardPresentPayload {
        try await run(.collect) { () async throws(CardReaderFailure) -> CardPresentPayload in
            guard capabilities.createsIntents == .never else {
                throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
            }
            let card = try await readCard(for: request.parameters.amount.currency)
            return CardPresentPayload(
                reader: request.reader.label, sealed: Secret(card.sealedText),
                card: CardSummary(brand: card.brand, lastFour: card.number, entryMode: card.entryMode))
        }
    }

    /// Cancels a collection that waits for a card.
    public func cancelCollect() async throws(CardReaderFailure) {
        guard activity == .reading else { throw CardReaderFailure(.cancelFailedAlreadyCompleted) }
        activity = .calledOff
    }

    /// Waits for the customer's card, with all that happens before it is read.
    func readCard(for currency: Currency) async throws(CardReaderFailure) -> SimulatedCard {
        guard connection.isConnected else { throw CardReaderFailure(.notConnectedToReader) }
        guard activity == .idle else { throw CardReaderFailure(.readerBusy) }
        activity = .reading
        defer { activity = .idle }
        let inputs = reader.readerType.capabilities.inputs
        try await ask(inputs, paces: Self.pacesOfCustomer)
        let card = card
        for incident in card.incidents { try await meet(incident, inputs) }
        switch card.behavior {
        case .timeout: throw CardReaderFailure(.cardReadTimedOut)
        case .canceled: throw CardReaderFailure(.commandCanceled)
        case .disconnected(let reason):
            await lose(reason)
            throw CardReaderFailure(.notConnectedToReader)
        case .read, .declined, .removed: break
        }
        isCardInserted = card.isInserted
        try await step(.cardInserted, message: isCardInserted ? nil : "Card read.", input: card.input)
        if card.behavior == .removed {
            isCardInserted = false
            await report(.reader(CardReaderEvent(.cardRemoved)))
            throw CardReaderFailure(.cardRemoved)
        }
        if let only = card.onlyCurrency, currency.code != only {
            await report(.reader(CardReaderEvent(.declined, message: "This card pays in \(only) only.")))
            throw CardReaderFailure(
                .currencyNotSupported, message: "A card of \(card.brand) pays in \(only) only, not in \(currency).")
        }
        return card
    }

    private func meet(
        _ incident: SimulatedCard.Incident, _ inputs: CardReaderInput
    ) async throws(CardReaderFailure) {
        switch incident {
        case .misread:
            try await step(.readRetry, paces: Self.pacesOfIncident)
            try await ask(inputs)
        case .insert: try await ask(.insert, paces: Self.pacesOfIncident)
        case .swipe:
            guard inputs.contains(.swipe) else {
                throw CardReaderFailure(
                    .cardInsertNotRead, message: "The chip could not be read, and this reader takes no stripe.")
            }
            try await step(.readRetry, message: "The chip was not read.", paces: Self.pacesOfIncident)
            try await ask(.swipe, paces: Self.pacesOfIncident)
        case .checkPhone:
            try await step(.checkPhone, paces: Self.pacesOfIncident)
            try await ask(.tap)
        case .pin: try await step(.displayMessage, message: "Enter the PIN.", paces: Self.pacesOfIncident)
        case .lowBattery:
            await drain(to: Self.lowPercent)
            await wait(paces: Self.pacesOfIncident)
            try checkReading()
        case .update, .reconnect: break
        }
    }

    /// The time until the customer presents a card, in paces.
    private static let pacesOfCustomer: Int64 = 2
    /// The level to which a card's text drains the battery.
    private static let lowPercent = 15

    private func ask(_ input: CardReaderInput, paces: Int64 = 1) async throws(CardReaderFailure) {
        await report(.reader(CardReaderEvent(.waitingForInput, input: input)))
        await wait(paces: paces)
        try checkReading()
    }

    /// Reports an event, waits, and throws if the collection was canceled or the reader lost meanwhile.
    private func step(
        _ type: CardReaderEventType, message: String? = nil, input: CardReaderInput? = nil, paces: Int64 = 1
    ) async throws(CardReaderFailure) {
        await report(.reader(CardReaderEvent(type, message: message, input: input)))
        await wait(paces: paces)
        try checkReading()
    }

    private func checkReading() throws(CardReaderFailure) {
        if activity == .reading, connection.isConnected { return }
        isCardInserted = false
        throw CardReaderFailure(connection.isConnected ? .commandCanceled : .notConnectedToReader)
    }
}
