public import TillCore

/// One side of a movement of money. The postings of an entry sum to zero in each currency.
public struct LedgerPosting: Hashable, Sendable {
    public var account: LedgerAccount
    /// Above zero a debit, below zero a credit.
    public var amount: Money

    public init(_ account: LedgerAccount, _ amount: Money) {
        self.account = account
        self.amount = amount
    }
}

/// What one event of the journal, or one line of a provider's statement, does to the ledger.
public struct LedgerEntry: Hashable, Sendable {
    /// Where it comes from.
    public enum Source: Hashable, Sendable {
        /// An event, by its place in the journal.
        case event(sequence: Int64)
        /// A line of a statement, by the place of its record and its key.
        case statement(position: Int64, line: String)
    }

    public var source: Source
    /// When it was decided, or imported.
    public var at: Timestamp
    public var account: AccountID
    /// `nil`: no payment accounts for it.
    public var payment: PaymentID?
    /// As people call it.
    public var orderNumber: String?
    /// The event's name, or what the statement's line is.
    public var what: String
    /// Why, in the words of the person who has decided it; `nil`: nobody has.
    public var decision: Decision?
    /// What it moves: at least two postings, whose sum is zero in each currency.
    public var postings: [LedgerPosting]

    /// What a person says about money that he gives up or has found again.
    public struct Decision: Hashable, Sendable {
        public var words: String
        /// Who says so; `nil`: the words do.
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

    /// Its postings sum to zero in each currency.
    public var isBalanced: Bool {
        var sums = LedgerSums()
        for posting in postings { sums.add(posting.amount) }
        return sums.isZero
    }
}

/// Sums by currency that cannot overflow: 64-bit amounts, counted in 128 bits.
public struct LedgerSums: Hashable, Sendable {
    public private(set) var units: [Currency: Int128] = [:]

    public init() {}

    public mutating func add(_ amount: Money) { units[amount.currency, default: 0] += Int128(amount.minorUnits) }

    /// No currency has anything left.
    public var isZero: Bool { units.values.allSatisfy { $0 == 0 } }
}
