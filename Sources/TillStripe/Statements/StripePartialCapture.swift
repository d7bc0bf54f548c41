internal import TillCore
internal import TillStatements

/// A capture of less than the authorized amount, which Stripe lists as two transactions: the full charge, and a
/// reversal of the rest ("Reporting categories", Stripe's documentation). Their sum is the captured amount.
enum StripePartialCapture {
    private static let reversal = "partial_capture_reversal"

    /// Merges each pair into the charge's line. A reversal without its charge stays a separate, unmatched line.
    static func joined(_ lines: [StatementLine]) throws(StatementError) -> [StatementLine] {
        guard lines.contains(where: { $0.type == reversal }) else { return lines }
        var joined = lines
        for rest in lines where rest.type == reversal {
            let place = joined.firstIndex { line in
                line.kind == .charge && line.net.currency == rest.net.currency && line.payout == rest.payout
                    && line.references.first != nil && line.references.first == rest.references.first
            }
            guard let place, let own = joined.firstIndex(where: { $0.id == rest.id }) else { continue }
            joined[place] = try together(joined[place], rest)
            joined.remove(at: own)
        }
        return joined
    }

    private static func together(
        _ charge: StatementLine, _ rest: StatementLine
    ) throws(StatementError) -> StatementLine {
        do throws(MoneyError) {
            let gross = try charge.gross.adding(rest.gross)
            let fee = try charge.fee.adding(rest.fee)
            let net = try charge.net.adding(rest.net)
            var facing = charge.customerFacing
            if let whole = charge.customerFacing, let part = rest.customerFacing { facing = try whole.adding(part) }
            return try made(charge, rest, gross, fee, net, facing)
        } catch { throw StatementError("the charge \(charge.id) and its reversal \(rest.id) cannot be added") }
    }

    private static func made(
        _ charge: StatementLine, _ rest: StatementLine, _ gross: Money, _ fee: Money, _ net: Money, _ facing: Money?
    ) throws(MoneyError) -> StatementLine {
        do throws(StatementError) {
            return try StatementLine(
                id: charge.id, kind: .charge, type: charge.type, references: charge.references, payment: charge.payment,
                gross: gross, fee: fee, net: net, customerFacing: facing, createdAt: charge.createdAt,
                payout: charge.payout, raw: charge.raw + " | " + rest.raw)
        } catch { throw .outOfRange }
    }
}
