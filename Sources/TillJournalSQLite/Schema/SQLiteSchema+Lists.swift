import GRDB
import TillJournal

extension SQLiteSchema {
    /// Serves every list from an index in its own order, and maintains totals in the commits: no query of a running
    /// counter scans a table.
    static func registerLists(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("lists without scans") { db in
            try db.execute(
                sql: """
                    CREATE INDEX event_account ON event(account, sequence);
                    CREATE INDEX payment_account ON payment(account, id);
                    CREATE INDEX payment_account_status ON payment(account, status, id);
                    CREATE INDEX payment_status ON payment(status, id);
                    CREATE INDEX outbox_owner ON outbox(owner, due_at);

                    CREATE TABLE tally(name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                    INSERT INTO tally(name, count) SELECT 'payment ' || status, count(*) FROM payment GROUP BY status;
                    INSERT INTO tally(name, count) SELECT 'outbox', count(*) FROM outbox;
                    """)
        }
    }

    /// Adds the fence of a process that stalled for longer than its lease: the time of the takeover, and the number of
    /// the process that detected it; see ``Lease``.
    static func registerLeases(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("leases") { db in
            try db.execute(
                sql:
                    "ALTER TABLE process ADD COLUMN fenced_at INTEGER; ALTER TABLE process ADD COLUMN fenced_by INTEGER"
            )
        }
    }

    /// Drops the indexes that another one can serve: each costs a page of every commit.
    static func registerFewerIndexes(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("fewer indexes") { db in
            try db.execute(sql: "DROP INDEX payment_status; DROP INDEX outbox_due")
        }
    }
}
