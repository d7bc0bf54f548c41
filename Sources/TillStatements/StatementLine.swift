public import TillCore

/// One line of a provider's statement: a credit to or a debit from the shop's balance.
public struct StatementLine: Hashable, Sendable {
    /// The kind of a line, as far as it matters for matching a payment or for posting.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Money captured from a customer.
        case charge
        /// A capture that failed.
        case chargeFailure = "charge_failure"
        case refund
        /// A refund that failed.
        case refundFailure = "refund_failure"
        case dispute
        case disputeReversal = "dispute_reversal"
        /// The provider's fee, on a separate line.
        case fee
        case payout
        /// A returned payout.
        case payoutFailure = "payout_failure"
        /// Money withheld by the provider, carried over to another payout, or released: a reserve, a hold.
        case transfer
        /// One side of the provider's conversion into another currency of the shop's balance.
        case exchange
        /// An unknown type; ``StatementLine/type`` has the provider's term.
        case other
    }

    /// The provider's identifier of the line, combined with its type and batch where it is not unique by itself: the
    /// same line in two reports has the same id.
    public let id: String
    public let kind: Kind
    /// The type in the provider's terms. No decision depends on it.
    public let type: String
    /// The provider's references of the objects concerned, such as a refund and its payment.
    public let references: [String]
    /// The payment's identifier in Till, if the provider repeats it.
    public let payment: PaymentID?
    /// The gross amount in the settlement currency; positive for a credit to the shop's balance.
    public let gross: Money
    /// The provider's fee; positive for a cost.
    public let fee: Money
    /// ``gross`` minus ``fee``: the change of the balance.
    public let net: Money
    /// The amount shown to the customer, with the sign of ``gross``; `nil` if the statement does not contain it.
    public let customerFacing: Money?
    public let createdAt: Timestamp
    /// The payout that includes the line, once the provider reports it.
    public let payout: String?
    /// The original line, without anything that could be a card number.
    public let raw: String

    /// Maximum length of a raw line kept, in characters.
    public static let maximumRawCharacters = 8_192
    /// Maximum length of a line id, a payout id or a reference, in bytes of UTF-8.
    public static let maximumIDBytes = 200
    /// Maximum number of references.
    public static let maximumReferences = 8

    /// Creates a line.
    /// - Throws: ``StatementError`` if the amounts do not add up exactly (net is gross minus fee), or an identifier is
    ///   too long.
    public init(
        id: String, kind: Kind, type: String, references: [String], payment: PaymentID?, gross: Money, fee: Money,
        net: Money, customerFacing: Money?, createdAt: Timestamp, payout: String?, raw: String
    ) throws(StatementError) {
        // Two masked identifiers could become equal, and the second line would be mistaken for the first.
        guard !CardNumberMask.finds(inName: id) else {
            throw StatementError("the name of a line reads as a card number")
        }
        guard (1...StatementLine.maximumIDBytes).contains(id.utf8.count) else {
            throw StatementError("it has no name, or one that is too long")
        }
        guard raw.utf8.count <= StatementLimits.maximumLineBytes else {
            throw StatementError("\(id): it has more than \(StatementLimits.maximumLineBytes) bytes")
        }
        guard references.count <= StatementLine.maximumReferences,
            (references + [payout ?? ""]).allSatisfy({ $0.utf8.count <= StatementLine.maximumIDBytes })
        else { throw StatementError("\(id): the names of what it is about are too many or too long") }
        let rest: Money
        do throws(MoneyError) { rest = try gross.subtracting(fee) } catch { throw StatementError("\(id): \(error)") }
        guard rest == net else { throw StatementError("\(id): net \(net) is not gross \(gross) less fee \(fee)") }
        self.id = id
        self.kind = kind
        self.type = CardNumberMask.masked(type)
        self.references = references.map(CardNumberMask.maskedName)
        self.payment = payment
        self.gross = gross
        self.fee = fee
        self.customerFacing = customerFacing
        self.createdAt = createdAt
        self.payout = payout.map(CardNumberMask.maskedName)
        self.net = net
        self.raw = String(CardNumberMask.maskedForPeople(String(raw.prefix(StatementLine.maximumRawCharacters))))
    }
}

/// An error for an unreadable statement. Nothing was imported, and no money moved.
public struct StatementError: ExplainedError, Hashable {
    /// The remedy for the error.
    public enum Remedy: Hashable, Sendable {
        /// The format is unknown or violated.
        case exportAgain
        /// The statement is larger than one import accepts.
        case split
        /// The provider did not respond or refused.
        case askAgain
        /// The provider supplies it only after the shop has enabled something: one sentence.
        case setUp(String)
    }

    public let reason: String
    public let remedy: Remedy

    public init(_ reason: String, remedy: Remedy = .exportAgain) {
        self.reason = reason
        self.remedy = remedy
    }

    public var code: String {
        switch remedy {
        case .exportAgain: "statement_unreadable"
        case .split: "statement_too_large"
        case .askAgain: "statement_not_fetched"
        case .setUp: "statement_not_set_up"
        }
    }

    public var what: String {
        switch remedy {
        case .exportAgain, .split: "The statement cannot be read: \(reason). Nothing of it was imported or posted."
        case .askAgain, .setUp: "The statement was not fetched: \(reason). Nothing of it was imported or posted."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch remedy {
        case .exportAgain: "Export the report again and give the file as it came, or say what it is with --format."
        case .split: "Split it by day: export the report for a shorter time, and import one file after the other."
        case .askAgain: "Fetch it again later. What was fetched before doubles nothing."
        case .setUp(let sentence): sentence
        }
    }
}
