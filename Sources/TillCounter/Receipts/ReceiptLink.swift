public import Crypto
import Foundation
public import TillCore

/// Signs and verifies time-limited URLs under which a customer views one receipt without a key of the till. Nothing is
/// stored: possession of the URL grants access until it expires or the key's file is removed.
public struct ReceiptLink: Sendable {
    /// The default lifetime of a link.
    public static let defaultLifetime = Span.days(90)
    public static let longestLife = Span.days(730)
    private static let keyBytes = 32

    package let key: SymmetricKey

    /// Creates a signer with a given key.
    public init(key: SymmetricKey) { self.key = key }

    /// Creates a signer with the key beside a journal, generated on first use: 32 random bytes readable by the owner
    /// only.
    /// - Throws: ``ReceiptLinkError/key(_:)``
    public init(besideJournal path: String) throws(ReceiptLinkError) {
        let file = path + "-links"
        let found: [UInt8]?
        do throws(UntrustedFile) {
            found = try SecretFile.bytes(at: file, "key of receipt links", count: ReceiptLink.keyBytes)
        } catch { throw .untrusted(error) }
        guard let bytes = found else { throw .key(file) }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the path of a receipt link: `/r/<payment>.<expiry>.<signature>`.
    public func path(_ payment: PaymentID, expires: Timestamp) -> String {
        let seconds = String(max(0, expires.milliseconds / 1000), radix: 36)
        return "/r/\(payment.rawValue).\(seconds).\(signature(payment.rawValue, seconds))"
    }

    /// Verifies a link and returns its payment.
    /// - Throws: ``ReceiptLinkError``: forged and unknown links are not distinguished.
    public func payment(path: String, now: Timestamp) throws(ReceiptLinkError) -> PaymentID {
        let parts = path.dropFirst(3).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.hasPrefix("/r/"), path.utf8.count <= 300, parts.count == 3, let seconds = Int64(parts[1], radix: 36),
            seconds < 1 << 40
        else { throw .invalid }
        let expected = Array(signature(parts[0], parts[1]).utf8)
        let given = Array(parts[2].utf8)
        guard equalInConstantTime(expected, given) else { throw .invalid }
        guard now.milliseconds < seconds * 1000 else { throw .expired }
        return PaymentID(rawValue: parts[0])
    }

    /// Returns 128 bits of HMAC-SHA-256 in hex.
    private func signature(_ payment: String, _ seconds: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data("receipt/1/\(payment)/\(seconds)".utf8), using: key)
        return Hex.lowercase(code.prefix(16))
    }
}

/// An error in a receipt link.
public enum ReceiptLinkError: ExplainedError, Hashable {
    /// The link was not issued by this till.
    case invalid
    /// The link has expired.
    case expired
    /// The key's file cannot be read or created.
    case key(String)
    /// Other users can write or read the key's file.
    case untrusted(UntrustedFile)

    public var code: String {
        switch self {
        case .invalid: "receipt_link_invalid"
        case .expired: "receipt_link_expired"
        case .key: "receipt_link_key"
        case .untrusted(let file): file.code
        }
    }
    public var what: String {
        switch self {
        case .invalid: "There is no receipt at this address."
        case .expired: "This address has expired."
        case .key(let file): "The key of receipt links, \(file), cannot be used."
        case .untrusted(let file): file.what
        }
    }
    public var moneyMoved: MoneyMoved { .no }
    /// The next step for the caller.
    public var next: String {
        switch self {
        case .invalid: "Check the address."
        case .expired: "Ask the shop for a new one."
        case .key: "Check the rights on it; if it is damaged remove it; old links then stop working."
        case .untrusted(let file): file.next
        }
    }
}
