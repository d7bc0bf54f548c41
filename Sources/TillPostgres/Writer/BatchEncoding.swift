import TillCore
import TillJournal

/// The writes of a batch as the procedure's parameters: a JSON document with a list for each kind of row, and the bytes
/// that it refers to. Writes, events and bytes count from 1.
struct BatchEncoding {
    private(set) var bytes: [[UInt8]] = []
    /// `true` if a write has events.
    private(set) var appends = false
    /// `true` if a write has audit entries.
    private(set) var notes = false
    /// The JSON document of the batch.
    private(set) var json: [UInt8] = []

    init(_ writes: [PreparedWrite], at moment: Timestamp) {
        var writer = JSONWriter()
        writer.beginObject()
        // Empty lists are left out, which skips the procedure's work for them.
        list("keys", &writer, writes, where: { $0.idempotency != nil }) { encoding, writer, number, write in
            guard let record = write.idempotency else { return }
            encoding.add(record, isFirst: write.mustBeFirst(record), number, &writer)
        }
        list("webhooks", &writer, writes, where: { $0.webhook != nil }) { _, writer, number, write in
            guard let webhook = write.webhook else { return }
            writer.beginObject()
            writer.field("n", number)
            writer.field("provider", webhook.provider.rawValue)
            writer.field("id", webhook.id)
            writer.field("at", webhook.at.milliseconds)
            writer.endObject()
        }
        list("appends", &writer, writes, where: { $0.append != nil }) { encoding, writer, number, write in
            if let append = write.append { encoding.add(append, number, &writer) }
        }
        var event = 0
        list("events", &writer, writes, where: { $0.append?.events.isEmpty == false }) {
            encoding, writer, number, write in
            if let append = write.append { encoding.addEvents(of: append, write.bodies, number, &event, &writer) }
        }
        appends = event > 0
        list("wakes", &writer, writes, where: { $0.wake != nil }) { _, writer, number, write in
            guard let (payment, moment) = write.wake else { return }
            writer.beginObject()
            writer.field("n", number)
            writer.field("payment", payment.rawValue)
            writer.field("at", moment.milliseconds)
            writer.endObject()
        }
        list("conditions", &writer, writes, where: { $0.records.contains { $0.expectedVersion != nil } }) {
            _, writer, number, write in
            for (place, change) in write.records.enumerated() {
                guard let id = change.id, let version = change.expectedVersion else { continue }
                writer.beginObject()
                writer.field("n", number)
                writer.field("place", place)
                writer.field("collection", id.collection.rawValue)
                writer.field("key", id.key)
                writer.field("expected", version)
                writer.endObject()
            }
        }
        list("records", &writer, writes, where: { $0.records.contains { !$0.isCondition } }) {
            encoding, writer, number, write in
            for (place, change) in write.records.enumerated() where !change.isCondition {
                encoding.add(change, number, place, &writer)
            }
        }
        var note = 0
        list("notes", &writer, writes, where: { !$0.audit.isEmpty }) { encoding, writer, number, write in
            for entry in write.audit {
                note += 1
                writer.beginObject()
                writer.field("nr", note)
                writer.field("n", number)
                writer.field("body", encoding.keep(AuditEntry.bodyBehindPlace(entry, at: moment)))
                writer.endObject()
            }
        }
        notes = note > 0
        writer.endObject()
        json = writer.bytes
    }

    /// Writes the list of one kind of row, over all writes that have some.
    private mutating func list(
        _ name: String, _ writer: inout JSONWriter, _ writes: [PreparedWrite],
        where has: (PreparedWrite) -> Bool,
        _ add: (inout BatchEncoding, inout JSONWriter, Int, PreparedWrite) -> Void
    ) {
        guard writes.contains(where: has) else { return }
        writer.key(name)
        writer.beginArray()
        for (index, write) in writes.enumerated() where has(write) { add(&self, &writer, index + 1, write) }
        writer.endArray()
    }

    private mutating func keep(_ value: [UInt8]) -> Int {
        bytes.append(value)
        return bytes.count
    }

    private func add(_ append: PreparedWrite.Append, _ number: Int, _ writer: inout JSONWriter) {
        let row = append.row
        writer.beginObject()
        writer.field("n", number)
        writer.field("id", row.id.rawValue)
        writer.field("account", row.account.rawValue)
        writer.field("order_id", row.order.rawValue)
        writer.field("order_number", row.orderNumber)
        writer.field("live", append.isLive)
        writer.field("expected", append.expectedVersion)
        writer.field("version", row.version)
        writer.field("status", row.status.rawValue)
        writer.field("amount", row.amount.minorUnits)
        writer.field("currency", row.amount.currency.code)
        writer.field("captured", row.captured.minorUnits)
        writer.field("refunded", row.refunded.minorUnits)
        writer.field("provider", row.provider?.rawValue)
        writer.field("tender", row.tenderKind?.rawValue)
        writer.field("created_at", row.createdAt.milliseconds)
        writer.field("updated_at", row.updatedAt.milliseconds)
        writer.field("events", !append.events.isEmpty)
        writer.field("pending", append.isPending)
        if let due = append.nextDue { writer.field("due", due.milliseconds) }
        switch append.holder {
        case .nobody: break
        case .thisProcess: writer.field("holder", "this")
        case .unchanged: writer.field("holder", "unchanged")
        }
        writer.endObject()
    }

    private mutating func addEvents(
        of append: PreparedWrite.Append, _ bodies: [[UInt8]], _ number: Int, _ event: inout Int,
        _ writer: inout JSONWriter
    ) {
        for (offset, (record, body)) in zip(append.events, bodies).enumerated() {
            event += 1
            writer.beginObject()
            writer.field("nr", event)
            writer.field("n", number)
            writer.field("payment", append.row.id.rawValue)
            writer.field("account", append.row.account.rawValue)
            writer.field("version", append.expectedVersion + offset + 1)
            writer.field("name", record.event.name)
            writer.field("at", record.at.milliseconds)
            writer.field("body", keep(body))
            writer.endObject()
        }
    }

    private mutating func add(
        _ record: IdempotencyRecord, isFirst: Bool, _ number: Int, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("n", number)
        writer.field("account", record.scope.account.rawValue)
        writer.field("operation", record.scope.operation)
        writer.field("key", record.scope.key)
        writer.field("first", isFirst)
        writer.field("fingerprint", keep(record.fingerprint))
        writer.field("request", keep(record.request))
        writer.field("finished", record.isFinished)
        writer.field("payment", record.payment?.rawValue)
        writer.field("created_at", record.createdAt.milliseconds)
        switch record.state {
        case .inFlight(_, let operation): writer.field("step", operation)
        case .finished(let status, let body, _):
            writer.field("status", status)
            writer.field("body", keep(body))
        }
        writer.endObject()
    }

    private mutating func add(_ change: RecordChange, _ number: Int, _ place: Int, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("n", number)
        writer.field("place", place)
        if let id = change.id {
            writer.field("collection", id.collection.rawValue)
            writer.field("key", id.key)
        }
        switch change {
        case .insert(let record), .insertIfAbsent(let record): add(record, "insert", &writer)
        case .update(let record, _): add(record, "update", &writer)
        case .delete, .remove: writer.field("verb", "delete")
        case .forget(let collection, let moment):
            writer.field("verb", "forget")
            writer.field("collection", collection.rawValue)
            writer.field("due", moment.milliseconds)
            writer.field("most", RecordLimits.maximumForgotten)
        case .keepNewest(let limit, let collection, let match):
            writer.field("verb", "keep")
            writer.field("collection", collection.rawValue)
            writer.field("limit", max(0, limit))
            writer.field("most", RecordLimits.maximumForgotten)
            if let match {
                writer.field("name", match.field)
                writer.field("value", match.value)
            }
        }
        writer.endObject()
    }

    private mutating func add(_ record: Record, _ verb: String, _ writer: inout JSONWriter) {
        writer.field("verb", verb)
        writer.field("body", keep(record.body))
        if let due = record.due { writer.field("due", due.milliseconds) }
        writer.field("held", record.isHeld)
        writer.key("fields")
        writer.beginObject()
        for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) { writer.field(name, value) }
        writer.endObject()
    }
}
