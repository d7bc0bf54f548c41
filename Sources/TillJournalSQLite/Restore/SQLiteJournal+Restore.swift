import Foundation
import GRDB
public import TillCore
public import TillJournal

/// The result of a restore.
public struct RestoreReport: Hashable, Sendable {
    public let epoch: RestoreEpoch
    /// The path of the previous journal; `nil` if there was none.
    public let aside: String?
    public let payments: Int
    public let events: Int
}

extension SQLiteJournal {
    /// Verifies a backup and puts it in a journal's place, as a new epoch in which no sale is accepted until the
    /// providers were swept (`RestoreSweep`).
    ///
    /// ```swift
    /// let report = try await SQLiteJournal.restore("/mnt/backup/journal.sqlite", to: ".till/journal.sqlite")
    /// print("\(report.payments) payments of \(report.events) events are back.")
    /// if let aside = report.aside { print("The journal that was in place is \(aside).") }
    /// ```
    ///
    /// Durable when it returns. A process that dies on the way leaves the old journal, or one that does not open until
    /// the same restore is run again, or the new one; never a mixture. The backup's own file is only read.
    /// - Parameters:
    ///   - backup: a file made by `CounterStore.backup`, or a copy of the database.
    ///   - path: the journal's file. No process may have it open.
    ///   - known: a recorded head, which must be in the backup.
    public static func restore(
        _ backup: String, to path: String, known: ChainHead? = nil, clock: any TillClock = SystemClock()
    ) async throws(RestoreError) -> RestoreReport {
        guard FileManager.default.fileExists(atPath: backup) else { throw .noBackup(backup) }
        guard identity(of: backup) != identity(of: path) else { throw .backupIsTheJournal(backup) }
        let files = RestoreFiles(path)
        do { try files.takeIn(backup) } catch {
            files.removeIncoming()
            throw .disk("\(error)")
        }
        RestoreFailpoint.afterBackupIsCopied.reached()
        do throws(RestoreError) {
            let (epoch, checked) = try await prepare(files, backup, path, known, clock)
            RestoreFailpoint.afterEpochIsWritten.reached()
            let aside = try exchange(files, path, at: clock.now())
            return RestoreReport(epoch: epoch, aside: aside, payments: checked.payments, events: checked.events)
        } catch {
            files.removeIncoming()
            throw error
        }
    }

    /// Verifies the copy and begins its epoch.
    private static func prepare(
        _ files: RestoreFiles, _ backup: String, _ path: String, _ known: ChainHead?, _ clock: any TillClock
    ) async throws(RestoreError) -> (RestoreEpoch, VerificationReport) {
        let outcome: Result<(RestoreEpoch, VerificationReport), RestoreError>
        do throws(JournalError) {
            let journal = try open(at: files.incoming, clock: clock, description: "till restore")
            do throws(JournalError) {
                let report = try await journal.verify(known: known)
                outcome =
                    report.isIntact
                    ? try await journal.begin(backup, over: path, at: clock.now()).map { ($0, report) }
                    : .failure(.unsound(backup, problems: report.problems))
            } catch {
                try? await journal.close()
                throw error
            }
            try await journal.close()
        } catch {
            throw .unreadable(backup, error)
        }
        return try outcome.get()
    }

    private func begin(
        _ backup: String, over path: String, at now: Timestamp
    ) async throws(JournalError) -> Result<RestoreEpoch, RestoreError> {
        let old = SQLiteJournal.epoch(of: path)
        let source = URL(fileURLWithPath: backup).lastPathComponent
        return try await writeAlone { db in
            let start = try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0)
            if let old, old.start != start { return .failure(.otherJournal(path)) }
            return .success(
                try SQLiteJournal.beginEpoch(db, above: old?.number ?? 0, source: source, at: now))
        }
    }

    private static func exchange(
        _ files: RestoreFiles, _ path: String, at now: Timestamp
    ) throws(RestoreError) -> String? {
        do {
            let owners = try OwnerFile.open(path + "-owners")
            defer { owners.release(nil) }
            return try owners.alone {
                guard !owners.isInUse else { throw RestoreError.inUse(path) }
                return try files.swap(at: now)
            }
        } catch let error as RestoreError {
            throw error
        } catch {
            throw .disk("\(error)")
        }
    }

    /// Returns the epoch of the current journal and the start of its chain; `nil` if there is no journal, or if it is
    /// unreadable, which is why it is restored.
    private static func epoch(of path: String) -> (number: Int64, start: [UInt8])? {
        guard FileManager.default.fileExists(atPath: path), let old = try? DatabaseQueue(path: path) else { return nil }
        defer { try? old.close() }
        let row = try? old.read { db in try Row.fetchOne(db, sql: "SELECT epoch, start FROM journal WHERE id = 1") }
        return row.flatMap { $0 }.map { (number: $0[0], start: $0.octets(1)) }
    }

    private static func identity(of path: String) -> [UInt64]? {
        let found = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        guard let device = found?[.systemNumber] as? UInt64 ?? (found?[.systemNumber] as? Int).map(UInt64.init),
            let file = found?[.systemFileNumber] as? UInt64 ?? (found?[.systemFileNumber] as? Int).map(UInt64.init)
        else { return nil }
        return [device, file]
    }
}
