package import TillCore

/// The type of a message: what happened to a payment, in the words of a shop. The journal's own steps (`GET
/// /v1/events`) are finer; several of them are no news for a shop's program, and have no type.
package enum WebhookType: String, CaseIterable, Hashable, Sendable {
    case created = "payment.created"
    case actionRequired = "payment.action_required"
    case stored = "payment.stored"
    case authorized = "payment.authorized"
    case declined = "payment.declined"
    case unknown = "payment.unknown"
    case expired = "payment.expired"
    case voided = "payment.voided"
    case captured = "payment.captured"
    case captureFailed = "payment.capture_failed"
    case captureRestored = "payment.capture_restored"
    case refunded = "payment.refunded"
    case refundFailed = "payment.refund_failed"
    case canceled = "payment.canceled"
    case attentionRequired = "payment.attention_required"
    case disputeOpened = "dispute.opened"
    case disputeUpdated = "dispute.updated"
    case disputeFundsWithdrawn = "dispute.funds_withdrawn"
    case disputeFundsReinstated = "dispute.funds_reinstated"
    case disputeClosed = "dispute.closed"

    /// The type of a test message, which every endpoint takes.
    package static let test = "till.test"

    /// Returns the type of a journal event; `nil` for one that no message is made of.
    package init?(_ event: PaymentEvent) {
        switch event {
        case .created: self = .created
        case .actionRequired: self = .actionRequired
        case .attemptStored: self = .stored
        case .authorized(_, let authorization): self = authorization.isCaptured ? .captured : .authorized
        case .attemptDeclined: self = .declined
        case .outcomeUnknown: self = .unknown
        case .attemptExpired: self = .expired
        case .voided: self = .voided
        case .captured, .captureReported: self = .captured
        case .captureReversed, .refused(.capture, _): self = .captureFailed
        case .captureRestored: self = .captureRestored
        case .refunded, .refundReported: self = .refunded
        case .refundReversed, .refused(.refund, _): self = .refundFailed
        case .canceled: self = .canceled
        case .attentionRequired: self = .attentionRequired
        case .disputeOpened: self = .disputeOpened
        case .disputeUpdated: self = .disputeUpdated
        case .disputeFundsWithdrawn: self = .disputeFundsWithdrawn
        case .disputeFundsReinstated: self = .disputeFundsReinstated
        case .disputeClosed: self = .disputeClosed
        case .attemptStarted, .attemptBound, .attemptPrepared, .continuationStarted, .attemptNotSent, .voidStarted,
            .captureStarted, .renewalStarted, .renewed, .refundStarted, .refused, .deferred, .cancelRequested,
            .attentionClosed, .queryRequested, .queryAnswered:
            return nil
        }
    }
}

/// The types that an endpoint takes: names, families such as `payment.*`, or `*`.
package struct WebhookTypes: Hashable, Sendable {
    /// What may be in a list.
    package static let words = ["*", "payment.*", "dispute.*"] + WebhookType.allCases.map(\.rawValue)
    /// The list of an endpoint that names none.
    package static let all = WebhookTypes(stored: ["*"])

    package let words: [String]

    /// Checks a list.
    /// - Throws: ``UnknownWebhookType`` for the first entry that does not exist.
    package init(_ words: [String]) throws(UnknownWebhookType) {
        for word in words where !WebhookTypes.words.contains(word) { throw UnknownWebhookType(word: word) }
        self.init(stored: WebhookTypes.words.filter { words.contains($0) })
    }

    /// Takes a stored list as it is: a name of a later version matches nothing here.
    init(stored words: [String]) { self.words = words }

    package func contains(_ type: WebhookType) -> Bool {
        words.contains { word in
            word == type.rawValue || (word.hasSuffix("*") && type.rawValue.hasPrefix(word.dropLast()))
        }
    }
}

/// The error for a type that does not exist.
package struct UnknownWebhookType: Error, Hashable, CustomStringConvertible {
    package let word: String

    package var description: String {
        "There is no type “\(ProviderText.line(word, atMost: 64))”. "
            + "There are \(WebhookTypes.words.joined(separator: ", "))."
    }
}
