import TillCore
import TillJournal
import TillWeb

extension OrderBook {
    /// The maximum number of orders in a list.
    static let maximumListed = 100
    /// The maximum number of orders read for one page of a list, or for one search.
    static let maximumRead = 1_000

    /// Which orders are listed.
    struct Filter: Sendable {
        var state: BookedOrder.State?
        /// Only orders that are paid, or that are not.
        var isPaid: Bool?
        /// Only orders booked before this one.
        var before: OrderID?
        var limit = 20
    }

    /// A page of a list, newest orders first.
    struct Page: Sendable {
        var entries: [Entry] = []
        /// The order before which the next page begins; `nil` at the end.
        var next: OrderID?
    }

    /// Lists orders, newest first.
    func list(_ filter: Filter, of account: AccountID) async throws -> Page {
        var position: Int64?
        if let before = filter.before {
            let id = RecordID(BookedOrder.collection, OrderTab.key(account: account, order: before))
            guard let known = try await journal.record(id) else {
                throw Problem.field("before", "There is no such order.")
            }
            position = known.position
        }
        let match = filter.state.map { BookedOrder.of(account, in: $0) } ?? BookedOrder.of(account)
        var (page, read) = (Page(), 0)
        while true {
            let stored = try await journal.records(
                RecordQuery(
                    BookedOrder.collection, matching: match, .newestFirst(before: position), limit: filter.limit + 1))
            for record in stored {
                let order = try BookedOrder(record)
                guard page.entries.count < filter.limit, read < OrderBook.maximumRead else { return page }
                position = record.position
                read += 1
                page.next = order.id
                guard let entry = try await entry(order) else { continue }
                if let isPaid = filter.isPaid, entry.money.isPaid != isPaid { continue }
                page.entries.append(entry)
            }
            guard stored.count > filter.limit else {
                page.next = nil
                return page
            }
        }
    }

    /// Finds orders: by number and by telephone number among all, by any part of number, name or telephone number
    /// among the newest ``maximumRead``.
    func search(_ text: String, _ filter: Filter, of account: AccountID) async throws -> [Entry] {
        var found: [OrderID: Entry] = [:]
        var order: [OrderID] = []
        func add(_ stored: [KeptRecord], where isMatch: (BookedOrder) -> Bool = { _ in true }) async throws {
            for record in stored {
                let booked = try BookedOrder(record)
                guard order.count < filter.limit else { return }
                guard found[booked.id] == nil, isMatch(booked), filter.state.map({ $0 == booked.state }) ?? true,
                    let entry = try await entry(booked)
                else { continue }
                if let isPaid = filter.isPaid, entry.money.isPaid != isPaid { continue }
                found[booked.id] = entry
                order.append(booked.id)
            }
        }
        let digits = OrderContact.digits(of: text)
        let exact = [
            BookedOrder.of(account, number: text), digits.flatMap { BookedOrder.of(account, phone: $0) },
        ]
        for match in exact.compactMap(\.self) {
            try await add(
                try await journal.records(
                    RecordQuery(BookedOrder.collection, matching: match, .newestFirst(), limit: filter.limit)))
        }
        let newest = try await journal.records(
            RecordQuery(
                BookedOrder.collection, matching: BookedOrder.of(account), .newestFirst(),
                limit: OrderBook.maximumRead))
        let needle = text.lowercased()
        try await add(newest) { booked in
            let texts = [booked.content.order.number, booked.content.contact?.name, booked.content.contact?.phone]
            if texts.contains(where: { $0?.lowercased().contains(needle) ?? false }) { return true }
            guard let digits else { return false }
            return OrderContact.digits(of: booked.content.contact?.phone)?.hasSuffix(digits) ?? false
        }
        return order.compactMap { found[$0] }
    }
}
