import TillCore
import TillJournal

/// Of writes that wait, those that go into one batch: none of them has anything in common with another one, since a
/// batch is judged as a whole, before anything of it is written. What changes a payment, an order, a key, a webhook or
/// a document that an earlier one changes, or has a condition about it, waits for a later batch, and what shares
/// something with that one waits behind it. So a batch does what its writes would do one after the other.
struct BatchChoice<Element> {
    /// What only one write of a batch may change.
    private enum Subject: Hashable {
        case payment(PaymentID)
        case order(AccountID, OrderID)
        case key(IdempotencyScope)
        case webhook(ProviderName, String)
        case record(RecordID)
    }

    private(set) var batch: [Element] = []
    /// In the order in which they came.
    private(set) var rest: [Element] = []

    /// - Parameter limit: of the batch.
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
            // What waits keeps its subjects from those behind it, too.
            for subject in BatchChoice.subjects(of: write) where !taken.insert(subject).inserted { isFree = false }
            if isFree { batch.append(element) } else { rest.append(element) }
        }
    }

    private static func subjects(of write: PreparedWrite) -> [Subject] {
        var subjects: [Subject] = []
        if let row = write.append?.row { subjects += [.payment(row.id), .order(row.account, row.order)] }
        if let record = write.idempotency { subjects.append(.key(record.scope)) }
        if let webhook = write.webhook { subjects.append(.webhook(webhook.provider, webhook.id)) }
        // A write that wakes what it appends to has one payment.
        if let (payment, _) = write.wake, payment != write.append?.row.id { subjects.append(.payment(payment)) }
        return subjects + write.records.filter { !$0.isCondition }.compactMap { $0.id.map { .record($0) } }
    }
}

extension RecordChange {
    /// That there is no such document: nothing is changed.
    var isCondition: Bool { if case .delete(_, from: 0) = self { true } else { false } }
}
