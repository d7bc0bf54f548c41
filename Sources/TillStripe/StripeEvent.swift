public import TillCore

/// Something that happened at Stripe. A hint to ask, not a truth to record: events come late, twice and out of order.
public struct StripeEvent: Hashable, Sendable {
    /// `evt_…`; the same for each delivery of the same event.
    public let id: String
    /// As `payment_intent.succeeded`. Open: new ones come all the time and are to be answered with 200.
    public let type: String
    /// When Stripe made it.
    public let created: Timestamp?
    public let isLive: Bool
    /// What kind of thing it is about, as `payment_intent`, `charge`, `refund`.
    public let objectKind: String?
    public let objectID: String?
    /// Where it stands, in Stripe's word.
    public let status: String?
    /// The payment intent that it is about, also when the thing is a charge, a refund or a dispute.
    public let paymentIntent: ProviderReference?
    /// Our account, if the thing carries our metadata.
    public let account: AccountID?
    public let order: OrderID?
    public let payment: PaymentID?
    public let attempt: AttemptID?
    public let refund: RefundID?
    /// The connected account at Stripe that it happened in.
    public let connectedAccount: String?
    /// What it says of a dispute; `nil`: it is not about one.
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

    /// It is about what can happen after the sale, and without us having asked for it. A refund of ours that goes well
    /// is not: whoever asked for it hears the answer.
    public var isAfterSale: Bool {
        if refund != nil, status == "succeeded" || status == "pending" { return false }
        return ["charge.dispute.", "charge.refund", "refund."].contains { type.hasPrefix($0) }
    }

    /// Printable ASCII of an identifier's length.
    private static func text(_ value: JSONValue?) -> String? {
        value?.stringValue.flatMap { ProviderReference(ifValid: $0) }?.rawValue
    }
}
