public import HTTPTypes
public import TillCore

/// Verifies one provider's webhooks and extracts their subject. A webhook is only a hint: the payment is queried before
/// any action follows.
///
/// A counter receives a delivery at `/webhooks/` plus the module's name, has it verified here, records each event once
/// together with the payment's next query in one commit, and only then responds.
public protocol WebhookReceiver: Sendable {
    /// Maximum body size, in bytes.
    var maximumBytes: Int { get }
    /// The response that the provider expects for an accepted delivery.
    var acknowledgment: WebhookAcknowledgment { get }

    /// Verifies a delivery over its raw bytes.
    /// - Returns: the events to record.
    /// - Throws: ``WebhookRefusal`` if the delivery is not genuine, or cannot be verified now.
    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent]
}

extension WebhookReceiver {
    /// The default acknowledgment, `{"received":true}` as JSON.
    public var acknowledgment: WebhookAcknowledgment { .received }
}

/// A webhook delivery as received.
public struct WebhookDelivery: Sendable {
    public let body: [UInt8]
    public let receivedAt: Timestamp
    private let headers: HTTPFields

    public init(body: [UInt8], headers: HTTPFields, receivedAt: Timestamp) {
        self.body = body
        self.headers = headers
        self.receivedAt = receivedAt
    }

    /// Returns the value of a header field; `nil` if absent.
    public func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

/// An event reported by a genuine webhook.
public struct WebhookEvent: Sendable {
    /// The provider's identifier, identical for each delivery, by which the event is deduplicated.
    public let id: String
    /// The payment concerned; `nil` if it is not one of Till's.
    public let payment: PaymentID?
    /// The attempt concerned, if the event names it.
    public let attempt: AttemptID?
    /// The account of the order, if the event names it: an incident is recorded for it if the journal does not know the
    /// payment.
    public let account: AccountID?
    public let order: OrderID?
    /// `true` if the event may report money of a settled payment, such as a dispute: the payment is queried even if no
    /// work is left on it.
    public let isAfterSale: Bool
    /// `true` if the event reports money of the attempt that it names. If the journal knows the payment and not the
    /// attempt, as after a restore, an incident is recorded. For a provider whose charges cannot be listed; the others'
    /// are found by the sweep.
    public let isCharge: Bool
    /// Called once the event is recorded, not for duplicates: a sale that waits for a reader is then queried at once.
    public let onRecorded: @Sendable () -> Void

    public init(
        id: String, payment: PaymentID?, attempt: AttemptID? = nil, account: AccountID? = nil, order: OrderID? = nil,
        isAfterSale: Bool = false, isCharge: Bool = false, onRecorded: @escaping @Sendable () -> Void = {}
    ) {
        self.id = id
        self.payment = payment
        self.attempt = attempt
        self.account = account
        self.order = order
        self.isAfterSale = isAfterSale
        self.isCharge = isCharge
        self.onRecorded = onRecorded
    }
}

/// The response to an accepted delivery.
public struct WebhookAcknowledgment: Hashable, Sendable {
    public let contentType: String
    public let body: String

    public init(contentType: String, body: String) {
        self.contentType = contentType
        self.body = body
    }

    /// The acknowledgment `{"received":true}` as JSON.
    public static let received = WebhookAcknowledgment(contentType: "application/json", body: #"{"received":true}"#)
}

/// An error for a delivery that is not accepted.
public struct WebhookRefusal: Error, Hashable, Sendable {
    public let code: String
    /// The problem, as a sentence.
    public let what: String
    /// The recommended next step, as a sentence.
    public let next: String
    /// `true` if the same delivery may be accepted later: it is answered with 503 instead of 400.
    public let isTemporary: Bool

    /// Returns the error for a signature that does not prove the provider's authorship.
    /// - Parameter next: the item that the shop should check.
    public static func refused(_ what: String, next: String) -> WebhookRefusal {
        WebhookRefusal(code: "webhook_refused", what: what, next: next, isTemporary: false)
    }

    /// Returns the error for a delivery that cannot be verified or stored now.
    public static func later(_ what: String, code: String = "webhook_refused") -> WebhookRefusal {
        WebhookRefusal(code: code, what: what, next: "Send it again later.", isTemporary: true)
    }
}
