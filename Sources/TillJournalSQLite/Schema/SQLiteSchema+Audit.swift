import Foundation
import GRDB
import TillJournal

extension SQLiteSchema {
    /// Adds the audit log, and a row with the link before its first entry and its head. An earlier version refuses a
    /// journal that has it, since its actions would be missing from the log.
    static func registerAudit(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("audit log") { db in
            let start = Data(EventLink.randomStart())
            try db.execute(
                sql: """
                    CREATE TABLE audit(
                      sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL, link BLOB NOT NULL
                    ) STRICT;
                    CREATE TABLE audit_log(
                      id INTEGER PRIMARY KEY CHECK(id = 1), base INTEGER NOT NULL, base_link BLOB NOT NULL,
                      sequence INTEGER NOT NULL, head BLOB NOT NULL
                    ) STRICT;
                    """)
            try db.execute(
                sql: "INSERT INTO audit_log(id, base, base_link, sequence, head) VALUES (1, 0, ?1, 0, ?1)",
                arguments: [start])
        }
    }
}
