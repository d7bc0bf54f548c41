import TillCore

/// A provider's answer at one step of a payment, as far as its event keeps it. For staff: a customer sees other words.
struct StepAnswer: Hashable {
    /// The maximum length of a message, in characters; a longer one is cut.
    static let maximumMessage = 500

    /// The provider's reference of what it did.
    private(set) var reference: String?
    /// The reason of a refusal, as classified by Till, or of a dispute, as the provider names it.
    private(set) var reason: String?
    /// The provider's own code.
    private(set) var code: String?
    /// The provider's identifier of the request.
    private(set) var requestID: String?
    /// The provider's own message, or what became of a request without an answer.
    private(set) var message: String?

    /// Returns the answer that an event keeps; `nil` for an event without one.
    init?(_ event: PaymentEvent) {
        switch event {
        case .attemptPrepared(_, let reference): self.reference = reference.rawValue
        case .authorized(_, let authorization), .renewed(_, let authorization):
            reference = authorization.reference.rawValue
        case .captured(_, let reference), .refunded(_, let reference): self.reference = reference?.rawValue
        case .attemptDeclined(_, let decline), .refused(_, let decline), .refundReversed(_, let decline),
            .captureReversed(_, let decline):
            (reason, code) = (decline.reason.rawValue, decline.code)
            (requestID, message) = (decline.requestID, decline.message)
        case .attemptNotSent(_, let reason): message = reason
        case .deferred(_, _, let reason): message = reason.sentence
        case .outcomeUnknown(_, _, let reason): message = reason.sentence
        case .disputeOpened(_, let facts), .disputeUpdated(let facts):
            (reference, reason) = (facts.reference.rawValue, facts.reason)
        case .disputeFundsWithdrawn(let reference, _), .disputeFundsReinstated(let reference, _),
            .disputeClosed(let reference, _):
            self.reference = reference.rawValue
        case .created, .attemptStarted, .attemptBound, .actionRequired, .continuationStarted, .attemptStored,
            .attemptExpired, .voidStarted, .voided, .captureStarted, .renewalStarted, .refundStarted, .cancelRequested,
            .canceled, .attentionRequired, .captureRestored, .captureReported, .refundReported, .attentionClosed,
            .queryRequested, .queryAnswered:
            return nil
        }
        if [reference, reason, code, requestID, message].allSatisfy({ $0?.isEmpty ?? true }) { return nil }
    }

    /// Writes the answer as an object; what is not known is left out.
    func write(into writer: inout JSONWriter) {
        let message = message.map { String(CardNumberMask.maskedForPeople($0).prefix(StepAnswer.maximumMessage)) }
        writer.beginObject()
        for (name, value) in [
            ("reference", reference), ("reason", reason), ("code", code), ("request_id", requestID),
            ("message", message),
        ] {
            guard let value, !value.isEmpty else { continue }
            writer.field(name, value)
        }
        writer.endObject()
    }
}
