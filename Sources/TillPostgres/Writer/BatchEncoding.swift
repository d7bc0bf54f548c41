import TillCore
import TillJournal

/// Writes as the procedure's parameters: one document in JSON, and the bytes that it points to, counted from 1.
struct BatchEncoding {
    private(set) var bytes: [[UInt8]] = []
    /// Whether a write has events.
    private(set) var appends = false
    /// Whether a write has entries for the audit log.
    private(set) var notes = false
    private let moment: Timestamp
    private var writer = JSONWriter()

    /// The batch as one JSON document, which the procedure reads.
    var json: [UInt8] { writer.bytes }

    init(_ writes: [PreparedWrite], at moment: Timestamp) {
        self.moment = moment
        writer.beginArray()
        for write in writes { add(write) }
        writer.endArray()
    }

    private mutating func keep(_ value: [UInt8]) -> Int {
        bytes.append(value)
        return bytes.count
    }

    private mutating func add(_ write: PreparedWrite) {
        writer.beginObject()
        if let record = write.idempotency { add(record, isFirst: write.mustBeFirst(record)) }
        if let webhook = write.webhook {
            writer.key("webhook")
            writer.beginObject()
            writer.field("provider", webhook.provider.rawValue)
            writer.field("id", webhook.id)
            writer.field("at", webhook.at.milliseconds)
            writer.endObject()
        }
        if let append = write.append { add(append, write.bodies) }
        if let (payment, moment) = write.wake {
            writer.key("wake")
            writer.beginObject()
            writer.field("payment", payment.rawValue)
            writer.field("at", moment.milliseconds)
            writer.endObject()
        }
        if !write.records.isEmpty {
            writer.key("records")
            writer.beginArray()
            for change in write.records { add(change) }
            writer.endArray()
        }
        if !write.audit.isEmpty {
            notes = true
            writer.key("audit")
            writer.beginArray()
            for note in write.audit { writer.int(Int64(keep(AuditEntry.bodyBehindPlace(note, at: moment)))) }
            writer.endArray()
        }
        writer.endObject()
    }

    private mutating func add(_ append: PreparedWrite.Append, _ bodies: [[UInt8]]) {
        let row = append.row
        appends = appends || !append.events.isEmpty
        writer.key("append")
        writer.beginObject()
        writer.field("id", row.id.rawValue)
        writer.field("account", row.account.rawValue)
        writer.field("order", row.order.rawValue)
        writer.field("number", row.orderNumber)
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
        writer.field("pending", append.isPending)
        if let due = append.nextDue { writer.field("due", due.milliseconds) }
        switch append.holder {
        case .nobody: break
        case .thisProcess: writer.field("holder", "this")
        case .unchanged: writer.field("holder", "unchanged")
        }
        writer.key("events")
        writer.beginArray()
        for (record, body) in zip(append.events, bodies) {
            writer.beginObject()
            writer.field("name", record.event.name)
            writer.field("at", record.at.milliseconds)
            writer.field("body", keep(body))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private mutating func add(_ record: IdempotencyRecord, isFirst: Bool) {
        writer.key("key")
        writer.beginObject()
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

    private mutating func add(_ change: RecordChange) {
        writer.beginObject()
        if let id = change.id {
            writer.field("collection", id.collection.rawValue)
            writer.field("key", id.key)
        }
        if let version = change.expectedVersion { writer.field("from", version) }
        switch change {
        case .insert(let record), .insertIfAbsent(let record): add(record, "insert")
        case .update(let record, _): add(record, "update")
        // A condition for the rest; there is nothing to delete.
        case .delete(_, from: 0): writer.field("do", "nothing")
        case .delete, .remove: writer.field("do", "delete")
        case .forget(let collection, let moment):
            writer.field("do", "forget")
            writer.field("collection", collection.rawValue)
            writer.field("due", moment.milliseconds)
            writer.field("most", RecordLimits.maximumForgotten)
        case .keepNewest(let limit, let collection, let match):
            writer.field("do", "keep")
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

    private mutating func add(_ record: Record, _ verb: String) {
        writer.field("do", verb)
        writer.field("body", keep(record.body))
        if let due = record.due { writer.field("due", due.milliseconds) }
        writer.field("held", record.isHeld)
        writer.key("fields")
        writer.beginObject()
        for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) { writer.field(name, value) }
        writer.endObject()
    }
}
