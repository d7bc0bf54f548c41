import TillCore
import TillJournal
import TillWeb

extension OrderBook {
    /// The maximum number of orders in a list.
    static let maximumListed = 100
    /// The maximum number of orders read for one page of a list, or for one search.
    static let maximumRead = 1_000
    /// The maximum number of payments read for one page of a list, or for one search. The order that reaches it is the
    /// last one.
    static let maximumPaymentsRead = 1_000
    /// The number of orders that a search reads at once.
    private static let searchPage = 50

    /// Which orders are listed.
    struct Filter: Sendable {
        var state: BookedOrder.State?
        /// Only orders that are paid, or that are not.
        var isPaid: Bool?
        /// Only orders booked before this one.
        var before: OrderID?
        var limit = 20
        /// `false` to search for numbers only, for a caller that does not see whom an order is for.
        var findsContact = true
    }

    /// A page of a list, newest orders first.
    struct Page: Sendable {
        var entries: [Entry] = []
        /// Orders of which a record cannot be read, whatever they are.
        var unreadable: [UnreadableOrder] = []
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
        var (page, read, payments) = (Page(), 0, 0)
        while true {
            let stored = try await journal.records(
                RecordQuery(
                    BookedOrder.collection, matching: match, .newestFirst(before: position), limit: filter.limit + 1))
            for record in stored {
                guard page.entries.count < filter.limit, read < OrderBook.maximumRead,
                    payments < OrderBook.maximumPaymentsRead
                else { return page }
                position = record.position
                read += 1
                switch try await readable(record) {
                case .failure(let damage):
                    page.unreadable.append(damage)
                    if let order = damage.order { page.next = order }
                case .success(nil): continue
                case .success(let entry?):
                    page.next = entry.order.id
                    payments += entry.money.count
                    if filter.admits(entry) { page.entries.append(entry) }
                }
            }
            guard stored.count > filter.limit else {
                page.next = nil
                return page
            }
        }
    }

    /// Finds orders: by number and by telephone number among all, by any part of number, name or telephone number
    /// among the newest ``maximumRead``. A page without a next one.
    func search(_ text: String, _ filter: Filter, of account: AccountID) async throws -> Page {
        var (page, seen, payments) = (Page(), Set<RecordID>(), 0)
        /// Adds orders; returns `false` if there is no room for more.
        func add(_ stored: [KeptRecord], where isMatch: (BookedOrder) -> Bool = { _ in true }) async throws -> Bool {
            for record in stored {
                guard page.entries.count < filter.limit, payments < OrderBook.maximumPaymentsRead else { return false }
                guard !seen.contains(record.id) else { continue }
                // Whether it is meant is known before any of its payments is read. One that is damaged may be meant.
                do throws(JournalError) {
                    guard isMatch(try BookedOrder(record)) else { continue }
                } catch { guard case .corrupted = error else { throw error } }
                seen.insert(record.id)
                switch try await readable(record) {
                case .failure(let damage): page.unreadable.append(damage)
                case .success(nil): continue
                case .success(let entry?):
                    payments += entry.money.count
                    if filter.admits(entry) { page.entries.append(entry) }
                }
            }
            return true
        }
        let digits = filter.findsContact ? OrderContact.digits(of: text) : nil
        let exact = [
            BookedOrder.of(account, number: text), digits.flatMap { BookedOrder.of(account, phone: $0) },
        ]
        for match in exact.compactMap(\.self) {
            let stored = try await journal.records(
                RecordQuery(BookedOrder.collection, matching: match, .newestFirst(), limit: filter.limit))
            guard try await add(stored) else { return page }
        }
        let needle = text.lowercased()
        var (position, read): (Int64?, Int) = (nil, 0)
        while read < OrderBook.maximumRead {
            // In small pages: an order can be large, and most searches end soon.
            let newest = try await journal.records(
                RecordQuery(
                    BookedOrder.collection, matching: BookedOrder.of(account), .newestFirst(before: position),
                    limit: OrderBook.searchPage))
            let goesOn = try await add(newest) { $0.has(needle, digits, inContact: filter.findsContact) }
            guard goesOn, newest.count == OrderBook.searchPage else { return page }
            position = newest.last?.position
            read += newest.count
        }
        return page
    }
}

extension OrderBook.Filter {
    /// `true` for an order of the list.
    fileprivate func admits(_ entry: OrderBook.Entry) -> Bool {
        if let state { guard entry.order.state == state else { return false } }
        return isPaid.map { $0 == entry.money.isPaid } ?? true
    }
}

extension OrderBook.OrderMoney {
    /// The number of payments read for it, at least 1.
    fileprivate var count: Int {
        switch self {
        case .known(_, let payments): max(1, payments.count)
        case .unreadable: 1
        }
    }
}

extension BookedOrder {
    /// `true` if the number has the text in it, or if the customer's name or telephone number has.
    /// - Parameter digits: The final digits of a telephone number, if the text has some.
    fileprivate func has(_ needle: String, _ digits: String?, inContact: Bool) -> Bool {
        if content.order.number.lowercased().contains(needle) { return true }
        guard inContact, let contact = content.contact else { return false }
        let texts = [contact.name, contact.phone].compactMap { $0?.lowercased() }
        if texts.contains(where: { $0.contains(needle) }) { return true }
        guard let digits else { return false }
        return OrderContact.digits(of: contact.phone)?.hasSuffix(digits) ?? false
    }
}
