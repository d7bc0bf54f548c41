public import TillCore

/// A hold on money.
public struct OrderAuthorization: Hashable, Sendable {
    /// Where a hold stands. Open.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The money is held.
        public static let created = Status(rawValue: "CREATED")
        /// All of it was captured.
        public static let captured = Status(rawValue: "CAPTURED")
        /// PayPal or the bank said no.
        public static let denied = Status(rawValue: "DENIED")
        /// A part was captured.
        public static let partiallyCaptured = Status(rawValue: "PARTIALLY_CAPTURED")
        /// The hold was voided, or has expired.
        public static let voided = Status(rawValue: "VOIDED")
        /// Not decided yet; PayPal reviews it.
        public static let pending = Status(rawValue: "PENDING")
    }

    /// The authorization's name, by which it is captured or voided.
    public let id: PayPalAuthorizationID
    /// How far PayPal has come with it; open.
    public let status: Status
    /// The amount; `nil` if PayPal did not say it.
    public let amount: Money?
    /// When it ends, by PayPal's own word.
    public let expires: Timestamp?
    /// When it was made.
    public let created: Timestamp?
    /// What the card's bank answered.
    public let processor: ProcessorResponse?
    /// The order that it belongs to, where the answer says so.
    public let orderID: PayPalOrderID?

    package init?(_ json: JSONValue) {
        guard let text = json["id"]?.stringValue, let id = PayPalAuthorizationID(ifValid: text),
            let status = PayPalWireText.word(json["status"])
        else { return nil }
        self.id = id
        self.status = Status(rawValue: status)
        if let amount = json["amount"] {
            guard let money = PayPalMoney.read(amount) else { return nil }
            self.amount = money
        } else {
            amount = nil
        }
        expires = json["expiration_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
        created = json["create_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
        processor = json["processor_response"].flatMap { ProcessorResponse($0) }
        orderID = json.at("supplementary_data", "related_ids", "order_id")?.stringValue.flatMap {
            PayPalOrderID(ifValid: $0)
        }
    }
}

/// Money that was taken, or asked for. Only a ``CompletedCapture`` can be made into something paid.
public struct OrderCapture: Hashable, Sendable {
    /// Where a capture stands. Open.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The money was taken.
        public static let completed = Status(rawValue: "COMPLETED")
        /// The card was declined; nothing was taken.
        public static let declined = Status(rawValue: "DECLINED")
        /// Taken, and a part given back.
        public static let partiallyRefunded = Status(rawValue: "PARTIALLY_REFUNDED")
        /// Not decided yet; PayPal reviews it.
        public static let pending = Status(rawValue: "PENDING")
        /// Taken, and all given back.
        public static let refunded = Status(rawValue: "REFUNDED")
        /// PayPal could not do it; nothing was taken.
        public static let failed = Status(rawValue: "FAILED")
        /// PayPal has taken the money back after it had been taken.
        public static let reversed = Status(rawValue: "REVERSED")
        /// Another word for declined, in webhooks.
        public static let denied = Status(rawValue: "DENIED")
    }

    /// The capture's name, by which it is refunded.
    public let id: PayPalCaptureID
    /// How far PayPal has come with it; open.
    public let status: Status
    /// Why it is pending or declined, in PayPal's word.
    public let reason: String?
    /// The amount, in minor units.
    public let amount: Money
    /// Nothing more can be captured of its hold.
    public let isFinal: Bool?
    /// What the card's bank answered.
    public let processor: ProcessorResponse?
    /// What PayPal keeps of it; `nil` until it is known.
    public let fee: Money?
    /// What the shop gets.
    public let net: Money?
    /// The hold that it was taken from.
    public let authorization: PayPalAuthorizationID?
    /// The order that it belongs to, where the answer says so.
    public let orderID: PayPalOrderID?
    /// The shop's invoice number: its own if it was given one, else that of its purchase unit.
    public let invoiceID: String?

    package init?(_ json: JSONValue) {
        guard let text = json["id"]?.stringValue, let id = PayPalCaptureID(ifValid: text),
            let status = PayPalWireText.word(json["status"]), let amount = PayPalMoney.read(json["amount"])
        else { return nil }
        self.id = id
        self.status = Status(rawValue: status)
        self.amount = amount
        reason = PayPalWireText.word(json.at("status_details", "reason"))
        isFinal = json["final_capture"]?.boolValue
        processor = json["processor_response"].flatMap { ProcessorResponse($0) }
        fee = PayPalMoney.read(json.at("seller_receivable_breakdown", "paypal_fee"))
        net = PayPalMoney.read(json.at("seller_receivable_breakdown", "net_amount"))
        let parent = OrderLink.all(in: json).first { $0.relation == "up" }?.address
        authorization = parent.flatMap { address in
            let parts = address.split(separator: "/")
            guard parts.count > 1, parts[parts.count - 2] == "authorizations" else { return nil }
            return parts.last.flatMap { PayPalAuthorizationID(ifValid: String($0)) }
        }
        orderID = json.at("supplementary_data", "related_ids", "order_id")?.stringValue.flatMap {
            PayPalOrderID(ifValid: $0)
        }
        invoiceID = json["invoice_id"]?.stringValue
    }

    /// It certainly took nothing and never will.
    public var isRefused: Bool { [.declined, .failed, .denied].contains(status) }

    /// As a no of the card's bank.
    package func decline(debugID: String?) -> Decline {
        Decline(
            reason: processor?.declineReason ?? .generic, code: processor?.responseCode ?? reason ?? status.rawValue,
            message: "capture \(id) is \(status.rawValue)" + (reason.map { " (\($0))" } ?? ""), requestID: debugID)
    }
}

/// Money that goes back.
public struct OrderRefund: Hashable, Sendable {
    public let id: PayPalRefundID
    /// `CANCELLED`, `FAILED`, `PENDING`, `COMPLETED`, or a new word.
    public let status: String
    /// The amount, in minor units.
    public let amount: Money
    /// The shop's own identifier.
    public let customID: String?
    /// Which capture it is of, where the answer says so.
    public let capture: PayPalCaptureID?
    /// When it was made, where the answer says so.
    public let created: Timestamp?

    package init?(_ json: JSONValue) {
        guard let text = json["id"]?.stringValue, let id = PayPalRefundID(ifValid: text),
            let status = PayPalWireText.word(json["status"]), let amount = PayPalMoney.read(json["amount"])
        else { return nil }
        self.id = id
        self.status = status
        self.amount = amount
        customID = json["custom_id"]?.stringValue
        created = json["create_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
        let parent = OrderLink.all(in: json).first { $0.relation == "up" }?.address
        capture = parent.flatMap { $0.split(separator: "/").last }.flatMap { PayPalCaptureID(ifValid: String($0)) }
    }
}

/// What the card's bank answered, in the processor's codes.
public struct ProcessorResponse: Hashable, Sendable {
    /// How the address fits.
    public let avsCode: String?
    /// How the security code fits.
    public let cvvCode: String?
    /// The processor's code for its answer, such as `5120`.
    public let responseCode: String?
    /// Whether trying again is welcome: 01, 02, 03, 21.
    public let paymentAdviceCode: String?

    init?(_ json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        func code(_ name: String) -> String? { json[name]?.stringValue.map { PayPalWireText.line($0, limit: 16) } }
        avsCode = code("avs_code")
        cvvCode = code("cvv_code")
        responseCode = code("response_code")
        paymentAdviceCode = code("payment_advice_code")
    }

    /// Our word for the answer.
    public var declineReason: DeclineReason {
        responseCode.flatMap { ProcessorResponse.codes[$0]?.reason } ?? .generic
    }
}
