import TillCore

// Events after settlement, each next to its decoder.

extension JSONWriter {
    mutating func afterSale(_ event: PaymentEvent) {
        switch event {
        case .refundReversed(let refund, let decline):
            field("refund", refund.rawValue)
            self.decline(decline)
        case .captureReversed(let capture, let decline):
            field("capture", capture.rawValue)
            self.decline(decline)
        case .captureRestored(let capture): field("capture", capture.rawValue)
        case .captureReported(let capture, let attempt, let amount, let origin):
            field("capture", capture.rawValue)
            field("attempt", attempt.rawValue)
            money(amount)
            self.origin(origin)
        case .refundReported(let refund, let attempt, let amount, let origin):
            field("refund", refund.rawValue)
            field("attempt", attempt.rawValue)
            money(amount)
            self.origin(origin)
        case .disputeOpened(let attempt, let facts):
            field("attempt", attempt.rawValue)
            dispute(facts)
        case .disputeUpdated(let facts): dispute(facts)
        case .disputeFundsWithdrawn(let reference, let amount), .disputeFundsReinstated(let reference, let amount):
            field("reference", reference.rawValue)
            money(amount)
        case .disputeClosed(let reference, let outcome):
            field("reference", reference.rawValue)
            field("outcome", outcome.word)
        case .attentionClosed(let number, let resolution):
            field("number", number)
            field("resolution", resolution.kind.rawValue)
            if let amount = resolution.amount { money(amount) }
            field("evidence", resolution.evidence)
            field("actor", resolution.actor)
        case .queryRequested(let attempt, let due):
            field("attempt", attempt.rawValue)
            field("due", due.milliseconds)
        case .queryAnswered(let attempt): field("attempt", attempt.rawValue)
        case .created, .attemptStarted, .attemptBound, .attemptPrepared, .authorized, .actionRequired,
            .continuationStarted,
            .attemptStored, .attemptDeclined, .attemptNotSent, .attemptExpired, .voidStarted, .voided, .captureStarted,
            .captured, .renewalStarted, .renewed, .refundStarted, .refunded, .refused, .deferred, .outcomeUnknown,
            .cancelRequested, .canceled, .attentionRequired:
            break
        }
    }

    private mutating func origin(_ origin: OperationOrigin) {
        switch origin {
        case .till: field("origin", "till")
        case .elsewhere: field("origin", "elsewhere")
        case .provider(let reference):
            field("origin", "provider")
            field("reference", reference.rawValue)
        }
    }

    private mutating func dispute(_ facts: Dispute.Facts) {
        field("reference", facts.reference.rawValue)
        field("reason", facts.reason)
        field("stage", facts.stage)
        money(facts.amount)
        if let respondBy = facts.respondBy { field("respond_by", respondBy.milliseconds) }
    }
}

extension JSONValue {
    /// `nil` if the type is none of these.
    func afterSale(_ type: String) throws(JournalError) -> PaymentEvent? {
        switch type {
        case "refund.failed": .refundReversed(try id("refund"), try decline())
        case "capture.failed": .captureReversed(try id("capture"), try decline())
        case "capture.restored": .captureRestored(try id("capture"))
        case "capture.reported": .captureReported(try id("capture"), try id("attempt"), try money(), try origin())
        case "refund.reported": .refundReported(try id("refund"), try id("attempt"), try money(), try origin())
        case "dispute.opened": .disputeOpened(try id("attempt"), try dispute())
        case "dispute.updated": .disputeUpdated(try dispute())
        case "dispute.funds_withdrawn": .disputeFundsWithdrawn(try id("reference"), try money())
        case "dispute.funds_reinstated": .disputeFundsReinstated(try id("reference"), try money())
        case "dispute.closed": .disputeClosed(try id("reference"), try outcome())
        case "payment.attention_closed": .attentionClosed(try count("number"), try resolution())
        case "query.requested": .queryRequested(try id("attempt"), due: try moment("due"))
        case "query.answered": .queryAnswered(try id("attempt"))
        default: nil
        }
    }

    private func origin() throws(JournalError) -> OperationOrigin {
        switch try text("origin") {
        case "till": return .till
        case "elsewhere": return .elsewhere
        case "provider": return .provider(try id("reference"))
        case let word: throw .corrupted("who has moved money, “\(word.prefix(40))”, is not known")
        }
    }

    private func dispute() throws(JournalError) -> Dispute.Facts {
        Dispute.Facts(
            reference: try id("reference"), reason: try text("reason"), stage: try text("stage"), amount: try money(),
            respondBy: self["respond_by"] == nil ? nil : try moment("respond_by"))
    }

    private func outcome() throws(JournalError) -> Dispute.Outcome {
        let word = try text("outcome")
        guard let outcome = Dispute.Outcome(word: word) else {
            throw .corrupted("how a dispute was closed, “\(word.prefix(40))”, is not known")
        }
        return outcome
    }

    private func resolution() throws(JournalError) -> AttentionResolution {
        let word = try text("resolution")
        guard let kind = AttentionResolution.Kind(rawValue: word) else {
            throw .corrupted("how a person closed something, “\(word.prefix(40))”, is not known")
        }
        return AttentionResolution(
            kind: kind, amount: self["amount"] == nil ? nil : try money(), evidence: try text("evidence"),
            actor: try text("actor"))
    }
}
