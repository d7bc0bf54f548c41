internal import TillCore

/// Cards that Adyen's components or SDK take in a session: opened here, paid there, judged here. What the customer's
/// side reports is never believed. Adyen's status of a session names no amount that counts either: the authorization
/// event of its webhooks does, after its amount, currency, merchant account and reference were compared.
extension AdyenProvider {
    /// The kind of the action of an attempt whose session is open.
    static let sessionAction = "adyen_session"
    /// The life of a session, from the start of the attempt: that of a customer's action.
    static let sessionLife = CheckSchedule.actionLifetime
    /// The most by which Adyen may let a session end later than was asked for: the longest life that it gives one.
    static let longestSession = Span.hours(24)
    /// The time after a session's end in which an authorization may still be reported.
    static let sessionGrace = Span.minutes(5)

    /// Opens a session in the attempt's name. No money moves: the customer has nothing to pay with until the answer is
    /// in the journal, so that a session without an answer is nobody's, and takes none.
    func open(_ request: AuthorizationRequest) async -> ProviderAnswer<Authorization> {
        guard capabilities.takesAdyenSessions else {
            return .declined(Decline(reason: .cardNotSupported, message: "without webhooks there are no sessions"))
        }
        guard let amount = AdyenAmount.json(request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "Adyen cannot take this amount"))
        }
        let isAtOnce = request.captureMode == .automatic
        let reference = AdyenProvider.reference(request.context.attempt, isAtOnce: isAtOnce)
        let end = request.context.startedAt.adding(AdyenProvider.sessionLife)
        let body = JSONValue.adyen([
            "amount": amount, "merchantAccount": .string(gateway.config.merchantAccount),
            "reference": .string(reference), "returnUrl": .string(gateway.config.returnURL),
            "expiresAt": .string(end.internetTime), "allowedPaymentMethods": .array([.string("scheme")]),
            "captureDelayHours": isAtOnce ? .number("0") : nil,
            "additionalData": isAtOnce ? nil : .adyen(["manualCapture": .string("true")]),
        ])
        switch await gateway.post("/sessions", body, key: request.key, within: deadline) {
        case .answered(let document):
            guard let endsAt = AdyenProvider.end(of: document, asked: end) else {
                return .notSent(reason: "the session has another end than was asked for")
            }
            guard let id = document["id"]?.stringValue, let data = document["sessionData"]?.stringValue,
                let session = CustomerSession(id: id, data: data, endsAt: endsAt)
            else { return .notSent(reason: "the answer has no session that can be used") }
            guard isOwn(document, request.amount, reference) else {
                return .notSent(reason: "the session is of another payment")
            }
            return .requiresAction(CustomerAction(kind: AdyenProvider.sessionAction, session: session))
        case .refused(let status, let document, let id):
            return .declined(AdyenRefusal.decline(status, document, requestID: id))
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .notSent(reason: "no session came, and nobody has one: \(reason)")
        }
    }

    /// Returns the time from which a session counts as over: the one asked for, or Adyen's own if that is later. `nil`
    /// if Adyen's cannot be read, or is later than any session's: such a session is nobody's.
    private static func end(of document: JSONValue, asked: Timestamp) -> Timestamp? {
        guard let said = document["expiresAt"] else { return asked }
        guard let end = said.stringValue.flatMap({ Timestamp(internetTime: $0) }),
            end <= asked.adding(AdyenProvider.longestSession)
        else { return nil }
        return max(asked, end)
    }

    /// Returns `true` if what Adyen repeats of a session is what was asked for.
    private func isOwn(_ document: JSONValue, _ amount: Money, _ reference: String) -> Bool {
        if let said = document["amount"], AdyenAmount.money(said) != amount { return false }
        if let said = document["reference"], said.stringValue != reference { return false }
        if let said = document["merchantAccount"], said.stringValue != gateway.config.merchantAccount { return false }
        return true
    }

    /// Returns the state of an attempt whose customer has, or had, a session.
    ///
    /// A refused card does not end a session: the customer may type another one into it. Only a session that takes no
    /// money any more may count as declined, because another attempt could be paid beside it.
    func session(_ action: CustomerAction, _ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let reported: AdyenNotification?
        do throws(AdyenNotificationLogError) {
            reported = try await book.payment(request.context.attempt)
            if let reported, reported.success {
                guard reported.merchantAccount == gateway.config.merchantAccount else {
                    return .unknown(reason: "the payment is of another merchant account")
                }
                return try await report(reported, request)
            }
        } catch {
            return .unknown(reason: error.description)
        }
        func stands(_ standing: ProviderSnapshot.Standing) -> ProviderAnswer<ProviderSnapshot> {
            .approved(
                ProviderSnapshot(
                    reference: nil, standing: standing, captured: Money.zero(request.amount.currency)))
        }
        guard let session = action.session else { return stands(.processing) }
        // What the customer has finished was refused, and no other card can have paid any more.
        if action.isFinished { return stands(reported != nil && isOver(session) ? .unconfirmed : .processing) }
        guard let result = request.sessionResult else { return stands(.unconfirmed) }
        let path = "/sessions/\(session.id)?sessionResult=\(AdyenProvider.escaped(result.reveal()))"
        switch await gateway.get(path, within: deadline) {
        case .answered(let document):
            guard document["id"]?.stringValue == session.id, isOfAttempt(document, request) else {
                return .unknown(reason: "the answer is about another session")
            }
            switch AdyenSessionStatus(rawValue: document["status"]?.stringValue ?? "") {
            case .completed, .paymentPending:
                // With the session: its end is needed if the payment is refused after all.
                return stands(.requiresAction(CustomerAction(kind: CustomerAction.finishedSession, session: session)))
            case .refused where document["payments"]?.arrayValue?.isEmpty ?? true:
                return stands(
                    .declined(
                        Decline(
                            reason: .generic,
                            message: CardNumberMask.maskedForPeople(reported?.reason ?? "too many cards were refused"),
                            requestID: reported?.pspReference)))
            // What was paid at the end may still be on its way.
            case .expired where document["payments"]?.arrayValue?.isEmpty ?? true:
                return stands(isOver(session) ? .voided : .unconfirmed)
            case .active, .canceled: return stands(.unconfirmed)
            default: return .unknown(reason: "the session's status decides nothing")
            }
        case .refused(let status, _, _):
            // A result of another session, or one that Adyen cannot read: it says nothing about this one.
            return .unknown(reason: "the session's result was refused (HTTP \(status))")
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason), .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Returns `true` unless the status names another reference than the attempt's.
    private func isOfAttempt(_ document: JSONValue, _ request: QueryRequest) -> Bool {
        guard let said = document["reference"] else { return true }
        return [true, false].contains { isAtOnce in
            said.stringValue == AdyenProvider.reference(request.context.attempt, isAtOnce: isAtOnce)
        }
    }

    /// Returns `true` once a session can take no money any more, and what it took has had a moment to be reported. No
    /// call closes a session for certain: it is over by itself.
    func isOver(_ session: CustomerSession) -> Bool {
        clock.standing.isTrusted && clock.now() >= session.endsAt.adding(AdyenProvider.sessionGrace)
    }

    /// Returns a text for the query of an address: every byte but letters and digits is escaped.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }
}

/// Adyen's status of a session. Open: any value is kept. Source: Adyen's interface description, Checkout 71.
struct AdyenSessionStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }

    /// The customer can still pay.
    static let active = AdyenSessionStatus(rawValue: "active")
    /// The customer has left it; it may be paid yet.
    static let canceled = AdyenSessionStatus(rawValue: "canceled")
    /// Adyen says that the customer has paid.
    static let completed = AdyenSessionStatus(rawValue: "completed")
    /// Its time is over.
    static let expired = AdyenSessionStatus(rawValue: "expired")
    static let paymentPending = AdyenSessionStatus(rawValue: "paymentPending")
    /// Too many cards were refused: it takes none any more.
    static let refused = AdyenSessionStatus(rawValue: "refused")
}
