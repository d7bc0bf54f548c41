public import TillCore

/// One restore of a journal: from here on it goes on from an earlier state of itself. Kept for good, one record for each.
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

    public init(number: Int64, at: Timestamp, source: String?, head: ChainHead, newest: Timestamp) {
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
    init?(_ json: JSONValue) {
        guard let number = json["epoch"]?.int64Value, let at = json["at"]?.int64Value,
            let head = json["head"]?.stringValue.flatMap({ ChainHead($0) }), let newest = json["newest"]?.int64Value
        else { return nil }
        self.init(
            number: number, at: Timestamp(milliseconds: at), source: json["source"]?.stringValue, head: head,
            newest: Timestamp(milliseconds: newest))
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("epoch", number)
        writer.field("at", at.milliseconds)
        writer.field("source", source)
        writer.field("head", head.description)
        writer.field("newest", newest.milliseconds)
        writer.endObject()
    }
}
