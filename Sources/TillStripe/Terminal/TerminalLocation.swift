import TillCore
public import TillProvider

/// A location of readers. Each smart reader belongs to one, and its country determines the accepted cards and
/// currencies.
public struct TerminalLocation: Hashable, Sendable {
    /// Stripe's id of the location, `tml_…`.
    public let id: String
    /// The location's name, also shown on receipts that Stripe sends.
    public let displayName: String
    public let address: TerminalAddress
    /// The configuration that overrides the account's default for readers here, `tmc_…`.
    public let configuration: String?
    /// The location's phone number.
    public let phone: String?
    /// `true` in live mode, where money moves.
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

/// A postal address in Stripe's format.
public typealias TerminalAddress = ReaderLocation.Address

extension ReaderLocation.Address {
    init(_ json: JSONValue?) {
        func text(_ name: String) -> String? { json?[name]?.stringValue.map(TerminalText.line) }
        self.init(
            line1: text("line1"), line2: text("line2"), city: text("city"), state: text("state"),
            country: text("country") ?? "", postalCode: text("postal_code"))
    }
}

/// The fields of a new location, or changes to an existing one.
public struct TerminalLocationDraft: Hashable, Sendable {
    /// The name; required for a new location.
    public var displayName: String?
    /// The address; required for a new location.
    public var address: TerminalAddress?
    public var phone: String?
    /// The configuration of its readers; an empty string removes it.
    public var configuration: String?
    public var metadata: [String: String]

    /// Creates a draft; absent values are not sent.
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

/// Sanitizing of external texts.
enum TerminalText {
    static func line(_ text: String) -> String { StripeError.line(StripeAmount.scrub(text), limit: 200) }

    /// Returns an identifier, also from an expanded object.
    static func identifier(_ value: JSONValue?) -> String? {
        let text = value?.stringValue ?? value?["id"]?.stringValue
        return text.flatMap { ProviderReference(ifValid: $0) }?.rawValue
    }
}
