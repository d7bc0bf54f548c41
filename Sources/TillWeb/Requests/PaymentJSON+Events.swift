public import TillCore
public import TillCounter
public import TillJournal

extension PaymentJSON {
    /// Encodes one payment with its events and their actors.
    public static func write(_ payment: Payment, events: [StoredEvent]) -> [UInt8] {
        write(payment, events: events, approvals: [])
    }

    /// Encodes one payment with its events, the approvals of its refunds, and its notes.
    /// - Parameters:
    ///   - notes: `nil` leaves them out.
    ///   - request: What is known of a request that the reader asks about; `nil` leaves it out.
    package static func write(
        _ payment: Payment, events: [StoredEvent], approvals: [Approval], notes: [PaymentNote]? = nil,
        request: IdempotentRequests.Standing? = nil
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.beginObject()
        members(of: payment, into: &writer, withSession: true)
        writer.key("events")
        writer.beginArray()
        // How the money stood after each, so that nobody has to follow the operations.
        var standing: Payment?
        for event in events {
            if standing == nil {
                standing = try? Payment(stored: [event])
            } else {
                standing?.evolve(event.record)
            }
            writer.beginObject()
            writer.field("type", event.record.event.name)
            writer.field("at", event.record.at.description)
            if let standing {
                writer.field("captured", standing.captured.minorUnits)
                writer.field("refunded", standing.refunded.minorUnits)
                writer.field("held", standing.held.minorUnits)
                writer.field("disputed", standing.disputed.minorUnits)
            }
            if let answer = StepAnswer(event.record.event) {
                writer.key("answer")
                answer.write(into: &writer)
            }
            writer.key("by")
            if let by = event.record.by { write(by, into: &writer) } else { writer.null() }
            writer.endObject()
        }
        writer.endArray()
        writer.key("approvals")
        writer.beginArray()
        for approval in approvals { approval.write(into: &writer) }
        writer.endArray()
        if let notes {
            writer.key("notes")
            writer.beginArray()
            for note in notes { note.write(into: &writer) }
            writer.endArray()
        }
        if let request { writer.field("request", request.rawValue) }
        writer.endObject()
        return writer.bytes
    }

    /// Writes an attribution with its display text.
    package static func write(_ attribution: Attribution, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("text", attribution.description)
        attribution.members(into: &writer)
        writer.endObject()
    }
}
