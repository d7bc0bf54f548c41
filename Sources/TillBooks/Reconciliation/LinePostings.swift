import TillCore
import TillStatements

/// The postings of a statement line. The payment's own movement was posted by its event; a line adds the fee, the
/// currency conversion and any difference. A provider's receivable thus equals the balance the provider reports.
enum LinePostings {
    /// - Parameters:
    ///   - settlement: the movement that the line covers; `nil` if there is none.
    ///   - owner: returns the account to use if no movement determines it.
    static func of(
        _ line: StatementLine, _ settlement: Settlement?, owner: (LedgerAccount.Kind) -> LedgerAccount
    ) -> [LedgerPosting] {
        var sums: [LedgerAccount: [Currency: Int64]] = [:]
        func account(_ kind: LedgerAccount.Kind) -> LedgerAccount {
            guard let settlement, settlement.providerAccount != nil else { return owner(kind) }
            return settlement.account(kind)
        }
        func move(_ amount: Money, to debit: LedgerAccount.Kind, from credit: LedgerAccount.Kind) {
            sums[account(debit), default: [:]][amount.currency, default: 0] &+= amount.minorUnits
            sums[account(credit), default: [:]][amount.currency, default: 0] &-= amount.minorUnits
        }
        move(line.fee, to: .fees, from: .receivable)
        switch line.kind {
        case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal:
            guard let settlement else {
                move(line.gross, to: .receivable, from: .suspense)
                break
            }
            if settlement.amount.currency == line.gross.currency {
                // Statements and payments both bound their amounts; a wrapped sum would still balance to zero.
                let rest = Money(
                    minorUnits: line.gross.minorUnits &- settlement.amount.minorUnits, currency: line.gross.currency)
                move(rest, to: .receivable, from: .suspense)
            } else {
                // Both of the provider's amounts are booked; the difference between them is exchange, never rounding.
                move(settlement.amount, to: .exchange, from: .receivable)
                move(line.gross, to: .receivable, from: .exchange)
            }
        case .fee: move(line.gross, to: .receivable, from: .fees)
        case .payout, .payoutFailure, .transfer: move(line.gross, to: .receivable, from: .inTransit)
        case .exchange: move(line.gross, to: .receivable, from: .exchange)
        case .other: move(line.gross, to: .receivable, from: .suspense)
        }
        return sorted(sums)
    }

    /// Returns the difference between two sets of postings: a later finding becomes another entry.
    static func change(from old: [LedgerPosting], to new: [LedgerPosting]) -> [LedgerPosting] {
        var sums: [LedgerAccount: [Currency: Int64]] = [:]
        for posting in new {
            sums[posting.account, default: [:]][posting.amount.currency, default: 0] &+= posting.amount.minorUnits
        }
        for posting in old {
            sums[posting.account, default: [:]][posting.amount.currency, default: 0] &-= posting.amount.minorUnits
        }
        return sorted(sums)
    }

    private static func sorted(_ sums: [LedgerAccount: [Currency: Int64]]) -> [LedgerPosting] {
        var postings: [LedgerPosting] = []
        for (account, sums) in sums {
            for (currency, units) in sums where units != 0 {
                postings.append(LedgerPosting(account, Money(minorUnits: units, currency: currency)))
            }
        }
        return postings.sorted {
            ($0.account.name, $0.amount.currency.code) < ($1.account.name, $1.amount.currency.code)
        }
    }

    /// `true` if a line has the amount of a movement, in the currency of either.
    static func agree(_ line: StatementLine, _ settlement: Settlement) -> Bool {
        if line.gross.currency == settlement.amount.currency { return line.gross == settlement.amount }
        // Without the customer-facing amount only the direction can be compared: any rate would be a guess.
        return line.customerFacing.map { $0 == settlement.amount }
            ?? (line.gross.isNegative == settlement.amount.isNegative && line.gross.isZero == settlement.amount.isZero)
    }
}
