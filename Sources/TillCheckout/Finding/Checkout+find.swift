package import TillCore
import TillJournal

extension Checkout {
    /// Returns a page of the payments that are looked for, newest first. A page ends when it is full, or when as many
    /// payments were examined as ``PaymentSearchLimits`` allow: the caller goes on from ``PaymentFindings/next``, and
    /// can tell meanwhile how far back was searched. What was committed before the call is found.
    ///
    /// ```swift
    /// var search = PaymentSearch(account: .main, limit: 20)
    /// search.text = "4242"
    /// repeat {
    ///     let found = try await checkout.find(search)
    ///     for payment in found.payments { print(payment.id) }
    ///     search.before = found.next
    /// } while search.before != nil
    /// ```
    public func find(_ search: PaymentSearch) async throws(CheckoutError) -> PaymentFindings {
        var found = PaymentFindings()
        let judge = PaymentSearchJudge(search)
        if search.before == nil, let text = search.text {
            for listed in try await named(text, search.account) where judge.isExact(listed) {
                if try await isOfOrigin(listed.id, search) { found.exact.append(listed) }
            }
        }
        let limit = min(max(search.limit, 1), JournalLimits.maximumPage)
        let back = Span.milliseconds(-PaymentSearchLimits.slack.milliseconds)
        let oldest = search.from.map { PaymentID.first(at: $0.adding(back)) }
        var place = search.before
        if let until = search.until {
            let newest = PaymentID.first(at: until.adding(PaymentSearchLimits.slack))
            if place.map({ $0.rawValue > newest.rawValue }) ?? true { place = newest }
        }
        var (rows, cards) = (0, 0)
        while true {
            var filter = PaymentFilter(account: search.account, before: place, limit: JournalLimits.maximumPage)
            (filter.seller, filter.shop) = (search.seller, search.shop)
            // Not beside an origin: what a read of a page passes over would have no limit.
            if search.statuses.count == 1, !filter.hasOrigin { filter.status = search.statuses.first }
            if !search.isNarrow { filter.limit = limit - found.payments.count }
            let page: [PaymentRowReading]
            do throws(JournalError) { page = try await journal.rowReadings(filter) } catch { throw .journal(error) }
            for reading in page {
                if let oldest, reading.id.rawValue < oldest.rawValue { return found }
                if let listed = try await result(of: reading, by: judge, &cards) { found.payments.append(listed) }
                (place, rows) = (reading.id, rows + 1)
                guard
                    found.payments.count < limit, rows < PaymentSearchLimits.rows, cards < PaymentSearchLimits.cards
                else {
                    (found.next, found.examinedTo) = (reading.id, reading.createdAt)
                    return found
                }
            }
            guard page.count == filter.limit else { return found }
        }
    }

    /// Returns the payment of a row if it is one of those that are looked for.
    private func result(
        of reading: PaymentRowReading, by judge: PaymentSearchJudge, _ cards: inout Int
    ) async throws(CheckoutError) -> ListedPayment? {
        switch reading {
        case .unreadable(let damaged): return judge.judge(damaged) ? .unreadable(damaged) : nil
        case .row(let row):
            let verdict = judge.judge(row)
            if case .no = verdict { return nil }
            guard let listed = try await listed(row) else { return nil }
            guard case .byCard = verdict else { return listed }
            cards += 1
            guard case .payment(let payment) = listed else { return listed }
            return judge.judge(payment) ? listed : nil
        }
    }

    /// `true` if a payment was sold by whom and for which shop the search asks. One whose first event cannot be read is
    /// of none.
    private func isOfOrigin(_ id: PaymentID, _ search: PaymentSearch) async throws(CheckoutError) -> Bool {
        guard search.seller != nil || search.shop != nil else { return true }
        guard let first = try await creation(of: id) else { return false }
        return (search.seller.map { $0 == first.seller } ?? true) && (search.shop.map { $0 == first.shop } ?? true)
    }

    /// Returns the event that created a payment, with its attribution; `nil` for a payment without events, and for one
    /// whose events cannot be read.
    package func creation(of id: PaymentID) async throws(CheckoutError) -> RecordedEvent? {
        do throws(JournalError) { return try await journal.events(of: id).first?.record } catch {
            guard case .corrupted = error else { throw .journal(error) }
            return nil
        }
    }

    /// Returns the payments whose identifier, or whose order's, is the text.
    private func named(_ text: String, _ account: AccountID) async throws(CheckoutError) -> [ListedPayment] {
        if text.hasPrefix("pay_") {
            let behind = PaymentID(rawValue: text + "~")
            let first = try await list(PaymentFilter(account: account, before: behind, limit: 1)).first
            return first.map { $0.id.rawValue == text ? [$0] : [] } ?? []
        }
        return try await listWithParts(PaymentFilter(account: account, order: OrderID(rawValue: text), limit: 20))
    }
}

extension PaymentID {
    /// Returns an identifier that no payment created before a time sorts behind.
    fileprivate static func first(at time: Timestamp) -> PaymentID { .make(at: time, random: (0, 0)) }
}
