public import TillCore

/// An error of a call to the counter.
///
/// A call that may have arrived and has no answer is ``outcomeUnknown(_:)``, never a failure: repeat it under the same
/// key, or look the payment up.
public enum CounterError: ExplainedError, Hashable {
    /// The counter refused; its own words are kept.
    case refused(CounterProblem)
    /// Nothing of the request was sent.
    case notSent(reason: String)
    /// A query had no answer. It changed nothing.
    case notAnswered(CounterOperation, reason: String)
    /// The request was sent and its outcome is unknown.
    case outcomeUnknown(CounterUnknownOutcome)
    /// The answer is about something else than was asked, so it does not count.
    case mismatch(CounterMismatch)

    public var code: String {
        switch self {
        case .refused(let problem): problem.code.rawValue
        case .notSent: "counter_not_reached"
        case .notAnswered: "counter_not_answered"
        case .outcomeUnknown: "outcome_unknown"
        case .mismatch: "answer_mismatch"
        }
    }

    public var what: String {
        switch self {
        case .refused(let problem): problem.what
        case .notSent(let reason): "The counter could not be reached: \(reason)."
        case .notAnswered(_, let reason): "The counter did not answer: \(reason)."
        case .outcomeUnknown(let unknown):
            "The counter was asked to \(unknown.operation.phrase) and gave no answer that counts: \(unknown.reason)."
        case .mismatch(let mismatch): mismatch.sentence
        }
    }

    public var moneyMoved: MoneyMoved {
        switch self {
        case .refused(let problem): problem.moneyMoved
        case .notSent: .no
        case .notAnswered(let operation, _): operation.readsMoney ? .unknown : .no
        case .outcomeUnknown(let unknown): unknown.operation.canMoveMoney ? .unknown : .no
        case .mismatch(let mismatch): mismatch.operation.canMoveMoney ? .unknown : .no
        }
    }

    public var next: String {
        switch self {
        case .refused(let problem): problem.next
        case .notSent, .notAnswered: "Check the network and the counter, then try again."
        case .outcomeUnknown(let unknown) where unknown.operation.isIdempotent:
            "Send it again, or look up the payment. Do not take another payment."
        case .outcomeUnknown: "Send it again with the same key, or look up the payment. Do not take another payment."
        case .mismatch: "Look up the payment at the counter. Do not take another payment."
        }
    }

    /// The counter's request id, if there was an answer.
    public var requestID: String? {
        switch self {
        case .refused(let problem): problem.requestID
        case .outcomeUnknown(let unknown): unknown.requestID
        case .mismatch(let mismatch): mismatch.requestID
        case .notSent, .notAnswered: nil
        }
    }
}

/// A call to the counter.
public enum CounterOperation: String, Hashable, Sendable, CaseIterable {
    case createPayment = "create_payment"
    case readPayment = "read_payment"
    case confirm
    case capture
    case cancel
    case refund
    case listReaders = "list_readers"
    case cancelReader = "cancel_reader"
    case connectionToken = "connection_token"
    case deviceIntent = "device_intent"
    case settle
    case receipt
    case listOrders = "list_orders"
    case readOrder = "read_order"
    case renewSession = "renew_session"
    case events

    /// `true` if the call changes something at the counter, beside the end of its own session.
    var changes: Bool {
        switch self {
        case .createPayment, .confirm, .capture, .cancel, .refund, .cancelReader, .deviceIntent, .settle: true
        case .readPayment, .listReaders, .connectionToken, .receipt, .listOrders, .readOrder, .renewSession, .events:
            false
        }
    }

    /// `true` for a query of a payment or an order: without an answer nothing is known of its money.
    var readsMoney: Bool { self == .readPayment || self == .readOrder }

    /// `true` if the counter carries the call out at most once without a key: the order is the key, or the call asks
    /// for the outcome of what was begun.
    var isIdempotent: Bool {
        switch self {
        case .deviceIntent, .settle: true
        case .createPayment, .readPayment, .confirm, .capture, .cancel, .refund, .listReaders, .cancelReader,
            .connectionToken, .receipt, .listOrders, .readOrder, .renewSession, .events:
            false
        }
    }

    /// `true` if the call can charge, release or refund money, or is about an intent that a device may have charged.
    var canMoveMoney: Bool {
        switch self {
        case .confirm, .capture, .cancel, .refund, .deviceIntent, .settle: true
        case .createPayment, .cancelReader, .readPayment, .listReaders, .connectionToken, .receipt, .listOrders,
            .readOrder, .renewSession, .events:
            false
        }
    }

    /// The media type of the answer.
    var mediaType: String {
        switch self {
        case .receipt: "text/html"
        case .events: "text/event-stream"
        case .createPayment, .readPayment, .confirm, .capture, .cancel, .refund, .listReaders, .cancelReader,
            .connectionToken, .deviceIntent, .settle, .listOrders, .readOrder, .renewSession:
            "application/json"
        }
    }

    var phrase: String {
        switch self {
        case .createPayment: "create a payment"
        case .readPayment: "show a payment"
        case .confirm: "confirm a payment"
        case .capture: "capture a payment"
        case .cancel: "cancel a payment"
        case .refund: "refund a payment"
        case .listReaders: "list its readers"
        case .cancelReader: "cancel at a reader"
        case .connectionToken: "make a connection token"
        case .deviceIntent: "make the intent of an order"
        case .settle: "settle a payment"
        case .receipt: "show a receipt"
        case .listOrders: "list its orders"
        case .readOrder: "show an order"
        case .renewSession: "renew the session of this device"
        case .events: "report events"
        }
    }
}

/// A call that may have been carried out, with everything that is needed to look it up or to repeat it.
public struct CounterUnknownOutcome: Hashable, Sendable {
    public let operation: CounterOperation
    /// The payment, if it was known when the call was made.
    public let payment: PaymentID?
    /// The idempotency key under which the call may be repeated.
    public let key: IdempotencyKey?
    /// The fate of the call, as part of a sentence.
    public let reason: String
    /// The counter's problem document, if it reported itself that the outcome is unknown.
    public let problem: CounterProblem?
    public let requestID: String?

    public init(
        operation: CounterOperation, payment: PaymentID?, key: IdempotencyKey?, reason: String,
        problem: CounterProblem? = nil, requestID: String? = nil
    ) {
        self.operation = operation
        self.payment = payment
        self.key = key
        self.reason = reason
        self.problem = problem
        self.requestID = requestID
    }
}

/// An answer about something else than was asked.
public struct CounterMismatch: Hashable, Sendable {
    /// The part that differs.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        case payment
        case amount
        case currency
        case order
        case reader
        case intent
    }

    public let operation: CounterOperation
    public let part: Part
    public let asked: String
    public let answered: String
    public let requestID: String?

    public init(operation: CounterOperation, part: Part, asked: String, answered: String, requestID: String? = nil) {
        self.operation = operation
        self.part = part
        self.asked = asked
        self.answered = answered
        self.requestID = requestID
    }

    var sentence: String {
        "The counter was asked to \(operation.phrase), and its answer has the \(part.rawValue) \(answered) instead of "
            + "\(asked)."
    }
}
