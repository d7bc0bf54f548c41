public import TillCore

/// An authorization hold.
public struct OrderAuthorization: Hashable, Sendable {
    /// The status of a hold. Open.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The raw text, unchanged.
        public let rawValue: String
        /// Wraps the text unchanged.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The money is held.
        public static let created = Status(rawValue: "CREATED")
        /// Fully captured.
        public static let captured = Status(rawValue: "CAPTURED")
        /// Denied by PayPal or the issuer.
        public static let denied = Status(rawValue: "DENIED")
        /// Partly captured.
        public static let partiallyCaptured = Status(rawValue: "PARTIALLY_CAPTURED")
        /// Voided or expired.
        public static let voided = Status(rawValue: "VOIDED")
        /// Not decided yet; under review by PayPal.
        public static let pending = Status(rawValue: "PENDING")
    }

    /// The authorization id, used to capture or void it.
    public let id: PayPalAuthorizationID
    /// The status. Open.
    public let status: Status
    /// The amount; `nil` if PayPal did not report it.
    public let amount: Money?
    /// The expiration time reported by PayPal.
    public let expires: Timestamp?
    /// The creation time.
    public let created: Timestamp?
    /// The processor's response.
    public let processor: ProcessorResponse?
    /// The order of the hold, if the answer contains it.
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

/// Captured money, or a requested capture. Only a ``CompletedCapture`` counts as paid.
public struct OrderCapture: Hashable, Sendable {
    /// The status of a capture. Open.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The raw text, unchanged.
        public let rawValue: String
        /// Wraps the text unchanged.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The money was captured.
        public static let completed = Status(rawValue: "COMPLETED")
        /// The card was declined; nothing was captured.
        public static let declined = Status(rawValue: "DECLINED")
        /// Captured and partly refunded.
        public static let partiallyRefunded = Status(rawValue: "PARTIALLY_REFUNDED")
        /// Not decided yet; under review by PayPal.
        public static let pending = Status(rawValue: "PENDING")
        /// Captured and fully refunded.
        public static let refunded = Status(rawValue: "REFUNDED")
        /// Failed at PayPal; nothing was captured.
        public static let failed = Status(rawValue: "FAILED")
        /// Reversed by PayPal after the capture.
        public static let reversed = Status(rawValue: "REVERSED")
        /// A synonym of declined, used in webhooks.
        public static let denied = Status(rawValue: "DENIED")
    }

    /// The capture id, used to refund it.
    public let id: PayPalCaptureID
    /// The status. Open.
    public let status: Status
    /// PayPal's reason for a pending or declined capture.
    public let reason: String?
    /// The amount, in minor units.
    public let amount: Money
    /// `true` if nothing more can be captured of the hold.
    public let isFinal: Bool?
    /// The processor's response.
    public let processor: ProcessorResponse?
    /// PayPal's fee; `nil` until known.
    public let fee: Money?
    /// The net amount for the shop.
    public let net: Money?
    /// The hold that was captured.
    public let authorization: PayPalAuthorizationID?
    /// The order of the capture, if the answer contains it.
    public let orderID: PayPalOrderID?
    /// The shop's invoice number: the capture's own if it has one, else that of its purchase unit.
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

    /// `true` if the capture definitively took nothing and never will.
    public var isRefused: Bool { [.declined, .failed, .denied].contains(status) }

    /// Returns the refusal as a decline.
    package func decline(debugID: String?) -> Decline {
        Decline(
            reason: processor?.declineReason ?? .generic, code: processor?.responseCode ?? reason ?? status.rawValue,
            message: "capture \(id) is \(status.rawValue)" + (reason.map { " (\($0))" } ?? ""), requestID: debugID)
    }
}

/// A refund.
public struct OrderRefund: Hashable, Sendable {
    public let id: PayPalRefundID
    /// The status: `CANCELLED`, `FAILED`, `PENDING`, `COMPLETED`, or an unknown value.
    public let status: String
    /// The amount, in minor units.
    public let amount: Money
    /// The shop's custom id.
    public let customID: String?
    /// The refunded capture, if the answer contains it.
    public let capture: PayPalCaptureID?
    /// The creation time, if the answer contains it.
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

/// The processor's response codes.
public struct ProcessorResponse: Hashable, Sendable {
    /// The AVS result.
    public let avsCode: String?
    /// The CVV result.
    public let cvvCode: String?
    /// The processor's response code, such as `5120`.
    public let responseCode: String?
    /// The advice on retries: 01, 02, 03, 21.
    public let paymentAdviceCode: String?

    init?(_ json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        func code(_ name: String) -> String? { json[name]?.stringValue.map { PayPalWireText.line($0, limit: 16) } }
        avsCode = code("avs_code")
        cvvCode = code("cvv_code")
        responseCode = code("response_code")
        paymentAdviceCode = code("payment_advice_code")
    }

    /// The decline reason that corresponds to the response code.
    public var declineReason: DeclineReason {
        responseCode.flatMap { ProcessorResponse.codes[$0]?.reason } ?? .generic
    }
}
