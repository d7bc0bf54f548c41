public import TillCore
public import TillJournal

extension PostgresJournal {
    /// Returns a payment, folded from its events; `nil` if there is none.
    public func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        try Payment(stored: try await events(of: id))
    }

    /// Returns the version of a payment from its row; `nil` if there is none.
    public func version(of payment: PaymentID) async throws(JournalError) -> Int? {
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query("SELECT version FROM payment WHERE id = $1", [.text(payment.rawValue)])
        }
        return rows.first.map { Int(clamping: $0.int(0)) }
    }

    /// Returns the payment that currently occupies the order; `nil` if the order is free.
    public func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT \(EventColumns.sql) FROM event WHERE payment = (
                  SELECT coalesce((SELECT id FROM payment WHERE account = $1 AND order_id = $2 AND live = 1),
                    (SELECT min(id) FROM (
                      SELECT id FROM payment WHERE account = $1 AND order_id = $2 AND live = 2 OFFSET 0) AS returned)))
                ORDER BY version
                """, [.text(account.rawValue), .text(order.rawValue)])
        }
        return try Payment(stored: try rows.map { (row) throws(JournalError) in try StoredEvent(row) })
    }

    /// Returns all events of a payment, oldest first.
    public func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                "SELECT \(EventColumns.sql) FROM event WHERE payment = $1 ORDER BY version", [.text(payment.rawValue)])
        }
        return try rows.map { (row) throws(JournalError) in try StoredEvent(row) }
    }

    /// Returns payments from their rows, newest first.
    public func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        try await paymentRows(filter).map { (row) throws(JournalError) in try PaymentRow(row) }
    }

    /// Returns payments from their rows, newest first, including unreadable rows.
    public func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading] {
        try await paymentRows(filter).map { row in
            do throws(JournalError) { return .row(try PaymentRow(row)) } catch {
                return .unreadable(UnreadableRow(row, reason: "\(error)"))
            }
        }
    }

    private func paymentRows(_ filter: PaymentFilter) async throws(JournalError) -> [PostgresRow] {
        if filter.hasOrigin { return try await saleRows(filter) }
        // A position is always a condition, so that every query starts in an index at its page.
        var conditions = ["id < $1"]
        var values: [PostgresValue] = [.text(filter.before?.rawValue ?? "\u{10FFFF}")]
        for (column, value) in [
            ("account", filter.account?.rawValue), ("order_id", filter.order?.rawValue),
            ("status", filter.status?.rawValue),
        ] {
            guard let value else { continue }
            values.append(.text(value))
            conditions.append("\(column) = $\(values.count)")
        }
        values.append(.int(Int64(min(max(filter.limit, 1), JournalLimits.maximumPage))))
        let sql = """
            SELECT \(PaymentColumns.sql) FROM payment WHERE \(conditions.joined(separator: " AND "))
            ORDER BY id DESC LIMIT $\(values.count)
            """
        let arguments = values
        return try await read { (connection) throws(PostgresFailure) in try connection.query(sql, arguments) }
    }

    /// Returns payments by the origin of their sale: their first events are found in order, and their rows by them.
    private func saleRows(_ filter: PaymentFilter) async throws(JournalError) -> [PostgresRow] {
        var sold = ["payment < $1"]
        var listed = ["id = sold"]
        var values: [PostgresValue] = [.text(filter.before?.rawValue ?? "\u{10FFFF}")]
        if let account = filter.account {
            values.append(.text(account.rawValue))
            sold.append("account = $\(values.count)")
        }
        if let seller = filter.seller {
            values.append(.text(seller.rawValue))
            sold.append("\(SaleColumns.isBySeller) AND \(SaleColumns.seller) = $\(values.count)")
        }
        if let shop = filter.shop {
            values.append(.text(shop))
            sold.append("\(SaleColumns.isOfShop) AND \(SaleColumns.shop) = $\(values.count)")
        }
        for (column, value) in [("order_id", filter.order?.rawValue), ("status", filter.status?.rawValue)] {
            guard let value else { continue }
            values.append(.text(value))
            listed.append("\(column) = $\(values.count)")
        }
        values.append(.int(Int64(min(max(filter.limit, 1), JournalLimits.maximumPage))))
        let sql = """
            SELECT listed.* FROM (SELECT payment AS sold FROM event WHERE \(sold.joined(separator: " AND "))) AS sale
            CROSS JOIN LATERAL (
              SELECT \(PaymentColumns.sql) FROM payment WHERE \(listed.joined(separator: " AND ")) LIMIT 1) AS listed
            ORDER BY sold DESC LIMIT $\(values.count)
            """
        let arguments = values
        return try await read { (connection) throws(PostgresFailure) in try connection.query(sql, arguments) }
    }

    /// Returns events after a position in the journal, oldest first.
    public func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent] {
        try await eventRows(after: sequence, account, limit).map { (row) throws(JournalError) in try StoredEvent(row) }
    }

    /// Returns events after a position in the journal, oldest first, including unreadable ones.
    public func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading] {
        try await eventRows(after: sequence, account, limit).map { (row) throws(JournalError) in
            do throws(JournalError) { return .event(try StoredEvent(row)) } catch {
                guard case .corrupted(let reason) = error else { throw error }
                return .unreadable(
                    UnreadableEvent(
                        sequence: row.int(0), payment: PaymentID(rawValue: row.text(1)),
                        account: AccountID(rawValue: row.text(2)), version: Int(clamping: row.int(3)),
                        at: Timestamp(milliseconds: row.int(4)), reason: reason))
            }
        }
    }

    private func eventRows(
        after sequence: Int64, _ account: AccountID?, _ limit: Int
    ) async throws(JournalError) -> [PostgresRow] {
        let limit = Int64(min(max(limit, 1), JournalLimits.maximumPage))
        return try await read { (connection) throws(PostgresFailure) in
            guard let account else {
                return try connection.query(
                    "SELECT \(EventColumns.sql) FROM event WHERE sequence > $1 ORDER BY sequence LIMIT $2",
                    [.int(sequence), .int(limit)])
            }
            return try connection.query(
                """
                SELECT \(EventColumns.sql) FROM event WHERE account = $3 AND sequence > $1 ORDER BY sequence LIMIT $2
                """, [.int(sequence), .int(limit), .text(account.rawValue)])
        }
    }

    /// Returns the record of an idempotency key; `nil` if there is none or it has expired.
    public func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT fingerprint, request, finished, payment, step, status, body, created_at,
                  till_lives(idempotency.owner)
                FROM idempotency WHERE account = $1 AND operation = $2 AND key = $3
                """, [.text(scope.account.rawValue), .text(scope.operation), .text(scope.key)])
        }
        guard let row = rows.first else { return nil }
        let record = IdempotencyRecord(
            scope: scope, fingerprint: row.bytes(0), request: row.bytes(1), isFinished: row.bool(2),
            payment: row.optionalText(3), step: row.optionalText(4), status: row.int(5), body: row.bytes(6),
            createdAt: row.int(7), isAlive: row.bool(8))
        return record.isExpired(by: clock) ? nil : record
    }
}

/// The columns of an event, in reading order.
enum EventColumns {
    static let sql = "sequence, payment, account, version, at, body"
}

/// The columns of a payment's row, in reading order.
enum PaymentColumns {
    static let sql = """
        id, account, order_id, order_number, status, amount, currency, captured, refunded, provider, tender, created_at,
        updated_at, version
        """
}

extension StoredEvent {
    /// Reads a row that begins with ``EventColumns``.
    init(_ row: PostgresRow) throws(JournalError) {
        self.init(
            sequence: row.int(0), payment: PaymentID(rawValue: row.text(1)), account: AccountID(rawValue: row.text(2)),
            version: Int(clamping: row.int(3)),
            record: try PaymentEventCodec.record(row.bytes(5), at: Timestamp(milliseconds: row.int(4))))
    }
}

extension PaymentRow {
    /// Reads a row that begins with ``PaymentColumns``.
    init(_ row: PostgresRow) throws(JournalError) {
        guard let status = PaymentStatus(rawValue: row.text(4)) else {
            throw .corrupted("the status “\(row.text(4).prefix(40))” of a payment is not known")
        }
        let currency = try Currency(stored: row.text(6))
        self.init(
            id: PaymentID(rawValue: row.text(0)), account: AccountID(rawValue: row.text(1)),
            order: OrderID(rawValue: row.text(2)), orderNumber: row.text(3), status: status,
            amount: Money(minorUnits: row.int(5), currency: currency),
            captured: Money(minorUnits: row.int(7), currency: currency),
            refunded: Money(minorUnits: row.int(8), currency: currency),
            provider: row.optionalText(9).map { ProviderName(rawValue: $0) },
            tenderKind: row.optionalText(10).map { TenderKind(rawValue: $0) },
            createdAt: Timestamp(milliseconds: row.int(11)), updatedAt: Timestamp(milliseconds: row.int(12)),
            version: Int(clamping: row.int(13)))
    }
}

extension UnreadableRow {
    /// Reads the readable columns of a row of ``PaymentColumns``.
    fileprivate init(_ row: PostgresRow, reason: String) {
        self.init(
            id: PaymentID(rawValue: row.text(0)), account: AccountID(rawValue: row.text(1)),
            order: OrderID(rawValue: row.text(2)), orderNumber: row.text(3),
            amount: Currency(ifValid: row.text(6)).map { Money(minorUnits: row.int(5), currency: $0) },
            provider: row.optionalText(9).map { ProviderName(rawValue: $0) },
            createdAt: Timestamp(milliseconds: row.int(11)), updatedAt: Timestamp(milliseconds: row.int(12)),
            reason: reason)
    }
}
