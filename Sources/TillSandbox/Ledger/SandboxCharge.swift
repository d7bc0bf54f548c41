import TillCore

/// One charge in the sandbox's own ledger: the truth that an engine is checked against. Holds no card number.
public struct SandboxCharge: Codable, Hashable, Sendable {
    /// Where a charge stands.
    public enum State: String, Codable, Hashable, Sendable {
        /// Made, no money was asked for.
        case unconfirmed
        /// Waits for the customer.
        case requiresAction
        /// The customer has done his part; the money has to be asked for once more.
        case actionDone
        /// Money is held or taken.
        case authorized
        /// The issuer said no; it may be asked again.
        case declined
        case voided
    }

    /// One capture, in minor units.
    public struct Capture: Codable, Hashable, Sendable {
        /// The sandbox's name for it.
        public var reference: String
        /// The key that it was asked for with.
        public var key: String
        /// How much, in minor units of the charge's currency.
        public var amount: Int64
        /// The money was taken back later.
        public var hasFailed: Bool?
        /// When it was taken, milliseconds since 1970.
        public var at: Int64?
        /// Each time that the money was taken back, and taken again, oldest first.
        public var moves: [Move]?
    }

    /// A dispute, in minor units.
    public struct Dispute: Codable, Hashable, Sendable {
        /// The sandbox's name for it.
        public var reference: String
        /// How much, in minor units of the charge's currency.
        public var amount: Int64
        /// Why, in the provider's word.
        public var reason: String
        /// Where it stands, in the provider's word.
        public var status: String
        /// Taken back for it and not returned, in minor units.
        public var withdrawn: Int64 = 0
        /// Until when it may be answered, milliseconds since 1970.
        public var respondBy: Int64?
        /// Each time that money was taken back or returned, oldest first.
        public var moves: [Move]?
    }

    /// Money that a dispute, or a capture that failed, has moved: minor units, above zero to the shop; milliseconds
    /// since 1970.
    public struct Move: Codable, Hashable, Sendable {
        public var amount: Int64
        public var at: Int64
    }

    /// One refund, in minor units.
    public struct Refund: Codable, Hashable, Sendable {
        /// How a refund stands.
        public enum Status: String, Codable, Hashable, Sendable { case pending, succeeded, failed, canceled }
        /// The sandbox's name for it.
        public var reference: String
        /// The key that it was asked for with.
        public var key: String
        /// The engine's own name for it, if it gave one.
        public var refund: String?
        /// How much, in minor units of the charge's currency.
        public var amount: Int64
        public var status: Status
        /// When it was asked for, milliseconds since 1970.
        public var createdAt: Int64
        public var reason: String?
        /// What the client wanted kept with it.
        public var metadata: [String: String]
        /// When the money left, milliseconds since 1970; `nil` while it has not.
        public var paidAt: Int64?
        /// When it came back, milliseconds since 1970.
        public var returnedAt: Int64?
    }

    /// What is kept of a card.
    public struct Card: Codable, Hashable, Sendable {
        /// The brand as providers spell it.
        public var brand: String
        /// The last four digits.
        public var lastFour: String
        /// How it was read.
        public var entryMode: String?
        /// Authorization and capture are one message.
        public var isSingleMessage: Bool
    }

    /// What was answered under a key, so that it can be answered again.
    public struct Reply: Codable, Hashable, Sendable {
        /// What was asked for.
        public var operation: SandboxOperation
        /// When it was done, milliseconds since 1970.
        public var at: Int64
        /// What the request said; the same key with another fingerprint is an error.
        public var fingerprint: String
        /// What came of it.
        public var outcome: SandboxOutcome
        /// The whole answer, where the wire wants it repeated as it was.
        public var response: String?
    }

    /// `sb_…` or, in the Stripe stand-in, `pi_…`.
    public let reference: String
    /// The key of the authorization, once known.
    public var key: String?
    public var account: String?
    public var order: String?
    public var payment: String?
    public var attempt: String?
    /// What was asked for, in minor units.
    public var amount: Int64
    /// The currency's three letters of ISO 4217.
    public var currency: String
    /// Held or taken, in minor units.
    public var authorized: Int64 = 0
    /// All captures, oldest first.
    public var captures: [Capture] = []
    /// All refunds, oldest first.
    public var refunds: [Refund] = []
    /// All disputes, oldest first.
    public var disputes: [Dispute]?
    public var state: State = .unconfirmed
    /// Nothing more can be captured.
    public var isClosed = false
    /// Released after a part was captured, in minor units.
    public var released: Int64?
    /// When it was made, in milliseconds since 1970.
    public let createdAt: Int64
    /// When the issuer approved it, milliseconds since 1970.
    public var authorizedAt: Int64?
    /// When the hold ends, milliseconds since 1970.
    public var holdEndsAt: Int64?
    /// Until when the bank answers for the hold, milliseconds since 1970; then it can be renewed.
    public var honoredUntil: Int64?
    /// All renewals of the hold, oldest first.
    public var renewals: [Renewal]?
    /// What is kept of the card.
    public var card: Card?
    /// Why the last try was declined.
    public var declineCode: String?
    public var replies: [String: Reply] = [:]
    /// What the client wanted kept with it.
    public var metadata: [String: String] = [:]
    public var capturesAtOnce = false
    /// A short text, as asked.
    public var text: String?
    /// A card that waits to be confirmed, as a payment method's name.
    public var paymentMethod: String?
    /// Made only to keep a key from ever being used.
    public var isTombstone = false
    /// What may pay, as asked; nothing asked means a card.
    public var types: [String]?
    /// Whose key made it, as a hash, where only its owner may use it at a reader.
    public var owner: String?
    /// A card is in the reader and the issuer is being asked.
    public var isBeingCharged: Bool?
    /// How often the issuer said no.
    public var declines: Int?
    /// The tip in the amount, in minor units.
    public var tip: Int64?
    /// The hold may be raised.
    public var allowsIncrement: Bool?
    /// Which network of a card with two was asked for: `domestic` or `international`.
    public var requestedPriority: String?
    /// The hold was asked to last longer.
    public var extendsHold: Bool?
    /// The reader that charged it.
    public var reader: String?
    /// The place where that reader stands.
    public var location: String?

    /// Taken so far, in minor units.
    public var captured: Int64 { SandboxCharge.total(captures.filter { $0.hasFailed != true }.map(\.amount)) }
    /// Given back or about to be, in minor units.
    public var refunded: Int64 {
        SandboxCharge.total(refunds.filter { $0.status == .succeeded || $0.status == .pending }.map(\.amount))
    }

    static func total(_ amounts: [Int64]) -> Int64 {
        amounts.reduce(into: 0) { sum, amount in
            let (next, overflow) = sum.addingReportingOverflow(amount)
            sum = overflow ? .max : next
        }
    }
}

/// What came of an operation at the sandbox.
public enum SandboxOutcome: Codable, Hashable, Sendable {
    /// Done; the name of the capture or refund, or of the charge.
    case approved(reference: String)
    /// Taken on, not settled.
    case pending(reference: String)
    /// It was refused, with the provider's code.
    case declined(code: String, message: String)
    /// The customer must do something first.
    case requiresAction
}

/// What the sandbox can be asked for.
public enum SandboxOperation: String, Codable, Hashable, Sendable, CaseIterable {
    case prepare, authorize, capture, void, refund, query, renew
}
