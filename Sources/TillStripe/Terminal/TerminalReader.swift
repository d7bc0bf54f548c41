public import TillCore
internal import TillHardware

/// A reader as Stripe reports it. Its network status is what Stripe heard last: a sale is tried whatever it says.
public struct TerminalReader: Hashable, Sendable {
    /// Stripe's name of the reader, `tmr_…`.
    public let id: String
    /// The name that the shop gave it.
    public let label: String
    public let serialNumber: String
    /// What kind of device it is.
    public let deviceType: TerminalDeviceType
    /// What Stripe saw last; `nil` for readers that are reached through a phone.
    public let status: TerminalReaderStatus?
    /// The place where it stands, `tml_…`.
    public let location: String?
    /// Its address in the shop's own network.
    public let ipAddress: String?
    /// What runs on it.
    public let softwareVersion: String?
    /// When Stripe saw it last.
    public let lastSeenAt: Timestamp?
    /// What it does or did last. One slot: the next command takes it.
    public let action: TerminalAction?
    /// Whether it is in live mode, where money moves.
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
        // Milliseconds, unlike every other time of Stripe's.
        lastSeenAt = json["last_seen_at"]?.int64Value.map { Timestamp(milliseconds: $0) }
        action = json["action"].flatMap(TerminalAction.init)
        isLive = json["livemode"]?.boolValue ?? false
    }
}

/// What kind of device a reader is, in Stripe's words. Open: a kind that is not known keeps its raw value.
public struct TerminalDeviceType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// A device that Stripe or a sandbox pretends.
    public var isSimulated: Bool { rawValue.hasPrefix("simulated_") }
    /// Has its own network and takes commands over REST; the others need Stripe's SDK on a phone.
    public var isSmart: Bool { !TerminalDeviceType.mobile.contains(rawValue) }

    private static let mobile: Set<String> = [
        "bbpos_chipper2x", "bbpos_wisepad3", "stripe_m2", "mobile_phone_reader",
    ]
}

/// Whether a reader was seen lately. Open.
public struct TerminalReaderStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    public static let online = TerminalReaderStatus(rawValue: "online")
    /// Stripe has not heard of it lately.
    public static let offline = TerminalReaderStatus(rawValue: "offline")
}

/// What a reader does or did last. A hint only: the truth about money is the payment intent's.
public struct TerminalAction: Hashable, Sendable {
    /// The command that it was given.
    public let kind: Kind
    /// How far it is.
    public let status: Status
    /// Why it failed, in Stripe's or the reader's word. Program against this, never against the message.
    public let failureCode: String?
    /// The same as a sentence.
    public let failureMessage: String?
    /// The code of the error of Stripe's interface, if one was the cause.
    public let errorCode: String?
    /// The issuer's word, likewise.
    public let declineCode: String?
    /// The payment intent that it is about.
    public let paymentIntent: ProviderReference?
    /// The setup intent that it is about.
    public let setupIntent: String?
    /// The refund that came of it, `re_…`.
    public let refund: String?
    /// The payment method that was collected, `pm_…`.
    public let paymentMethod: String?
    /// What was collected of the card before it is charged.
    public let card: CardSummary?
    /// The same, with all that Stripe reports of it.
    let collected: PaymentMethod?
    /// What the customer entered or chose.
    public let inputs: [TerminalInputAnswer]

    /// The kind of command that a reader was given. Open.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }
        /// Collect a card and charge it.
        public static let processPaymentIntent = Kind(rawValue: "process_payment_intent")
        /// Collect a card only.
        public static let collectPaymentMethod = Kind(rawValue: "collect_payment_method")
        /// Charge what was collected.
        public static let confirmPaymentIntent = Kind(rawValue: "confirm_payment_intent")
        /// Refund to a card that is there.
        public static let refundPayment = Kind(rawValue: "refund_payment")
        public static let setReaderDisplay = Kind(rawValue: "set_reader_display")
        public static let collectInputs = Kind(rawValue: "collect_inputs")
    }

    /// How far a reader is. Open: an unknown word is neither success nor failure.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let inProgress = Status(rawValue: "in_progress")
        public static let succeeded = Status(rawValue: "succeeded")
        /// The action failed; the reader's failure code says why.
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

    /// The issuer's or the reader's no, as a decline.
    var decline: Decline {
        let raw = declineCode ?? errorCode ?? failureCode
        let reason = raw.flatMap { StripeCodes.readerReason($0) }
        return Decline(
            reason: reason ?? raw.map { DeclineReason(rawValue: $0) } ?? .generic, code: raw, message: failureMessage)
    }
}
