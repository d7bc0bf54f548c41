package import TillCore
internal import TillHardware
internal import TillProvider

/// Stripe's smart readers and apps in the counter's terms: values and errors without Stripe's types.
struct StripeReaders: ReaderFleet, ReaderSimulation, ReaderQuestions, DeviceSales {
    let terminal: StripeTerminalProvider

    var api: StripeTerminal { terminal.terminal }

    var provider: ProviderName { StripeTerminalProvider.name }
    var limits: AmountLimits { .stripe }
    var asksForTips: Bool { true }
    var simulation: (any ReaderSimulation)? { self }
    var questions: (any ReaderQuestions)? { self }
    var management: (any ReaderManagement)? { self }

    // MARK: Readers

    func readers() async throws(ReaderError) -> [CounterReader] {
        try await asking { () async throws(StripeTerminalError) in
            try await api.readers().filter(\.deviceType.isSmart).map { CounterReader($0) }
        }
    }

    func reader(named name: String) async throws(ReaderError) -> CounterReader {
        CounterReader(try await smart { () async throws(StripeTerminalError) in try await api.reader(named: name) })
    }

    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender {
        .cardPresent(CardPresentPayload(reader: reader.label, sealed: Secret(reader.id), card: nil, tipping: tipping))
    }

    func cancel(_ id: String) async throws(ReaderError) -> CounterReader {
        try await asking { () async throws(StripeTerminalError) in
            CounterReader(try await api.cancelAction(at: id, key: .once("cancel")))
        }
    }

    func cancelWaiting() async -> [String] {
        var left: [String] = []
        for reader in terminal.feed.busyReaders {
            do throws(StripeTerminalError) {
                _ = try await api.cancelAction(at: reader, key: .once("end"))
            } catch {
                // A refusal means that there is nothing left to cancel.
                if error.certainty != .refused { left.append(reader) }
            }
            terminal.feed.changed(reader)
        }
        return left
    }

    func use(_ name: String, forRefundOf payment: PaymentID) async throws(ReaderError) {
        let found = try await asking { () async throws(StripeTerminalError) in try await api.reader(named: name) }
        terminal.feed.useReader(found.id, forRefundOf: payment)
    }

    func steps() -> AsyncStream<ReaderStep> { terminal.feed.steps() }

    // MARK: The customer's part

    func present(_ card: String, tip: Int64?, at id: String) async throws(ReaderError) -> CounterReader {
        guard let known = TerminalTestCard(named: card, tip: tip) ?? TerminalTestCard(numbered: card, tip: tip) else {
            throw ReaderError(
                .invalid(field: "card"), code: "unknown_card", "There is no such test card.",
                next: "Use visa, declined:insufficient_funds or another of the published test cards.")
        }
        try await requireSimulated(id)
        return try await asking { () async throws(StripeTerminalError) in
            CounterReader(try await api.present(known, at: id, key: .once("card")))
        }
    }

    func pretend(_ customer: PretendedCustomer, at id: String) async throws(ReaderError) -> ReaderAnswers {
        try await requireSimulated(id)
        return try await asking { () async throws(StripeTerminalError) in
            let key = IdempotencyKey.once("inputs")
            switch customer {
            case .leaves: return ReaderAnswers(try await api.timeOutInputs(at: id, key: key))
            case .answers: return ReaderAnswers(try await api.succeedInputs(at: id, skipping: "none", key: key))
            case .skips: return ReaderAnswers(try await api.succeedInputs(at: id, skipping: "all", key: key))
            }
        }
    }

    // MARK: Questions

    func ask(_ questions: [ReaderQuestion], at id: String) async throws(ReaderError) -> ReaderAnswers {
        let reader = try await smart { () async throws(StripeTerminalError) in try await api.reader(id) }
        try StripeReaders.requireFree(reader)
        let inputs = questions.map { TerminalInput($0) }
        return try await asking { () async throws(StripeTerminalError) in
            ReaderAnswers(try await api.collectInputs(inputs, at: id, key: .once("inputs")))
        }
    }

    func answers(at id: String) async throws(ReaderError) -> ReaderAnswers {
        try await asking { () async throws(StripeTerminalError) in ReaderAnswers(try await api.reader(id)) }
    }

    // MARK: Apps with Stripe's SDK

    func connectionToken(location: String?) async throws(ReaderError) -> DeviceToken {
        if let location, ProviderReference(ifValid: location) == nil {
            throw ReaderError(
                .invalid(field: "location"), code: "invalid_request", "It must be a location of Stripe, tml_…",
                next: "Correct the request.")
        }
        return try await asking { () async throws(StripeTerminalError) in
            let token = try await api.connectionToken(location: location, key: .once("token"))
            return DeviceToken(secret: token.secret, location: token.location)
        }
    }

    func tender(device: String) -> Tender { StripeTerminalProvider.deviceTender(named: device) }

    func clientSecret(of reference: ProviderReference) async throws(ReaderError) -> Secret<String> {
        try await asking { () async throws(StripeTerminalError) in try await terminal.clientSecret(of: reference) }
    }

    // MARK: Errors

    /// Throws if the reader is busy, since the next command replaces the action in its only slot.
    static func requireFree(_ reader: TerminalReader) throws(ReaderError) {
        guard let action = reader.action, action.status == .inProgress, action.kind != .setReaderDisplay else { return }
        throw ReaderError(
            .refused, code: "terminal_reader_busy", "The reader is busy with something else.",
            next: "Wait until it is done, or cancel it.")
    }

    func asking<Answer>(
        _ body: () async throws(StripeTerminalError) -> Answer
    ) async throws(ReaderError) -> Answer {
        do throws(StripeTerminalError) { return try await body() } catch { throw ReaderError(error) }
    }

    func smart(
        _ body: () async throws(StripeTerminalError) -> TerminalReader
    ) async throws(ReaderError) -> TerminalReader {
        let found = try await asking(body)
        guard found.deviceType.isSmart else {
            throw ReaderError(
                .refused, code: "reader_needs_phone", "\(found.label) is driven by a phone, not by the counter.",
                next: "Choose a smart reader.")
        }
        return found
    }

    private func requireSimulated(_ id: String) async throws(ReaderError) {
        let found = try await asking { () async throws(StripeTerminalError) in try await api.reader(id) }
        guard found.deviceType.isSimulated else { throw .isReal }
    }
}

extension CounterReader {
    init(_ reader: TerminalReader) {
        self.init(
            id: reader.id, label: reader.label, deviceType: reader.deviceType.rawValue,
            status: reader.status.map { Status(rawValue: $0.rawValue) }, location: reader.location,
            serialNumber: reader.serialNumber, softwareVersion: reader.softwareVersion, ipAddress: reader.ipAddress,
            lastSeenAt: reader.lastSeenAt, isSimulated: reader.deviceType.isSimulated,
            needsPhone: !reader.deviceType.isSmart, action: reader.action.map { ReaderAction($0) })
    }
}

extension ReaderAction {
    init(_ action: TerminalAction) {
        self.init(
            Purpose(action.kind), kind: action.kind.rawValue, status: Status(rawValue: action.status.rawValue),
            failureCode: action.failureCode, failureMessage: action.failureMessage, payment: action.paymentIntent,
            answers: action.inputs.map { ReaderAnswers.Answer($0) })
    }
}

extension ReaderAction.Purpose {
    init(_ kind: TerminalAction.Kind) {
        switch kind {
        case .processPaymentIntent, .collectPaymentMethod, .confirmPaymentIntent: self = .payment
        case .refundPayment: self = .refund
        case .setReaderDisplay: self = .display
        case .collectInputs: self = .questions
        default: self = .other
        }
    }
}

extension ReaderAnswers.Answer {
    init(_ input: TerminalInputAnswer) {
        self.init(
            kind: input.kind, title: input.title, value: input.value, text: input.text, isSkipped: input.isSkipped)
    }
}

extension ReaderError {
    init(_ error: StripeTerminalError) {
        let isMissing = error.status == 404 || error.providerCode == "reader_not_found"
        let kind: Kind =
            switch error.certainty {
            case .refused:
                switch error.providerCode {
                case "registration_code_invalid": .invalid(field: "code")
                case "terminal_reader_invalid_location_for_activation", "terminal_location_country_unsupported":
                    .invalid(field: "location")
                default: isMissing ? .notFound : .refused
                }
            case .notNow, .keyRejected, .notSent, .kept, .unknown: .unavailable
            }
        self.init(kind, code: error.code, error.what, moneyMoved: error.moneyMoved, next: error.next)
    }
}

extension ReaderAnswers {
    init(_ reader: TerminalReader) {
        let action = reader.action.flatMap { $0.kind == .collectInputs ? ReaderAction($0) : nil }
        self.init(
            reader: reader.id, label: reader.label, status: action?.status, failureCode: action?.failureCode,
            answers: action?.answers ?? [])
    }
}

extension TerminalInput {
    init(_ question: ReaderQuestion) {
        self.init(
            kind: question.kind.rawValue, title: question.title, details: question.details,
            isRequired: question.isRequired,
            choices: question.choices.enumerated().map { Choice(id: "choice-\($0 + 1)", text: $1) })
    }
}

extension IdempotencyKey {
    /// Returns an idempotency key for a one-time request by a user.
    package static func once(_ verb: String) -> IdempotencyKey {
        let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        return IdempotencyKey(rawValue: "till-\(verb)-\(random)")
    }
}
