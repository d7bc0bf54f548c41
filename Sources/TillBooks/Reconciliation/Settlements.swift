import TillCore
import TillJournal

/// Keeps the list of movements and the index of provider references up to date with the journal. Both are projections:
/// each page of events is committed together with the position it ends at, so a crash neither repeats nor skips an
/// event.
struct Settlements {
    /// The maximum number of events in one commit; each adds at most one movement, one reference and one account.
    static let eventsAtOnce = 200
    static let references: RecordCollection = "settlement-reference"
    static let accounts: RecordCollection = "settlement-account"
    /// Payments with an event that could not be read.
    static let unreadable: RecordCollection = "settlement-unreadable"
    private static let marker = RecordID("settlement-marker", "1")

    let journal: any Journal & RecordStore

    /// A number that changes whenever events were processed; 0 before the first.
    func edition() async throws(JournalError) -> Int64 {
        Int64(try await journal.record(Settlements.marker)?.version ?? 0)
    }

    /// Processes the events since the last call.
    func catchUp() async throws(JournalError) {
        try await takeInMended()
        var folded = FoldedPayments(journal)
        // After a cancellation the next call continues from the last commit.
        while !Task.isCancelled {
            let stored = try await journal.record(Settlements.marker)
            let after = try stored.map { (record) throws(JournalError) in try RecordBody(record).int("sequence") } ?? 0
            let page = try await journal.readings(after: after, account: nil, limit: Settlements.eventsAtOnce)
            guard let last = page.last else { return }
            var changes: [RecordID: RecordChange] = [:]
            for reading in page {
                for (id, change) in try await self.changes(of: reading, &folded) { changes[id] = change }
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("sequence", last.sequence)
            writer.endObject()
            let marker = RecordChange.put(Record(Settlements.marker, body: writer.bytes), over: stored)
            do throws(JournalError) { try await journal.change(Array(changes.values) + [marker]) } catch {
                // Another process was faster; its events are neither processed nor folded twice.
                guard case .recordConflict = error else { throw error }
                folded = FoldedPayments(journal)
            }
        }
    }

    private func changes(
        of reading: EventReading, _ folded: inout FoldedPayments
    ) async throws(JournalError) -> [(RecordID, RecordChange)] {
        let entry = try await folded.entry(of: reading)
        guard case .event(let event) = reading, !folded.unreadable.contains(event.payment) else {
            // It is read again after a repair; until then its movements are unknown.
            let id = RecordID(Settlements.unreadable, reading.payment.rawValue)
            return [(id, .insertIfAbsent(Record(id, body: Array("{}".utf8))))]
        }
        guard let payment = folded.payment(event.payment) else { return [] }
        var moved = entry?.postings.filter { $0.account.kind == .receivable } ?? []
        if try await isOnItsWay(event) { moved = [] }
        return Settlements.changes(event, payment, moved.count == 1 ? moved[0].amount : nil)
    }

    /// Processes payments that were unreadable and have been repaired, from their first event; existing records are
    /// kept.
    private func takeInMended() async throws(JournalError) {
        for record in try await journal.records(RecordQuery(Settlements.unreadable)) {
            let id = PaymentID(rawValue: record.id.key)
            guard case .success = try await journal.readable(id) else { continue }
            var folded = FoldedPayments(journal)
            var changes: [RecordID: RecordChange] = [:]
            for event in try await journal.events(of: id) {
                for (id, change) in try await self.changes(of: .event(event), &folded) { changes[id] = change }
            }
            guard changes.count < RecordLimits.maximumChanges, folded.unreadable.isEmpty else { continue }
            let marker = try await journal.record(Settlements.marker)
            let edition = marker.map { [RecordChange.update(Record($0.id, body: $0.body), from: $0.version)] } ?? []
            do throws(JournalError) {
                try await journal.change(
                    Array(changes.values) + edition + [.delete(record.id, from: record.version)])
            } catch { guard case .recordConflict = error else { throw error } }
        }
    }

    /// `true` if the event reports a refund that is still pending, according to the event written with it: the refund
    /// moves money once it succeeds.
    private func isOnItsWay(_ event: StoredEvent) async throws(JournalError) -> Bool {
        guard case .refundReported(let refund, _, _, _) = event.record.event else { return false }
        let next = try await journal.events(of: event.payment).first { $0.version == event.version + 1 }
        guard let next, case .outcomeUnknown(.refund(refund), _, _) = next.record.event else { return false }
        return true
    }

    private static func changes(
        _ event: StoredEvent, _ payment: Payment, _ moved: Money?
    ) -> [(RecordID, RecordChange)] {
        var changes: [(RecordID, RecordChange)] = []
        if let (owner, reference) = named(event.record.event, in: payment),
            let attempt = payment.attempts.last(where: { $0.id == owner })
        {
            let id = name(reference.rawValue, of: attempt.provider)
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("payment", payment.id.rawValue)
            writer.endObject()
            changes.append((id, .insertIfAbsent(Record(id, body: writer.bytes))))
        }
        if let moved, let settlement = Settlement(event, of: payment, moved: moved) {
            changes.append((settlement.record.id, .insertIfAbsent(settlement.record)))
            if let account = settlement.providerAccount { changes.append(known(account, of: settlement.provider)) }
        }
        return changes
    }

    /// Returns the provider reference that an event introduces, with its attempt.
    private static func named(
        _ event: PaymentEvent, in payment: Payment
    ) -> (attempt: AttemptID, reference: ProviderReference)? {
        let found: (AttemptID?, ProviderReference?) =
            switch event {
            case .attemptPrepared(let id, let reference): (id, reference)
            case .authorized(let id, let hold): (id, hold.reference)
            case .captured(let id, let reference): (payment.captures.last { $0.id == id }?.attempt, reference)
            case .refunded(let id, let reference): (payment.refunds.last { $0.id == id }?.attempt, reference)
            case .refundReported(_, let id, _, .provider(let reference)): (id, reference)
            case .disputeOpened(let id, let facts): (id, facts.reference)
            default: (nil, nil)
            }
        guard let attempt = found.0, let reference = found.1 else { return nil }
        return (attempt, reference)
    }

    private static func known(_ account: String, of provider: ProviderName) -> (RecordID, RecordChange) {
        let id = RecordID(accounts, "\(provider) \(account)")
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account)
        writer.endObject()
        let record = Record(id, body: writer.bytes, fields: ["provider": provider.rawValue])
        return (id, .insertIfAbsent(record))
    }

    /// Returns the provider's accounts in which money of the journal moved, sorted.
    func accounts(of provider: ProviderName) async throws(JournalError) -> [String] {
        let records = try await journal.records(
            RecordQuery(Settlements.accounts, matching: RecordMatch("provider", provider.rawValue)))
        return try records.map { (record) throws(JournalError) in try RecordBody(record).text("account") }.sorted()
    }

    /// `true` if the journal contains the payment.
    func knows(_ payment: PaymentID) async throws(JournalError) -> Bool {
        do throws(JournalError) { return try await journal.payment(payment) != nil } catch {
            // An unreadable payment exists.
            guard case .corrupted = error else { throw error }
            return true
        }
    }

    private static func name(_ reference: String, of provider: ProviderName) -> RecordID {
        RecordID(references, "\(LedgerAccount.owner(of: provider)) \(reference)")
    }

    /// Returns the payment that a provider's references belong to; `nil` if none is known.
    func payment(_ references: [String], of provider: ProviderName) async throws(JournalError) -> PaymentID? {
        for reference in references where reference.utf8.count <= IdentifierLimits.maximumBytes {
            if let found = try await journal.record(Settlements.name(reference, of: provider)) {
                return PaymentID(rawValue: try RecordBody(found).text("payment"))
            }
        }
        return nil
    }
}
