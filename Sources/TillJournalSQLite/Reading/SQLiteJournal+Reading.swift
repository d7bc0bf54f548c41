import Foundation
import GRDB
public import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns a payment as the fold of its events; `nil` if there is none.
    public func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(literal: StoredEvent.recordsOfPayment).all([.text(id.rawValue)]) { row in
                (at: Timestamp(milliseconds: row.int(0)), body: row.bytes(1))
            }
        }
        guard let found else { return try SQLiteJournal.fold(try await events(of: id)) }
        let records = try found.map { (event) throws(JournalError) in
            try PaymentEventCodec.record(event.body, at: event.at)
        }
        return try Payment(id, folding: records)
    }

    /// A query for the version of a payment, as the writer compares it.
    static let selectVersion: StaticString = "SELECT version FROM payment WHERE id = ?"

    /// Returns the version of a payment from its row; `nil` if there is none.
    public func version(of payment: PaymentID) async throws(JournalError) -> Int? {
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(literal: SQLiteJournal.selectVersion).first(.text(payment.rawValue)) { $0.int(0) }
        }
        if let found { return found.map { Int(clamping: $0) } }
        let version = try await read { db in
            try Int64.fetchOne(
                db.cachedStatement(sql: SQLiteJournal.selectVersion.description), arguments: [payment.rawValue])
        }
        return version.map { Int(clamping: $0) }
    }

    /// A query for the payment that has an order (account, order), otherwise the oldest that became live again; null if
    /// the order is free. The second condition on `live` repeats that of the index, which it is read from.
    static let occupant: StaticString = """
        SELECT coalesce((SELECT id FROM payment WHERE account = ?1 AND order_id = ?2 AND live = 1),
          (SELECT min(id) FROM payment WHERE account = ?1 AND order_id = ?2 AND live = 2 AND live <> 1))
        """
    /// The query for the events of that payment, oldest first.
    private static let occupantsEvents = """
        SELECT \(StoredEvent.columns) FROM event WHERE payment = (\(occupant)) ORDER BY version
        """

    /// Returns the payment that the order currently belongs to; `nil` if it is free.
    public func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        try SQLiteJournal.fold(try await events(SQLiteJournal.occupantsEvents, account.rawValue, order.rawValue))
    }

    /// Returns payments by their rows, newest first.
    public func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        try await paymentRows(filter) { try PaymentRow($0) }
    }

    /// Returns payments by their rows, newest first, including unreadable rows.
    public func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading] {
        try await paymentRows(filter) { row in
            do { return .row(try PaymentRow(row)) } catch JournalError.corrupted(let reason) {
                return .unreadable(UnreadableRow(row, reason: reason))
            }
        }
    }

    private func paymentRows<Found: Sendable>(
        _ filter: PaymentFilter, _ found: @escaping @Sendable (Row) throws -> Found
    ) async throws(JournalError) -> [Found] {
        let limit = min(max(filter.limit, 1), JournalLimits.maximumPage)
        return try await read { db in
            guard filter.account == nil, filter.status != nil || filter.hasOrigin else {
                return try SQLiteJournal.page(db, filter, limit: limit).map { try found($0) }
            }
            // These indexes begin with the account: the newest of every account are merged.
            var rows: [Row] = []
            for account in try SQLiteJournal.accounts(db) {
                var part = filter
                part.account = account
                rows += try SQLiteJournal.page(db, part, limit: limit)
            }
            return try rows.sorted { ($0[0] as String) > ($1[0] as String) }.prefix(limit).map { try found($0) }
        }
    }

    private static func page(_ db: Database, _ filter: PaymentFilter, limit: Int) throws -> [Row] {
        if filter.hasOrigin { return try sales(db, filter, limit: limit) }
        guard filter.account != nil, filter.order != nil else { return try listed(db, filter, limit: limit) }
        // An order's payment that has it is in one index, its others are in another.
        let rows = try ["live = 1", "live <> 1"].flatMap { try listed(db, filter, limit: limit, where: [$0]) }
        return Array(rows.sorted { ($0[0] as String) > ($1[0] as String) }.prefix(limit))
    }

    private static func listed(
        _ db: Database, _ filter: PaymentFilter, limit: Int, where part: [String] = []
    ) throws -> [Row] {
        // The position is always a condition, so that every list starts in an index at its page.
        var conditions = part + ["id < ?"]
        var values: [any DatabaseValueConvertible] = [filter.before?.rawValue ?? "\u{10FFFF}"]
        for (condition, value) in [
            ("account = ?", filter.account?.rawValue), ("order_id = ?", filter.order?.rawValue),
            ("status = ?", filter.status?.rawValue),
        ] {
            guard let value else { continue }
            conditions.append(condition)
            values.append(value)
        }
        values.append(limit)
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(PaymentRow.columns) FROM payment WHERE \(conditions.joined(separator: " AND "))
                ORDER BY id DESC LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: StatementArguments(values))
    }

    /// Returns payments by the origin of their sale: their first events are found in order, and their rows by them.
    private static func sales(_ db: Database, _ filter: PaymentFilter, limit: Int) throws -> [Row] {
        let names = [filter.seller?.rawValue, filter.shop].compactMap { $0 }
        guard names.allSatisfy({ $0.utf8.count <= SaleOrigin.maximumBytes }) else { return [] }
        var sold = ["payment < ?", "account = ?"]
        var values: [any DatabaseValueConvertible] = [
            filter.before?.rawValue ?? "\u{10FFFF}", filter.account?.rawValue ?? "",
        ]
        if let seller = filter.seller {
            sold.append("\(SaleColumns.isBySeller) AND \(SaleColumns.seller) = ?")
            values.append(seller.rawValue)
        }
        if let shop = filter.shop {
            sold.append("\(SaleColumns.isOfShop) AND \(SaleColumns.shop) = ?")
            values.append(shop)
        }
        var conditions = ["id = sold"]
        for (condition, value) in [("order_id = ?", filter.order?.rawValue), ("status = ?", filter.status?.rawValue)] {
            guard let value else { continue }
            conditions.append(condition)
            values.append(value)
        }
        values.append(limit)
        // A cross join reads the events first, in the order of their index.
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(PaymentRow.columns)
                FROM (SELECT payment AS sold FROM event WHERE \(sold.joined(separator: " AND "))) CROSS JOIN payment
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY sold DESC LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: StatementArguments(values))
    }

    /// Returns the accounts with payments, each found after the previous one: the number of reads is that of the
    /// accounts, not of the payments.
    private static func accounts(_ db: Database) throws -> [AccountID] {
        let next = try db.cachedStatement(sql: "SELECT min(account) FROM payment WHERE account > ?")
        var accounts: [AccountID] = []
        while let name = try String.fetchOne(next, arguments: [accounts.last?.rawValue ?? ""]) {
            accounts.append(AccountID(rawValue: name))
        }
        return accounts
    }

    /// Returns all events of a payment, oldest first.
    public func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        try await events(StoredEvent.ofPayment, payment.rawValue)
    }

    /// The number of events of a payment that there is room for at once.
    private static let usualEvents = 8

    /// Returns the events of one payment, read on this thread if possible.
    private func events(_ sql: String, _ names: String...) async throws(JournalError) -> [StoredEvent] {
        let found = try point { (reader) throws(SQLiteFailure) -> Result<[StoredEvent], JournalError> in
            var stored: [StoredEvent] = []
            stored.reserveCapacity(SQLiteJournal.usualEvents)
            var damage: JournalError?
            try reader.statement(sql).each(names.map { .text($0) }) { row in
                do throws(JournalError) { stored.append(try StoredEvent(row)) } catch { damage = error }
                return damage == nil
            }
            return if let damage { .failure(damage) } else { .success(stored) }
        }
        if let found { return try found.get() }
        return try await read { db in
            try Row.fetchAll(db.cachedStatement(sql: sql), arguments: StatementArguments(names))
                .map { try StoredEvent($0) }
        }
    }

    /// Reads on this thread. `nil` if that fails: ``read(_:)`` then succeeds or throws the reason.
    func point<Value>(
        _ body: (SQLiteConnection) throws(SQLiteFailure) -> Value
    ) throws(JournalError) -> Value? {
        guard !isClosed else { throw .closed }
        return points.read(body)
    }

    /// Returns events after a position in the journal, oldest first.
    public func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent] {
        try await eventRows(after: sequence, account: account, limit: limit) { try StoredEvent($0) }
    }

    /// Returns events after a position in the journal, oldest first, including unreadable ones.
    public func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading] {
        try await eventRows(after: sequence, account: account, limit: limit) { row in
            do { return .event(try StoredEvent(row)) } catch JournalError.corrupted(let reason) {
                return .unreadable(
                    UnreadableEvent(
                        sequence: row[0], payment: PaymentID(rawValue: row[1]), account: AccountID(rawValue: row[2]),
                        version: Int(clamping: row[3] as Int64), at: Timestamp(milliseconds: row[4]), reason: reason))
            }
        }
    }

    private func eventRows<Event: Sendable>(
        after sequence: Int64, account: AccountID?, limit: Int, _ event: @escaping @Sendable (Row) throws -> Event
    ) async throws(JournalError) -> [Event] {
        let limit = min(max(limit, 1), JournalLimits.maximumPage)
        return try await read { db in
            let rows: [Row]
            if let account {
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT \(StoredEvent.columns) FROM event WHERE sequence > ? AND account = ?
                        ORDER BY sequence LIMIT ?
                        """)
                rows = try Row.fetchAll(statement, arguments: [sequence, account.rawValue, limit])
            } else {
                let statement = try db.cachedStatement(
                    sql: "SELECT \(StoredEvent.columns) FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?")
                rows = try Row.fetchAll(statement, arguments: [sequence, limit])
            }
            return try rows.map { try event($0) }
        }
    }

    /// Returns the record under a key; `nil` if there is none or it has expired.
    public func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(literal: SQLiteWriter.selectIdempotency)
                .first(.text(scope.account.rawValue), .text(scope.operation), .text(scope.key)) { row in
                    IdempotencyRecord(scope: scope, row: row, isAlive: { isAlive($0) })
                }
        }
        if let found { return found.flatMap { $0.isExpired(by: clock) ? nil : $0 } }
        let record = try await read { [self] db in
            let statement = try db.cachedStatement(sql: SQLiteWriter.selectIdempotency.description)
            let row = try Row.fetchOne(
                statement, arguments: [scope.account.rawValue, scope.operation, scope.key])
            return row.map { row in
                IdempotencyRecord(
                    scope: scope, fingerprint: row.octets(0), request: row.octets(1), isFinished: row[2] as Int64 == 1,
                    payment: row[3], step: row[4], status: row[5] as Int64? ?? 0, body: row.octets(6),
                    createdAt: row[8], isAlive: (row[7] as Int64?).map { isAlive($0) } ?? false)
            }
        }
        guard let record, !record.isExpired(by: clock) else { return nil }
        return record
    }

    private static func fold(_ events: [StoredEvent]) throws(JournalError) -> Payment? {
        try Payment(stored: events)
    }
}

extension Row {
    func octets(_ index: Int) -> [UInt8] { (self[index] as Data?).map { Array($0) } ?? [] }
}

extension StoredEvent {
    static let columns = "sequence, payment, account, version, at, body"
    /// The query for the events of a payment, oldest first.
    static let ofPayment = "SELECT \(columns) FROM event WHERE payment = ? ORDER BY version"
    /// The query for what a payment is folded from.
    static let recordsOfPayment: StaticString = "SELECT at, body FROM event WHERE payment = ? ORDER BY version"

    /// Decodes the row that the statement is positioned on.
    init(_ row: SQLiteStatement) throws(JournalError) {
        self.init(
            sequence: row.int(0), payment: PaymentID(rawValue: row.text(1)), account: AccountID(rawValue: row.text(2)),
            version: Int(clamping: row.int(3)),
            record: try RecordedEvent(row.bytesInPlace(5), at: Timestamp(milliseconds: row.int(4))))
    }

    init(_ row: Row) throws {
        let body: String = row[5]
        var utf8 = body
        utf8.makeContiguousUTF8()
        self.init(
            sequence: row[0], payment: PaymentID(rawValue: row[1]), account: AccountID(rawValue: row[2]),
            version: Int(clamping: row[3] as Int64),
            record: try RecordedEvent(utf8.utf8, at: Timestamp(milliseconds: row[4])))
    }
}

extension RecordedEvent {
    fileprivate init(_ body: some Collection<UInt8>, at: Timestamp) throws(JournalError) {
        self = try PaymentEventCodec.record(body, at: at)
    }
}

extension PaymentRow {
    static let columns = """
        id, account, order_id, order_number, status, amount, currency, captured, refunded, provider, tender, created_at,
        updated_at, version
        """

    init(_ row: Row) throws {
        let text: String = row[4]
        guard let status = PaymentStatus(rawValue: text) else {
            throw JournalError.corrupted("the status “\(text.prefix(40))” of a payment is not known")
        }
        let currency = try Currency(stored: row[6])
        self.init(
            id: PaymentID(rawValue: row[0]), account: AccountID(rawValue: row[1]), order: OrderID(rawValue: row[2]),
            orderNumber: row[3], status: status, amount: Money(minorUnits: row[5], currency: currency),
            captured: Money(minorUnits: row[7], currency: currency),
            refunded: Money(minorUnits: row[8], currency: currency),
            provider: (row[9] as String?).map { ProviderName(rawValue: $0) },
            tenderKind: (row[10] as String?).map { TenderKind(rawValue: $0) },
            createdAt: Timestamp(milliseconds: row[11]), updatedAt: Timestamp(milliseconds: row[12]),
            version: Int(clamping: row[13] as Int64))
    }
}

extension UnreadableRow {
    /// Creates a row from the readable columns of `PaymentRow.columns`.
    fileprivate init(_ row: Row, reason: String) {
        self.init(
            id: PaymentID(rawValue: row[0]), account: AccountID(rawValue: row[1]), order: OrderID(rawValue: row[2]),
            orderNumber: row[3], amount: Currency(ifValid: row[6]).map { Money(minorUnits: row[5], currency: $0) },
            provider: (row[9] as String?).map { ProviderName(rawValue: $0) },
            createdAt: Timestamp(milliseconds: row[11]), updatedAt: Timestamp(milliseconds: row[12]), reason: reason)
    }
}
