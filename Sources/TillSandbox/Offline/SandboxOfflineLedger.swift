import Foundation
import GRDB
import TillCore
import TillOffline

/// The offline stand-in's record beside its charges: batches by id, payments by attempt, and the last known position of
/// each log. In a file for several processes, or in memory.
public final class SandboxOfflineLedger: Sendable {
    private let queue: OpenedOnce<DatabaseQueue>

    /// Creates a ledger; its first use opens or creates the file. `nil` keeps it in memory.
    public init(path: String?) { queue = OpenedOnce { try SandboxOfflineLedger.open(path) } }

    private static func open(_ path: String?) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = NORMAL") }
        let queue: DatabaseQueue
        if let path {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        } else {
            queue = try DatabaseQueue(configuration: configuration)
        }
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS batch (
                        log TEXT, id TEXT, root BLOB NOT NULL, receipt BLOB NOT NULL, PRIMARY KEY (log, id));
                    CREATE TABLE IF NOT EXISTS record (
                        attempt TEXT PRIMARY KEY, log TEXT NOT NULL, sequence INTEGER NOT NULL, amount INTEGER NOT NULL,
                        currency TEXT NOT NULL, outcome TEXT NOT NULL, uploads INTEGER NOT NULL);
                    CREATE TABLE IF NOT EXISTS log (
                        log TEXT PRIMARY KEY, key BLOB NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL);
                    CREATE TABLE IF NOT EXISTS taken (at INTEGER NOT NULL, count INTEGER NOT NULL);
                    """)
        }
        return queue
    }

    /// A decided payment in the ledger.
    public struct Decided: Hashable, Sendable {
        public var attempt: String
        /// `approved`, `declined` or `poison`.
        public var outcome: String
        /// The amount, in minor units.
        public var minorUnits: Int64
        /// The number of uploads.
        public var uploads: Int
    }

    /// Returns all decided payments.
    public func decided() throws -> [Decided] {
        try queue().read { db in
            try Row.fetchAll(db, sql: "SELECT attempt, outcome, amount, uploads FROM record ORDER BY rowid").map {
                Decided(
                    attempt: $0["attempt"], outcome: $0["outcome"], minorUnits: $0["amount"], uploads: $0["uploads"])
            }
        }
    }

    /// Verifies that a log continues from its last known position, and records the new one.
    /// - Returns: the reason to reject the log; `nil` if it is consistent.
    func see(_ checkpoint: LogCheckpoint, from header: LogHeader) throws -> String? {
        guard checkpoint.log == header.log, checkpoint.isSigned(by: header.deviceKey) else {
            return "the device's signature under the log is not right"
        }
        return try queue().write { db in
            if let row = try Row.fetchOne(db, sql: "SELECT * FROM log WHERE log = ?", arguments: [header.log]) {
                let (known, hash, key): (Int64, Data, Data) = (row["sequence"], row["hash"], row["key"])
                guard Array(key) == header.deviceKey else { return "the log is from another device now" }
                guard Int64(clamping: checkpoint.sequence) >= known else {
                    return "the log was set back: entry \(known) was seen, now it ends with \(checkpoint.sequence)"
                }
                guard Int64(clamping: checkpoint.sequence) > known || Array(hash) == checkpoint.hash else {
                    return "entry \(known) of the log is not the one that was seen before"
                }
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO log (log, key, sequence, hash) VALUES (?, ?, ?, ?)",
                arguments: [
                    header.log, Data(header.deviceKey), Int64(clamping: checkpoint.sequence), Data(checkpoint.hash),
                ])
            return nil
        }
    }

    /// Returns the root and the decisions recorded for a batch; `nil` for an unknown batch.
    func batch(_ id: String, log: String) throws -> (root: [UInt8], receipt: [UInt8])? {
        try queue().read { db in
            try Row.fetchOne(db, sql: "SELECT root, receipt FROM batch WHERE log = ? AND id = ?", arguments: [log, id])
                .map { row in
                    let (root, receipt): (Data, Data) = (row["root"], row["receipt"])
                    return (Array(root), Array(receipt))
                }
        }
    }

    func keep(_ id: String, log: String, root: [UInt8], receipt: [UInt8]) throws {
        try queue().write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO batch (log, id, root, receipt) VALUES (?, ?, ?, ?)",
                arguments: [log, id, Data(root), Data(receipt)])
        }
    }

    /// Stores the decisions about a batch's payments; previously decided ones count one more upload.
    func keep(_ decided: [(record: BatchUpload.Record, outcome: String)], log: String) throws {
        try queue().write { db in
            let statement = try db.cachedStatement(
                sql: """
                    INSERT INTO record (attempt, log, sequence, amount, currency, outcome, uploads)
                    VALUES (?, ?, ?, ?, ?, ?, 1)
                    ON CONFLICT (attempt) DO UPDATE SET uploads = uploads + 1
                    """)
            for (record, outcome) in decided {
                try statement.execute(arguments: [
                    record.record.attempt.rawValue, log, Int64(clamping: record.sequence),
                    record.record.amount.minorUnits, record.record.amount.currency.code, outcome,
                ])
            }
        }
    }

    /// Reserves capacity in the provider's window; returns the time to wait if it is exhausted, `nil` if the payments
    /// are accepted now.
    func take(_ count: Int, atMost limit: Int, within span: Span, at now: Timestamp) throws -> Span? {
        try queue().write { db in
            let start = now.adding(.milliseconds(-span.milliseconds)).milliseconds
            try db.execute(sql: "DELETE FROM taken WHERE at <= ? OR at > ?", arguments: [start, now.milliseconds])
            let taken = try Int.fetchOne(db, sql: "SELECT coalesce(sum(count), 0) FROM taken") ?? 0
            // A batch larger than the window is accepted when the window is empty.
            guard taken == 0 || taken + count <= limit else {
                let oldest = try Int64.fetchOne(db, sql: "SELECT min(at) FROM taken") ?? now.milliseconds
                return .milliseconds(max(1, oldest - start))
            }
            try db.execute(sql: "INSERT INTO taken (at, count) VALUES (?, ?)", arguments: [now.milliseconds, count])
            return nil
        }
    }
}
