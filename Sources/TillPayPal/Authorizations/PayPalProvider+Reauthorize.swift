public import TillCards
public import TillCore

extension PayPalProvider {
    /// The hold as it stands at PayPal.
    public func hold(of reference: ProviderReference?) async throws(PayPalCallError) -> OrderAuthorization? {
        guard let reference = PayPalReference(reference) else { return nil }
        let end = clock.now().adding(deadline)
        switch await order(reference.order, until: end) {
        case .order(let order):
            return order.authorizations.last { [.created, .partiallyCaptured].contains($0.status) }
        case .missing: return nil
        case .unknown(let reason): throw PayPalCallError.noAnswer(reason, moneyMoved: .no)
        }
    }

    /// Renews a hold: the bank honors it for three more days, never past its end. The order then has a second hold,
    /// which later captures take.
    ///
    /// The key says which hold and which day, so that asking twice renews once, also after a crash.
    public func reauthorize(
        _ attempt: AttemptID, reference: ProviderReference?, amount: Money, life: AuthorizationLife
    ) async throws(PayPalCallError) -> OrderAuthorization {
        do throws(AuthorizationLifeError) { try life.checkRenewal(at: clock.now()) } catch { throw .life(error) }
        guard let hold = PayPalReference(reference)?.authorization else { throw .life(.nothingHeld) }
        guard let members = try? PayPalMoney.members(amount, at: "amount") else {
            throw .life(.nothingHeld)
        }
        let day = clock.now().since(life.created).milliseconds / 86_400_000
        let call = PayPalCall.post(
            PayPalPath.authorization(hold, "reauthorize"), .members(["amount": .object(members)]),
            key: IdempotencyKey(rawValue: "\(attempt)-reauthorize-\(day)"))
        switch await connection.send(call, within: deadline) {
        case .answered(_, let json, _):
            guard let renewed = OrderAuthorization(json) else {
                throw .noAnswer("the answer can not be read", moneyMoved: .unknown)
            }
            return renewed
        case .failed(let error): throw .refused(error)
        case .notSent(let reason): throw .noAnswer(reason, moneyMoved: .no)
        case .unknown(let reason): throw .noAnswer(reason, moneyMoved: .unknown)
        }
    }
}

/// Why a call beside the engine came to nothing.
public enum PayPalCallError: ExplainedError {
    /// PayPal said no.
    case refused(PayPalError)
    /// There is no answer.
    case noAnswer(String, moneyMoved: MoneyMoved)
    /// It is too early or too late.
    case life(AuthorizationLifeError)

    /// The stable word.
    public var code: String {
        switch self {
        case .refused(let error): error.issue?.rawValue.lowercased() ?? "refused_by_provider"
        case .noAnswer: "no_answer"
        case .life(let error): error.code
        }
    }

    /// What happened.
    public var what: String {
        switch self {
        case .refused(let error): "PayPal refused: \(error)."
        case .noAnswer(let reason, _): "PayPal gave no answer: \(reason)."
        case .life(let error): error.what
        }
    }

    /// Whether money moved.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .refused(let error): error.saysNotDone ? .no : .unknown
        case .noAnswer(_, let moved): moved
        case .life: .no
        }
    }

    /// What to do next.
    public var next: String {
        switch self {
        case .refused: "Look at the payment and decide."
        case .noAnswer: "Ask again: the same request is never done twice."
        case .life(let error): error.next
        }
    }
}
