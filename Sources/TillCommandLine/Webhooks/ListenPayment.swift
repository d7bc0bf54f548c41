import TillCore
import TillFeatureWebhooks

/// A payment as the counter shows it at the moment: `GET /v1/payments/{id}`.
struct ListenPayment: Hashable, Sendable {
    private let id: PaymentID
    private let order: OrderID
    private let orderNumber: String
    private let part: WebhookContent.Part?
    private let status: String
    private let amount: Int64
    private let currency: String
    private let captured: Int64
    private let refunded: Int64
    private let isLive: Bool
    private let captures: Int
    /// The names of its events, the first one first.
    private let events: [String]

    /// Reads the counter's document; `nil` for one that is no payment.
    /// - Parameter isTestMode: `true` if the counter is in test mode.
    init?(_ json: JSONValue, isTestMode: Bool) {
        guard let id = json["id"]?.stringValue.flatMap({ PaymentID(ifValid: $0) }),
            let order = json["order_id"]?.stringValue.flatMap({ OrderID(ifValid: $0) }),
            let orderNumber = json["order_number"]?.stringValue, let status = json["status"]?.stringValue,
            let amount = json["amount"]?.int64Value, let currency = json["currency"]?.stringValue,
            let captured = json["captured"]?.int64Value, let refunded = json["refunded"]?.int64Value,
            let isTest = json["test"]?.boolValue, let captures = json["captures"]?.arrayValue,
            let events = json["events"]?.arrayValue
        else { return nil }
        (self.id, self.order, self.orderNumber, self.status) = (id, order, orderNumber, status)
        (self.amount, self.currency, self.captured, self.refunded) = (amount, currency, captured, refunded)
        isLive = !isTestMode && !isTest
        self.captures = captures.count
        self.events = events.map { $0["type"]?.stringValue ?? "" }
        part = json["part"].flatMap { part in
            guard let order = part["order_id"]?.stringValue.flatMap({ OrderID(ifValid: $0) }),
                let number = part["number"]?.int64Value.flatMap({ Int(exactly: $0) })
            else { return nil }
            return WebhookContent.Part(order: order, number: number)
        }
    }

    /// Returns the data of an event's message. Status and sums are those of the moment at which the payment was read.
    func content(of event: ListenEvent) -> WebhookContent {
        WebhookContent(
            payment: id, order: order, orderNumber: orderNumber, part: part, status: status, amount: amount,
            currency: currency, captured: captured, refunded: refunded, event: event.name, sequence: event.sequence,
            version: event.version, isLive: isLive)
    }

    /// `true` if a capture belongs to an authorization itself: its scheme takes the money at once.
    var isCapturedAtOnce: Bool { captures > events.count { ListenStep(rawValue: $0)?.isCapture ?? false } }

    /// Returns the operation that an event refused: the last one that was begun before it.
    func refused(by event: ListenEvent) -> ListenStep? {
        events.prefix(max(0, event.version - 1)).lazy.compactMap { ListenStep(rawValue: $0) }.last { $0.isOperation }
    }
}

/// The events of the counter's stream that matter to messages, by their names. Others make none.
enum ListenStep: String, CaseIterable {
    case created = "payment.created"
    case actionRequired = "attempt.action_required"
    case stored = "attempt.stored"
    case authorized = "attempt.authorized"
    case declined = "attempt.declined"
    case unknown = "operation.unknown"
    case expired = "attempt.expired"
    case voided = "void.succeeded"
    case captured = "capture.succeeded"
    case captureReported = "capture.reported"
    case captureFailed = "capture.failed"
    case captureRestored = "capture.restored"
    case refunded = "refund.succeeded"
    case refundReported = "refund.reported"
    case refundFailed = "refund.failed"
    case refused = "operation.refused"
    case canceled = "payment.canceled"
    case attentionRequired = "payment.attention_required"
    case disputeOpened = "dispute.opened"
    case disputeUpdated = "dispute.updated"
    case disputeFundsWithdrawn = "dispute.funds_withdrawn"
    case disputeFundsReinstated = "dispute.funds_reinstated"
    case disputeClosed = "dispute.closed"
    case attemptStarted = "attempt.started"
    case continuationStarted = "continuation.started"
    case captureStarted = "capture.started"
    case voidStarted = "void.started"
    case renewalStarted = "renewal.started"
    case refundStarted = "refund.started"

    /// `true` for an event that begins an operation at the provider.
    var isOperation: Bool { ListenStep.operations.contains(self) }
    private static let operations: Set<ListenStep> = [
        .attemptStarted, .continuationStarted, .captureStarted, .voidStarted, .renewalStarted, .refundStarted,
    ]

    /// The type of the message of a refusal of the operation that the event begins; `nil` if none is made of it.
    private var refusal: WebhookType? {
        if self == .captureStarted { return .captureFailed }
        return self == .refundStarted ? .refundFailed : nil
    }

    /// `true` for an event that adds a capture to a payment.
    var isCapture: Bool { self == .captureStarted || self == .captureReported }

    /// Returns the type of an event's message; `nil` if none is made of it.
    func type(of event: ListenEvent, _ payment: ListenPayment) -> WebhookType? {
        switch self {
        case .created: .created
        case .actionRequired: .actionRequired
        case .stored: .stored
        case .authorized: payment.isCapturedAtOnce ? .captured : .authorized
        case .declined: .declined
        case .unknown: .unknown
        case .expired: .expired
        case .voided: .voided
        case .captured, .captureReported: .captured
        case .captureFailed: .captureFailed
        case .captureRestored: .captureRestored
        case .refunded, .refundReported: .refunded
        case .refundFailed: .refundFailed
        case .refused: payment.refused(by: event)?.refusal
        case .canceled: .canceled
        case .attentionRequired: .attentionRequired
        case .disputeOpened: .disputeOpened
        case .disputeUpdated: .disputeUpdated
        case .disputeFundsWithdrawn: .disputeFundsWithdrawn
        case .disputeFundsReinstated: .disputeFundsReinstated
        case .disputeClosed: .disputeClosed
        case .attemptStarted, .continuationStarted, .captureStarted, .voidStarted, .renewalStarted, .refundStarted: nil
        }
    }
}
