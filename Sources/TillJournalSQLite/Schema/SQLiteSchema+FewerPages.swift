import GRDB
import TillJournal

/// Migrations that have a commit write fewer pages: each page of a table or an index that a commit changes is written
/// to the log whole.
extension SQLiteSchema {
    /// Has SQLite keep no count of the events. The table was made with AUTOINCREMENT, for which SQLite writes the
    /// largest position that it has seen into a table of its own, a page of every commit; but the writer gives each
    /// event its position, which the chain covers. What SQLite remembers is set beyond any position: it writes that row
    /// only for a larger one. An insertion that names no position is refused; it would have got one off the chain.
    static func registerUncountedEvents(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("events without a count of SQLite's own") { db in
            try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'event'")
            try db.execute(
                sql: "INSERT INTO sqlite_sequence(name, seq) VALUES ('event', ?)", arguments: [Int64.max])
        }
    }

    /// Leaves the payments that have their order out of the index by order: they are in `payment_live` already, and so
    /// each sale was in two indexes by its order. The condition is repeated to the letter by whoever reads the index.
    static func registerEndedPayments(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("orders of ended payments") { db in
            try db.execute(
                sql: """
                    DROP INDEX payment_order;
                    CREATE INDEX payment_order ON payment(account, order_id) WHERE live <> 1;
                    """)
        }
    }

    /// Keeps the totals in the row of the journal, which each commit with an event writes for the head of its chain. In
    /// a table of their own they were one more page. An earlier Till would look for that table: none may have the file
    /// open meanwhile, hence the new version.
    static func registerTotals(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("totals beside the head") { db in
            for status in statusesWithTotals {
                try db.execute(
                    sql: """
                        ALTER TABLE journal ADD COLUMN tally_\(status) INTEGER NOT NULL DEFAULT 0;
                        UPDATE journal SET tally_\(status) =
                          ifnull((SELECT count FROM tally WHERE name = 'payment \(status)'), 0);
                        """)
            }
            try db.execute(
                sql: """
                    ALTER TABLE journal ADD COLUMN tally_outbox INTEGER NOT NULL DEFAULT 0;
                    UPDATE journal SET tally_outbox = ifnull((SELECT count FROM tally WHERE name = 'outbox'), 0);
                    DROP TABLE tally;
                    PRAGMA user_version = 4;
                    """)
        }
    }

    /// The statuses of payments when the totals were moved. A later one needs a column of its own, by a migration of
    /// its own.
    private static let statusesWithTotals = [
        "requires_payment_method", "declined", "requires_action", "stored", "processing", "unknown",
        "requires_capture", "partially_captured", "succeeded", "partially_refunded", "refunded", "canceled",
        "expired", "capture_failed",
    ]
}
