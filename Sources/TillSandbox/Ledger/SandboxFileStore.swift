import Foundation
import GRDB
import Synchronization

/// A ledger in an SQLite file, for concurrent use by several processes. Each transaction is one immediate transaction
/// of SQLite. A killed process loses nothing; a power failure may lose the most recent transactions
/// (`synchronous=NORMAL`), never the file.
public final class SandboxFileStore: SandboxStore {
    private let pool: OpenedOnce<DatabasePool>
    private let known = DecodedCharges()

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
        try await pool().writeWithoutTransaction { [known] db in
            var result: Result?
            try db.inTransaction(.immediate) {
                result = try body(FileShelf(db: db, known: known))
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}

/// Charges by reference, each with the document that it was decoded from or encoded to. A document that is still the
/// same is not decoded again: a sale asks for its charge several times, and decoding costs most of what the sandbox
/// does. Any change, by this process or another one, is another document.
private final class DecodedCharges: Sendable {
    /// The most charges that are remembered; all are forgotten at the next one.
    private static let maximum = 256

    private let charges = Mutex<[String: (document: Data, charge: SandboxCharge)]>([:])

    /// Returns the charge of a document.
    func charge(_ reference: String, in document: Data) throws -> SandboxCharge {
        if let known = charges.withLock({ $0[reference] }), known.document == document { return known.charge }
        let charge = try JSONDecoder().decode(SandboxCharge.self, from: document)
        note(charge, in: document)
        return charge
    }

    /// Remembers the charge of a document.
    func note(_ charge: SandboxCharge, in document: Data) {
        charges.withLock { charges in
            if charges.count >= DecodedCharges.maximum { charges.removeAll(keepingCapacity: true) }
            charges[charge.reference] = (document, charge)
        }
    }
}

private struct FileShelf: SandboxShelf {
    let db: Database
    let known: DecodedCharges

    func charge(_ reference: String) throws -> SandboxCharge? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT body FROM charge WHERE reference = ?"), arguments: [reference]
        ).map { try known.charge(reference, in: $0) }
    }

    func charge(forKey key: String) throws -> SandboxCharge? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT reference FROM key WHERE key = ?"), arguments: [key]
        ).flatMap { try charge($0) }
    }

    func charges(forAttempt attempt: String) throws -> [SandboxCharge] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT body FROM charge WHERE attempt = ? ORDER BY position"),
            arguments: [attempt]
        ).map { try JSONDecoder().decode(SandboxCharge.self, from: $0) }
    }

    func allCharges() throws -> [SandboxCharge] {
        try Data.fetchAll(db, sql: "SELECT body FROM charge ORDER BY position")
            .map { try JSONDecoder().decode(SandboxCharge.self, from: $0) }
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
        known.note(charge, in: body)
    }
}
