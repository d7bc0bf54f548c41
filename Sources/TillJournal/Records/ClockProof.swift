public import TillCore

/// The last time at which the machine's clock was trusted: one record beside the journal's events, so that a wrong
/// clock is detected at the next start even if entries with wrong times were written meanwhile.
public struct ClockProof: Hashable, Sendable {
    /// The source of trust in the clock.
    public enum Voucher: String, Sendable {
        /// No evidence contradicted it.
        case clock
        /// A person confirmed the time.
        case person
    }

    /// The clock's time then.
    public var at: Timestamp
    /// Journal entries up to this time are no evidence against the clock, even if they are later than it.
    public var overrules: Timestamp
    public var by: Voucher
    /// The version of the record that was read; each confirmation increases it.
    public private(set) var version = 0

    public init(at: Timestamp, overrules: Timestamp, by: Voucher) {
        self.at = at
        self.overrules = overrules
        self.by = by
    }
}

extension ClockProof: RecordDocument {
    /// The collection that holds it.
    public static let collection: RecordCollection = "clock"
    /// The key of the collection's only record.
    public static let key = "proof"

    /// The record to write.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at", at.milliseconds)
        writer.field("overrules", overrules.milliseconds)
        writer.field("by", by.rawValue)
        writer.endObject()
        return Record(RecordID(ClockProof.collection, ClockProof.key), body: writer.bytes)
    }

    /// Decodes a stored record.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let by = Voucher(rawValue: try body.text("by")) else { throw body.damaged("by") }
        self.init(
            at: Timestamp(milliseconds: try body.int("at")),
            overrules: Timestamp(milliseconds: try body.int("overrules")), by: by)
        version = stored.version
    }

    /// Returns the clock's time in a raw record; `nil` if it cannot be parsed.
    package static func moment(in body: [UInt8]) -> Timestamp? {
        JSONValue(ifValid: body)?["at"]?.int64Value.map(Timestamp.init(milliseconds:))
    }
}
