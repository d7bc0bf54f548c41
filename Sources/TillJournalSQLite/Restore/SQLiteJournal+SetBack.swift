import Foundation
import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Detects that the file is an earlier copy of the journal, by the head recorded beside it, and then stops sales.
    /// - Parameter note: read before the journal was opened, so that commits of other processes cannot overtake it.
    static func checkSetBack(_ pool: DatabasePool, _ note: HeadFile.Note?, at now: Timestamp) throws {
        guard let note else { return }
        try pool.write { db in
            let start = try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0)
            guard let start, HeadFile.name(of: start) == note.journal else { return }
            let link =
                note.head.sequence == 0
                ? start
                : try Row.fetchOne(
                    db, sql: "SELECT link FROM event WHERE sequence = ?", arguments: [note.head.sequence])?
                    .octets(0)
            guard link != note.head.hash else { return }
            // The file itself states that head, and its event is missing or changed: that is damage, not an earlier
            // copy. Nothing can be appended to it, and verification reports it.
            if let stated = try SQLiteSchema.head(db),
                stated == note.head || (link == nil && stated.sequence >= note.head.sequence)
            {
                return
            }
            try insert(RestoreSweep(.setBack(missing: note.head)), into: db, at: now)
        }
    }

    /// Stops sales in a database, restarting any sweep in progress.
    static func insert(_ sweep: RestoreSweep, into db: Database, at now: Timestamp) throws {
        let record = sweep.record
        try db.execute(
            sql: """
                INSERT INTO record(collection, key, version, body, created_at, updated_at)
                VALUES (?1, ?2, 1, ?3, ?4, ?4)
                ON CONFLICT(collection, key) DO UPDATE SET version = version + 1, body = ?3, updated_at = ?4
                """,
            arguments: [
                record.id.collection.rawValue, record.id.key, Data(record.body), now.milliseconds,
            ])
    }

    /// Begins the next epoch of a journal in one commit: increments it, stores its record, and restarts the sweep.
    /// - Parameters:
    ///   - above: the epoch that another file of the journal has reached.
    ///   - source: the file name of the backup; `nil` if the current file is declared a backup.
    static func beginEpoch(
        _ db: Database, above: Int64, source: String?, at now: Timestamp
    ) throws -> RestoreEpoch {
        guard let row = try Row.fetchOne(db, sql: "SELECT epoch, start FROM journal WHERE id = 1"),
            let head = try SQLiteSchema.head(db)
        else { throw JournalError.corrupted("the row that says where its chain ends is missing") }
        let (number, overflow) = max(row[0] as Int64, above).addingReportingOverflow(1)
        guard !overflow else { throw JournalError.corrupted("its epoch cannot be counted any more") }
        let newest = try lastMoment(db, at: now)
        let earliest = try Int64.fetchOne(
            db, sql: "SELECT min(at) FROM (SELECT at FROM event ORDER BY sequence DESC LIMIT ?)",
            arguments: [RestoreEpoch.lastEvents])
        let epoch = RestoreEpoch(
            number: number, at: now, source: source, head: head, newest: newest,
            earliest: min(newest, earliest.map { Timestamp(milliseconds: $0) } ?? newest))
        try db.execute(sql: "UPDATE journal SET epoch = ? WHERE id = 1", arguments: [number])
        try insert(RestoreSweep(.restored(epoch)), into: db, at: now)
        let record = epoch.record
        try db.execute(
            sql: """
                INSERT INTO record(collection, key, version, body, created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?4, \
                ?4)
                """,
            arguments: [record.id.collection.rawValue, record.id.key, Data(record.body), now.milliseconds])
        return epoch
    }

    /// Returns the time from which operations may be missing: too early makes the provider lists longer, too late
    /// misses sales. A clock that was ahead may have dated single entries in the future, so this is the time of the
    /// last entry, not the latest time, and not after the last time at which the clock was trusted.
    private static func lastMoment(_ db: Database, at now: Timestamp) throws -> Timestamp {
        // A journal without events lacks all sales since its creation.
        let last = try Int64.fetchOne(
            db,
            sql: """
                SELECT coalesce((SELECT at FROM event ORDER BY sequence DESC LIMIT 1), (SELECT min(started_at) FROM \
                process))
                """)
        let proof = try Row.fetchOne(
            db, sql: "SELECT body FROM record WHERE collection = ? AND key = ?",
            arguments: [ClockProof.collection.rawValue, ClockProof.key])
        return [last.map(Timestamp.init(milliseconds:)), proof.flatMap { ClockProof.moment(in: $0.octets(0)) }]
            .compactMap { $0 }.reduce(now, min)
    }

    /// Declares the current file a restored backup: starts a new epoch and schedules a sweep. Durable when it returns;
    /// allowed while the journal is in use.
    public func restoreInPlace() async throws(JournalError) -> RestoreEpoch {
        let now = clock.now()
        let epoch = try await writeAlone { db in try SQLiteJournal.beginEpoch(db, above: 0, source: nil, at: now) }
        heads?.note(epoch.head)
        return epoch
    }
}
