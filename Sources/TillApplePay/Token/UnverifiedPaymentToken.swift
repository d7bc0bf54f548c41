public import TillCore

/// The two versions of Apple Pay's payment token, determined by the region of the merchant's account.
public enum PaymentTokenVersion: String, Hashable, Sendable {
    /// Elliptic curves: everywhere but mainland China.
    case ecV1 = "EC_v1"
    /// Encrypted to an RSA key, as in mainland China.
    case rsaV1 = "RSA_v1"
}

/// Apple's transaction identifier: 32 bytes, written in hexadecimal.
public struct WalletTransactionID: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]
    /// Lowercase hexadecimal, as Apple writes it.
    public var description: String { Hex.lowercase(bytes) }

    package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// A payment token as received: well-formed, and entirely untrusted.
///
/// The card is reachable only through ``PaymentTokenVerifier``.
public struct UnverifiedPaymentToken: Sendable {
    /// Size limits for parsing a token. Real ones are 3.5 to 5 kB of JSON.
    public enum Limits {
        /// The whole JSON document.
        public static let documentBytes = 65_536
        /// The signature container, decoded.
        public static let signatureBytes = 16_384
        /// The encrypted payload, decoded.
        public static let dataBytes = 16_384
    }

    /// The transport of the payload key to the merchant.
    enum KeyTransport: Sendable {
        /// An ephemeral public key of this token: SubjectPublicKeyInfo in DER.
        case ephemeralPublicKey([UInt8])
        /// The symmetric key, encrypted to the merchant.
        case wrappedKey([UInt8])

        var bytes: [UInt8] {
            switch self {
            case .ephemeralPublicKey(let bytes), .wrappedKey(let bytes): bytes
            }
        }
    }

    /// The claimed version; unverified.
    public let version: PaymentTokenVersion
    /// Apple's transaction identifier, as claimed.
    public let transactionID: WalletTransactionID
    /// SHA-256 of the processing key that the token claims to be encrypted to.
    public let publicKeyHash: [UInt8]
    /// SHA-256 of the request's application data, if the token claims any.
    public let applicationDataHash: [UInt8]?
    /// The wallet's card description beside the token, such as `Visa 1234`. Unsigned.
    public let claimedCardName: String?
    /// The wallet's name for the card network, beside the token. Unsigned.
    public let claimedNetwork: String?

    let data: [UInt8]
    let signature: [UInt8]
    let keyTransport: KeyTransport

    /// Parses a token: the `paymentData` object; or the whole token around it (as delivered by the browser, with
    /// `paymentMethod` and `transactionIdentifier`); or the browser's event with that under `payment.token`,
    /// `details.token` or `token`. Each of them may be text in JSON or in base64.
    /// - Throws: ``PaymentTokenError`` with the step ``PaymentTokenStep/format``.
    public init(parsing bytes: some Collection<UInt8>) throws(PaymentTokenError) {
        try self.init(document: TokenEnvelope.document(bytes))
    }

    /// Returns the signed and encrypted part of a token, for providers that decrypt tokens themselves.
    /// - Throws: ``PaymentTokenError`` if it is not JSON.
    public static func sealed(in document: JSONValue) throws(PaymentTokenError) -> Secret<[UInt8]> {
        Secret(try TokenEnvelope.paymentData(in: TokenEnvelope.token(in: document)).bytes())
    }

    /// Creates a token from a parsed document.
    public init(document: JSONValue) throws(PaymentTokenError) {
        let token = try TokenEnvelope.token(in: document)
        let payment = try TokenEnvelope.paymentData(in: token)
        guard let members = payment.objectValue else {
            throw Self.malformed("not_object", "The token's paymentData is not a JSON object.")
        }
        guard !members.isEmpty else {
            throw PaymentTokenError(
                .format, "simulated", "The token's paymentData is empty, as the device simulator makes it.",
                next: "Pay with a real device, or with Till's own sandbox.")
        }
        guard let name = payment["version"]?.stringValue, let version = PaymentTokenVersion(rawValue: name) else {
            throw Self.malformed("version", "The token's version is neither EC_v1 nor RSA_v1.")
        }
        guard let header = payment["header"], header.objectValue != nil else {
            throw Self.malformed("header", "The token has no header.")
        }
        self.version = version
        data = try Self.base64(payment, "data", 17...Limits.dataBytes)
        signature = try Self.base64(payment, "signature", 1...Limits.signatureBytes)
        publicKeyHash = try Self.base64(header, "publicKeyHash", 32...32)
        keyTransport = try Self.keyTransport(header, version)
        transactionID = WalletTransactionID(bytes: try Self.hex(header, "transactionId"))
        let hasApplicationData = header["applicationData"].map { !$0.isNull && $0 != .string("") } ?? false
        applicationDataHash = hasApplicationData ? try Self.hex(header, "applicationData") : nil
        claimedCardName = token["paymentMethod"]?["displayName"]?.stringValue
        claimedNetwork = token["paymentMethod"]?["network"]?.stringValue
    }

    private static func keyTransport(
        _ header: JSONValue, _ version: PaymentTokenVersion
    ) throws(PaymentTokenError) -> KeyTransport {
        let other = version == .ecV1 ? "wrappedKey" : "ephemeralPublicKey"
        guard header[other]?.isNull ?? true else {
            throw malformed("key_transport", "The token's header has \(other), which \(version.rawValue) does not.")
        }
        switch version {
        case .ecV1: return .ephemeralPublicKey(try base64(header, "ephemeralPublicKey", 1...512))
        case .rsaV1: return .wrappedKey(try base64(header, "wrappedKey", 1...1024))
        }
    }

    private static func base64(
        _ object: JSONValue, _ key: String, _ count: ClosedRange<Int>
    ) throws(PaymentTokenError) -> [UInt8] {
        guard let text = object[key]?.stringValue else {
            throw malformed("member", "The token's \(key) is missing or is not text.")
        }
        guard let bytes = StrictBase64.decode(text) else {
            throw malformed("base64", "The token's \(key) is not base64.")
        }
        guard count.contains(bytes.count) else {
            throw malformed("length", "The token's \(key) has \(bytes.count) bytes, which no real one has.")
        }
        return bytes
    }

    private static func hex(_ object: JSONValue, _ key: String) throws(PaymentTokenError) -> [UInt8] {
        guard let text = object[key]?.stringValue else {
            throw malformed("member", "The token's \(key) is missing or is not text.")
        }
        guard text.utf8.count == 64, let bytes = StrictHex.decode(text) else {
            throw malformed("hex", "The token's \(key) is not 32 bytes in hexadecimal.")
        }
        return bytes
    }

    private static func malformed(_ code: String, _ what: String) -> PaymentTokenError {
        PaymentTokenError(.format, code, what)
    }

    /// The claimed signing time; `nil` if the signature cannot be parsed. Untrusted until the token is verified.
    public var claimedSigningTime: Timestamp? { (try? TokenSignature(parsing: signature))?.attributes.signingTime }

    /// The signed bytes: all parts decoded and concatenated.
    var signedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keyTransport.bytes.count + data.count + 64)
        bytes += keyTransport.bytes
        bytes += data
        bytes += transactionID.bytes
        bytes += applicationDataHash ?? []
        return bytes
    }
}
