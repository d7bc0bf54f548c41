import Synchronization
import TillCore
import TillJournal

extension PostgresJournal {
    /// `true` once another counter has taken over this one's payments. Permanent.
    public var isLeaseLost: Bool { lease.isLost }

    /// Returns `true` if no other process can have taken over this one's payments. Needs no I/O within half a lease
    /// after a commit or heartbeat; later it renews the lease first. A lease that cannot be renewed counts as not held.
    public func holdsLease() async -> Bool {
        if lease.isFresh { return true }
        do throws(JournalError) { try await beat() } catch { return false }
        return lease.isFresh
    }

    /// Renews the lease, takes over from dead counters and purges expired rows, until the journal is closed.
    func keepLease() {
        let interval = Span.milliseconds(lease.length.milliseconds / JournalLimits.leaseRenewals).duration
        Task { [weak self] in
            while true {
                guard let journal = self, !journal.isClosed else { return }
                // An unreachable database surfaces at the next write, and in readiness.
                do throws(JournalError) { try await journal.renewLease() } catch {}
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
    }

    /// Runs one heartbeat with its maintenance.
    func renewLease() async throws(JournalError) {
        do throws(JournalError) { try await beat() } catch {
            // A counter without database access does not judge others by their silence, which the database may have
            // caused.
            watch.forget()
            throw error
        }
        guard !lease.isLost else { return }
        try await takeOver()
        try await purge()
    }

    func beat() async throws(JournalError) {
        let began = lease.mark()
        let (owner, length) = (lease.owner, lease.length.milliseconds)
        let isHeld = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try !connection.query(
                "UPDATE counter_live SET lease_until = till_clock() + $2 WHERE owner = $1 RETURNING owner",
                [.int(owner), .int(length)]
            ).isEmpty
        }
        guard isHeld else { return lease.lose() }
        lease.confirm(since: began)
    }

    /// Takes over from dead counters: immediately if their death is proved, otherwise once their lease was unchanged
    /// for its full length while this counter observed it.
    private func takeOver() async throws(JournalError) {
        let owner = lease.owner
        let (proved, others) = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            (
                try PostgresJournal.buryProved(connection, but: owner),
                try connection.query(
                    "SELECT owner, lease_until, batch, lease_until - till_clock() FROM counter_live WHERE owner <> $1",
                    [.int(owner)])
            )
        }
        let silent = watch.silent(
            others.map {
                LeaseWatch.Sighting(
                    owner: $0.int(0), until: $0.int(1), batch: $0.int(2), left: .milliseconds($0.int(3)))
            }, at: lease.now(), length: lease.length)
        let presumed = try await bury(silent)
        for row in proved + presumed { lease.tookOver(row.int(0), row.text(1), lease: lease.length) }
    }

    /// Removes silent counters, unless they have renewed their lease meanwhile.
    private func bury(_ silent: [LeaseWatch.Sighting]) async throws(JournalError) -> [PostgresRow] {
        guard !silent.isEmpty else { return [] }
        return try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                WITH dead AS (
                  DELETE FROM counter_live USING unnest($1, $2, $3) AS seen(owner, lease_until, batch)
                  WHERE counter_live.owner = seen.owner AND counter_live.lease_until = seen.lease_until
                    AND counter_live.batch = seen.batch
                  RETURNING counter_live.owner)
                UPDATE counter SET ended_at = till_clock(), how = 'presumed'
                FROM dead WHERE counter.owner = dead.owner RETURNING counter.owner, description
                """,
                [.intArray(silent.map(\.owner)), .intArray(silent.map(\.until)), .intArray(silent.map(\.batch))])
        }
    }

    /// Ends the leases of counters that ran on this machine and have ended.
    /// - Returns: their numbers and descriptions.
    @discardableResult
    static func buryProved(
        _ connection: PostgresConnection, but owner: Int64 = 0
    ) throws(PostgresFailure) -> [PostgresRow] {
        let here = ProcessPlace.current
        guard let place = here.place else { return [] }
        let others = try connection.query(
            """
            SELECT counter.owner, pid, pid_started FROM counter_live JOIN counter ON counter.owner = counter_live.owner
            WHERE place = $1 AND counter.owner <> $2
            """, [.text(place), .int(owner)])
        let dead = others.filter {
            ProcessPlace(place: place, pid: $0.int(1), started: $0.optionalText(2)).isProvedDead
        }.map { $0.int(0) }
        guard !dead.isEmpty else { return [] }
        return try connection.query(
            """
            WITH dead AS (DELETE FROM counter_live WHERE owner = ANY($1) RETURNING owner)
            UPDATE counter SET ended_at = till_clock(), how = 'proved'
            FROM dead WHERE counter.owner = dead.owner RETURNING counter.owner, description
            """, [.intArray(dead)])
    }

    /// Removes expired rows in small portions. Removal is final, so an untrusted clock removes nothing.
    private func purge() async throws(JournalError) {
        let now = clock.now()
        let isTime = nextPurge.withLock { next in
            // A purge scheduled further ahead was scheduled by a wrong clock.
            guard clock.standing.isTrusted, now >= next || next > now.adding(JournalLimits.purgeInterval) else {
                return false
            }
            next = now.adding(JournalLimits.purgeInterval)
            return true
        }
        guard isTime else { return }
        try await run(on: keeper) { (connection) throws(PostgresFailure) in
            for (table, moment, retention) in [
                ("idempotency", "created_at", JournalLimits.idempotencyRetention),
                ("webhook", "at", JournalLimits.webhookRetention),
            ] {
                let oldest = now.adding(Span(milliseconds: -retention.milliseconds))
                // A row rewritten in the meantime has another place, and stays.
                _ = try connection.query(
                    """
                    DELETE FROM \(table) WHERE ctid = ANY (ARRAY (
                      SELECT ctid FROM \(table) WHERE \(moment) < $1 ORDER BY \(moment) LIMIT $2))
                    """, [.int(oldest.milliseconds), .int(Int64(JournalLimits.maximumPurgedRows))])
            }
            try PostgresJournal.purgeAudit(connection, at: now)
        }
    }
}
