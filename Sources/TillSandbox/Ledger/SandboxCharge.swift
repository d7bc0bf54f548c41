import TillCore

/// A charge in the sandbox's own ledger, the reference that an engine is checked against. Holds no card number.
public struct SandboxCharge: Codable, Hashable, Sendable {
    /// The state of a charge.
    public enum State: String, Codable, Hashable, Sendable {
        /// Created; no authorization was requested.
        case unconfirmed
        /// Awaiting the customer's action.
        case requiresAction
        /// The customer has completed the action; the authorization has to be requested once more.
        case actionDone
        /// Authorized or captured.
        case authorized
        /// Declined by the issuer; another attempt is possible.
        case declined
        case voided
    }

    /// A capture, in minor units.
    public struct Capture: Codable, Hashable, Sendable {
        /// The sandbox's reference of the capture.
        public var reference: String
        /// The idempotency key of the request.
        public var key: String
        /// The amount, in minor units of the charge's currency.
        public var amount: Int64
        /// `true` if the capture failed later.
        public var hasFailed: Bool?
        /// The time of the capture, milliseconds since 1970.
        public var at: Int64?
        /// The failures and restorations of the capture, oldest first.
        public var moves: [Move]?
    }

    /// A dispute, in minor units.
    public struct Dispute: Codable, Hashable, Sendable {
        /// The sandbox's reference of the dispute.
        public var reference: String
        /// The amount, in minor units of the charge's currency.
        public var amount: Int64
        /// The reason, in the provider's terms.
        public var reason: String
        /// The status, in the provider's terms.
        public var status: String
        /// The amount withdrawn and not reinstated, in minor units.
        public var withdrawn: Int64 = 0
        /// The response deadline, milliseconds since 1970.
        public var respondBy: Int64?
        /// The withdrawals and reinstatements, oldest first.
        public var moves: [Move]?
    }

    /// A movement of money by a dispute or a failed capture: minor units, positive toward the shop; milliseconds since
    /// 1970.
    public struct Move: Codable, Hashable, Sendable {
        public var amount: Int64
        public var at: Int64
    }

    /// A refund, in minor units.
    public struct Refund: Codable, Hashable, Sendable {
        /// The status of a refund.
        public enum Status: String, Codable, Hashable, Sendable { case pending, succeeded, failed, canceled }
        /// The sandbox's reference of the refund.
        public var reference: String
        /// The idempotency key of the request.
        public var key: String
        /// The engine's own id of the refund, if supplied.
        public var refund: String?
        /// The amount, in minor units of the charge's currency.
        public var amount: Int64
        public var status: Status
        /// The time of the request, milliseconds since 1970.
        public var createdAt: Int64
        public var reason: String?
        /// The client's metadata.
        public var metadata: [String: String]
        /// The time of the payout to the customer, milliseconds since 1970; `nil` while pending.
        public var paidAt: Int64?
        /// The time of the return, milliseconds since 1970.
        public var returnedAt: Int64?
    }

    /// The stored card details.
    public struct Card: Codable, Hashable, Sendable {
        /// The brand as providers spell it.
        public var brand: String
        /// The last four digits.
        public var lastFour: String
        /// The entry mode.
        public var entryMode: String?
        /// `true` if authorization and capture are a single message.
        public var isSingleMessage: Bool
    }

    /// The response stored under an idempotency key, for replays.
    public struct Reply: Codable, Hashable, Sendable {
        /// The requested operation.
        public var operation: SandboxOperation
        /// The time of the operation, milliseconds since 1970.
        public var at: Int64
        /// The request's fingerprint; the same key with a different fingerprint is an error.
        public var fingerprint: String
        /// The outcome.
        public var outcome: SandboxOutcome
        /// The whole response, where the wire format requires an exact replay.
        public var response: String?
    }

    /// `sb_…` or, in the Stripe stand-in, `pi_…`.
    public let reference: String
    /// The authorization's idempotency key, once known.
    public var key: String?
    public var account: String?
    public var order: String?
    public var payment: String?
    public var attempt: String?
    /// The requested amount, in minor units.
    public var amount: Int64
    /// The currency's three letters of ISO 4217.
    public var currency: String
    /// The authorized amount, in minor units.
    public var authorized: Int64 = 0
    /// All captures, oldest first.
    public var captures: [Capture] = []
    /// All refunds, oldest first.
    public var refunds: [Refund] = []
    /// All disputes, oldest first.
    public var disputes: [Dispute]?
    public var state: State = .unconfirmed
    /// `true` once nothing more can be captured.
    public var isClosed = false
    /// The amount released after a partial capture, in minor units.
    public var released: Int64?
    /// The creation time, in milliseconds since 1970.
    public let createdAt: Int64
    /// The time of the issuer's approval, milliseconds since 1970.
    public var authorizedAt: Int64?
    /// The end of the hold, milliseconds since 1970.
    public var holdEndsAt: Int64?
    /// The end of the honor period, milliseconds since 1970; after it the hold can be renewed.
    public var honoredUntil: Int64?
    /// All renewals of the hold, oldest first.
    public var renewals: [Renewal]?
    /// The stored card details.
    public var card: Card?
    /// The decline code of the last attempt.
    public var declineCode: String?
    public var replies: [String: Reply] = [:]
    /// The client's metadata.
    public var metadata: [String: String] = [:]
    public var capturesAtOnce = false
    /// A short description, as requested.
    public var text: String?
    /// The payment method id of a card that awaits confirmation.
    public var paymentMethod: String?
    /// `true` for a record that only blocks a key from use.
    public var isTombstone = false
    /// The allowed payment method types, as requested; a card if none are given.
    public var types: [String]?
    /// A hash of the key that created the charge, where only its owner may use it at a reader.
    public var owner: String?
    /// `true` while a reader's authorization is in progress.
    public var isBeingCharged: Bool?
    /// The number of declines by the issuer.
    public var declines: Int?
    /// The tip in the amount, in minor units.
    public var tip: Int64?
    /// `true` if the hold may be raised.
    public var allowsIncrement: Bool?
    /// The requested network of a co-badged card: `domestic` or `international`.
    public var requestedPriority: String?
    /// `true` if an extended hold was requested.
    public var extendsHold: Bool?
    /// The reader that charged it.
    public var reader: String?
    /// The location of that reader.
    public var location: String?
    /// The address to which the bank's page sends the customer back.
    public var returnURL: String?
    /// The customer, as the client named it.
    public var customer: String?
    /// The announced later use of the card: `on_session` or `off_session`.
    public var futureUsage: String?

    /// The captured amount, in minor units.
    public var captured: Int64 { SandboxCharge.total(captures.filter { $0.hasFailed != true }.map(\.amount)) }
    /// The refunded amount, pending refunds included, in minor units.
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

/// The outcome of an operation at the sandbox.
public enum SandboxOutcome: Codable, Hashable, Sendable {
    /// Done; the reference of the capture or refund, or of the charge.
    case approved(reference: String)
    /// Accepted, not settled.
    case pending(reference: String)
    /// Declined, with the provider's code.
    case declined(code: String, message: String)
    /// The customer must complete an action first.
    case requiresAction
}

/// The operations of the sandbox.
public enum SandboxOperation: String, Codable, Hashable, Sendable, CaseIterable {
    case prepare, authorize, capture, void, refund, query, renew
}
