public import TillCore

/// A request to Apple for a merchant session.
public struct MerchantSessionRequest: Hashable, Sendable {
    /// The origin of the payment sheet.
    public enum Initiative: String, Hashable, Sendable {
        /// A web page; the context is its domain.
        case web
        /// A native app on macOS; the context is the team.
        case inApp = "in_app"
    }

    /// The lifetime of a session as documented by Apple. The session's own `expiresAt` allows an hour and is ignored.
    public static let lifetime: Span = .minutes(5)
    /// The longest display name that Apple accepts, in bytes.
    public static let maximumNameBytes = 64

    /// The merchant, by hash or by name.
    public var merchantIdentifier: String
    /// The merchant's display name, truncated to 64 bytes at a character boundary.
    public var displayName: String
    /// The domain exactly as in the address bar.
    public var context: String
    /// The origin of the sheet: a page or an app.
    public var initiative: Initiative

    /// Creates a request; the meaning of `context` depends on the initiative.
    public init(merchantIdentifier: String, displayName: String, context: String, initiative: Initiative = .web) {
        self.merchantIdentifier = merchantIdentifier
        var name = displayName
        while name.utf8.count > MerchantSessionRequest.maximumNameBytes { name.removeLast() }
        self.displayName = name
        self.context = context
        self.initiative = initiative
    }

    /// The request's JSON, with its members in a fixed order.
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
    /// The domain in lowercase.
    public let name: String
    public var description: String { name }

    /// Validates a domain name; `nil` if it is not one.
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
