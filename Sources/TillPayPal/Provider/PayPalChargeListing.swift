internal import TillCore
internal import TillPayPalClient
internal import TillStatements

/// PayPal's charges from its transaction search ("List transactions"), which may lag by three hours. A transaction
/// contains Till's attempt id and so identifies the payment, but not the order. The search requires a client with the
/// feature Transaction Search.
///
/// A long period is read in windows. If the number of transactions in a window changes while its pages are read, the
/// pages may have shifted, and the window is read again from the first page.
struct PayPalChargeListing: ChargeListing {
    /// Transactions per page, PayPal's maximum.
    static let pageSize = 500
    /// The longest period of one search.
    static let maximumWindow = Span.days(31)
    /// The minimum size to which a window is halved if PayPal reports too many results.
    static let minimumWindow = Span.minutes(1)

    let provider: PayPalProvider

    /// The lag that PayPal documents for its search.
    var lag: Span { .hours(3) }

    func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        guard let place = cursor.map({ Place($0) }) ?? Place(from: since, until: provider.clock.now()) else {
            return .failed("the place in PayPal's list cannot be read")
        }
        let json: JSONValue
        switch await provider.connection.send(.get(place.path), within: provider.deadline) {
        case .answered(_, let answer, _): json = answer
        case .failed(let error) where error.issue?.rawValue == "RESULTSET_TOO_LARGE":
            guard let half = place.halved else { return .failed("PayPal finds too many transactions in one minute") }
            return .listed([], next: half.cursor)
        case .failed(let error) where error.status == 403:
            return .failed("PayPal lists nothing to this client: it needs the feature Transaction Search")
        case .failed(let error): return .failed("PayPal refused the list (HTTP \(error.status))")
        case .notSent(let reason), .unknown(let reason): return .failed(reason)
        }
        guard let rows = json["transaction_details"]?.arrayValue, let total = json["total_items"]?.int64Value,
            let pages = json["total_pages"]?.int64Value, total >= 0, pages >= 0
        else { return .failed(provider.unreadable) }
        if let before = place.total, before != total { return .listed([], next: place.again.cursor) }
        let found = rows.compactMap { PayPalChargeListing.listed($0["transaction_info"]) }
        // An unreadable row might be a charge: no conclusion is drawn from a page that contains one.
        guard found.count == rows.count, !rows.isEmpty || place.page > pages || total == 0 else {
            return .failed(provider.unreadable)
        }
        return .listed(found, next: place.next(pages: pages, total: total)?.cursor)
    }

    private static func listed(_ info: JSONValue?) -> ListedCharge? {
        guard let info, let name = info["transaction_id"]?.stringValue,
            let reference = ProviderReference(ifValid: name),
            let code = PayPalWireText.word(info["transaction_event_code"]),
            let status = PayPalWireText.word(info["transaction_status"])
        else { return nil }
        // A capture has its own invoice number; the one inherited from its order identifies the attempt.
        let step = (info["custom_field"]?.stringValue ?? info["invoice_id"]?.stringValue).map(PayPalWebhookEvent.step)
        return ListedCharge(
            isCharge(code) ? .charge : .refund, reference, payment: step.flatMap { PaymentID(ofStep: $0) },
            attempt: step.flatMap { AttemptID(ofStep: $0) }, mayHaveMoved: status != "D",
            amount: PayPalMoney.read(info["transaction_amount"]), status: "\(code) \(status)")
    }

    /// `true` for a charge. Fees, reversals, refunds, adjustments, balance holds and voided authorizations follow a
    /// charge that is itself listed; an unknown code may involve money and counts as a charge.
    private static func isCharge(_ code: String) -> Bool {
        code != "T1302" && !["T01", "T11", "T12", "T15"].contains(code.prefix(3))
    }
}

/// The position of a listing: a page within a window of the requested period.
private struct Place {
    var from: Timestamp
    var to: Timestamp
    var until: Timestamp
    var page: Int64 = 1
    /// The total reported by the window's first page.
    var total: Int64?

    init?(from: Timestamp, until now: Timestamp) {
        // PayPal's search has a resolution of one second: the current, incomplete second is included.
        let second: Int64 = 1_000
        until = now.adding(Span(milliseconds: (second - now.milliseconds % second) % second))
        self.from = min(from, until)
        to = min(self.from.adding(PayPalChargeListing.maximumWindow), until)
    }

    init?(_ cursor: String) {
        let numbers = cursor.split(separator: "/").map { Int64($0) }
        guard numbers.count == 5, let from = numbers[0], let to = numbers[1], let until = numbers[2],
            let page = numbers[3], let total = numbers[4], from <= to, to <= until, page > 0
        else { return nil }
        self.from = Timestamp(milliseconds: from)
        self.to = Timestamp(milliseconds: to)
        self.until = Timestamp(milliseconds: until)
        self.page = page
        self.total = total < 0 ? nil : total
    }

    var cursor: String {
        "\(from.milliseconds)/\(to.milliseconds)/\(until.milliseconds)/\(page)/\(total ?? -1)"
    }
    /// The request path. Includes authorizations, which do not affect the balance.
    var path: String {
        "\(PayPalPath.transactions)?start_date=\(from.internetTime)&end_date=\(to.internetTime)"
            + "&fields=transaction_info&balance_affecting_records_only=N"
            + "&page_size=\(PayPalChargeListing.pageSize)&page=\(page)"
    }
    /// The window from its first page.
    var again: Place {
        var place = self
        (place.page, place.total) = (1, nil)
        return place
    }
    /// The first half of the window; `nil` below the minimum size.
    var halved: Place? {
        let half = Span(milliseconds: to.since(from).milliseconds / 2)
        guard half >= PayPalChargeListing.minimumWindow else { return nil }
        var place = again
        place.to = from.adding(half)
        return place
    }

    /// Returns the next page or the next window; `nil` at the end.
    func next(pages: Int64, total: Int64) -> Place? {
        var place = self
        if page < pages {
            place.page += 1
            place.total = total
            return place
        }
        guard to < until else { return nil }
        return Place(from: to, until: until)
    }
}
