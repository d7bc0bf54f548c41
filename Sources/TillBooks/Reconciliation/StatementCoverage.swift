import TillCore
import TillJournal

/// Which times the statements of one provider account cover, so that what should stand in them and does not is found.
struct StatementCoverage: RecordDocument {
    static let collection: RecordCollection = "statement-coverage"
    /// Times apart from each other that are kept; the oldest are forgotten.
    static let maximumIntervals = 400

    let key: String
    /// Apart from each other, oldest first.
    private(set) var intervals: [(from: Timestamp, to: Timestamp)] = []

    init(key: String) { self.key = key }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        key = stored.id.key
        for pair in body.json["intervals"]?.arrayValue ?? [] {
            guard let values = pair.arrayValue, values.count == 2, let from = values[0].int64Value,
                let to = values[1].int64Value
            else { throw body.damaged("intervals") }
            intervals.append((Timestamp(milliseconds: from), Timestamp(milliseconds: to)))
        }
    }

    /// Statements that follow each other within the lag leave nothing between them.
    mutating func add(from: Timestamp, to: Timestamp, lag: Span) {
        intervals.append((from, max(from, to)))
        intervals.sort { $0.from < $1.from }
        var merged: [(from: Timestamp, to: Timestamp)] = []
        for interval in intervals {
            if let last = merged.last, interval.from <= last.to.adding(lag) {
                merged[merged.count - 1].to = max(last.to, interval.to)
            } else {
                merged.append(interval)
            }
        }
        intervals = merged.suffix(StatementCoverage.maximumIntervals)
    }

    /// Whether something of a moment should have been in the statements: they begin the lag before it, because the
    /// journal may have heard of it later than it happened, and go on for the lag behind it.
    func covers(_ moment: Timestamp, lag: Span) -> Bool {
        intervals.contains { $0.from.adding(lag) <= moment && moment.adding(lag) <= $0.to }
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("intervals")
        writer.beginArray()
        for interval in intervals {
            writer.beginArray()
            writer.int(interval.from.milliseconds)
            writer.int(interval.to.milliseconds)
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
        return Record(RecordID(StatementCoverage.collection, key), body: writer.bytes)
    }
}
