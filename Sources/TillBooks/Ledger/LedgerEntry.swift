public import TillCore

/// One leg of a movement of money. The postings of an entry sum to zero in each currency.
public struct LedgerPosting: Hashable, Sendable {
    public var account: LedgerAccount
    /// A positive amount is a debit, a negative one a credit.
    public var amount: Money

    public init(_ account: LedgerAccount, _ amount: Money) {
        self.account = account
        self.amount = amount
    }
}

/// The effect on the ledger of one event of the journal or of one line of a provider's statement.
public struct LedgerEntry: Hashable, Sendable {
    /// The origin of an entry.
    public enum Source: Hashable, Sendable {
        /// An event, by its place in the journal.
        case event(sequence: Int64)
        /// A line of a statement, by the place of its record and its key.
        case statement(position: Int64, line: String)
    }

    public var source: Source
    /// The time of the event, or of the import.
    public var at: Timestamp
    public var account: AccountID
    /// The payment that accounts for it; `nil` if there is none.
    public var payment: PaymentID?
    /// The human-readable order number.
    public var orderNumber: String?
    /// The name of the event or of the kind of statement line.
    public var what: String
    /// The manual decision behind the entry; `nil` if it has none.
    public var decision: Decision?
    /// The movement: at least two postings, which sum to zero in each currency.
    public var postings: [LedgerPosting]

    /// A decision by staff to write off money or to book its recovery.
    public struct Decision: Hashable, Sendable {
        public var words: String
        /// The decision maker; `nil` if the text names them.
        public var actor: String?

        public init(words: String, actor: String?) { (self.words, self.actor) = (words, actor) }
    }

    public init(
        source: Source, at: Timestamp, account: AccountID, payment: PaymentID?, orderNumber: String?, what: String,
        decision: Decision? = nil, postings: [LedgerPosting]
    ) {
        self.source = source
        self.at = at
        self.account = account
        self.payment = payment
        self.orderNumber = orderNumber
        self.what = what
        self.decision = decision
        self.postings = postings
    }

    /// `true` if the postings sum to zero in each currency.
    public var isBalanced: Bool {
        var sums = LedgerSums()
        for posting in postings { sums.add(posting.amount) }
        return sums.isZero
    }
}

/// Sums by currency that cannot overflow: 64-bit amounts, added in 128 bits.
public struct LedgerSums: Hashable, Sendable {
    public private(set) var units: [Currency: Int128] = [:]

    public init() {}

    public mutating func add(_ amount: Money) { units[amount.currency, default: 0] += Int128(amount.minorUnits) }

    /// `true` if the sum is zero in every currency.
    public var isZero: Bool { units.values.allSatisfy { $0 == 0 } }
}
