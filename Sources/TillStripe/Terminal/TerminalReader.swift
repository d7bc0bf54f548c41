public import TillCore
internal import TillHardware

/// A reader as reported by Stripe. Its network status is the last one that Stripe received: a sale is attempted
/// regardless of it.
public struct TerminalReader: Hashable, Sendable {
    /// Stripe's id of the reader, `tmr_…`.
    public let id: String
    /// The label that the shop assigned.
    public let label: String
    public let serialNumber: String
    /// The device type.
    public let deviceType: TerminalDeviceType
    /// The last network status that Stripe received; `nil` for readers connected through a phone.
    public let status: TerminalReaderStatus?
    /// The reader's location, `tml_…`.
    public let location: String?
    /// Its address in the shop's own network.
    public let ipAddress: String?
    /// The version of the reader's software.
    public let softwareVersion: String?
    /// The time of Stripe's last contact with the reader.
    public let lastSeenAt: Timestamp?
    /// The current or latest action. A reader holds one; the next command replaces it.
    public let action: TerminalAction?
    /// `true` in live mode, where money moves.
    public let isLive: Bool

    init?(_ json: JSONValue) {
        guard let id = TerminalText.identifier(json["id"]), let type = json["device_type"]?.stringValue else {
            return nil
        }
        self.id = id
        label = json["label"]?.stringValue.map(TerminalText.line) ?? id
        serialNumber = json["serial_number"]?.stringValue.map(TerminalText.line) ?? ""
        deviceType = TerminalDeviceType(rawValue: TerminalText.line(type))
        status = json["status"]?.stringValue.map { TerminalReaderStatus(rawValue: TerminalText.line($0)) }
        location = TerminalText.identifier(json["location"])
        ipAddress = json["ip_address"]?.stringValue.map(TerminalText.line)
        softwareVersion = json["device_sw_version"]?.stringValue.map(TerminalText.line)
        // Milliseconds, unlike every other time in Stripe's API.
        lastSeenAt = json["last_seen_at"]?.int64Value.map { Timestamp(milliseconds: $0) }
        action = json["action"].flatMap(TerminalAction.init)
        isLive = json["livemode"]?.boolValue ?? false
    }
}

/// A reader's device type, in Stripe's terms. Open: an unknown type keeps its raw value.
public struct TerminalDeviceType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// `true` for a device simulated by Stripe or a sandbox.
    public var isSimulated: Bool { rawValue.hasPrefix("simulated_") }
    /// `true` for a device with its own network that accepts commands over REST; the others need Stripe's SDK on a
    /// phone.
    public var isSmart: Bool { !TerminalDeviceType.mobile.contains(rawValue) }

    private static let mobile: Set<String> = [
        "bbpos_chipper2x", "bbpos_wisepad3", "stripe_m2", "mobile_phone_reader",
    ]
}

/// The connectivity of a reader. Open.
public struct TerminalReaderStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    public static let online = TerminalReaderStatus(rawValue: "online")
    /// Stripe has had no recent contact with the reader.
    public static let offline = TerminalReaderStatus(rawValue: "offline")
}

/// A reader's current or latest action. A hint only: the payment intent is authoritative for money.
public struct TerminalAction: Hashable, Sendable {
    /// The command.
    public let kind: Kind
    /// The action's progress.
    public let status: Status
    /// The reason for a failure, as Stripe's or the reader's code. Program against this, never against the message.
    public let failureCode: String?
    /// The failure as a sentence.
    public let failureMessage: String?
    /// The Stripe API error code, if an API error was the cause.
    public let errorCode: String?
    /// The issuer's decline code, if a decline was the cause.
    public let declineCode: String?
    /// The payment intent of the action.
    public let paymentIntent: ProviderReference?
    /// The setup intent of the action.
    public let setupIntent: String?
    /// The resulting refund, `re_…`.
    public let refund: String?
    /// The payment method that was collected, `pm_…`.
    public let paymentMethod: String?
    /// The collected card's details, before it is charged.
    public let card: CardSummary?
    /// The collected payment method, with all that Stripe reports.
    let collected: PaymentMethod?
    /// The customer's inputs.
    public let inputs: [TerminalInputAnswer]

    /// The kind of a reader's command. Open.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }
        /// Collects a card and charges it.
        public static let processPaymentIntent = Kind(rawValue: "process_payment_intent")
        /// Collects a card only.
        public static let collectPaymentMethod = Kind(rawValue: "collect_payment_method")
        /// Charges the collected card.
        public static let confirmPaymentIntent = Kind(rawValue: "confirm_payment_intent")
        /// Refunds to a presented card.
        public static let refundPayment = Kind(rawValue: "refund_payment")
        public static let setReaderDisplay = Kind(rawValue: "set_reader_display")
        public static let collectInputs = Kind(rawValue: "collect_inputs")
    }

    /// The progress of an action. Open: an unknown value is neither success nor failure.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let inProgress = Status(rawValue: "in_progress")
        public static let succeeded = Status(rawValue: "succeeded")
        /// The action failed; the failure code has the reason.
        public static let failed = Status(rawValue: "failed")
    }

    init?(_ json: JSONValue) {
        guard let kind = json["type"]?.stringValue, let status = json["status"]?.stringValue else { return nil }
        self.kind = Kind(rawValue: TerminalText.line(kind))
        self.status = Status(rawValue: TerminalText.line(status))
        failureCode = StripeError.word(json["failure_code"]) { $0 }
        failureMessage = json["failure_message"]?.stringValue.map(TerminalText.line)
        errorCode = StripeError.word(json["api_error"]?["code"]) { $0 }
        declineCode = StripeError.word(json["api_error"]?["decline_code"]) { $0 }
        let details = json[kind]
        paymentIntent = TerminalText.identifier(details?["payment_intent"]).map { ProviderReference(rawValue: $0) }
        setupIntent = TerminalText.identifier(details?["setup_intent"])
        refund = TerminalText.identifier(details?["refund"])
        paymentMethod = TerminalText.identifier(details?["payment_method"])
        let method = details?["payment_method"]
        card =
            ["card_present", "interac_present", "card"].lazy.compactMap { method?[$0] }
            .compactMap { StripePaymentIntent.summary($0) }.first
        collected = method.flatMap { PaymentMethod(stripe: $0) }
        inputs = (details?["inputs"]?.arrayValue ?? []).map(TerminalInputAnswer.init)
    }

    /// The issuer's or the reader's refusal, as a decline.
    var decline: Decline {
        let raw = declineCode ?? errorCode ?? failureCode
        let reason = raw.flatMap { StripeCodes.readerReason($0) }
        return Decline(
            reason: reason ?? raw.map { DeclineReason(rawValue: $0) } ?? .generic, code: raw, message: failureMessage)
    }
}
