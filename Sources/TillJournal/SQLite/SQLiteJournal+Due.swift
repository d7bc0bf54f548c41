import GRDB
public import TillCore

extension SQLiteJournal {
    /// Payments on which something is to be done, the most overdue first. Reads what is due, not what is pending.
    public func due(at moment: Timestamp, limit: Int) async throws(JournalError) -> [PaymentID] {
        let limit = max(limit, 0)
        return try await read { [self] db in
            var found: [Due] = []
            for owner in try owners(db) where owner != ownNumber && !isAlive(owner) {
                found += try rows(db, "owner = ?", [owner, limit])
            }
            found += try rows(db, "owner IS NULL AND due_at <= ?", [moment.milliseconds, limit])
            found += try rows(db, "owner = ? AND due_at <= ?", [ownNumber, moment.milliseconds, limit])
            return found.sorted().prefix(limit).map(\.payment)
        }
    }

    private func rows(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [Due] {
        let statement = try db.cachedStatement(
            sql: "SELECT payment, due_at FROM outbox WHERE \(condition) ORDER BY due_at, payment LIMIT ?")
        return try Row.fetchAll(statement, arguments: arguments)
            .map { Due(payment: PaymentID(rawValue: $0[0]), moment: $0[1]) }
    }

    /// Who holds anything, each found behind the one before: there are as many reads as processes, not as rows.
    private func owners(_ db: Database) throws -> [Int64] {
        let next = try db.cachedStatement(sql: "SELECT min(owner) FROM outbox WHERE owner > ?")
        var owners: [Int64] = []
        while let owner = try Int64.fetchOne(next, arguments: [owners.last ?? .min]) { owners.append(owner) }
        return owners
    }
}

/// A payment and since when; what has no moment was being worked on when its process died, and comes first.
private struct Due: Comparable {
    var payment: PaymentID
    var moment: Int64?

    static func < (left: Due, right: Due) -> Bool {
        switch (left.moment, right.moment) {
        case (nil, nil): left.payment.rawValue < right.payment.rawValue
        case (nil, _?): true
        case (_?, nil): false
        case (let first?, let second?): (first, left.payment.rawValue) < (second, right.payment.rawValue)
        }
    }
}
