import TillCheckout
import TillCore
import TillJournal
import TillJournalSQLite

/// A restore and its sweep as one JSON object.
enum RestoreLine {
    static func json(_ standing: RestoreSweeper.Standing, _ report: RestoreReport?) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        if let report {
            writer.field("payments", report.payments)
            writer.field("events", report.events)
            writer.field("aside", report.aside)
        }
        writer.field("state", word(standing))
        writer.field("sells", standing == .notDue)
        writer.field("what", standing.description)
        if let sweep = sweep(standing) {
            if let epoch = sweep.epoch {
                writer.field("epoch", epoch.number)
                writer.field("head", epoch.head.description)
                writer.field("newest", epoch.newest.description)
            }
            writer.key("providers")
            writer.beginArray()
            for provider in sweep.providers { provider.write(into: &writer) }
            writer.endArray()
        }
        writer.endObject()
        return writer.text
    }

    private static func word(_ standing: RestoreSweeper.Standing) -> String {
        switch standing {
        case .notDue: "done"
        case .notRestored: "not_restored"
        case .listing: "listing"
        case .failing: "failing"
        case .waiting: "waiting"
        case .needsPerson: "needs_person"
        }
    }

    private static func sweep(_ standing: RestoreSweeper.Standing) -> RestoreSweep? {
        switch standing {
        case .notDue: nil
        case .notRestored(let sweep), .listing(let sweep), .failing(let sweep, _), .waiting(let sweep, _),
            .needsPerson(let sweep, _):
            sweep
        }
    }
}
