import BigInt
import Foundation

/// An RSA key with message recovery, as used by EMV. Source: EMV Book 2, annex A2.
public struct RSAPublicKey: Hashable, Sendable {
    /// The longest modulus, in bytes: 1984 bits.
    public static let longestModulus = 248
    /// The shortest modulus accepted, in bytes: 512 bits.
    public static let shortestModulus = 64

    /// The modulus, big-endian, without leading zeros.
    public let modulus: [UInt8]
    /// The bytes of 3 or 65537, the two exponents that EMV permits.
    public let exponent: [UInt8]

    /// Returns `nil` for a modulus of a length that EMV does not use, an even modulus, or another exponent.
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        guard (RSAPublicKey.shortestModulus...RSAPublicKey.longestModulus).contains(modulus.count),
            let first = modulus.first, first & 0x80 != 0, let last = modulus.last, last & 1 == 1,
            exponent == [3] || exponent == [1, 0, 1]
        else { return nil }
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Recovers the signed bytes: header `6A`, the format, the data, trailer `BC`. Returns `nil` if the length or the
    /// recovered form is wrong.
    func recover(_ signature: [UInt8], format: UInt8) -> [UInt8]? {
        guard signature.count == modulus.count else { return nil }
        let key = BigUInt(Data(modulus))
        let value = BigUInt(Data(signature))
        guard value < key else { return nil }
        let opened = [UInt8](value.power(BigUInt(Data(exponent)), modulus: key).serialize())
        let bytes = [UInt8](repeating: 0, count: max(0, modulus.count - opened.count)) + opened
        guard bytes.first == 0x6A, bytes.last == 0xBC, bytes.count > 23, bytes[1] == format else { return nil }
        return bytes
    }
}
