public import HTTPTypes
public import TillCore

/// Verifies one provider's webhooks and reads what they are about. What a webhook says is a hint: the payment is
/// queried before anything follows from it.
///
/// A counter takes a delivery at `/webhooks/` and the module's name, has it verified here, records each event once with
/// the payment's next query in the same commit, and answers only then.
public protocol WebhookReceiver: Sendable {
    /// The longest body taken, in bytes.
    var maximumBytes: Int { get }
    /// What the provider wants to read when a delivery was taken.
    var acknowledgment: WebhookAcknowledgment { get }

    /// Verifies a delivery over its bytes as they came.
    /// - Returns: the events that are to be recorded.
    /// - Throws: when it is not genuine, or cannot be judged now.
    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent]
}

extension WebhookReceiver {
    /// The default acknowledgment, `{"received":true}` as JSON.
    public var acknowledgment: WebhookAcknowledgment { .received }
}

/// A webhook as it came.
public struct WebhookDelivery: Sendable {
    public let body: [UInt8]
    public let receivedAt: Timestamp
    private let headers: HTTPFields

    public init(body: [UInt8], headers: HTTPFields, receivedAt: Timestamp) {
        self.body = body
        self.headers = headers
        self.receivedAt = receivedAt
    }

    /// The value of a header field; `nil` if it did not come.
    public func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

/// Something that a genuine webhook says has happened.
public struct WebhookEvent: Sendable {
    /// The provider's name for it, the same for each delivery: by it the event counts once.
    public let id: String
    /// The payment that it is about; `nil` if that is none of ours.
    public let payment: PaymentID?
    /// Whose order that was for, where the event itself says so: it is held if the journal does not know the payment.
    public let account: AccountID?
    public let order: OrderID?
    /// It may report money of a settled payment, such as a dispute: the payment is queried, also if nothing is left to
    /// be done on it.
    public let isAfterSale: Bool
    /// Called once the event is recorded, not for its repetitions: who waits for a reader queries it at once.
    public let onRecorded: @Sendable () -> Void

    public init(
        id: String, payment: PaymentID?, account: AccountID? = nil, order: OrderID? = nil, isAfterSale: Bool = false,
        onRecorded: @escaping @Sendable () -> Void = {}
    ) {
        self.id = id
        self.payment = payment
        self.account = account
        self.order = order
        self.isAfterSale = isAfterSale
        self.onRecorded = onRecorded
    }
}

/// The answer to a delivery that was taken.
public struct WebhookAcknowledgment: Hashable, Sendable {
    public let contentType: String
    public let body: String

    public init(contentType: String, body: String) {
        self.contentType = contentType
        self.body = body
    }

    /// Acknowledges a delivery with `{"received":true}` as JSON.
    public static let received = WebhookAcknowledgment(contentType: "application/json", body: #"{"received":true}"#)
}

/// Why a delivery is not taken.
public struct WebhookRefusal: Error, Hashable, Sendable {
    public let code: String
    /// What happened, in a sentence.
    public let what: String
    /// What to do next, in a sentence.
    public let next: String
    /// The same delivery may be taken later: it is answered with 503 instead of 400.
    public let isTemporary: Bool

    /// The signature does not prove that it comes from the provider.
    /// - Parameter next: what the shop should check.
    public static func refused(_ what: String, next: String) -> WebhookRefusal {
        WebhookRefusal(code: "webhook_refused", what: what, next: next, isTemporary: false)
    }

    /// Cannot be judged or kept now.
    public static func later(_ what: String, code: String = "webhook_refused") -> WebhookRefusal {
        WebhookRefusal(code: code, what: what, next: "Send it again later.", isTemporary: true)
    }
}
