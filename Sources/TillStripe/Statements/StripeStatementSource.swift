internal import TillCore
internal import TillStatements

/// Stripe's balance transactions over the API, each with its source object, including the rows of every payout.
struct StripeStatementSource: StatementSource {
    /// The maximum number of pages read for one request, 100 transactions each. More is an error, never a partial
    /// result.
    static let maximumPages = 1_000

    let provider: StripeProvider

    var lag: Span { StripeBalanceTransactions().lag }

    func account() async -> String? { await provider.identity().account }

    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart {
        let span = [
            ("created[gte]", String(from.milliseconds / 1_000)), ("created[lte]", String(to.milliseconds / 1_000)),
        ]
        let all: [JSONValue]
        switch try await list(span) {
        case .listed(let found): all = found
        case .refused(let error): throw StripeStatementSource.answered(error)
        }
        var lines = try StripeBalanceTransactions.lines(all)
        for payout in lines where payout.kind == .payout {
            guard let name = payout.references.first, !StripeStatementSource.isManual(name, in: all) else { continue }
            switch try await list([("payout", name)]) {
            case .listed(let rows): lines += try StripeBalanceTransactions.lines(rows, payout: name)
            // Only automatic payouts have rows. Their transactions are also read by date.
            case .refused(let error) where error.status == 400: continue
            case .refused(let error): throw StripeStatementSource.answered(error)
            }
        }
        guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        return StatementPart(lines, covers: (from: from, to: to))
    }

    /// Returns `true` for a payout initiated by the shop; Stripe does not list the transactions in it.
    private static func isManual(_ payout: String, in transactions: [JSONValue]) -> Bool {
        transactions.contains {
            $0["source"]?["id"]?.stringValue == payout && $0["source"]?["automatic"]?.boolValue == false
        }
    }

    private static func answered(_ error: StripeError) -> StatementError {
        StatementError("Stripe answered \(error.status)\(error.code.map { ", \($0)" } ?? "")", remedy: .askAgain)
    }

    private enum Listing {
        case listed([JSONValue])
        case refused(StripeError)
    }

    private func list(_ filter: [(String, String)]) async throws(StatementError) -> Listing {
        var all: [JSONValue] = []
        var after: [(String, String)] = []
        for _ in 0..<StripeStatementSource.maximumPages {
            let call = StripeRequest.get(
                StripePath.balanceTransactions, filter + [("limit", "100"), ("expand[0]", "data.source")] + after)
            let json: JSONValue
            switch await provider.client.send(call, within: provider.deadline) {
            case .answered(let answer): json = answer
            case .failed(let error): return .refused(error)
            case .notSent(let reason), .unknown(let reason):
                throw StatementError("Stripe did not answer: \(reason)", remedy: .askAgain)
            }
            guard let data = json["data"]?.arrayValue else {
                throw StatementError("Stripe's answer is no list", remedy: .askAgain)
            }
            all += data
            guard json["has_more"]?.boolValue == true, let last = data.last?["id"]?.stringValue else {
                return .listed(all)
            }
            after = [("starting_after", last)]
        }
        throw StatementError(
            "Stripe has more than \(StripeStatementSource.maximumPages) pages of that time", remedy: .split)
    }
}
