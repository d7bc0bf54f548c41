import TillCore
import TillJournal

/// A position in the changes of an account's orders and in those of its payments.
struct OrderCursor: Hashable, Sendable {
    /// The position of the last change of an order.
    var change: Int64
    /// The position of the last event of a payment.
    var event: Int64

    init(change: Int64, event: Int64) { (self.change, self.event) = (change, event) }

    /// Reads the text of a cursor.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let change = Int64(parts[0]), let event = Int64(parts[1]), change >= 0, event >= 0
        else { return nil }
        self.init(change: change, event: event)
    }

    var text: String { "\(change)-\(event)" }
}

extension OrderBook {
    /// The maximum number of changes, and of events, in one read of the feed.
    static let feedPage = 200

    /// Returns the end of the feed.
    func end(of account: AccountID) async throws -> OrderCursor {
        let last = try await journal.records(
            RecordQuery(OrderChange.collection, matching: OrderChange.of(account), .newestFirst(), limit: 1))
        return OrderCursor(change: last.first?.position ?? 0, event: try await journal.lastSequence())
    }

    /// Returns the orders that changed after a position, each once and as it is now, and the position behind them. Both
    /// the change of an order and an event of one of its payments count. `isEnd` is `false` if there may be more.
    func changes(
        after cursor: OrderCursor, of account: AccountID
    ) async throws -> (entries: [Entry], next: OrderCursor, isEnd: Bool) {
        var (next, names, seen) = (cursor, [OrderID](), Set<OrderID>())
        let changes = try await journal.records(
            RecordQuery(
                OrderChange.collection, matching: OrderChange.of(account), .oldestFirst(after: cursor.change),
                limit: OrderBook.feedPage))
        for record in changes {
            next.change = max(next.change, record.position)
            let name = try OrderChange(record).order
            if seen.insert(name).inserted { names.append(name) }
        }
        let readings = try await journal.readings(
            after: cursor.event, account: account, limit: OrderBook.feedPage)
        var payments: Set<PaymentID> = []
        for reading in readings {
            next.event = max(next.event, reading.sequence)
            guard case .event(let event) = reading, payments.insert(event.payment).inserted,
                let payment = try await journal.payment(event.payment)
            else { continue }
            let name = payment.order.part?.order ?? payment.order.id
            if seen.insert(name).inserted { names.append(name) }
        }
        var entries: [Entry] = []
        for name in names {
            guard
                let record = try await journal.record(
                    RecordID(BookedOrder.collection, OrderTab.key(account: account, order: name)))
            else { continue }
            if let entry = try await entry(try BookedOrder(record)) { entries.append(entry) }
        }
        let isEnd = changes.count < OrderBook.feedPage && readings.count < OrderBook.feedPage
        return (entries, next, isEnd)
    }
}
