public import TillCore

/// The assignment of an attention item or an incident to a staff member, so that two do not work on the same one.
public struct Assignment: Hashable, Sendable {
    /// The maximum size of a name, in bytes.
    public static let maximumNameBytes = 128
    /// The lifetime of an assignment. Items open for longer must be reassigned.
    public static let lifetime = Span.days(90)

    /// The assigned item.
    public enum Subject: Hashable, Sendable {
        case entry(PaymentID, number: Int)
        /// The incident with this identifier.
        case incident(String)

        /// The name in the record and the audit log.
        public var name: String {
            switch self {
            case .entry(let payment, let number): "\(payment).\(number)"
            case .incident(let id): id
            }
        }
    }

    /// The subject's name.
    let subject: String
    /// The assignee, without card numbers.
    public let name: String
    public let at: Timestamp
}

extension Assignment: RecordDocument {
    public static let collection: RecordCollection = "attention_assignment"
    static func id(_ subject: Subject) -> RecordID { RecordID(collection, subject.name) }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", name)
        writer.field("at", at.milliseconds)
        writer.endObject()
        return Record(
            RecordID(Assignment.collection, subject), body: writer.bytes, due: at.adding(Assignment.lifetime))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            subject: stored.id.key, name: try body.text("name"), at: Timestamp(milliseconds: try body.int("at")))
    }
}

/// Assigns open items to staff. Any number of processes may use it at once; the last write wins.
public struct Assignments: Sendable {
    private let store: any RecordStore
    private let clock: any TillClock

    public init(_ store: any RecordStore, clock: any TillClock) { (self.store, self.clock) = (store, clock) }

    public func assignment(of subject: Assignment.Subject) async throws(JournalError) -> Assignment? {
        try await store.record(Assignment.id(subject)).map { (kept) throws(JournalError) in try Assignment(kept) }
    }

    /// Assigns an item, replacing any earlier assignee, or removes the assignment. Durable when it returns, together
    /// with its audit log entry.
    /// - Parameters:
    ///   - name: the assignee; `nil` removes the assignment.
    ///   - account: the account of the audit log entry.
    public func assign(
        _ subject: Assignment.Subject, to name: String?, account: AccountID
    ) async throws(JournalError) -> Assignment? {
        for tries in 1... {
            let kept = try await store.record(Assignment.id(subject))
            let before = try kept.map { (kept) throws(JournalError) in try Assignment(kept) }
            let now = clock.now()
            let next = name.map {
                Assignment(subject: subject.name, name: CardNumberMask.maskedForPeople($0), at: now)
            }
            guard before?.name != next?.name else { return before }
            var changes: [RecordChange] = []
            if let next {
                changes.append(.put(next.record, over: kept))
            } else if let kept {
                changes.append(.delete(kept.id, from: kept.version))
            }
            if clock.standing.isTrusted { changes.append(.forget(Assignment.collection, dueBy: now)) }
            let note = AuditNote(
                .attentionAssigned, account: account, subject: subject.name,
                changes: [AuditChange("assignee", from: before?.name, to: next?.name)])
            do throws(JournalError) {
                try await store.change(changes, noting: [note])
                return next
            } catch { guard case .recordConflict = error, tries < IncidentLog.maximumConflicts else { throw error } }
        }
        return nil
    }
}
