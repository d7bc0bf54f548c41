public import TillCore

/// Scheme public keys for card data authentication. None are built in; the caller supplies them.
///
/// Schemes assign high indexes to their test keys. A key with an index under ``firstTestIndex`` counts as a live key
/// and is rejected, because this reader is not certified, unless the caller explicitly permits live keys.
public struct CertificationAuthorities: Sendable {
    /// The first test key index, by the schemes' convention.
    public static let firstTestIndex: UInt8 = 0x50
    /// The maximum number of keys in one set.
    public static let mostKeys = 512

    /// The empty set: data authentication is not performed.
    public static let none = CertificationAuthorities()

    private var keys: [String: RSAPublicKey] = [:]
    private let takesLiveKeys: Bool

    /// Creates an empty set.
    /// - Parameter takesLiveKeys: also accepts live keys. For laboratories.
    public init(takesLiveKeys: Bool = false) { self.takesLiveKeys = takesLiveKeys }

    /// Adds a scheme public key.
    /// - Parameter provider: the five bytes of the registered provider identifier.
    public mutating func add(
        _ key: RSAPublicKey, provider: [UInt8], index: UInt8
    ) throws(CertificationAuthorityError) {
        guard provider.count == 5 else { throw .malformed }
        guard takesLiveKeys || index >= CertificationAuthorities.firstTestIndex else { throw .liveKey(index) }
        guard keys.count < CertificationAuthorities.mostKeys else { throw .tooMany }
        keys[Hex.text(provider + [index])] = key
    }

    /// Adds the keys of a JSON file: `{"keys":[{"rid":"A000000003","index":"92","modulus":"…","exponent":"03"}]}`.
    public mutating func add(json: JSONValue) throws(CertificationAuthorityError) {
        guard case .array(let rows)? = json["keys"] else { throw .malformed }
        for row in rows {
            guard let provider = row["rid"]?.hex, let index = row["index"]?.hex, index.count == 1,
                let modulus = row["modulus"]?.hex, let exponent = row["exponent"]?.hex,
                let key = RSAPublicKey(modulus: modulus, exponent: exponent)
            else { throw .malformed }
            try add(key, provider: provider, index: index[0])
        }
    }

    func key(for aid: [UInt8], _ index: UInt8) -> RSAPublicKey? { keys[Hex.text(aid.prefix(5) + [index])] }

    func hasKey(for aid: [UInt8], _ card: [Tag: [UInt8]]) -> Bool {
        card[0x8F]?.first.map { key(for: aid, $0) != nil } ?? false
    }
}

/// The reason that a key was rejected.
public enum CertificationAuthorityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a key, or not a key file.
    case malformed
    /// A live key.
    case liveKey(UInt8)
    /// The set would exceed ``CertificationAuthorities/mostKeys``.
    case tooMany

    /// The error in one sentence.
    public var description: String {
        switch self {
        case .malformed: "That is not a set of certification authority keys."
        case .liveKey(let index):
            "Key \(Hex.text([index])) is one for live cards, and this reader is not certified for them."
        case .tooMany: "There are more than \(CertificationAuthorities.mostKeys) keys."
        }
    }
}

extension JSONValue {
    fileprivate var hex: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return Hex.bytes(ifValid: text)
    }
}
