import GRDB
import TillJournal

/// The tables, as migrations that never change once released.
enum SQLiteSchema {
    /// "TILL" in ASCII, by which `file` and Till recognize the database.
    static let applicationID: Int64 = 0x5449_4C4C
    /// The newest schema version known to this build.
    static let version: Int64 = 4

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("1 journal") { db in
            try db.execute(sql: first)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        registerPrinting(&migrator)
        registerWallets(&migrator)
        registerMail(&migrator)
        registerNotifications(&migrator)
        migrator.registerMigration("records") { try $0.execute(sql: records) }
        registerMoveToRecords(&migrator)
        registerChain(&migrator)
        registerLists(&migrator)
        migrator.registerMigration("a row to probe with") { db in
            try db.execute(
                sql: """
                    CREATE TABLE probe(id INTEGER PRIMARY KEY CHECK(id = 1), body BLOB NOT NULL) STRICT;
                    INSERT INTO probe(id, body) VALUES (1, zeroblob(0));
                    """)
        }
        registerLeases(&migrator)
        registerAudit(&migrator)
        registerFewerIndexes(&migrator)
        registerOrigins(&migrator)
        registerUncountedEvents(&migrator)
        registerEndedPayments(&migrator)
        registerTotals(&migrator)
        return migrator
    }

    /// Returns the processes that may still write to a file of an earlier schema in its own format; empty once it is
    /// migrated.
    static func ownersOfEarlierSchema(_ db: Database) throws -> [Int64] {
        let found = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found > 0, found < version else { return [] }
        return try Int64.fetchAll(db, sql: "SELECT owner FROM process")
    }

    /// Compares the tables with those of this build.
    static func level(_ db: Database) throws -> JournalLevel {
        let applied = try migrator.appliedIdentifiers(db)
        return JournalLevel(
            found: try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0, newest: version,
            missing: migrator.migrations.filter { !applied.contains($0) })
    }

    /// Rejects a foreign file, or one changed by a newer version.
    static func check(_ db: Database, path: String) throws {
        let owner = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int64.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard owner == applicationID || (owner == 0 && tables == 0) else {
            throw JournalError.corrupted("\(path) is a database of another program")
        }
        let found = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let isNewer = try tables > 0 && migrator.hasBeenSuperseded(db)
        guard found <= version, !isNewer else {
            throw JournalError.corrupted(
                "\(path) was written by a newer Till (schema \(found), known here \(version)); use that one")
        }
    }

    private static let first = """
        CREATE TABLE event(
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          payment TEXT NOT NULL, version INTEGER NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL,
          at INTEGER NOT NULL, body TEXT NOT NULL,
          UNIQUE(payment, version)
        ) STRICT;

        CREATE TABLE payment(
          id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
          live INTEGER NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL,
          amount INTEGER NOT NULL, currency TEXT NOT NULL, captured INTEGER NOT NULL, refunded INTEGER NOT NULL,
          provider TEXT, tender TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX payment_live ON payment(account, order_id) WHERE live = 1;
        CREATE INDEX payment_order ON payment(account, order_id);

        CREATE TABLE outbox(
          payment TEXT PRIMARY KEY NOT NULL REFERENCES payment(id), due_at INTEGER, owner INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX outbox_due ON outbox(due_at);

        CREATE TABLE idempotency(
          account TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL,
          fingerprint BLOB NOT NULL, request BLOB NOT NULL, finished INTEGER NOT NULL,
          payment TEXT, step TEXT, status INTEGER, body BLOB, owner INTEGER, created_at INTEGER NOT NULL,
          PRIMARY KEY(account, operation, key)
        ) STRICT;

        CREATE TABLE webhook(
          provider TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(provider, id)
        ) STRICT;

        CREATE TABLE api_key(
          hash BLOB PRIMARY KEY NOT NULL, account TEXT NOT NULL, label TEXT NOT NULL,
          created_at INTEGER NOT NULL, revoked_at INTEGER
        ) STRICT;

        CREATE TABLE process(
          owner INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL, description TEXT NOT NULL
        ) STRICT;
        """
}
