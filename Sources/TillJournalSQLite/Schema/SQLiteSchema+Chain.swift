import Foundation
import GRDB
import TillCore
import TillJournal

extension SQLiteSchema {
    /// Adds links to events, and a row about the journal itself: its random start, its epoch, and the head of its
    /// chain. `chained` is 0 until events older than the chain have their links.
    static func registerChain(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("hash chain") { db in
            let start = Data(EventLink.randomStart())
            try db.execute(
                sql: """
                    ALTER TABLE event ADD COLUMN link BLOB;
                    CREATE TABLE journal(
                      id INTEGER PRIMARY KEY CHECK(id = 1), start BLOB NOT NULL, epoch INTEGER NOT NULL,
                      sequence INTEGER NOT NULL, head BLOB NOT NULL, chained INTEGER NOT NULL
                    ) STRICT;
                    """)
            try db.execute(
                sql: "INSERT INTO journal(id, start, epoch, sequence, head, chained) VALUES (1, ?1, 1, 0, ?1, 0)",
                arguments: [start])
            try db.execute(sql: "PRAGMA user_version = 3")
        }
    }

    /// Returns the head that the journal itself records; `nil` if its row is missing.
    static func head(_ db: Database) throws -> ChainHead? {
        try Row.fetchOne(db, sql: "SELECT sequence, head FROM journal WHERE id = 1")
            .map { ChainHead(sequence: $0[0], hash: $0.octets(1)) }
    }

    /// The number of older events that are linked in one commit.
    static let chainedAtOnce = 1_000

    /// Links events older than the chain, in order, one commit per batch: memory use is bounded for a journal of any
    /// size, and an interrupted run resumes.
    static func chainOlderEvents(_ pool: DatabasePool) throws {
        while try pool.write({ try chainNext($0) }) {}
    }

    /// - Returns: `true` if there may be more.
    private static func chainNext(_ db: Database) throws -> Bool {
        guard let journal = try Row.fetchOne(db, sql: "SELECT sequence, head, chained FROM journal WHERE id = 1") else {
            throw JournalError.corrupted("the row that says where its chain ends is missing")
        }
        guard journal[2] as Int64 == 0 else { return false }
        var head = ChainHead(sequence: journal[0], hash: journal.octets(1))
        let rows = try Row.fetchAll(
            db, sql: "SELECT \(EventLink.columns) FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?",
            arguments: [head.sequence, chainedAtOnce])
        let update = try db.makeStatement(sql: "UPDATE event SET link = ? WHERE sequence = ?")
        for row in rows {
            let event = EventLink(row)
            head = ChainHead(sequence: event.sequence, hash: event.hash(after: head.hash))
            try update.execute(arguments: [Data(head.hash), head.sequence])
        }
        try db.execute(
            sql: "UPDATE journal SET sequence = ?, head = ?, chained = ? WHERE id = 1",
            arguments: [head.sequence, Data(head.hash), rows.isEmpty ? 1 : 0])
        return !rows.isEmpty
    }
}

extension EventLink {
    static let columns = "sequence, version, at, payment, account, name, CAST(body AS BLOB)"

    /// Creates a link from a row that begins with ``columns``.
    init(_ row: Row) {
        self.init(
            sequence: row[0], version: row[1], at: row[2], payment: row[3], account: row[4], name: row[5],
            body: row.octets(6))
    }
}
