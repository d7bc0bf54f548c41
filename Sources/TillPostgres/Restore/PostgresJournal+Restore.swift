import TillCore
public import TillJournal

extension PostgresJournal {
    /// Detects a database that was reset to a state earlier than this machine has noted, and then blocks sales
    /// (``RestoreSweep``): the cause is an earlier backup, or a standby that lacked acknowledged commits.
    /// - Parameter note: the content of the machine's own file.
    static func checkSetBack(
        _ connection: PostgresConnection, _ note: HeadFile.Note, at now: Timestamp
    ) throws(PostgresFailure) {
        let row = try connection.query(
            "SELECT start, sequence, head, (SELECT link FROM event WHERE sequence = $1) FROM journal WHERE id = 1",
            [.int(note.head.sequence)]
        ).first
        guard let row, JournalHead.name(of: row.bytes(0)) == note.journal else { return }
        let link = note.head.sequence == 0 ? row.bytes(0) : row.optionalBytes(3)
        guard link != note.head.hash else { return }
        // The journal states that head itself, but the event is missing or changed: that is damage, not an earlier
        // state. Nothing can be appended to it, and verification reports it.
        let stated = ChainHead(sequence: row.int(1), hash: row.bytes(2))
        guard stated != note.head, link != nil || stated.sequence < note.head.sequence else { return }
        let sweep = RestoreSweep(.setBack(missing: note.head)).record
        _ = try connection.query(
            """
            INSERT INTO record(collection, key, version, body, created_at, updated_at) VALUES ($1, $2, 1, $3, $4, $4)
            ON CONFLICT (collection, key) DO UPDATE SET version = record.version + 1, body = excluded.body,
              updated_at = excluded.updated_at
            """,
            [
                .text(sweep.id.collection.rawValue), .text(sweep.id.key), .bytes(sweep.body), .int(now.milliseconds),
            ])
    }

    /// Treats the current database as a restored backup: begins a new epoch with a due sweep. Durable on return;
    /// allowed while counters use the database.
    public func restoreInPlace() async throws(JournalError) -> RestoreEpoch {
        let now = clock.now()
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT epoch, sequence, head,
                  coalesce((SELECT at FROM event ORDER BY sequence DESC LIMIT 1), (SELECT min(started_at) FROM \
                  counter)),
                  (SELECT min(at) FROM (SELECT at FROM event ORDER BY sequence DESC LIMIT $1) AS last),
                  (SELECT body FROM record WHERE collection = $2 AND key = $3)
                FROM journal WHERE id = 1
                """,
                [
                    .int(Int64(RestoreEpoch.lastEvents)), .text(ClockProof.collection.rawValue), .text(ClockProof.key),
                ]
            ).first
        }
        guard let row else { throw .corrupted("the row that says where its chain ends is missing") }
        let (number, overflow) = row.int(0).addingReportingOverflow(1)
        guard !overflow else { throw .corrupted("its epoch cannot be counted any more") }
        // Not after the last moment at which the clock was proved right.
        let newest = [
            row.optionalInt(3).map { Timestamp(milliseconds: $0) },
            row.optionalBytes(5).flatMap { ClockProof.moment(in: $0) },
        ].compactMap { $0 }.reduce(now, min)
        let epoch = RestoreEpoch(
            number: number, at: now, source: nil, head: ChainHead(sequence: row.int(1), hash: row.bytes(2)),
            newest: newest, earliest: min(newest, row.optionalInt(4).map { Timestamp(milliseconds: $0) } ?? newest))
        try await begin(epoch, at: now)
        heads?.note(epoch.head)
        return epoch
    }

    private func begin(_ epoch: RestoreEpoch, at now: Timestamp) async throws(JournalError) {
        let (sweep, record) = (RestoreSweep(.restored(epoch)).record, epoch.record)
        let values: [PostgresValue] = [
            .int(epoch.number), .text(sweep.id.collection.rawValue), .text(sweep.id.key), .bytes(sweep.body),
            .int(now.milliseconds), .text(record.id.collection.rawValue), .text(record.id.key), .bytes(record.body),
        ]
        let isBegun = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try !connection.query(
                """
                WITH moved AS (UPDATE journal SET epoch = $1 WHERE id = 1 AND epoch = $1 - 1 RETURNING id),
                due AS (
                  INSERT INTO record(collection, key, version, body, created_at, updated_at)
                  SELECT $2, $3, 1, $4, $5, $5 FROM moved
                  ON CONFLICT (collection, key) DO UPDATE SET version = record.version + 1, body = excluded.body,
                    updated_at = excluded.updated_at)
                INSERT INTO record(collection, key, version, body, created_at, updated_at)
                SELECT $6, $7, 1, $8, $5, $5 FROM moved RETURNING position
                """, values
            ).isEmpty
        }
        guard isBegun else {
            throw .unavailable("another counter has begun the same; till restore --sweep shows how far it is")
        }
    }
}
