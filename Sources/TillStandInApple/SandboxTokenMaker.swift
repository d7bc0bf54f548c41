import Crypto
import CryptoExtras
import SwiftASN1
public import TillApplePay
public import TillCore
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a generated token.
public struct SandboxTokenRequest: Sendable {
    /// EC or RSA; must match the processing certificate.
    public var version: PaymentTokenVersion = .ecV1
    /// The amount that the customer authorizes.
    public var amount: Money
    /// The device account number (DPAN).
    public var accountNumber = "4784000000380075"
    /// The application data of the request, decoded; the token is bound to its hash.
    public var applicationData: [UInt8]?
    /// The signing time.
    public var signedAt: Timestamp
    /// The transaction identifier; `nil` generates one.
    public var transactionID: [UInt8]?
    /// `true` for an EMV chip cryptogram instead of a 3-D Secure one.
    public var isEMV = false
    /// Amounts for other merchants (multi-merchant payments), in minor units.
    public var parts: [String: Int64] = [:]
    /// The ECI indicator; `nil` as for Mastercard.
    public var eciIndicator: String? = "7"

    /// Creates a request for an amount, signed at a given time.
    public init(amount: Money, signedAt: Timestamp) {
        self.amount = amount
        self.signedAt = signedAt
    }
}

/// A defect of a generated token. A verifier must refuse each of them.
public enum SandboxTokenFlaw: String, Hashable, Sendable, CaseIterable {
    /// The signer's certificate lacks the marker extension.
    case signerWithoutMark
    /// The authority's certificate lacks the marker extension.
    case authorityWithoutMark
    /// The signer's certificate is for key agreement, not for signatures.
    case signerNotForSignatures
    /// The authority's certificate is not for issuing certificates.
    case authorityNotForIssuing
    /// The signature was made with a key other than the one in the signer's certificate.
    case foreignSignature
    case twoSigners
    /// A third certificate, self-signed, beside the genuine two.
    case thirdCertificate
    /// A self-signed signer, with the genuine signer's certificate beside it.
    case selfSignedSigner
    /// The signer's marker extension on the certificate of an authority.
    case markOnAuthority
    /// A signature over SHA-1, a digest that is no longer accepted.
    case sha1
    /// The signer's key is on P-384.
    case p384Signer
    /// An RSA signer for an EC token.
    case rsaSigner
    /// The ephemeral point is not on the curve; the signature covers it as is.
    case offCurvePoint
    case sandboxSigner
    /// The payload was changed after signing.
    case changedData
    /// Application data was added after signing.
    case applicationDataInjected
    /// Application data was removed after signing.
    case applicationDataStripped
    /// The transaction was changed after signing.
    case changedTransaction
    /// The token names an unknown key.
    case unknownKey
    /// The container holds the signed content.
    case embeddedContent
    /// Unsigned attributes behind the signature.
    case unsignedAttributes
    /// The protected algorithm attribute differs from the signature's algorithm.
    case algorithmProtection
    /// The signing time is missing.
    case noSigningTime
    /// The signed content type is not `data`.
    case otherContentType
    /// A root other than the trusted one.
    case otherRoot
    /// Trailing bytes after the container.
    case trailingBytes
}

/// Generates payment tokens in Apple's format, for a merchant of the sandbox.
///
/// ```swift
/// let now = SystemClock().now()
/// let apple = try SandboxAppleAuthority(issued: now)
/// let identity = try apple.processingIdentity(merchant: "merchant.com.example")
/// let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
/// let price = Money(minorUnits: 4200, currency: .gbp)
/// let token = try maker.paymentData(SandboxTokenRequest(amount: price, signedAt: now))
/// ```
public struct SandboxTokenMaker: Sendable {
    private(set) var apple: SandboxAppleAuthority
    private let merchant: MerchantIDHash
    private let key: RecipientKey
    /// Indefinite lengths, as Apple writes them; otherwise DER.
    public var usesIndefiniteLengths = true
    /// NULL as the digest's parameters, as Apple wrote it until 2022 or so; otherwise none.
    public var writesNullParameters = true
    /// The algorithms protected by an attribute, as since 2017.
    public var protectsAlgorithms = true
    /// RSA signatures named `rsaEncryption`, with the digest named beside, as CMS allows and common libraries do.
    public var namesRSAWithoutDigest = false

    enum RecipientKey: Sendable {
        case p256(P256.KeyAgreement.PublicKey, info: [UInt8])
        case rsa(info: [UInt8])

        var info: [UInt8] {
            switch self {
            case .p256(_, let info), .rsa(let info): info
            }
        }
    }

    /// Creates a token maker for the merchant of a processing certificate.
    public init(apple: SandboxAppleAuthority, processingCertificate: String) throws {
        self.apple = apple
        let certificate = try MerchantCertificate(parsing: Array(processingCertificate.utf8))
        guard let merchant = certificate.merchant else { throw SandboxTokenError.notMerchant }
        self.merchant = merchant
        let info = certificate.publicKeyInfo
        if let key = try? P256.KeyAgreement.PublicKey(derRepresentation: info) {
            self.key = .p256(key, info: info)
        } else {
            _ = try _RSA.Encryption.PublicKey(derRepresentation: info)
            self.key = .rsa(info: info)
        }
    }

    private init(_ other: SandboxTokenMaker, apple: SandboxAppleAuthority) {
        self = other
        self.apple = apple
    }

    /// The same merchant's tokens, signed under another root.
    func signed(by apple: SandboxAppleAuthority) -> SandboxTokenMaker { SandboxTokenMaker(self, apple: apple) }

    /// Returns a token's `paymentData`, as delivered by the wallet.
    public func paymentData(_ request: SandboxTokenRequest, flaw: SandboxTokenFlaw? = nil) throws -> JSONValue {
        let plaintext = payload(request).bytes()
        var transport: [UInt8]
        let sealed: [UInt8]
        switch key {
        case .p256(let key, _): (transport, sealed) = try seal(plaintext, for: key)
        case .rsa(let info):
            (transport, sealed) = try seal(plaintext, for: _RSA.Encryption.PublicKey(derRepresentation: info))
        }
        if flaw == .offCurvePoint, let last = transport.indices.last { transport[last] ^= 1 }
        var transaction = request.transactionID ?? (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        var applicationData = request.applicationData.map { Array(SHA256.hash(data: $0)) }
        if flaw == .applicationDataStripped, applicationData == nil {
            applicationData = [UInt8](repeating: 7, count: 32)
        }
        let signature = try container(
            signing: transport + sealed + transaction + (applicationData ?? []), request, flaw: flaw)
        var data = sealed
        var keyHash = Array(SHA256.hash(data: key.info))
        switch flaw {
        case .changedData?: data[5] ^= 1
        case .changedTransaction?: transaction[0] ^= 1
        case .applicationDataInjected?: applicationData = [UInt8](repeating: 0, count: 32)
        case .applicationDataStripped?: applicationData = nil
        case .unknownKey?: keyHash[0] ^= 1
        default: break
        }
        var header = [
            JSONMember(key: "publicKeyHash", value: .string(base64(keyHash))),
            JSONMember(
                key: request.version == .ecV1 ? "ephemeralPublicKey" : "wrappedKey", value: .string(base64(transport))),
            JSONMember(key: "transactionId", value: .string(hexadecimal(transaction))),
        ]
        if let applicationData {
            header.append(JSONMember(key: "applicationData", value: .string(hexadecimal(applicationData))))
        }
        return .object([
            JSONMember(key: "data", value: .string(base64(data))),
            JSONMember(key: "signature", value: .string(base64(signature))),
            JSONMember(key: "header", value: .object(header)),
            JSONMember(key: "version", value: .string(request.version.rawValue)),
        ])
    }

    /// Returns the whole token, as delivered by the browser.
    public func token(_ request: SandboxTokenRequest, flaw: SandboxTokenFlaw? = nil) throws -> JSONValue {
        let data = try paymentData(request, flaw: flaw)
        let transaction = data["header"]?["transactionId"] ?? .null
        return .object([
            JSONMember(key: "paymentData", value: data),
            JSONMember(
                key: "paymentMethod",
                value: .object([
                    JSONMember(key: "displayName", value: .string("Visa " + request.accountNumber.suffix(4))),
                    JSONMember(key: "network", value: .string("Visa")),
                    JSONMember(key: "type", value: .string("debit")),
                ])),
            JSONMember(key: "transactionIdentifier", value: transaction),
        ])
    }

    // MARK: Payload

    private func payload(_ request: SandboxTokenRequest) -> JSONValue {
        var numeric = String(request.amount.currency.numericCode)
        while numeric.utf8.count < 3 { numeric = "0" + numeric }
        var proof: [JSONMember] = []
        if request.isEMV {
            proof.append(JSONMember(key: "emvData", value: .string(base64(random(60)))))
        } else {
            proof.append(JSONMember(key: "onlinePaymentCryptogram", value: .string(base64(random(20)))))
            if let indicator = request.eciIndicator {
                proof.append(JSONMember(key: "eciIndicator", value: .string(indicator)))
            }
        }
        var members = [
            JSONMember(key: "applicationPrimaryAccountNumber", value: .string(request.accountNumber)),
            JSONMember(key: "applicationExpirationDate", value: .string("391231")),
            JSONMember(key: "currencyCode", value: .string(numeric)),
            JSONMember(key: "transactionAmount", value: .number(String(request.amount.minorUnits))),
            JSONMember(key: "deviceManufacturerIdentifier", value: .string("040010030273")),
            JSONMember(key: "paymentDataType", value: .string(request.isEMV ? "EMV" : "3DSecure")),
            JSONMember(key: "paymentData", value: .object(proof)),
        ]
        if !request.parts.isEmpty {
            let parts = request.parts.sorted { $0.key < $1.key }.map { merchant, amount in
                JSONValue.object([
                    JSONMember(key: "merchantIdentifier", value: .string(merchant)),
                    JSONMember(key: "authenticationData", value: .string(base64(random(20)))),
                    JSONMember(key: "transactionAmount", value: .string(String(amount))),
                ])
            }
            members.append(JSONMember(key: "authenticationResponses", value: .array(parts)))
        }
        return .object(members)
    }

    private func seal(
        _ plaintext: [UInt8], for key: P256.KeyAgreement.PublicKey
    ) throws -> (transport: [UInt8], sealed: [UInt8]) {
        let own = P256.KeyAgreement.PrivateKey()
        let shared = try own.sharedSecretFromKeyAgreement(with: key)
        var input: [UInt8] = [0, 0, 0, 1]
        shared.withUnsafeBytes { input += $0 }
        input += [13] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + merchant.bytes
        let symmetric = SymmetricKey(data: SHA256.hash(data: input))
        return (Array(own.publicKey.derRepresentation), try seal(plaintext, symmetric))
    }

    private func seal(
        _ plaintext: [UInt8], for key: _RSA.Encryption.PublicKey
    ) throws -> (transport: [UInt8], sealed: [UInt8]) {
        let symmetric = SymmetricKey(size: .bits128)
        let wrapped = try key.encrypt(symmetric.withUnsafeBytes { Array($0) }, padding: .PKCS1_OAEP_SHA256)
        return (Array(wrapped), try seal(plaintext, symmetric))
    }

    private func seal(_ plaintext: [UInt8], _ key: SymmetricKey) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16))
        let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce)
        return Array(box.ciphertext) + Array(box.tag)
    }

    private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// An error that prevents a token from being generated.
public enum SandboxTokenError: Error, Hashable, Sendable {
    /// The certificate contains no merchant identifier.
    case notMerchant
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
