internal import HTTPTypes
internal import TillCore
internal import TillStatements

/// Braintree's statements over its searches: paid-out transactions, those that failed after submission for settlement,
/// and disputes that moved money.
///
/// A search returns ids first; the transactions are read by id, page by page, and a missing one is an error, never a
/// partial result. A period with too many results is halved, down to one day.
struct BraintreeStatementSource: StatementSource {
    /// The number of transactions on a page. Each has some hundred elements, and a response has a size limit.
    static let pageSize = 25
    /// The maximum number of transactions found by one search: a response with more ids may be truncated.
    static let maximumFound = 10_000
    /// The maximum number of dispute pages read for a period.
    static let maximumPages = 200
    /// The final statuses of transactions that may have been submitted and are no longer paid out.
    private static let endings = ["voided", "settlement_declined", "processor_declined", "failed"]

    let provider: BraintreeProvider

    /// A capture may be paid out a week later.
    var lag: Span { BraintreeTransactionSearch().lag }

    func account() async -> String? { await provider.identity().account }

    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart {
        let days = Days(from: from, to: to)
        // Failed transactions are found by creation time, which may be some days earlier.
        let before = Days(from: from.adding(Span(milliseconds: -lag.milliseconds)), to: to)
        var names = try await names(of: "disbursement_date", in: days, [])
        let ended = XMLNode(
            "status", type: "array", of: BraintreeStatementSource.endings.map { XMLNode("item", $0) })
        names += try await self.names(of: "created_at", in: before, [ended])
        var lines: [StatementLine] = []
        var rest = Set(names).sorted()[...]
        while !rest.isEmpty {
            for node in try await transactions(Array(rest.prefix(BraintreeStatementSource.pageSize))) {
                lines += try BraintreeStatement.lines(ofTransaction: node)
            }
            rest = rest.dropFirst(BraintreeStatementSource.pageSize)
            guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        }
        for node in try await disputes(in: days) { lines += try BraintreeStatement.lines(ofDispute: node) }
        guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        return StatementPart(lines, covers: (from: from, to: to))
    }

    /// Whole days in UTC.
    private struct Days {
        private static let length: Int64 = 86_400_000
        let first: Int64
        let last: Int64

        init(from: Timestamp, to: Timestamp) {
            first = from.milliseconds / Days.length
            last = max(to.milliseconds / Days.length, first)
        }

        private init(_ first: Int64, _ last: Int64) { (self.first, self.last) = (first, last) }

        /// Returns the range as the search expects it, both ends included.
        func range(_ field: String) -> XMLNode {
            func moment(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).internetTime }
            return XMLNode(
                field,
                of: [
                    XMLNode("min", moment(first * Days.length), type: "datetime"),
                    XMLNode("max", moment((last + 1) * Days.length - 1_000), type: "datetime"),
                ])
        }

        /// The halves of the period, the later first, so that the earlier is processed next; `nil` for one day.
        var halves: [Days]? {
            guard first < last else { return nil }
            let middle = first + (last - first) / 2
            return [Days(middle + 1, last), Days(first, middle)]
        }
    }

    /// Returns the ids of the transactions that a search finds.
    private func names(
        of field: String, in days: Days, _ more: [XMLNode]
    ) async throws(StatementError) -> [String] {
        var open = [days]
        var names: [String] = []
        while let window = open.popLast() {
            let search = XMLNode("search", of: [window.range(field)] + more)
            let node = try await answer("/transactions/advanced_search_ids", search, named: "search-results")
            guard let found = node["ids"]?.children.map(\.text) else { throw BraintreeStatementSource.unreadable }
            guard found.count <= BraintreeStatementSource.maximumFound else {
                guard let halves = window.halves else {
                    throw StatementError(
                        "Braintree finds more than \(BraintreeStatementSource.maximumFound) transactions of one day",
                        remedy: .setUp("Export that day in Braintree's control panel, and give the file."))
                }
                open += halves
                continue
            }
            names += found
            guard names.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        }
        return names
    }

    /// Returns the transactions with these ids, each once.
    private func transactions(_ names: [String]) async throws(StatementError) -> [XMLNode] {
        let ids = XMLNode("ids", type: "array", of: names.map { XMLNode("item", $0) })
        let node = try await answer(
            "/transactions/advanced_search", XMLNode("search", of: [ids]), named: "credit-card-transactions")
        let found = node.children.filter { $0.name == "transaction" }
        guard found.count == names.count, Set(found.compactMap { $0.value("id") }) == Set(names) else {
            throw StatementError(
                "Braintree gave \(found.count) of \(names.count) transactions that its search had found",
                remedy: .askAgain)
        }
        return found
    }

    private func disputes(in days: Days) async throws(StatementError) -> [XMLNode] {
        let search = XMLNode("search", of: [days.range("disbursement_date")])
        var found: [XMLNode] = []
        for page in 1...BraintreeStatementSource.maximumPages {
            let node = try await answer("/disputes/advanced_search?page=\(page)", search, named: "disputes")
            guard let total = node.value("total-items").flatMap({ Int($0) }), total >= 0 else {
                throw BraintreeStatementSource.unreadable
            }
            let disputes = node.children.filter { $0.name == "dispute" }
            found += disputes
            if found.count == total { return found }
            guard !disputes.isEmpty, found.count < total else {
                throw StatementError("Braintree's disputes changed while they were read", remedy: .askAgain)
            }
        }
        throw StatementError(
            "Braintree has more than \(BraintreeStatementSource.maximumPages) pages of disputes of that time",
            remedy: .split)
    }

    private static let unreadable = StatementError("Braintree's answer cannot be read", remedy: .askAgain)

    private func answer(
        _ path: String, _ search: XMLNode, named name: String
    ) async throws(StatementError) -> XMLNode {
        switch await provider.gateway.send(.post, path, search, within: provider.deadline) {
        case .answered(let node) where node.name == name: return node
        case .answered, .refused: throw BraintreeStatementSource.unreadable
        case .failed(let status): throw StatementError("Braintree answered HTTP \(status)", remedy: .askAgain)
        case .keyRejected(let reason):
            throw StatementError(
                reason,
                remedy: .setUp(
                    "Give the key's user the right to search transactions and disputes at Braintree, or give the "
                        + "control panel's export as a file."))
        case .notSent(let reason), .unknown(let reason):
            throw StatementError("Braintree did not answer: \(reason)", remedy: .askAgain)
        }
    }
}
