public import TillCore

/// One restore of a journal: from here on it goes on from an earlier state of itself. Kept for good, one record for
/// each.
public struct RestoreEpoch: RecordDocument, Hashable {
    public static let collection: RecordCollection = "restore_epoch"

    /// 2 for the first restore; a journal that was never restored is in its first epoch.
    public let number: Int64
    /// When it was restored.
    public let at: Timestamp
    /// The name of the backup's file, without its folder; `nil`: the file that was in place was taken as it was.
    public let source: String?
    /// Where the chain of the backup ends.
    public let head: ChainHead
    /// The newest moment in the backup: what happened later is not in it.
    public let newest: Timestamp
    /// The earliest moment of its last events (``lastEvents``). A machine whose clock was ahead for a while has written
    /// events that seem to be later than they were; providers are asked what they have from here on.
    public let earliest: Timestamp
    /// Of so many of the backup's last events the earliest is taken: a clock that is ahead is found out with the first
    /// answer of a provider.
    public static let lastEvents = 100

    /// - Parameter earliest: `nil`: the same as `newest`.
    public init(
        number: Int64, at: Timestamp, source: String?, head: ChainHead, newest: Timestamp, earliest: Timestamp? = nil
    ) {
        self.earliest = earliest ?? newest
        self.number = number
        self.at = at
        self.source = source
        self.head = head
        self.newest = newest
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let epoch = RestoreEpoch(body.json) else { throw body.damaged("epoch") }
        self = epoch
    }

    public var record: Record {
        var writer = JSONWriter()
        write(into: &writer)
        // Digits in front keep the records in the order of their epochs.
        let digits = String(number)
        let key = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return Record(RecordID(RestoreEpoch.collection, key), body: writer.bytes)
    }
}

extension RestoreEpoch {
    /// The same restore, as if it had been made at another moment.
    package func made(at moment: Timestamp) -> RestoreEpoch {
        RestoreEpoch(number: number, at: moment, source: source, head: head, newest: newest, earliest: earliest)
    }

    init?(_ json: JSONValue) {
        guard let number = json["epoch"]?.int64Value, let at = json["at"]?.int64Value,
            let head = json["head"]?.stringValue.flatMap({ ChainHead($0) }), let newest = json["newest"]?.int64Value
        else { return nil }
        self.init(
            number: number, at: Timestamp(milliseconds: at), source: json["source"]?.stringValue, head: head,
            newest: Timestamp(milliseconds: newest),
            earliest: json["earliest"]?.int64Value.map { Timestamp(milliseconds: $0) })
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("epoch", number)
        writer.field("at", at.milliseconds)
        writer.field("source", source)
        writer.field("head", head.description)
        writer.field("newest", newest.milliseconds)
        if earliest != newest { writer.field("earliest", earliest.milliseconds) }
        writer.endObject()
    }
}
