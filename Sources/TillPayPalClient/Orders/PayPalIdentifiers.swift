public import TillCore

/// What PayPal calls one thing of one kind. Each kind is a type of its own, so that an order cannot be captured as an
/// authorization; each is checked, so that no text can name another path.
public protocol PayPalIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// As PayPal spells it.
    var rawValue: String { get }
    /// Takes a text from outside.
    /// - Throws: ``TokenSourceError``.
    init(_ text: String) throws(TokenSourceError)
}

extension PayPalIdentifier {
    /// As PayPal spells it.
    public var description: String { rawValue }

    /// Takes a text from outside; `nil` for whatever ``init(_:)`` refuses, where the reason does not matter.
    public init?(ifValid text: String) {
        do throws(TokenSourceError) { try self.init(text) } catch { return nil }
    }
}

/// An order of Orders v2.
public struct PayPalOrderID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// A hold on money: what a later capture names instead of the card.
public struct PayPalAuthorizationID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// Money that was taken, or asked for.
public struct PayPalCaptureID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// Money that goes back.
public struct PayPalRefundID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) { rawValue = try TokenSourceError.check(text) }
}

/// A card on its way into the vault, for three days.
public struct SetupTokenID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) {
        rawValue = try TokenSourceError.check(text, allowsSmall: true)
    }
}

/// A card in the vault.
public struct VaultID: PayPalIdentifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text if it is fit for a request of PayPal.
    public init(_ text: String) throws(TokenSourceError) {
        rawValue = try TokenSourceError.check(text, allowsSmall: true)
    }
}

/// Why a text is no identifier of PayPal's current interfaces.
public enum TokenSourceError: ExplainedError, Hashable {
    /// The text has no character.
    case empty
    /// Longer than 36 characters.
    case tooLong
    /// There is a character that no identifier has, such as a slash.
    case unprintable
    /// A token of the first Payments interface, whose orders the second can neither authorize nor capture.
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

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch self {
        case .empty: "token_empty"
        case .tooLong, .unprintable: "token_invalid"
        case .firstVersion: "token_of_first_version"
        }
    }

    /// What is wrong with the name.
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

    /// No: a name is checked before anything is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String {
        switch self {
        case .firstVersion: "Make the order with Orders v2 and give its identifier."
        default: "Give the identifier that PayPal answered."
        }
    }
}
