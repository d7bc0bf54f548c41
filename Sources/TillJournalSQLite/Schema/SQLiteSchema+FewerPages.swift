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
}
