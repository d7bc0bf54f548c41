import TillCore
import TillJournal

/// The selection of queued writes for one batch. A batch is judged as a whole, before any of it is written, so its
/// writes must be independent. A write that changes a payment, an order, a key, a webhook or a document that an earlier
/// write changes, or that has a condition on it, waits for a later batch, and so do the writes that depend on that one.
/// The result of a batch therefore equals that of its writes in sequence.
struct BatchChoice<Element> {
    /// A subject that only one write of a batch may change.
    private enum Subject: Hashable {
        case payment(PaymentID)
        case order(AccountID, OrderID)
        case key(IdempotencyScope)
        case webhook(ProviderName, String)
        case record(RecordID)
    }

    private(set) var batch: [Element] = []
    /// The remaining writes, in their original order.
    private(set) var rest: [Element] = []

    /// - Parameter limit: the maximum size of the batch.
    init(_ elements: [Element], limit: Int, of write: (Element) -> PreparedWrite) {
        var taken: Set<Subject> = []
        taken.reserveCapacity(3 * elements.count)
        for (index, element) in elements.enumerated() {
            guard batch.count < limit else {
                rest += elements[index...]
                return
            }
            let write = write(element)
            var isFree = !write.records.contains { change in
                change.isCondition && change.id.map { taken.contains(.record($0)) } == true
            }
            // A waiting write also reserves its subjects against later writes.
            for subject in BatchChoice.subjects(of: write) where !taken.insert(subject).inserted { isFree = false }
            if isFree { batch.append(element) } else { rest.append(element) }
        }
    }

    private static func subjects(of write: PreparedWrite) -> [Subject] {
        var subjects: [Subject] = []
        if let row = write.append?.row { subjects += [.payment(row.id), .order(row.account, row.order)] }
        if let record = write.idempotency { subjects.append(.key(record.scope)) }
        if let webhook = write.webhook { subjects.append(.webhook(webhook.provider, webhook.id)) }
        // A write that wakes the payment it appends to has one subject.
        if let (payment, _) = write.wake, payment != write.append?.row.id { subjects.append(.payment(payment)) }
        return subjects + write.records.filter { !$0.isCondition }.compactMap { $0.id.map { .record($0) } }
    }
}
