import TillCore

/// One attempt at a provider, asked as the engine asks. Every answer is kept, so that it can be searched for secrets.
struct Journey {
    let world: any ProviderWorld
    /// Which payment of the world; each has keys of its own.
    let number: Int
    var reference: ProviderReference?
    private(set) var said: [String] = []

    init(_ world: any ProviderWorld, number: Int = 1) {
        self.world = world
        self.number = number
    }

    private var payment: String { "pay_conformance\(number)" }

    private var context: AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "order-\(number)"), payment: PaymentID(rawValue: payment),
            attempt: AttemptID(rawValue: "\(payment)-a1"), startedAt: world.now, reference: reference)
    }

    private var key: IdempotencyKey { IdempotencyKey(rawValue: "\(payment)-a1-authorize") }

    private mutating func heard<Success>(_ answer: ProviderAnswer<Success>) -> ProviderAnswer<Success> {
        var text = ""
        dump(answer, to: &text)
        said += ["\(answer)", String(reflecting: answer), text]
        return answer
    }

    /// Makes the provider's object, where it wants one, and keeps its reference as the journal does.
    mutating func prepare(_ amount: Money = Moved.amount, _ mode: CaptureMode) async {
        guard world.provider.capabilities.preparesFirst, reference == nil else { return }
        if case .approved(let made) = heard(await world.provider.prepare(request(amount, mode))) {
            reference = made.reference
        }
    }

    private func request(_ amount: Money, _ mode: CaptureMode) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context, amount: amount, captureMode: mode,
            prepareKey: IdempotencyKey(rawValue: "\(payment)-a1-prepare"), key: key, description: "Order \(number)")
    }

    /// Prepares and asks for the money. Keeps the reference of what is approved.
    mutating func authorize(
        _ tender: Tender? = nil, _ amount: Money = Moved.amount, _ mode: CaptureMode = .manual
    ) async -> ProviderAnswer<Authorization> {
        await prepare(amount, mode)
        let answer = heard(await world.provider.authorize(request(amount, mode), with: tender ?? world.tender))
        if case .approved(let held) = answer { reference = held.reference }
        return answer
    }

    mutating func capture(
        _ units: Int64 = Moved.amount.minorUnits, part: Int = 1, isFinal: Bool = true
    ) async -> ProviderAnswer<Confirmation> {
        let id = "\(payment)-c\(part)"
        return heard(
            await world.provider.capture(
                CaptureRequest(
                    context: context, capture: CaptureID(rawValue: id),
                    amount: Money(minorUnits: units, currency: .eur), isFinal: isFinal,
                    key: IdempotencyKey(rawValue: "\(id)-capture"), startedAt: world.now)))
    }

    mutating func void() async -> ProviderAnswer<Confirmation> {
        heard(
            await world.provider.void(
                VoidRequest(
                    context: context, authorizationKey: key, reason: "requested_by_customer",
                    key: IdempotencyKey(rawValue: "\(payment)-a1-void"))))
    }

    mutating func refund(_ units: Int64, part: Int = 1, again: Bool = false) async -> ProviderAnswer<Confirmation> {
        let id = "\(payment)-r\(part)"
        return heard(
            await world.provider.refund(
                RefundRequest(
                    context: context, refund: RefundID(rawValue: id),
                    amount: Money(minorUnits: units, currency: .eur), reason: "requested_by_customer",
                    key: IdempotencyKey(rawValue: "\(id)-refund"), mayHaveBeenSent: again, startedAt: world.now)))
    }

    mutating func query(isAtRest: Bool = false) async -> ProviderAnswer<ProviderSnapshot> {
        heard(
            await world.provider.query(
                QueryRequest(context: context, authorizationKey: key, amount: Moved.amount, isAtRest: isAtRest)))
    }

    mutating func renew() async -> ProviderAnswer<Authorization> {
        let id = "\(payment)-h1"
        return heard(
            await world.provider.renew(
                RenewalRequest(
                    context: context, renewal: RenewalID(rawValue: id), amount: Moved.amount,
                    key: IdempotencyKey(rawValue: "\(id)-renew"))))
    }

    /// Asks again, as the engine does, until the answer is a yes or a no; at most four times.
    mutating func settled<Success>(
        _ call: (inout Journey) async -> ProviderAnswer<Success>
    ) async throws -> ProviderAnswer<Success> {
        var answer = await call(&self)
        for _ in 0..<3 {
            switch answer {
            case .approved, .declined, .requiresAction, .stored: return answer
            case .notSent, .keyRejected, .unknown:
                try await world.wait()
                answer = await call(&self)
            }
        }
        return answer
    }
}

extension ProviderAnswer {
    var isApproved: Bool { if case .approved = self { true } else { false } }
    var isDeclined: Bool { if case .declined = self { true } else { false } }
    /// The provider has it and has not finished.
    var isPending: Bool { if case .unknown(.pending) = self { true } else { false } }
    /// It certainly has had no effect.
    var isNo: Bool {
        switch self {
        case .declined, .notSent, .keyRejected: true
        case .approved, .requiresAction, .stored, .unknown: false
        }
    }
}
