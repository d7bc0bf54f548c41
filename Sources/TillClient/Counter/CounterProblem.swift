public import TillCore

/// The counter's problem document: its code, what happened, whether money moved, and what to do next.
public struct CounterProblem: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    public let code: CounterProblemCode
    /// The event, in one sentence.
    public let what: String
    public let moneyMoved: MoneyMoved
    /// The recommended next step.
    public let next: String
    /// The counter's request id, for its log.
    public let requestID: String?

    public init(
        status: Int, code: CounterProblemCode, what: String, moneyMoved: MoneyMoved, next: String, requestID: String?
    ) {
        self.status = status
        self.code = code
        self.what = what
        self.moneyMoved = moneyMoved
        self.next = next
        self.requestID = requestID
    }

    /// Reads a problem document; `nil` for a body that is none, such as the error page of a proxy.
    init?(_ json: JSONValue, status: Int, requestID: String?) {
        guard let code = json["code"]?.stringValue, let what = json["detail"]?.stringValue,
            let moved = json["money_moved"]?.stringValue, let next = json["next"]?.stringValue
        else { return nil }
        // A word that this version does not know is no promise that nothing moved.
        self.init(
            status: status, code: CounterProblemCode(rawValue: code), what: what,
            moneyMoved: MoneyMoved(rawValue: moved) ?? .unknown, next: next, requestID: requestID)
    }

    /// `true` if the same request may succeed a moment later.
    var isTemporary: Bool { [429, 502, 503, 504].contains(status) && moneyMoved == .no }

    /// `true` if the same request under the same key may have its answer a moment later.
    var mayEndSoon: Bool { isAboutAccess || code == .requestInProgress }

    /// `true` if the answer is about the access to the counter, not about the request: it does not settle an earlier
    /// try under the same key.
    var isAboutAccess: Bool { [401, 403, 408, 429].contains(status) || status >= 500 }
}

/// A problem's code. Open: an unknown code keeps its raw value.
public struct CounterProblemCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A request with the same key is still being worked on.
    public static let requestInProgress = CounterProblemCode(rawValue: "request_in_progress")
    /// The key was used for another request.
    public static let idempotencyMismatch = CounterProblemCode(rawValue: "idempotency_mismatch")
    /// The key, or the session of the device, was revoked.
    public static let keyRevoked = CounterProblemCode(rawValue: "key_revoked")
    /// The key, or the session of the device, is over.
    public static let keyExpired = CounterProblemCode(rawValue: "key_expired")
    public static let paymentNotFound = CounterProblemCode(rawValue: "payment_not_found")
    /// The order has another payment that is not over.
    public static let orderHasPayment = CounterProblemCode(rawValue: "order_has_a_payment")
    public static let orderAlreadyPaid = CounterProblemCode(rawValue: "order_already_paid")
    /// A provider has a charge for the order that belongs to no payment.
    public static let orderHeld = CounterProblemCode(rawValue: "order_held")
    /// The shop reports the order as settled.
    public static let orderSettledInShop = CounterProblemCode(rawValue: "order_settled_in_shop")
    /// The order book has no such order.
    public static let orderNotFound = CounterProblemCode(rawValue: "order_not_found")
    /// The amount is more than is open of the order, or nothing is open.
    public static let orderAmountDiffers = CounterProblemCode(rawValue: "order_amount_differs")
    public static let readerNotFound = CounterProblemCode(rawValue: "reader_not_found")
    /// The counter has no card readers.
    public static let noReaders = CounterProblemCode(rawValue: "no_readers")
    /// The reader is busy with another sale.
    public static let readerBusy = CounterProblemCode(rawValue: "terminal_reader_busy")
    public static let readerOffline = CounterProblemCode(rawValue: "terminal_reader_offline")
    public static let amountTooSmall = CounterProblemCode(rawValue: "amount_too_small")
    public static let amountTooLarge = CounterProblemCode(rawValue: "amount_too_large")
    public static let invalidAmount = CounterProblemCode(rawValue: "invalid_amount")

    /// `true` for a refusal because of something else that there is for the order: the request moved no money, and the
    /// order may be paid.
    var isAboutOrder: Bool {
        switch self {
        case .idempotencyMismatch, .orderHasPayment, .orderAlreadyPaid, .orderHeld, .orderSettledInShop: true
        default: false
        }
    }
}
