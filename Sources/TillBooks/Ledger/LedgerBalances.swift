public import TillCore

/// The balance of each account.
public struct LedgerBalances: Hashable, Sendable {
    /// One account in one currency.
    public struct Balance: Hashable, Sendable {
        public let account: LedgerAccount
        public let currency: Currency
        /// Minor units; a positive value is a debit.
        public let units: Int128
    }

    private var units: [LedgerAccount: [Currency: Int128]] = [:]

    public init() {}

    public mutating func add(_ posting: LedgerPosting) {
        units[posting.account, default: [:]][posting.amount.currency, default: 0] += Int128(posting.amount.minorUnits)
    }

    mutating func add(_ units: Int128, to account: LedgerAccount, in currency: Currency) {
        self.units[account, default: [:]][currency, default: 0] += units
    }

    /// Every account with a posting, including those with a zero balance, sorted by name and currency.
    public var all: [Balance] {
        units.flatMap { account, sums in
            sums.map { Balance(account: account, currency: $0.key, units: $0.value) }
        }
        .sorted { ($0.account.name, $0.currency.code) < ($1.account.name, $1.currency.code) }
    }

    public subscript(account: LedgerAccount, currency: Currency) -> Int128 { units[account]?[currency] ?? 0 }

    /// Returns the sum over all accounts of the given kinds, in one currency.
    public func sum(of kinds: Set<LedgerAccount.Kind>, in currency: Currency) -> Int128 {
        units.reduce(0) { kinds.contains($1.key.kind) ? $0 + ($1.value[currency] ?? 0) : $0 }
    }

    /// `true` if the accounts sum to zero in each currency.
    public var isZero: Bool {
        var sums: [Currency: Int128] = [:]
        for balance in all { sums[balance.currency, default: 0] += balance.units }
        return sums.values.allSatisfy { $0 == 0 }
    }
}

extension LedgerBalances.Balance {
    /// The balance in major units, with all decimal places of the currency.
    public var decimalString: String { LedgerAmount.text(units, currency) }
}

/// Amounts of the ledger as text, exact at any size.
enum LedgerAmount {
    static func text(_ units: Int128, _ currency: Currency) -> String {
        let places = currency.exponent
        guard places > 0 else { return String(units) }
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
        return "\(units < 0 ? "-" : "")\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
