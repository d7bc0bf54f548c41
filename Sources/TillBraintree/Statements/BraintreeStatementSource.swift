internal import HTTPTypes
internal import TillCore
internal import TillProvider

/// Braintree's statements over its searches: the transactions that were paid out, those that failed after they
/// were handed in, and the disputes whose money moved.
///
/// A search gives names first; the transactions are read by them, page by page, and one that does not come is an error,
/// never a part. A time of which Braintree finds too much is halved, down to one day.
struct BraintreeStatementSource: StatementSource {
    /// Transactions of one page. Each has some hundred elements, and an answer has its limit.
    static let pageSize = 25
    /// Transactions that one search may find: an answer with more names may be cut off.
    static let maximumFound = 10_000
    /// Pages of disputes that are read of a time.
    static let maximumPages = 200
    /// What may have been handed in and is not paid out any more.
    private static let endings = ["voided", "settlement_declined", "processor_declined", "failed"]

    let provider: BraintreeProvider

    /// What was captured may be paid out a week later.
    var lag: Span { BraintreeTransactionSearch().lag }

    func account() async -> String? { await provider.identity().account }

    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart {
        let days = Days(from: from, to: to)
        // What failed is found by when it was made, which may be some days before.
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

    /// Whole days of UTC.
    private struct Days {
        private static let length: Int64 = 86_400_000
        let first: Int64
        let last: Int64

        init(from: Timestamp, to: Timestamp) {
            first = from.milliseconds / Days.length
            last = max(to.milliseconds / Days.length, first)
        }

        private init(_ first: Int64, _ last: Int64) { (self.first, self.last) = (first, last) }

        /// As the search takes them, both ends included.
        func range(_ field: String) -> XMLNode {
            func moment(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).internetTime }
            return XMLNode(
                field,
                of: [
                    XMLNode("min", moment(first * Days.length), type: "datetime"),
                    XMLNode("max", moment((last + 1) * Days.length - 1_000), type: "datetime"),
                ])
        }

        /// The later half first, so that the earlier is taken next; `nil` of one day.
        var halves: [Days]? {
            guard first < last else { return nil }
            let middle = first + (last - first) / 2
            return [Days(middle + 1, last), Days(first, middle)]
        }
    }

    /// The names of the transactions that a search finds.
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

    /// The transactions of these names, each once.
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
