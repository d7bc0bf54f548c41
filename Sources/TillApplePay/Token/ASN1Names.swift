import SwiftASN1

/// The object identifiers of a payment token's signature and certificates, by their standards' names.
enum ASN1Names {
    static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 3]
    static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 4]
    static let signingTime: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 5]
    static let algorithmProtection: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 52]
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
    /// RSA without a digest (RFC 3370, 3.2): the signer names the digest separately.
    static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    static let rsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 11]
    /// Apple's marker extension on payment token signing certificates.
    static let signerMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 29]
    /// Apple's marker extension on their issuing authority.
    static let authorityMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 14]
    /// The hashed merchant identifier in merchant certificates.
    static let merchantIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 32]
    /// A subject's user identifier (RFC 4519).
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
    static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
}
