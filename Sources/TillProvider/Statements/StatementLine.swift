public import TillCore

/// One line of a provider's statement: what it has put into the shop's balance or taken out of it.
public struct StatementLine: Hashable, Sendable {
    /// What the line is, as far as it can be held against a payment or posted.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Money taken from a customer: a capture.
        case charge
        /// A capture that failed.
        case chargeFailure = "charge_failure"
        case refund
        /// A refund that failed.
        case refundFailure = "refund_failure"
        case dispute
        case disputeReversal = "dispute_reversal"
        /// What the provider takes for its service, in a line of its own.
        case fee
        case payout
        /// A payout that came back.
        case payoutFailure = "payout_failure"
        /// Kept back by the provider, carried over to another payout, or released: a reserve, a hold.
        case transfer
        /// One side of money that the provider has changed into another currency of the shop's balance.
        case exchange
        /// A type that nobody here knows; ``StatementLine/type`` has the provider's word.
        case other
    }

    /// The provider's name for the line, with its type and batch where the name alone is not unique: the same line in
    /// two reports has the same.
    public let id: String
    public let kind: Kind
    /// In the provider's word. Nothing is decided on it.
    public let type: String
    /// The provider's names for what the line is about, such as a refund and its payment.
    public let references: [String]
    /// Our own name for the payment, where the provider repeats it.
    public let payment: PaymentID?
    /// In the currency of the settlement; above zero into the shop's balance.
    public let gross: Money
    /// What of it the provider keeps; above zero a cost.
    public let fee: Money
    /// ``gross`` less ``fee``: what the balance changes by.
    public let net: Money
    /// What the customer saw, with the sign of ``gross``; `nil`: the statement does not say it.
    public let customerFacing: Money?
    public let createdAt: Timestamp
    /// The payout that it is a part of, once the provider says so.
    public let payout: String?
    /// The line as it came, without anything that could be a card number.
    public let raw: String

    /// The longest line kept, in characters.
    public static let maximumRawCharacters = 8_192
    /// The longest name of a line, of a payout and of what a line is about, in bytes of UTF-8.
    public static let maximumIDBytes = 200
    /// Names of what a line is about.
    public static let maximumReferences = 8

    /// - Throws: ``StatementError`` if the amounts do not add up exactly (net is gross less fee), or a name is too
    ///   long.
    public init(
        id: String, kind: Kind, type: String, references: [String], payment: PaymentID?, gross: Money, fee: Money,
        net: Money, customerFacing: Money?, createdAt: Timestamp, payout: String?, raw: String
    ) throws(StatementError) {
        // Two names that are masked could be one, and the second line would be taken for the first.
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
        self.raw = String(CardScrubbing.withoutNumbers(String(raw.prefix(StatementLine.maximumRawCharacters))))
    }
}

/// Why a statement cannot be read. Nothing of it was imported, and no money moved.
public struct StatementError: ExplainedError, Hashable {
    /// What to do about it.
    public enum Remedy: Hashable, Sendable {
        /// Nobody knows its form, or it breaks it.
        case exportAgain
        /// It is more than is taken at once.
        case split
        /// The provider was asked, and did not answer or refused.
        case askAgain
        /// The provider gives it only once the shop has set something up: one sentence.
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
