import Foundation
import GRDB
public import TillCore

/// A key by which a shop's programs are let in. Of the key itself only a digest is kept.
public struct APIKeyRecord: Hashable, Sendable {
    /// The digest of the key.
    public var hash: [UInt8]
    /// Whose key it is.
    public var account: AccountID
    /// What people call it.
    public var label: String
    /// When it was made.
    public var createdAt: Timestamp
    /// Since when it lets nobody in.
    public var revokedAt: Timestamp?
}

extension SQLiteJournal {
    /// Adds a key. Durable when it returns.
    /// - Throws: ``JournalError/unavailable(_:)`` if there is such a key already.
    public func addKey(hash: [UInt8], account: AccountID, label: String) async throws(JournalError) {
        let now = clock.now().milliseconds
        try await writeAlone { db in
            try db.execute(
                sql: "INSERT INTO api_key(hash, account, label, created_at) VALUES (?, ?, ?, ?)",
                arguments: [Data(hash), account.rawValue, label, now])
        }
    }

    /// Whose key it is; `nil` for one that is unknown or revoked.
    public func account(forKeyHash hash: [UInt8]) async throws(JournalError) -> AccountID? {
        let sql = "SELECT account FROM api_key WHERE hash = ? AND revoked_at IS NULL"
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(sql).first(.blob(hash)) { AccountID(rawValue: $0.text(0)) }
        }
        if let found { return found }
        return try await read { db in
            try String.fetchOne(db.cachedStatement(sql: sql), arguments: [Data(hash)]).map { AccountID(rawValue: $0) }
        }
    }

    /// All keys, oldest first, revoked ones too.
    public func keys() async throws(JournalError) -> [APIKeyRecord] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT hash, account, label, created_at, revoked_at FROM api_key ORDER BY created_at, rowid"
            ).map { row in
                APIKeyRecord(
                    hash: row.octets(0), account: AccountID(rawValue: row[1]), label: row[2],
                    createdAt: Timestamp(milliseconds: row[3]),
                    revokedAt: (row[4] as Int64?).map { Timestamp(milliseconds: $0) })
            }
        }
    }

    /// Lets nobody in with this key any more. Durable when it returns.
    /// - Returns: false if there is no such key, or if it was revoked before.
    @discardableResult
    public func revokeKey(hash: [UInt8]) async throws(JournalError) -> Bool {
        let now = clock.now().milliseconds
        return try await writeAlone { db in
            try db.execute(
                sql: "UPDATE api_key SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL",
                arguments: [now, Data(hash)])
            return db.changesCount > 0
        }
    }
}
