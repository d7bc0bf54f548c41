public import TillCheckout
public import TillCore
public import TillCounter
public import TillJournal

/// The JSON form of entries in the operators' queue.
public enum AttentionJSON {
    /// Assignments by subject; unassigned subjects are absent.
    public typealias Assigned = [Assignment.Subject: Assignment]

    /// Returns the assignments of listed entries and incidents.
    public static func assigned(
        _ found: [AttentionQueue.Found], _ incidents: [Incident] = [], in assignments: Assignments
    ) async throws(JournalError) -> Assigned {
        try await assigned(
            found.map { .entry($0.payment.id, number: $0.item.number) } + incidents.map { .incident($0.id) },
            in: assignments)
    }

    /// Returns the assignments of subjects.
    public static func assigned(
        _ subjects: [Assignment.Subject], in assignments: Assignments
    ) async throws(JournalError) -> Assigned {
        var assigned: Assigned = [:]
        for subject in subjects { assigned[subject] = try await assignments.assignment(of: subject) }
        return assigned
    }

    /// Encodes the queue: `{"attention":[…],"incidents_open":0,"incidents":[…],"setup":[…]}`.
    /// - Parameters:
    ///   - incidents: The listed incidents, and the total count.
    ///   - setup: What staff must mend of the running counter's setup; `nil` outside the counter, which then knows
    ///     nothing of it.
    public static func write(
        _ found: [AttentionQueue.Found], _ incidents: (first: [Incident], count: Int), _ assigned: Assigned,
        setup: [SetupNotice]? = nil, at now: Timestamp
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.key("attention")
        writer.beginArray()
        for entry in found { write(entry.item, of: entry.payment, assigned, at: now, into: &writer) }
        writer.endArray()
        writer.field("incidents_open", incidents.count)
        writer.key("incidents")
        writer.beginArray()
        for incident in incidents.first { write(incident, assigned, at: now, into: &writer) }
        writer.endArray()
        if let setup { write(setup, at: now, into: &writer) }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ setup: [SetupNotice], at now: Timestamp, into writer: inout JSONWriter) {
        writer.key("setup")
        writer.beginArray()
        for notice in setup {
            writer.beginObject()
            writer.field("code", notice.code)
            writer.field("subject", notice.subject)
            writer.field("reason", notice.reason)
            writer.field("next", notice.next)
            writer.field("since", notice.since?.description)
            if let since = notice.since {
                writer.field("age_seconds", max(0, now.since(since).milliseconds / 1_000))
            } else {
                writer.key("age_seconds")
                writer.null()
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(
        _ incident: Incident, _ assigned: Assigned, at now: Timestamp, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        members(of: incident, assigned, at: now, into: &writer)
        writer.endObject()
    }

    /// Encodes one incident, resolved or not, with its delivered document.
    public static func write(_ incident: Incident, _ assigned: Assigned = [:], at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        members(of: incident, assigned, at: now, into: &writer)
        writer.field("event", incident.event)
        writer.field("document", incident.document)
        writer.field("state", incident.isOpen ? "open" : "resolved")
        writer.key("resolution")
        if let words = incident.resolution {
            writer.beginObject()
            writer.field("evidence", words)
            writer.field("actor", incident.resolvedBy)
            writer.field("outcome", incident.outcome?.rawValue)
            writer.field("order_id", incident.foundOrder?.order.rawValue)
            writer.field("at", incident.resolvedAt?.description)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return writer.bytes
    }

    private static func members(
        of incident: Incident, _ assigned: Assigned, at now: Timestamp, into writer: inout JSONWriter
    ) {
        writer.field("id", incident.id)
        writer.field("kind", incident.kind.rawValue)
        writer.field("provider", incident.provider.rawValue)
        writer.field("payment_id", incident.payment.rawValue)
        writer.field("order_id", incident.owner?.order.rawValue)
        writer.field("reason", incident.description)
        writer.field("next", incident.resolvingCommand)
        writer.field("needs_outcome", incident.needsOutcome)
        writer.field("since", incident.at.description)
        writer.field("age_seconds", max(0, now.since(incident.at).milliseconds / 1000))
        write(assigned[.incident(incident.id)], into: &writer)
    }

    /// Encodes all entries of one payment, closed or not: `{"attention":[…]}`.
    public static func write(entriesOf payment: Payment, _ assigned: Assigned, at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.key("attention")
        writer.beginArray()
        for item in payment.attentionItems { write(item, of: payment, assigned, at: now, into: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Writes one entry, closed or not.
    public static func write(
        _ item: AttentionItem, of payment: Payment, _ assigned: Assigned, at now: Timestamp,
        into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("payment_id", payment.id.rawValue)
        writer.field("number", item.number)
        writer.field("order_id", payment.order.id.rawValue)
        writer.field("order_number", payment.order.number)
        writer.field("status", payment.status.rawValue)
        let stake = payment.stake(of: item)
        writer.field("amount", stake.minorUnits)
        writer.field("currency", stake.currency.code)
        writer.field("code", item.attention.code)
        writer.field("reason", item.attention.sentence)
        writer.field("next", item.attention.nextStep)
        writer.field("since", item.since.description)
        writer.field("age_seconds", max(0, now.since(item.since).milliseconds / 1000))
        writer.field("state", state(of: item, in: payment))
        write(assigned[.entry(payment.id, number: item.number)], into: &writer)
        writer.key("resolutions")
        writer.beginArray()
        for possible in payment.possibleResolutions(of: item.number) {
            writer.beginObject()
            writer.field("resolution", possible.kind.rawValue)
            write("amount", possible.amount, into: &writer)
            write("maximum", possible.maximum, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("closing")
        if let closing = item.closing {
            writer.beginObject()
            writer.field("resolution", closing.resolution.kind.rawValue)
            write("amount", closing.resolution.amount, into: &writer)
            writer.field("evidence", closing.resolution.evidence)
            writer.field("actor", closing.resolution.actor)
            writer.field("at", closing.at.description)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    /// Writes the member `assignee`.
    public static func write(_ assignment: Assignment?, into writer: inout JSONWriter) {
        writer.key("assignee")
        guard let assignment else { return writer.null() }
        writer.beginObject()
        writer.field("name", assignment.name)
        writer.field("at", assignment.at.description)
        writer.endObject()
    }

    private static func write(_ name: String, _ money: Money?, into writer: inout JSONWriter) {
        writer.key(name)
        if let money { writer.int(money.minorUnits) } else { writer.null() }
    }

    /// Returns the entry's state: `open`, `closed` by an operator, or `overtaken` by later events.
    public static func state(of item: AttentionItem, in payment: Payment) -> String {
        if item.closing != nil { return "closed" }
        return payment.isOvertaken(item) ? "overtaken" : "open"
    }
}
