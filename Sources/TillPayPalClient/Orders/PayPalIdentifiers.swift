public import TillCore

/// An identifier assigned by PayPal. Each kind has its own type, so that an order cannot be captured as an
/// authorization; each is validated, so that it cannot point to another path.
public protocol PayPalIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The identifier, in PayPal's spelling.
    var rawValue: String { get }
    /// Validates external text.
    /// - Throws: ``TokenSourceError``.
    init(_ text: String) throws(TokenSourceError)
}

extension PayPalIdentifier {
    /// The identifier, in PayPal's spelling.
    public var description: String { rawValue }

    /// Validates external text; `nil` if ``init(_:)`` refuses it and the reason does not matter.
    public init?(ifValid text: String) {
        do throws(TokenSourceError) { try self.init(text) } catch { return nil }
    }
}

/// The id of an order (Orders v2).
public struct PayPalOrderID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// The id of an authorization hold, used by a later capture in place of the card.
public struct PayPalAuthorizationID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// The id of a capture, completed or requested.
public struct PayPalCaptureID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// The id of a refund.
public struct PayPalRefundID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// The id of a vault setup token, valid for three days.
public struct SetupTokenID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) {
        rawValue = try TokenSourceError.check(text, allowsSmall: true)
    }
}

/// The id of a vaulted card.
public struct VaultID: PayPalIdentifier {
    /// The text, unchanged.
    public let rawValue: String
    /// Creates an id from text that is safe in a request to PayPal.
    public init(_ text: String) throws(TokenSourceError) {
        rawValue = try TokenSourceError.check(text, allowsSmall: true)
    }
}

/// An error for text that is not an identifier of PayPal's current APIs.
public enum TokenSourceError: ExplainedError, Hashable {
    /// The text is empty.
    case empty
    /// Longer than 36 characters.
    case tooLong
    /// A character that no identifier contains, such as a slash.
    case unprintable
    /// A token of the Payments v1 API; v2 can neither authorize nor capture its orders.
    case firstVersion(String)

    static func check(_ text: String, allowsSmall: Bool = false) throws(TokenSourceError) -> String {
        guard !text.isEmpty else { throw .empty }
        for prefix in ["EC-", "PAYID-", "PAY-", "BA-", "B-", "O-"] where text.uppercased().hasPrefix(prefix) {
            throw .firstVersion(prefix)
        }
        guard text.utf8.count <= 36 else { throw .tooLong }
        let isUsable = text.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || (allowsSmall && ((0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F))
        }
        guard isUsable else { throw .unprintable }
        return text
    }

    /// A stable error code for programs, the same in every release.
    public var code: String {
        switch self {
        case .empty: "token_empty"
        case .tooLong, .unprintable: "token_invalid"
        case .firstVersion: "token_of_first_version"
        }
    }

    /// The problem with the identifier.
    public var what: String {
        switch self {
        case .empty: "No identifier of PayPal was given."
        case .tooLong: "The identifier is longer than 36 characters, so it is none of PayPal's."
        case .unprintable: "The identifier has a character that none of PayPal's has."
        case .firstVersion(let prefix):
            "A token that begins with \(prefix) comes from PayPal's first Payments interface, whose payments Orders v2 "
                + "can neither authorize nor capture."
        }
    }

    /// Always `no`: an identifier is validated before anything is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// The recommended next step.
    public var next: String {
        switch self {
        case .firstVersion: "Make the order with Orders v2 and give its identifier."
        default: "Give the identifier that PayPal answered."
        }
    }
}
