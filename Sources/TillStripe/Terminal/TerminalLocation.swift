import TillCore
public import TillProvider

/// A place where readers stand. Each smart reader belongs to one, and its country decides which cards and currencies
/// the readers there take.
public struct TerminalLocation: Hashable, Sendable {
    /// Stripe's name of the location, `tml_…`.
    public let id: String
    /// The place's name, also shown on receipts that Stripe sends.
    public let displayName: String
    public let address: TerminalAddress
    /// The configuration that the readers there follow instead of the account's, `tmc_…`.
    public let configuration: String?
    /// The place's phone number.
    public let phone: String?
    /// Whether it is in live mode, where money moves.
    public let isLive: Bool

    init?(_ json: JSONValue) {
        guard let id = TerminalText.identifier(json["id"]), let name = json["display_name"]?.stringValue else {
            return nil
        }
        self.id = id
        displayName = TerminalText.line(name)
        address = TerminalAddress(json["address"])
        configuration = TerminalText.identifier(json["configuration_overrides"])
        phone = json["phone"]?.stringValue.map(TerminalText.line)
        isLive = json["livemode"]?.boolValue ?? false
    }
}

/// A postal address as Stripe takes it.
public typealias TerminalAddress = ReaderLocation.Address

extension ReaderLocation.Address {
    init(_ json: JSONValue?) {
        func text(_ name: String) -> String? { json?[name]?.stringValue.map(TerminalText.line) }
        self.init(
            line1: text("line1"), line2: text("line2"), city: text("city"), state: text("state"),
            country: text("country") ?? "", postalCode: text("postal_code"))
    }
}

/// What a location is to be, or what of it is to change.
public struct TerminalLocationDraft: Hashable, Sendable {
    /// The name; needed for a new one.
    public var displayName: String?
    /// The address; needed for a new one.
    public var address: TerminalAddress?
    public var phone: String?
    /// The configuration that its readers follow; an empty text takes one away.
    public var configuration: String?
    public var metadata: [String: String]

    /// Makes one; what is not given is not sent.
    public init(
        displayName: String? = nil, address: TerminalAddress? = nil, phone: String? = nil,
        configuration: String? = nil, metadata: [String: String] = [:]
    ) {
        self.displayName = displayName
        self.address = address
        self.phone = phone
        self.configuration = configuration
        self.metadata = metadata
    }
}

/// Reading of texts that come from outside.
enum TerminalText {
    static func line(_ text: String) -> String { StripeError.line(StripeAmount.scrub(text), limit: 200) }

    /// An identifier, also when the answer has the whole object in its place.
    static func identifier(_ value: JSONValue?) -> String? {
        let text = value?.stringValue ?? value?["id"]?.stringValue
        return text.flatMap { ProviderReference(ifValid: $0) }?.rawValue
    }
}
