import TillCore
import TillJournal

/// The periods covered by the statements of one provider account, used to detect movements that should appear on them
/// and do not.
struct StatementCoverage: RecordDocument {
    static let collection: RecordCollection = "statement-coverage"
    /// The maximum number of disjoint periods; the oldest are dropped.
    static let maximumIntervals = 400

    let key: String
    /// Disjoint periods, oldest first.
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

    /// Adds a period, merging periods that follow each other within the lag.
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

    /// `true` if a movement at that time should be on the statements: a period must begin at least the lag before it,
    /// because the journal may record a movement later than it happened, and end at least the lag after it.
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
