import GRDB
import TillJournal

extension SQLiteSchema {
    static let records = """
        CREATE TABLE record(
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          collection TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
          due_at INTEGER, owner INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
          UNIQUE(collection, key)
        ) STRICT;
        CREATE INDEX record_collection ON record(collection);
        CREATE INDEX record_due ON record(collection, due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE record_field(
          collection TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
          record INTEGER NOT NULL REFERENCES record(position) ON DELETE CASCADE,
          PRIMARY KEY(collection, name, value, record)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX record_field_record ON record_field(record);
        """
}
