public import TillCore

/// The JSON encoding of events: one object per event, `type` first, amounts as minor units with their currency.
///
/// Anything written once is readable forever: a member may be added, but never renamed or given another meaning.
public enum PaymentEventCodec {
    /// An event may be larger than a request: its order holds the whole basket.
    static let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 64, maximumValues: 2_000_000)

    /// Encodes the event as a JSON object, with the actor as its member `by`.
    public static func encode(_ event: PaymentEvent, by attribution: Attribution? = nil) -> [UInt8] {
        var writer = JSONWriter(reserving: 384)
        write(event, by: attribution, into: &writer)
        return writer.bytes
    }

    private static func write(_ event: PaymentEvent, by attribution: Attribution?, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("type", event.name)
        switch event {
        case .created(let creation):
            writer.field("payment", creation.payment.rawValue)
            writer.field("account", creation.account.rawValue)
            writer.field("capture_mode", creation.captureMode.rawValue)
            writer.key("order")
            writer.order(creation.order)
            writer.optional("accepted_by", creation.acceptedBy)
            if let discount = creation.discount { writer.discount(discount) }
        case .attemptStarted(let start):
            writer.field("attempt", start.attempt.rawValue)
            writer.field("provider", start.provider.rawValue)
            writer.money(start.amount)
            writer.key("tender")
            writer.tender(start.tender)
            if let identity = start.identity { writer.identity(identity) }
        case .attemptBound(let attempt, let identity):
            writer.field("attempt", attempt.rawValue)
            writer.identity(identity)
        case .attemptPrepared(let attempt, let reference):
            writer.field("attempt", attempt.rawValue)
            writer.field("reference", reference.rawValue)
        case .authorized(let attempt, let authorization):
            writer.field("attempt", attempt.rawValue)
            writer.authorization(authorization)
        case .actionRequired(let attempt, let action):
            writer.field("attempt", attempt.rawValue)
            writer.field("kind", action.kind)
            writer.optional("url", action.url)
            writer.optional("order", action.order)
            if let session = action.session {
                writer.field("session", session.id)
                writer.optional("session_data", session.data.isEmpty ? nil : session.data)
                writer.field("session_ends", session.endsAt.milliseconds)
            }
        case .continuationStarted(let attempt, let number):
            writer.field("attempt", attempt.rawValue)
            writer.field("number", number)
        case .attemptStored(let attempt, let tap):
            writer.field("attempt", attempt.rawValue)
            writer.field("record", tap.record.rawValue)
            writer.field("stored_at", tap.storedAt.milliseconds)
            writer.field("expires", tap.expires.milliseconds)
        case .attemptDeclined(let attempt, let decline):
            writer.field("attempt", attempt.rawValue)
            writer.decline(decline)
        case .attemptNotSent(let attempt, let reason):
            writer.field("attempt", attempt.rawValue)
            writer.field("reason", reason)
        case .voidStarted(let attempt, let reason):
            writer.field("attempt", attempt.rawValue)
            writer.voidReason(reason)
        case .attemptExpired(let attempt), .voided(let attempt):
            writer.field("attempt", attempt.rawValue)
        case .captureStarted(let capture, let attempt, let amount, let isFinal):
            writer.field("capture", capture.rawValue)
            writer.field("attempt", attempt.rawValue)
            writer.money(amount)
            writer.field("final", isFinal)
        case .captured(let capture, let reference):
            writer.field("capture", capture.rawValue)
            writer.optional("reference", reference?.rawValue)
        case .renewalStarted(let renewal, let attempt, let amount):
            writer.field("renewal", renewal.rawValue)
            writer.field("attempt", attempt.rawValue)
            writer.money(amount)
        case .renewed(let renewal, let authorization):
            writer.field("renewal", renewal.rawValue)
            writer.authorization(authorization)
        case .refundStarted(let refund, let attempt, let amount, let reason):
            writer.field("refund", refund.rawValue)
            writer.field("attempt", attempt.rawValue)
            writer.money(amount)
            writer.optional("reason", reason)
        case .refunded(let refund, let reference):
            writer.field("refund", refund.rawValue)
            writer.optional("reference", reference?.rawValue)
        case .refused(let operation, let decline):
            writer.operation(operation)
            writer.decline(decline)
        case .deferred(let operation, let until, let reason):
            writer.operation(operation)
            writer.field("until", until.milliseconds)
            writer.resendReason(reason)
        case .outcomeUnknown(let operation, let nextCheck, let reason):
            writer.operation(operation)
            writer.field("next_check", nextCheck.milliseconds)
            writer.unknownReason(reason)
        case .cancelRequested(let reason):
            writer.field("reason", reason)
        case .canceled:
            break
        case .attentionRequired(let operation, let attention):
            writer.operation(operation)
            writer.attention(attention)
        case .refundReversed, .captureReversed, .captureRestored, .captureReported, .refundReported, .disputeOpened,
            .disputeUpdated, .disputeFundsWithdrawn, .disputeFundsReinstated, .disputeClosed, .attentionClosed,
            .queryRequested, .queryAnswered:
            writer.afterSale(event)
        }
        if let attribution {
            writer.key("by")
            attribution.write(into: &writer)
        }
        writer.endObject()
    }

    /// Decodes an event, including one written by an older version.
    /// - Parameter at: the time of the event, which the journal stores beside it.
    /// - Throws: ``JournalError/corrupted(_:)`` for anything that ``encode(_:by:)`` does not write.
    public static func decode(_ bytes: some Collection<UInt8>, at: Timestamp) throws(JournalError) -> PaymentEvent {
        try record(bytes, at: at).event
    }

    /// Decodes an event with its actor; `nil` for events from before actors were recorded.
    package static func record(_ bytes: some Collection<UInt8>, at: Timestamp) throws(JournalError) -> RecordedEvent {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: bytes, limits: limits) } catch {
            throw .corrupted("an event cannot be read. \(error)")
        }
        let event = try decode(json, at: at)
        guard let said = json["by"] else { return RecordedEvent(event, at: at) }
        guard let attribution = Attribution(said) else {
            throw .corrupted("whom an event is put down to cannot be read")
        }
        return RecordedEvent(event, at: at, by: attribution)
    }

    private static func decode(_ json: JSONValue, at: Timestamp) throws(JournalError) -> PaymentEvent {
        let type = try json.text("type")
        switch type {
        case "payment.created": return .created(try json.creation())
        case "attempt.started":
            let amount = try json.money()
            return .attemptStarted(
                PaymentEvent.AttemptStart(
                    attempt: try json.id("attempt"), provider: try json.id("provider"),
                    tender: try json.member("tender").tender(in: amount.currency), amount: amount,
                    identity: try json.optionalIdentity()))
        case "attempt.bound": return .attemptBound(try json.id("attempt"), try json.identity())
        case "attempt.prepared": return .attemptPrepared(try json.id("attempt"), try json.id("reference"))
        case "attempt.authorized": return .authorized(try json.id("attempt"), try json.authorization())
        case "attempt.action_required":
            return .actionRequired(
                try json.id("attempt"),
                CustomerAction(
                    kind: try json.text("kind"), url: try json.optionalText("url"),
                    order: try json.optionalText("order"), session: try json.optionalSession()))
        case "continuation.started":
            return .continuationStarted(try json.id("attempt"), number: try json.count("number"))
        case "attempt.stored":
            return .attemptStored(
                try json.id("attempt"),
                StoredTap(
                    record: try json.id("record"), storedAt: try json.moment("stored_at"),
                    expires: try json.moment("expires")))
        case "attempt.declined": return .attemptDeclined(try json.id("attempt"), try json.decline())
        case "attempt.not_sent": return .attemptNotSent(try json.id("attempt"), reason: try json.text("reason"))
        case "attempt.expired": return .attemptExpired(try json.id("attempt"))
        case "void.started": return .voidStarted(try json.id("attempt"), reason: try json.voidReason())
        case "void.succeeded": return .voided(try json.id("attempt"))
        case "capture.started":
            return .captureStarted(
                try json.id("capture"), try json.id("attempt"), try json.money(), isFinal: try json.flag("final"))
        case "capture.succeeded": return .captured(try json.id("capture"), try json.optionalID("reference"))
        case "renewal.started":
            return .renewalStarted(try json.id("renewal"), try json.id("attempt"), try json.money())
        case "renewal.succeeded": return .renewed(try json.id("renewal"), try json.authorization())
        case "refund.started":
            return .refundStarted(
                try json.id("refund"), try json.id("attempt"), try json.money(),
                reason: try json.optionalText("reason"))
        case "refund.succeeded": return .refunded(try json.id("refund"), try json.optionalID("reference"))
        case "operation.refused": return .refused(try json.operation(), try json.decline())
        case "operation.deferred":
            return .deferred(
                try json.operation(), until: try json.moment("until"), reason: try json.resendReason(at: at))
        case "operation.unknown":
            return .outcomeUnknown(
                try json.operation(), nextCheck: try json.moment("next_check"), reason: try json.unknownReason())
        case "payment.cancel_requested": return .cancelRequested(reason: try json.text("reason"))
        case "payment.canceled": return .canceled
        case "payment.attention_required":
            return .attentionRequired(try json.operation(), try json.attention())
        default:
            if let event = try json.afterSale(type) { return event }
            throw .corrupted("the kind of event “\(type.prefix(40))” is not known")
        }
    }
}
