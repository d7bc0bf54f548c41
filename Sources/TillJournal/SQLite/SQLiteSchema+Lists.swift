import GRDB

extension SQLiteSchema {
    /// Every list is read from an index that gives its order too, and what people count is counted along: no query of a
    /// running counter reads a whole table.
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

    /// A process that stood still for longer than its lease: since when others have its payments, and the number of who
    /// found out; see ``Lease``.
    static func registerLeases(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("leases") { db in
            try db.execute(
                sql:
                    "ALTER TABLE process ADD COLUMN fenced_at INTEGER; ALTER TABLE process ADD COLUMN fenced_by INTEGER"
            )
        }
    }
}
