public import TillCore

/// A restore of a journal: from here on it continues from an earlier state. One permanent record for each restore.
public struct RestoreEpoch: RecordDocument, Hashable {
    public static let collection: RecordCollection = "restore_epoch"

    /// 2 for the first restore; a journal that was never restored is in its first epoch.
    public let number: Int64
    /// The time of the restore.
    public let at: Timestamp
    /// The file name of the backup, without its folder; `nil` if the current file was declared a backup.
    public let source: String?
    /// The head of the backup's chain.
    public let head: ChainHead
    /// The newest time in the backup: later operations are not in it.
    public let newest: Timestamp
    /// The earliest time among its last events (``lastEvents``). A machine with a clock that was temporarily ahead has
    /// written events dated later than they happened; providers are queried from here on.
    public let earliest: Timestamp
    /// The number of the backup's last events considered for the earliest time: a clock that is ahead is detected with
    /// the first response of a provider.
    public static let lastEvents = 100

    /// - Parameter earliest: defaults to `newest`.
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
        // Leading zeros sort the records by epoch.
        let digits = String(number)
        let key = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return Record(RecordID(RestoreEpoch.collection, key), body: writer.bytes)
    }
}

extension RestoreEpoch {
    /// Returns the same restore with another time.
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
