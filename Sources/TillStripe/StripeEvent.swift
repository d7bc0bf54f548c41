public import TillCore

/// An event reported by Stripe. A trigger for a query, not a fact to record: events arrive late, duplicated and out of
/// order.
public struct StripeEvent: Hashable, Sendable {
    /// `evt_…`; the same for each delivery of the same event.
    public let id: String
    /// The type, such as `payment_intent.succeeded`. Open: Stripe adds types continually; respond to unknown ones with
    /// 200.
    public let type: String
    /// The time at which Stripe created the event.
    public let created: Timestamp?
    public let isLive: Bool
    /// The kind of the event's object, such as `payment_intent`, `charge`, `refund`.
    public let objectKind: String?
    public let objectID: String?
    /// The object's status, in Stripe's terms.
    public let status: String?
    /// The payment intent of the event, also if its object is a charge, a refund or a dispute.
    public let paymentIntent: ProviderReference?
    /// Our account, if the object carries our metadata.
    public let account: AccountID?
    public let order: OrderID?
    public let payment: PaymentID?
    public let attempt: AttemptID?
    public let refund: RefundID?
    /// The connected Stripe account in which the event occurred.
    public let connectedAccount: String?
    /// The dispute's data; `nil` for an event that does not concern one.
    let dispute: JSONValue?

    init?(_ json: JSONValue) {
        guard let id = StripeEvent.text(json["id"]), let type = StripeEvent.text(json["type"]),
            let object = json["data"]?["object"], object.objectValue != nil
        else { return nil }
        self.id = id
        self.type = type
        created = json["created"]?.int64Value.flatMap { seconds in
            let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? nil : Timestamp(milliseconds: millis)
        }
        isLive = json["livemode"]?.boolValue ?? false
        objectKind = StripeEvent.text(object["object"])
        objectID = StripeEvent.text(object["id"])
        status = StripeEvent.text(object["status"])
        let action = object["action"].flatMap(TerminalAction.init)
        let intent =
            objectKind == "terminal.reader"
            ? action?.paymentIntent.map { .string($0.rawValue) }
            : objectKind == "payment_intent"
                ? object["id"] : object["payment_intent"]?["id"] ?? object["payment_intent"]
        paymentIntent = StripeEvent.text(intent).map { ProviderReference(rawValue: $0) }
        let metadata = object["metadata"]
        account = StripeEvent.text(metadata?["till_account"]).map { AccountID(rawValue: $0) }
        order = StripeEvent.text(metadata?["till_order"]).map { OrderID(rawValue: $0) }
        payment = StripeEvent.text(metadata?["till_payment"]).map { PaymentID(rawValue: $0) }
        attempt = StripeEvent.text(metadata?["till_attempt"]).map { AttemptID(rawValue: $0) }
        refund = StripeEvent.text(metadata?["till_refund"]).map { RefundID(rawValue: $0) }
        connectedAccount = StripeEvent.text(json["account"])
        dispute = objectKind == "dispute" ? StripeDispute.facts(object) : nil
    }

    /// `true` for an event after the sale that was not requested here. A successful refund of ours is excluded, since
    /// its caller receives the response.
    public var isAfterSale: Bool {
        if refund != nil, status == "succeeded" || status == "pending" { return false }
        return ["charge.dispute.", "charge.refund", "refund."].contains { type.hasPrefix($0) }
    }

    /// Returns printable ASCII of an identifier's length.
    private static func text(_ value: JSONValue?) -> String? {
        value?.stringValue.flatMap { ProviderReference(ifValid: $0) }?.rawValue
    }
}
