public import Crypto
import Foundation
public import TillCore

/// Signs and checks addresses under which a customer reads one receipt for a time, without a key of the till. Nothing
/// is stored: who has the address may read, until it expires or the key's file is removed.
public struct ReceiptLink: Sendable {
    /// How long an address is valid by default.
    public static let defaultLifetime = Span.days(90)
    public static let longestLife = Span.days(730)
    private static let keyBytes = 32

    let key: SymmetricKey

    /// With a key of one's own.
    public init(key: SymmetricKey) { self.key = key }

    /// With the key beside a journal, made at the first use: 32 random bytes that only the owner may read.
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

    /// The path of a receipt's address: `/r/<payment>.<expiry>.<signature>`.
    public func path(_ payment: PaymentID, expires: Timestamp) -> String {
        let seconds = String(max(0, expires.milliseconds / 1000), radix: 36)
        return "/r/\(payment.rawValue).\(seconds).\(signature(payment.rawValue, seconds))"
    }

    /// Whose receipt an address shows.
    /// - Throws: ``ReceiptLinkError``: forged and unknown addresses are not distinguished.
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

    /// 128 bits of HMAC-SHA-256 in hex.
    private func signature(_ payment: String, _ seconds: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data("receipt/1/\(payment)/\(seconds)".utf8), using: key)
        return Hex.lowercase(code.prefix(16))
    }
}

/// Why an address shows no receipt.
public enum ReceiptLinkError: ExplainedError, Hashable {
    /// Not one of ours.
    case invalid
    /// Its time is over.
    case expired
    /// The key's file cannot be read or made.
    case key(String)
    /// Others have, or may have, a hand in it.
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
    /// What to do next.
    public var next: String {
        switch self {
        case .invalid: "Check the address."
        case .expired: "Ask the shop for a new one."
        case .key: "Check the rights on it; if it is damaged remove it; old links then stop working."
        case .untrusted(let file): file.next
        }
    }
}
