import Crypto
import CryptoExtras
import Foundation

/// The public key of a passkey in COSE form (RFC 9053). Of the three supported types, every authenticator has at least
/// one.
package enum PasskeyKey: Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256.
    case es256(point: [UInt8])
    case ed25519([UInt8])
    /// RSA, PKCS #1 v1.5 with SHA-256.
    case rs256(modulus: [UInt8], exponent: [UInt8])

    /// The COSE algorithm identifiers for the page, in order of preference.
    package static let algorithms: [Int64] = [-8, -7, -257]
    /// The length of an RSA modulus, in bytes: 2,048 to 4,096 bits.
    private static let modulusBytes = 256...512
    /// The only exponent that authenticators use.
    private static let exponent: [UInt8] = [1, 0, 1]

    /// Reads a key. Rejects members beyond those of its type (CTAP 2.1, 6.5.6).
    package init(_ cose: CBORValue) throws(PasskeyFault) {
        guard case .map(let members) = cose, let kind = members[.unsigned(1)], let algorithm = members[.unsigned(3)]
        else {
            throw .key
        }
        switch (kind, algorithm) {
        case (.unsigned(2), .negative(-7)):
            guard members.count == 5, members[.negative(-1)] == .unsigned(1), let x = members[.negative(-2)]?.bytes,
                let y = members[.negative(-3)]?.bytes, x.count == 32, y.count == 32
            else { throw .key }
            self = .es256(point: [4] + x + y)
        case (.unsigned(1), .negative(-8)):
            guard members.count == 4, members[.negative(-1)] == .unsigned(6), let x = members[.negative(-2)]?.bytes,
                x.count == 32
            else { throw .key }
            self = .ed25519(x)
        case (.unsigned(3), .negative(-257)):
            guard members.count == 4, let modulus = members[.negative(-1)]?.bytes,
                modulus.first.map({ $0 > 0 }) == true,
                PasskeyKey.modulusBytes.contains(modulus.count), members[.negative(-2)]?.bytes == PasskeyKey.exponent
            else { throw .key }
            self = .rs256(modulus: modulus, exponent: PasskeyKey.exponent)
        default: throw .key
        }
        guard isUsable else { throw .key }
    }

    /// `true` if the key is valid, such as a point on its curve.
    private var isUsable: Bool {
        do {
            switch self {
            case .es256(let point): _ = try P256.Signing.PublicKey(x963Representation: point)
            case .ed25519(let key): _ = try Curve25519.Signing.PublicKey(rawRepresentation: key)
            case .rs256(let modulus, let exponent): _ = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
            }
            return true
        } catch { return false }
    }

    /// Returns `true` if the signature over `bytes` is the key's.
    func hasSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
        do {
            switch self {
            case .es256(let point):
                return try P256.Signing.PublicKey(x963Representation: point).isValidSignature(
                    P256.Signing.ECDSASignature(derRepresentation: signature), for: SHA256.hash(data: bytes))
            case .ed25519(let key):
                return try Curve25519.Signing.PublicKey(rawRepresentation: key).isValidSignature(
                    signature, for: bytes)
            case .rs256(let modulus, let exponent):
                return try _RSA.Signing.PublicKey(n: modulus, e: exponent).isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
                    padding: .insecurePKCS1v1_5)
            }
        } catch { return false }
    }
}
