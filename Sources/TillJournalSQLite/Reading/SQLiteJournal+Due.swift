import GRDB
public import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns payments with work due, most overdue first. Reads due entries rather than all pending ones, and only
    /// those after the place.
    public func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        let limit = max(limit, 0)
        return try await read { [self] db in
            var found: [DuePayment] = []
            for owner in try owners(db) where owner != ownNumber && !isAlive(owner) {
                found += try abandoned(by: owner, db, after: place, limit: limit)
            }
            found += try overdue(db, "outbox.owner IS NULL", [], at: moment, after: place, limit: limit)
            found += try overdue(db, "outbox.owner = ?", [ownNumber], at: moment, after: place, limit: limit)
            return Array(found.sorted { $0.place < $1.place }.prefix(limit))
        }
    }

    /// Returns outbox entries after `place`, earliest first.
    public func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace] {
        let limit = max(limit, 0)
        return try await read { [self] db in
            var places: [OutboxPlace] = []
            for (holder, owner) in try holders(db) {
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT due_at, payment FROM outbox WHERE \(holder) AND (due_at, payment) > (?, ?)
                        ORDER BY due_at, payment LIMIT ?
                        """)
                let arguments: StatementArguments = [
                    place.moment?.milliseconds ?? .min, place.payment.rawValue, limit,
                ]
                places += try Row.fetchAll(statement, arguments: owner + arguments).map {
                    OutboxPlace(moment: Timestamp(milliseconds: $0[0]), payment: PaymentID(rawValue: $0[1]))
                }
            }
            return Array(places.sorted().prefix(limit))
        }
    }

    /// Returns the conditions that together select the whole outbox: each is a range of the index by holder and due
    /// time.
    func holders(_ db: Database) throws -> [(condition: String, arguments: StatementArguments)] {
        [("owner IS NULL", [])] + (try owners(db).map { ("owner = ?", [$0]) })
    }

    /// Returns the time of the last written event.
    public func newestMoment() async throws(JournalError) -> Timestamp? {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT at FROM event WHERE sequence = (SELECT max(sequence) FROM event)")
            return try Int64.fetchOne(statement).map { Timestamp(milliseconds: $0) }
        }
    }

    /// Returns the payments held by a dead process: first those without a due time, which it was working on.
    private func abandoned(
        by owner: Int64, _ db: Database, after place: OutboxPlace?, limit: Int
    ) throws -> [DuePayment] {
        var found: [DuePayment] = []
        if place?.moment == nil {
            found = try rows(
                db, "outbox.owner = ? AND outbox.due_at IS NULL AND outbox.payment > ?",
                [owner, place?.payment.rawValue ?? "", limit])
        }
        return found
            + (try overdue(
                db, "outbox.owner = ?", [owner], at: Timestamp(milliseconds: .max), after: place, limit: limit))
    }

    private func overdue(
        _ db: Database, _ holder: String, _ arguments: StatementArguments, at moment: Timestamp,
        after place: OutboxPlace?, limit: Int
    ) throws -> [DuePayment] {
        let behind = place?.moment == nil ? nil : place
        return try rows(
            db, "\(holder) AND outbox.due_at <= ? AND (outbox.due_at, outbox.payment) > (?, ?)",
            arguments + [
                moment.milliseconds, behind?.moment?.milliseconds ?? .min, behind?.payment.rawValue ?? "", limit,
            ])
    }

    private func rows(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [DuePayment] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT outbox.payment, outbox.due_at, payment.provider FROM outbox
                LEFT JOIN payment ON payment.id = outbox.payment WHERE \(condition)
                ORDER BY outbox.due_at, outbox.payment LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: arguments).map { row in
            DuePayment(
                payment: PaymentID(rawValue: row[0]), provider: (row[2] as String?).map { ProviderName(rawValue: $0) },
                moment: (row[1] as Int64?).map { Timestamp(milliseconds: $0) })
        }
    }

    /// Returns all holders in the outbox, each found after the previous one: the number of reads is that of the
    /// processes, not of the rows.
    private func owners(_ db: Database) throws -> [Int64] {
        let next = try db.cachedStatement(sql: "SELECT min(owner) FROM outbox WHERE owner > ?")
        var owners: [Int64] = []
        while let owner = try Int64.fetchOne(next, arguments: [owners.last ?? .min]) { owners.append(owner) }
        return owners
    }
}
