public import TillCore

/// The last moment at which the machine's clock was not in doubt: one record beside the journal's events, so that a
/// clock that is wrong at the next start is found out also where wrong entries were written meanwhile.
public struct ClockProof: Hashable, Sendable {
    /// Who vouched for the clock.
    public enum Voucher: String, Sendable {
        /// Nothing spoke against it.
        case clock
        /// A person who has checked a watch.
        case person
    }

    /// The clock's time then.
    public var at: Timestamp
    /// Entries of the journal up to this time say nothing about the clock, though they may be later than it.
    public var overrules: Timestamp
    public var by: Voucher
    /// Of the record that was read; a person's word makes it one more.
    public private(set) var version = 0

    public init(at: Timestamp, overrules: Timestamp, by: Voucher) {
        self.at = at
        self.overrules = overrules
        self.by = by
    }
}

extension ClockProof: RecordDocument {
    /// Where it is kept.
    public static let collection: RecordCollection = "clock"
    /// The one record of the collection has this key.
    public static let key = "proof"

    /// As it is written.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at", at.milliseconds)
        writer.field("overrules", overrules.milliseconds)
        writer.field("by", by.rawValue)
        writer.endObject()
        return Record(RecordID(ClockProof.collection, ClockProof.key), body: writer.bytes)
    }

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let by = Voucher(rawValue: try body.text("by")) else { throw body.damaged("by") }
        self.init(
            at: Timestamp(milliseconds: try body.int("at")),
            overrules: Timestamp(milliseconds: try body.int("overrules")), by: by)
        version = stored.version
    }

    /// The clock's time in a record as it lies in a file; `nil` if it cannot be read.
    package static func moment(in body: [UInt8]) -> Timestamp? {
        JSONValue(ifValid: body)?["at"]?.int64Value.map(Timestamp.init(milliseconds:))
    }
}
