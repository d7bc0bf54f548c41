import TillCheckout
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

/// An order of which a record cannot be read.
struct UnreadableOrder: Error, Hashable, Sendable {
    /// The order; `nil` if not even its name can be read.
    var order: OrderID?
    /// The damaged record.
    var record: RecordID
    /// The reason, without any of the record's contents.
    var reason: String

    /// The order and the reason, as a sentence.
    var sentence: String {
        "Order \(order?.rawValue ?? "of the record \(record)") cannot be read: \(reason)."
    }

    /// Writes the order as one value.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", order?.rawValue)
        writer.field("unreadable", true)
        writer.field("message", sentence + " See what till journal verify says.")
        writer.endObject()
    }
}

extension OrderBook {
    /// The maximum number of changes, and of events, in one read of the feed.
    static let feedPage = 200

    /// What a reader of the feed gets.
    enum News: Sendable {
        case order(Entry)
        case unreadable(UnreadableOrder)
    }

    /// A read of the feed.
    struct Reading: Sendable {
        /// The orders that changed, each once and as it is now.
        var news: [News] = []
        /// The position behind them.
        var next: OrderCursor
        /// `false` if there may be more.
        var isEnd = true
    }

    /// Returns the end of the feed.
    func end(of account: AccountID) async throws -> OrderCursor {
        let last = try await journal.records(
            RecordQuery(OrderChange.collection, matching: OrderChange.of(account), .newestFirst(), limit: 1))
        return OrderCursor(change: last.first?.position ?? 0, event: try await journal.lastSequence())
    }

    /// Returns the orders that changed after a position. Both the change of an order and an event of one of its
    /// payments count. A record that cannot be read stops nothing: its order is named as unreadable, and the position
    /// goes on.
    func changes(after cursor: OrderCursor, of account: AccountID) async throws -> Reading {
        var reading = Reading(next: cursor)
        var changed = ChangedOrders()
        let changes = try await journal.records(
            RecordQuery(
                OrderChange.collection, matching: OrderChange.of(account), .oldestFirst(after: cursor.change),
                limit: OrderBook.feedPage))
        for record in changes {
            reading.next.change = max(reading.next.change, record.position)
            do throws(JournalError) { changed.add(try OrderChange(record).order, of: account) } catch {
                // The key of a change begins with that of its order.
                guard case .corrupted = error else { throw error }
                changed.add(key: String(record.id.key.prefix { $0 != "." }))
            }
        }
        let events = try await journal.readings(after: cursor.event, account: account, limit: OrderBook.feedPage)
        var payments: Set<PaymentID> = []
        for event in events {
            reading.next.event = max(reading.next.event, event.sequence)
            guard payments.insert(event.payment).inserted,
                let order = try await order(of: event.payment, account)
            else { continue }
            changed.add(order, of: account)
        }
        for key in changed.keys {
            if let news = try await news(key, named: changed.names[key]) { reading.news.append(news) }
        }
        reading.isEnd = changes.count < OrderBook.feedPage && events.count < OrderBook.feedPage
        return reading
    }

    /// The records of changed orders, each once, in the order of the changes.
    private struct ChangedOrders {
        private(set) var keys: [String] = []
        private(set) var names: [String: OrderID] = [:]
        private var seen: Set<String> = []

        mutating func add(_ order: OrderID, of account: AccountID) {
            let key = OrderTab.key(account: account, order: order)
            names[key] = order
            add(key: key)
        }

        mutating func add(key: String) { if seen.insert(key).inserted { keys.append(key) } }
    }

    /// Returns the order of a payment, also of one whose events cannot be read; `nil` if its row cannot be read either.
    private func order(of payment: PaymentID, _ account: AccountID) async throws -> OrderID? {
        if let order = try await checkout.readable(payment)?.order { return order.part?.order ?? order.id }
        // Payments sort by their identifiers, newest first, and have no sign in them behind this one.
        let behind = PaymentID(rawValue: payment.rawValue + "~")
        let filter = PaymentFilter(account: account, before: behind, limit: 1)
        guard let row = try await journal.rowReadings(filter).first, row.id == payment else { return nil }
        switch row {
        case .row(let row): return row.order.whole
        case .unreadable(let row): return row.order.whole
        }
    }

    /// Returns an order of the feed; `nil` if there is none, or if it is being booked at this moment.
    private func news(_ key: String, named name: OrderID?) async throws -> News? {
        let id = RecordID(BookedOrder.collection, key)
        guard let record = try await journal.record(id) else { return nil }
        switch try await readable(record, named: name) {
        case .success(let entry): return entry.map { .order($0) }
        case .failure(let damage): return .unreadable(damage)
        }
    }

    /// Returns the order of a record with its money; `nil` for one that is being booked at this moment, a failure for
    /// one that is damaged.
    func readable(_ record: KeptRecord, named name: OrderID? = nil) async throws -> Result<Entry?, UnreadableOrder> {
        do {
            return .success(try await entry(try BookedOrder(record)))
        } catch JournalError.corrupted(let reason) {
            let written = JSONValue(ifValid: record.body)?["order"]?["id"]?.stringValue
            var order = name ?? written.map { OrderID(rawValue: $0) }
            if order == nil { order = try await firstName(record.id.key) }
            return .failure(UnreadableOrder(order: order, record: record.id, reason: reason))
        }
    }

    /// Returns the name that the first change of an order has; `nil` if there is none, or if it cannot be read either.
    private func firstName(_ key: String) async throws(JournalError) -> OrderID? {
        guard let first = try await journal.record(RecordID(OrderChange.collection, "\(key).1")) else { return nil }
        do throws(JournalError) { return try OrderChange(first).order } catch {
            guard case .corrupted = error else { throw error }
            return nil
        }
    }
}
