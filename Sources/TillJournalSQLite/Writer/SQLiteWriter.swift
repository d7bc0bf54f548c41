import GRDBSQLite
import TillCore
import TillJournal

/// The statements of the writer. Used on the writer's thread only.
final class SQLiteWriter {
    let connection: SQLiteConnection
    private let database: OpaquePointer
    let owner: Int64
    private let isAlive: (Int64) -> Bool
    private let heads: HeadFile?
    private var nextPurge = Timestamp(milliseconds: .min)
    private var nextAuditPurge = Timestamp(milliseconds: .min)
    /// The head of the chain in the open transaction; `nil` until it appends events.
    var head: ChainHead?
    /// The head of the chain as last seen by this process.
    var seenHead: ChainHead?
    /// The buffer in which each event's bytes are put together to be hashed.
    var hashed: [UInt8] = []
    /// The changes to the maintained totals in the open transaction.
    var tallies: [Tally: Int64] = [:]
    /// The statement that writes them, prepared on first use: its text is long and put together.
    var addition: SQLiteStatement?
    /// A record that is missing as seen by the open transaction: every sale has the same first precondition. No other
    /// connection writes while the transaction is open, and any change of a record in it forgets this.
    var absent: RecordID?

    /// - Throws: also if SQLite would not sync every commit.
    init(
        path: String, owner: Int64, heads: HeadFile?, isAlive: @escaping (Int64) -> Bool
    ) throws(SQLiteFailure) {
        // FULL: a commit is on the disk when it returns.
        connection = try SQLiteConnection(
            path, readOnly: false,
            pragmas: [
                "busy_timeout = 5000", "foreign_keys = 1", "synchronous = FULL", "fullfsync = 1",
                "checkpoint_fullfsync = 1", "journal_size_limit = 67108864", "cache_size = -4096",
                // What a change replaces or deletes is overwritten, so that erased contacts are in no free page.
                "temp_store = MEMORY", "secure_delete = ON",
            ])
        connection.watchLog()
        database = connection.handle
        self.owner = owner
        self.isAlive = isAlive
        self.heads = heads
        let level = try connection.statement("PRAGMA synchronous").first { $0.int(0) }
        guard level == 2 else { throw SQLiteFailure(code: SQLITE_MISUSE) }
    }

    // MARK: Transactions

    func begin() throws(SQLiteFailure) {
        head = nil
        absent = nil
        tallies.removeAll(keepingCapacity: true)
        try statement("BEGIN IMMEDIATE").run()
    }

    func commit() throws(SQLiteFailure) {
        try writeHeadAndTallies()
        try statement("COMMIT").run()
        if let head {
            seenHead = head
            heads?.note(head)
        }
    }

    /// Rolls back, unless the error has already done so.
    func rollBack() {
        head = nil
        absent = nil
        guard sqlite3_get_autocommit(database) == 0 else { return }
        do throws(SQLiteFailure) { try statement("ROLLBACK").run() } catch {}
    }

    // MARK: Lease

    static let selectFence: StaticString = "SELECT fenced_at FROM process WHERE owner = ? AND fenced_at IS NOT NULL"

    /// `true` if another process has taken over what this one held, as seen by the open transaction.
    func isFenced() throws(SQLiteFailure) -> Bool {
        try statement(SQLiteWriter.selectFence).first(.int(owner)) { _ in true } ?? false
    }

    // MARK: One write

    /// Checks everything, then writes everything. A refusal has written nothing.
    func apply(
        _ write: PreparedWrite, clock: any TillClock
    ) throws(SQLiteFailure) -> Result<[StoredEvent], JournalError> {
        if let record = write.idempotency, write.mustBeFirst(record),
            let existing = try idempotency(record.scope), !existing.isExpired(by: clock), existing.refuses(record)
        {
            return .failure(.idempotencyExists(existing))
        }
        let isDecided = write.isDecidedByWebhook
        if let webhook = write.webhook, isDecided, try !insert(webhook) { return .failure(.webhookSeen) }
        if let webhook = write.webhook, !isDecided, try isSeen(webhook) { return .failure(.webhookSeen) }
        var current = Current()
        if let append = write.append {
            current = try self.current(append.row.id)
            if let refusal = try refusal(of: append, on: current) { return .failure(refusal) }
        }
        if let refusal = try refusal(of: write.records) { return .failure(refusal) }
        var stored: [StoredEvent] = []
        if let append = write.append {
            stored = try insert(append, bodies: write.bodies, over: current)
            count(append, from: current)
        }
        if let record = write.idempotency { try upsert(record) }
        if let webhook = write.webhook, !isDecided { _ = try insert(webhook) }
        if let (payment, moment) = write.wake {
            try statement("UPDATE outbox SET due_at = ?1 WHERE payment = ?2 AND due_at > ?1")
                .run(.int(moment.milliseconds), .text(payment.rawValue))
        }
        if write.records.contains(where: { !$0.isCondition }) {
            absent = nil
            try apply(write.records, now: clock.now(), forgets: clock.standing.isTrusted)
        }
        if !write.audit.isEmpty { try append(write.audit, at: clock.now()) }
        return .success(stored)
    }

    /// Purges expired rows, a few at a time. Deletion is permanent, so an untrusted clock purges nothing.
    func purge(by clock: any TillClock) throws(SQLiteFailure) {
        let now = clock.now()
        // A purge scheduled further ahead was scheduled by a wrong clock.
        guard now >= nextPurge || nextPurge > now.adding(JournalLimits.purgeInterval), clock.standing.isTrusted else {
            return
        }
        let limit = Int64(JournalLimits.maximumPurgedRows)
        var isFull = false
        for (table, moment, retention) in [
            ("idempotency", "created_at", JournalLimits.idempotencyRetention),
            ("webhook", "at", JournalLimits.webhookRetention),
        ] {
            let oldest = now.adding(Span(milliseconds: -retention.milliseconds))
            try statement(
                text: """
                    DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) ORDER BY rowid LIMIT ?1)
                    AND \(moment) < ?2
                    """
            ).run(.int(limit), .int(oldest.milliseconds))
            isFull = isFull || Int64(sqlite3_changes(database)) >= limit
        }
        if !isFull { nextPurge = now.adding(JournalLimits.purgeInterval) }
        guard now >= nextAuditPurge || nextAuditPurge > now.adding(AuditLimits.purgeInterval) else { return }
        if try !purgeAudit(at: now) { nextAuditPurge = now.adding(AuditLimits.purgeInterval) }
    }

    // MARK: Payments

    private func refusal(
        of append: PreparedWrite.Append, on current: Current
    ) throws(SQLiteFailure) -> JournalError? {
        let row = append.row
        guard current.version == append.expectedVersion else {
            return .versionConflict(payment: row.id, current: current.version)
        }
        // Events of an existing payment are always written, even if its order has another payment meanwhile.
        guard append.isLive, append.expectedVersion == 0 else { return nil }
        let found = try statement(SQLiteJournal.occupant)
            .first(.text(row.account.rawValue), .text(row.order.rawValue)) { $0.optionalText(0) }
        let occupant = found?.map { PaymentID(rawValue: $0) }
        return occupant.map { .orderOccupied(by: $0) }
    }

    private func insert(
        _ append: PreparedWrite.Append, bodies: [[UInt8]], over current: Current
    ) throws(SQLiteFailure) -> [StoredEvent] {
        let row = append.row
        var stored: [StoredEvent] = []
        stored.reserveCapacity(append.events.count)
        var version = append.expectedVersion
        for (record, body) in zip(append.events, bodies) {
            version += 1
            let sequence = try chain(record, body, version: version, of: row)
            stored.append(
                StoredEvent(sequence: sequence, payment: row.id, account: row.account, version: version, record: record)
            )
        }
        if append.expectedVersion == 0 {
            try insert(row, isLive: append.isLive)
        } else if !append.events.isEmpty {
            try update(row, isLive: append.isLive, over: current)
        }
        if append.isPending {
            // A row that is set to what it was would be written all the same, with its index.
            try statement(
                """
                INSERT INTO outbox(payment, due_at, owner) VALUES (?1, ?2, ?3)
                ON CONFLICT(payment) DO UPDATE SET due_at = ?2, owner = iif(?4, owner, ?3)
                  WHERE due_at IS NOT ?2 OR owner IS NOT iif(?4, owner, ?3)
                """
            ).run(
                .text(row.id.rawValue), .optional(append.nextDue?.milliseconds),
                append.holder == .thisProcess ? .int(owner) : .null, .int(append.holder == .unchanged ? 1 : 0))
        } else if current.isPending {
            try statement("DELETE FROM outbox WHERE payment = ?").run(.text(row.id.rawValue))
        }
        return stored
    }

    private func insert(_ row: PaymentRow, isLive: Bool) throws(SQLiteFailure) {
        try statement(
            """
            INSERT INTO payment(id, account, order_id, order_number, live, version, status, amount, currency,
              captured, refunded, provider, tender, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).run(
            .text(row.id.rawValue), .text(row.account.rawValue), .text(row.order.rawValue), .text(row.orderNumber),
            .int(isLive ? 1 : 0), .int(Int64(row.version)), .text(row.status.rawValue), .int(row.amount.minorUnits),
            .text(row.amount.currency.code), .int(row.captured.minorUnits), .int(row.refunded.minorUnits),
            .optional(row.provider?.rawValue), .optional(row.tenderKind?.rawValue),
            .int(row.createdAt.milliseconds), .int(row.updatedAt.milliseconds))
    }

    /// `live` is 1 for the payment that has its order, and 2 for one that became live again while another one had the
    /// order: its refund failed later. Both keep the order from a third. `live` and `status` are set only if they
    /// change: a column that is set has its indexes written, whatever its value.
    private func update(_ row: PaymentRow, isLive: Bool, over current: Current) throws(SQLiteFailure) {
        var values: [SQLiteValue] = [
            .text(row.id.rawValue), .int(Int64(row.version)), .int(row.captured.minorUnits),
            .int(row.refunded.minorUnits), .optional(row.provider?.rawValue), .optional(row.tenderKind?.rawValue),
            .int(row.updatedAt.milliseconds), .text(row.status.rawValue),
        ]
        if current.status == row.status {
            values.removeLast()
            try statement(
                """
                UPDATE payment SET version = ?2, captured = ?3, refunded = ?4, provider = ?5, tender = ?6,
                  updated_at = ?7 WHERE id = ?1
                """
            ).run(values)
        } else {
            try statement(
                """
                UPDATE payment SET version = ?2, captured = ?3, refunded = ?4, provider = ?5, tender = ?6,
                  updated_at = ?7, status = ?8 WHERE id = ?1
                """
            ).run(values)
        }
        guard current.isLive != isLive else { return }
        try statement(
            """
            UPDATE payment SET live = CASE WHEN ?2 = 0 THEN 0 WHEN EXISTS(
                SELECT 1 FROM payment AS other WHERE other.account = payment.account
                AND other.order_id = payment.order_id AND other.live = 1) THEN 2 ELSE 1 END
            WHERE id = ?1
            """
        ).run(.text(row.id.rawValue), .int(isLive ? 1 : 0))
    }

    // MARK: Idempotency

    private func idempotency(_ scope: IdempotencyScope) throws(SQLiteFailure) -> IdempotencyRecord? {
        let isAlive = isAlive
        return try statement(SQLiteWriter.selectIdempotency)
            .first(.text(scope.account.rawValue), .text(scope.operation), .text(scope.key)) { row in
                IdempotencyRecord(scope: scope, row: row, isAlive: isAlive)
            }
    }

    private func upsert(_ record: IdempotencyRecord) throws(SQLiteFailure) {
        let scope = record.scope
        var step: String?
        var status: Int64?
        var body: SQLiteValue = .null
        var holder: Int64?
        switch record.state {
        case .inFlight(_, let operation):
            step = operation
            holder = owner
        case .finished(let code, let bytes, _):
            status = Int64(code)
            body = .blob(bytes)
        }
        try statement(
            """
            INSERT INTO idempotency(account, operation, key, fingerprint, request, finished, payment, step, status,
              body, owner, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT(account, operation, key) DO UPDATE SET fingerprint = ?4, request = ?5, finished = ?6,
              payment = ?7, step = ?8, status = ?9, body = ?10, owner = ?11, created_at = ?12
            """
        ).run(
            .text(scope.account.rawValue), .text(scope.operation), .text(scope.key), .blob(record.fingerprint),
            .blob(record.request), .int(record.isFinished ? 1 : 0), .optional(record.payment?.rawValue),
            .optional(step), .optional(status), body, .optional(holder), .int(record.createdAt.milliseconds))
    }

    static let selectIdempotency: StaticString = """
        SELECT fingerprint, request, finished, payment, step, status, body, owner, created_at FROM idempotency
        WHERE account = ? AND operation = ? AND key = ?
        """

    // MARK: Webhooks

    private func isSeen(_ webhook: WebhookReceipt) throws(SQLiteFailure) -> Bool {
        try statement("SELECT 1 FROM webhook WHERE provider = ? AND id = ?")
            .first(.text(webhook.provider.rawValue), .text(webhook.id)) { _ in true } ?? false
    }

    /// Inserts a receipt.
    /// - Returns: `false` if it was there; then nothing is written.
    private func insert(_ webhook: WebhookReceipt) throws(SQLiteFailure) -> Bool {
        try statement("INSERT INTO webhook(provider, id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
            .run(.text(webhook.provider.rawValue), .text(webhook.id), .int(webhook.at.milliseconds))
        return sqlite3_changes(database) > 0
    }

    func statement(_ sql: StaticString) throws(SQLiteFailure) -> SQLiteStatement {
        try connection.statement(literal: sql)
    }

    /// Returns a statement whose text is put together.
    func statement(text sql: String) throws(SQLiteFailure) -> SQLiteStatement { try connection.statement(sql) }
}

extension IdempotencyRecord {
    /// Creates a record from a row of ``SQLiteWriter/selectIdempotency``.
    init(scope: IdempotencyScope, row: SQLiteStatement, isAlive: (Int64) -> Bool) {
        self.init(
            scope: scope, fingerprint: row.bytes(0), request: row.bytes(1), isFinished: row.int(2) == 1,
            payment: row.optionalText(3), step: row.optionalText(4), status: row.int(5), body: row.bytes(6),
            createdAt: row.int(8), isAlive: row.optionalInt(7).map(isAlive) ?? false)
    }
}
