import Foundation
import GRDB

/// A ledger in an SQLite file, for concurrent use by several processes. Each transaction is one immediate transaction
/// of SQLite. A killed process loses nothing; a power failure may lose the most recent transactions
/// (`synchronous=NORMAL`), never the file.
public final class SandboxFileStore: SandboxStore {
    private let pool: OpenedOnce<DatabasePool>

    /// Creates a store; its first transaction opens or creates the file.
    public init(path: String) { pool = OpenedOnce { try SandboxFileStore.open(path) } }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = NORMAL") }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS charge (
                            position INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, attempt TEXT,
                            body BLOB NOT NULL);
                        CREATE INDEX IF NOT EXISTS charge_attempt ON charge (attempt);
                        CREATE TABLE IF NOT EXISTS key (key TEXT PRIMARY KEY, reference TEXT NOT NULL) WITHOUT ROWID;
                        """)
                return .commit
            }
        }
        return pool
    }

    /// Runs a change of the ledger atomically.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any SandboxShelf) throws -> Result
    ) async throws -> Result {
        try await pool().writeWithoutTransaction { db in
            var result: Result?
            try db.inTransaction(.immediate) {
                result = try body(FileShelf(db: db))
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}

private struct FileShelf: SandboxShelf {
    let db: Database

    private func read(_ body: Data?) throws -> SandboxCharge? {
        try body.map { try JSONDecoder().decode(SandboxCharge.self, from: $0) }
    }

    func charge(_ reference: String) throws -> SandboxCharge? {
        try read(
            Data.fetchOne(
                db.cachedStatement(sql: "SELECT body FROM charge WHERE reference = ?"), arguments: [reference]))
    }

    func charge(forKey key: String) throws -> SandboxCharge? {
        try read(
            Data.fetchOne(
                db.cachedStatement(
                    sql: "SELECT body FROM charge WHERE reference = (SELECT reference FROM key WHERE key = ?)"),
                arguments: [key]))
    }

    func charges(forAttempt attempt: String) throws -> [SandboxCharge] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT body FROM charge WHERE attempt = ? ORDER BY position"),
            arguments: [attempt]
        ).compactMap { try read($0) }
    }

    func allCharges() throws -> [SandboxCharge] {
        try Data.fetchAll(db, sql: "SELECT body FROM charge ORDER BY position").compactMap { try read($0) }
    }

    func put(_ charge: SandboxCharge, keys: [String]) throws {
        let body = try JSONEncoder().encode(charge)
        try db.cachedStatement(
            sql: """
                INSERT INTO charge (reference, attempt, body) VALUES (?, ?, ?)
                ON CONFLICT (reference) DO UPDATE SET body = excluded.body
                """
        ).execute(arguments: [charge.reference, charge.attempt, body])
        for key in keys {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO key (key, reference) VALUES (?, ?)")
                .execute(arguments: [key, charge.reference])
        }
    }
}
