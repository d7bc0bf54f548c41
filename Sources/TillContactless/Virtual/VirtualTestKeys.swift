import BigInt
import TillCore

/// Test keys of a certification authority, an issuer and a card. They are public: their signatures prove nothing.
enum VirtualTestKeys {
    /// The authority's key index, in the test range.
    static let index: UInt8 = 0xF7

    static let authority = VirtualPrivateKey(
        "E1EE840592E8DFBA3251A7486C37D19BE7B361518B8AB490C328C1D10CABDB98D8886231E5E07F1538E3892788FFEBA3"
            + "A5D1432B14CB0EB63A3FA9D654A5FE9B1FFA22A5C06C0EFD7D487AFC03D38494C9FD29608027E443",
        "C740B671654303E5F12B6A91FFDEEBC536E5E4F84BC400D7BB8A9FD1638D130903E5AEC5A8C42A58F0B6A3FA3137C4D8"
            + "0C21AB20E9F2A64D772E736F62B760D43ED9042F643465C95C0D7D2F790E91E0C737A59B17886891")
    static let issuer = VirtualPrivateKey(
        "C8A6E8B370EBF6418BBABA8D3AD56DA852EE8369567A48621A76CBB9361F42CD841FF0334F9AAE391883F17DAAB7AC56"
            + "550D86AD62FBECAB9328201D4B030CDD44C2DAE3C45D62B9",
        "C3EA59AFBB57E77F84542BC0DBF88EA2F257957E5A401D4ACEAD84D31AC3A06EC407233A9E39AA35BBCD61A26BFBC384"
            + "6459009CF0C75CE06617003E163170496F7660F7F900397F")
    static let card = VirtualPrivateKey(
        "EFD7B73869A4B6E3DA86D7CAB1C2A93FF5949AA0EE9ADE3681E6FC90836947E1D69BBD2060B7D4404462744FF4236025"
            + "A6AB27AC5A230FDA0EBCD82CC5F6F1E3",
        "C26E26BEAA8BB1FBB84265DE94C273796141C57A247E4BF470C0D3B3F14CAA8F66D2E3C75C8156BE304532DAD015080D"
            + "441132210E807FE923C607B4470B8A15")
}

/// An RSA key with the exponent 3 that signs in EMV's form. It has both primes, which cuts signing time to a quarter
/// (RFC 8017, 5.1.2): a card in this process should not be slower than a plastic card.
struct VirtualPrivateKey: Sendable {
    /// The modulus, big-endian.
    let modulus: [UInt8]
    private let primes: (BigUInt, BigUInt)
    private let exponents: (BigUInt, BigUInt)
    /// The inverse of the second prime modulo the first.
    private let coefficient: BigUInt

    init(_ first: String, _ second: String) {
        let (p, q) = (BigUInt(first, radix: 16) ?? 5, BigUInt(second, radix: 16) ?? 11)
        primes = (p, q)
        exponents = (BigUInt(3).inverse(p - 1) ?? 1, BigUInt(3).inverse(q - 1) ?? 1)
        coefficient = q.inverse(p) ?? 1
        modulus = [UInt8]((p * q).serialize())
    }

    /// The public key; its exponent is 3.
    var publicKey: RSAPublicKey? { RSAPublicKey(modulus: modulus, exponent: [3]) }

    /// Signs bytes of the modulus' length.
    func sign(_ bytes: [UInt8]) -> [UInt8] {
        let value = BigUInt(Hex.text(bytes), radix: 16) ?? 0
        let (p, q) = primes
        let first = value.power(exponents.0, modulus: p)
        let second = value.power(exponents.1, modulus: q)
        // The first prime is the greater one, so the difference is not below zero.
        let factor = coefficient * (first + p - second % p) % p
        let signature = [UInt8]((second + factor * q).serialize())
        return [UInt8](repeating: 0, count: max(0, modulus.count - signature.count)) + signature
    }
}
