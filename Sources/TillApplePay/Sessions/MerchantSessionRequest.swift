public import TillCore

/// What is asked of Apple for a merchant session.
public struct MerchantSessionRequest: Hashable, Sendable {
    /// Where the payment sheet is opened.
    public enum Initiative: String, Hashable, Sendable {
        /// A page; the context is its domain.
        case web
        /// A native app on macOS; the context is the team.
        case inApp = "in_app"
    }

    /// How long a session may be used: Apple's documented figure. Its own `expiresAt` says an hour and is not believed.
    public static let lifetime: Span = .minutes(5)
    /// The longest name that Apple takes, in bytes.
    public static let maximumNameBytes = 64

    /// The merchant, by hash or by name.
    public var merchantIdentifier: String
    /// The shop's name for people; cut to 64 bytes between characters.
    public var displayName: String
    /// The domain exactly as in the address bar.
    public var context: String
    /// Whether a page or an app asks.
    public var initiative: Initiative

    /// What a session is asked for; `context` goes with the initiative.
    public init(merchantIdentifier: String, displayName: String, context: String, initiative: Initiative = .web) {
        self.merchantIdentifier = merchantIdentifier
        var name = displayName
        while name.utf8.count > MerchantSessionRequest.maximumNameBytes { name.removeLast() }
        self.displayName = name
        self.context = context
        self.initiative = initiative
    }

    /// The request's JSON, with its members in one order.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("merchantIdentifier", merchantIdentifier)
        writer.field("displayName", displayName)
        writer.field("initiative", initiative.rawValue)
        writer.field("initiativeContext", context)
        writer.endObject()
        return writer.bytes
    }
}

/// A domain as in the address bar: letters, digits, hyphens and dots, no scheme, port or path.
public struct WebDomain: Hashable, Sendable, CustomStringConvertible {
    /// The domain in lower case.
    public let name: String
    public var description: String { name }

    /// Checks a name; `nil` if it is not a domain's.
    public init?(_ text: String) {
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...253).contains(name.utf8.count), labels.count >= 2 || name == "localhost",
            labels.allSatisfy({ label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                    }
            })
        else { return nil }
        self.name = name
    }
}
