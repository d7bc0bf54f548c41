internal import TillCore
internal import TillPayPalClient
internal import TillStatements

/// PayPal's transactions from its search ("List transactions"), which requires an app with the feature Transaction
/// Search.
///
/// The search lags by up to three hours and covers at most 31 days. A period with too many results is halved; if the
/// number of transactions changes while the pages are read, the period is read again, because the pages may have
/// shifted.
struct PayPalStatementSource: StatementSource {
    /// Transactions per page. PayPal allows up to 500, which with long notes would exceed the maximum response size.
    static let pageSize = 100
    /// The longest period of one search.
    static let maximumWindow = Span.days(31)
    /// The minimum size to which a period with too many results is halved.
    static let minimumWindow = Span.minutes(1)
    /// The period in which new transactions may not be searchable yet.
    static let lateness = Span.hours(3)
    /// Maximum number of times a period is read from its first page because its transactions changed meanwhile.
    static let maximumReadings = 5

    let provider: PayPalProvider

    var lag: Span { PayPalTransactionSearch().lag }

    func account() async -> String? { await provider.identity().account }

    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart {
        // PayPal refuses a period for which it has no data yet.
        guard from.adding(PayPalStatementSource.lateness) < provider.clock.now() else { return StatementPart([]) }
        var open = PayPalStatementSource.windows(from: from, to: to)
        var lines: [StatementLine] = []
        while let window = open.popLast() {
            switch try await read(window) {
            case .lines(let found): lines += found
            case .tooMuch: open += try window.halves()
            }
            guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        }
        return StatementPart(lines, covers: (from: from, to: to))
    }

    /// A period of one search.
    private struct Window {
        let from: Timestamp
        let to: Timestamp

        /// Returns the halves, the later first, so that the earlier is processed next.
        func halves() throws(StatementError) -> [Window] {
            let half = Span(milliseconds: to.since(from).milliseconds / 2)
            guard half >= PayPalStatementSource.minimumWindow else {
                throw StatementError("PayPal finds too many transactions in one minute", remedy: .askAgain)
            }
            return [Window(from: from.adding(half), to: to), Window(from: from, to: from.adding(half))]
        }
    }

    /// Splits a period into windows of at most ``maximumWindow``, the latest first.
    private static func windows(from: Timestamp, to: Timestamp) -> [Window] {
        var windows: [Window] = []
        var start = from
        repeat {
            let end = min(start.adding(maximumWindow), to)
            windows.append(Window(from: start, to: end))
            start = end
        } while start < to
        return windows.reversed()
    }

    private enum Reading {
        case lines([StatementLine])
        case tooMuch
    }

    private func read(_ window: Window) async throws(StatementError) -> Reading {
        for _ in 0..<PayPalStatementSource.maximumReadings {
            var (details, page, total): ([JSONValue], Int64, Int64?) = ([], 1, nil)
            while true {
                guard let answer = try await self.page(page, of: window) else { return .tooMuch }
                guard total ?? answer.total == answer.total else { break }
                details += answer.details
                total = answer.total
                guard page < answer.pages else { return .lines(try PayPalTransactionSearch.lines(details)) }
                page += 1
            }
        }
        throw StatementError("PayPal's transactions changed again and again while they were read", remedy: .askAgain)
    }

    private typealias Page = (details: [JSONValue], total: Int64, pages: Int64)

    /// Returns one page; `nil` if PayPal reports too many results.
    private func page(_ number: Int64, of window: Window) async throws(StatementError) -> Page? {
        let path =
            "\(PayPalPath.transactions)?start_date=\(window.from.internetTime)&end_date=\(window.to.internetTime)"
            + "&fields=transaction_info&balance_affecting_records_only=Y"
            + "&page_size=\(PayPalStatementSource.pageSize)&page=\(number)"
        let json: JSONValue
        switch await provider.connection.send(.get(path), within: provider.deadline) {
        case .answered(_, let answer, _): json = answer
        case .failed(let error) where error.issue?.rawValue == "RESULTSET_TOO_LARGE": return nil
        case .failed(let error) where error.status == 403:
            throw StatementError(
                "PayPal shows this app no transactions",
                remedy: .setUp(
                    "Switch on the feature Transaction Search for the app at PayPal; it takes up to nine hours. Or "
                        + "give its report as a file."))
        case .failed(let error): throw StatementError("PayPal answered \(error)", remedy: .askAgain)
        case .notSent(let reason), .unknown(let reason):
            throw StatementError("PayPal did not answer: \(reason)", remedy: .askAgain)
        }
        guard let details = json["transaction_details"]?.arrayValue, let total = json["total_items"]?.int64Value,
            let pages = json["total_pages"]?.int64Value, total >= 0, (0...max(total, 1)).contains(pages),
            !details.isEmpty || total == 0
        else { throw StatementError("PayPal's answer cannot be read", remedy: .askAgain) }
        return (details, total, pages)
    }
}
