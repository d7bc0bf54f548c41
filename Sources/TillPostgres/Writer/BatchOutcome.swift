import TillCore
import TillJournal

/// The procedure's outcome of a committed batch.
struct BatchOutcome {
    /// The head of the chain after the batch.
    let head: ChainHead
    /// The appended events of each write, or the reason for its refusal.
    let writes: [Result<[StoredEvent], JournalError>]

    /// The size limits of an outcome. Each refusal in it may carry two documents in hexadecimal.
    private static let limits = JSONLimits(maximumBytes: 256 << 20, maximumDepth: 8, maximumValues: 64_000)

    /// Parses an outcome.
    /// - Throws: ``PostgresFailure/Kind/unexpected`` for any other text.
    init(_ text: [UInt8], of batch: [PreparedWrite]) throws(PostgresFailure) {
        guard let json = try? JSONValue(parsing: text, limits: BatchOutcome.limits),
            let sequence = json["sequence"]?.int64Value,
            let hash = json["head"]?.stringValue.flatMap({ Hex.decode($0) }),
            let answers = json["writes"]?.arrayValue, answers.count == batch.count
        else { throw BatchOutcome.unexpected }
        head = ChainHead(sequence: sequence, hash: hash)
        var writes: [Result<[StoredEvent], JournalError>] = []
        writes.reserveCapacity(batch.count)
        for (answer, write) in zip(answers, batch) {
            if let first = answer.int64Value {
                writes.append(.success(BatchOutcome.events(of: write, after: first)))
            } else {
                writes.append(.failure(try BatchOutcome.refusal(answer, write)))
            }
        }
        self.writes = writes
    }

    private static let unexpected = PostgresFailure(
        .unexpected, "the database answered what Till's procedure does not say")

    private static func events(of write: PreparedWrite, after first: Int64) -> [StoredEvent] {
        guard let append = write.append else { return [] }
        return append.events.enumerated().map { offset, record in
            StoredEvent(
                sequence: first + Int64(offset) + 1, payment: append.row.id, account: append.row.account,
                version: append.expectedVersion + offset + 1, record: record)
        }
    }

    private static func refusal(_ json: JSONValue, _ write: PreparedWrite) throws(PostgresFailure) -> JournalError {
        switch json["refused"]?.stringValue {
        case "version":
            guard let id = write.append?.row.id, let current = json["current"]?.int64Value else { break }
            return .versionConflict(payment: id, current: Int(clamping: current))
        case "order":
            guard let occupant = json["by"]?.stringValue else { break }
            return .orderOccupied(by: PaymentID(rawValue: occupant))
        case "webhook": return .webhookSeen
        case "record":
            guard let index = json["index"]?.int64Value.map({ Int(clamping: $0) }), write.records.indices ~= index,
                let id = write.records[index].id, let current = json["current"]?.int64Value
            else { break }
            return .recordConflict(id, current: Int(clamping: current))
        case "key":
            guard let scope = write.idempotency?.scope, let record = IdempotencyRecord(scope, refusal: json) else {
                break
            }
            return .idempotencyExists(record)
        default: break
        }
        throw unexpected
    }
}

extension IdempotencyRecord {
    /// Reads the existing record of a key from the procedure's refusal.
    fileprivate init?(_ scope: IdempotencyScope, refusal json: JSONValue) {
        guard let fingerprint = json["fingerprint"]?.stringValue.flatMap({ Hex.decode($0) }),
            let request = json["request"]?.stringValue.flatMap({ Hex.decode($0) }),
            let body = json["body"]?.stringValue.flatMap({ Hex.decode($0) }),
            let isFinished = json["finished"]?.boolValue, let createdAt = json["created_at"]?.int64Value,
            let isAlive = json["alive"]?.boolValue
        else { return nil }
        self.init(
            scope: scope, fingerprint: fingerprint, request: request, isFinished: isFinished,
            payment: json["payment"]?.stringValue, step: json["step"]?.stringValue,
            status: json["status"]?.int64Value ?? 0, body: body, createdAt: createdAt, isAlive: isAlive)
    }
}
