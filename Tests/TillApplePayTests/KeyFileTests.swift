import Crypto
import SwiftASN1
import Testing
import TillApplePay
import TillCore
import TillStandInApple
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Certificates and keys in files")
struct KeyFileTests {
    let apple: SandboxAppleAuthority
    let identity: SandboxAppleAuthority.Identity
    init() throws {
        apple = try SandboxAppleAuthority(issued: World.now)
        identity = try apple.processingIdentity(merchant: World.merchant)
    }

    private func key(_ bytes: [UInt8]) throws -> ProcessingKey {
        try ProcessingKey(certificate: Array(identity.certificate.utf8), key: bytes)
    }

    @Test("A key is read from PKCS #8 and SEC 1, PEM and DER, with curve parameters and other text around it")
    func forms() throws {
        let pem = identity.key.reveal()
        let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        let der = Array(key.derRepresentation)
        _ = try self.key(Array(pem.utf8))
        _ = try self.key(der)
        _ = try self.key(Array(pem.split(separator: "\n").joined(separator: "\r\n").utf8))
        // SEC 1 with the least that the standard demands: version and number.
        let scalar = Array(key.rawRepresentation)
        let sec1: [UInt8] = [0x30, 37, 0x02, 1, 1, 0x04, 32] + scalar
        _ = try self.key(sec1)
        let text = """
            Bag Attributes
                friendlyName: shop
            -----BEGIN EC PARAMETERS-----
            BggqhkjOPQMBBw==
            -----END EC PARAMETERS-----
            -----BEGIN EC PRIVATE KEY-----
            \(Data(sec1).base64EncodedString())
            -----END EC PRIVATE KEY-----
            """
        _ = try self.key(Array(text.utf8))
    }

    @Test("A certificate is read from PEM and DER, and names its merchant")
    func certificate() throws {
        let parsed = try MerchantCertificate(parsing: Array(identity.certificate.utf8))
        #expect(parsed.merchant == MerchantIDHash(of: World.merchant))
        #expect(parsed.merchantIdentifier == World.merchant)
        #expect(parsed.purpose == .processing)
        #expect(try MerchantCertificate(parsing: parsed.der).merchant == parsed.merchant)
        let other = try MerchantCertificate(
            parsing: Array(apple.merchantIdentity(merchant: World.merchant).certificate.utf8))
        #expect(other.purpose == .identity)
    }

    @Test("A key of another certificate, an encrypted key and no key are three errors")
    func faults() throws {
        let other = try apple.processingIdentity(merchant: World.merchant)
        let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"
        for (text, code, word) in [
            (other.key.reveal(), "key_mismatch", "belong"), (encrypted, "key", "encrypted"), ("nothing", "key", "read"),
        ] {
            #expect {
                try key(Array(text.utf8))
            } throws: { error in
                guard let error = error as? ProcessingKeyError else { return false }
                return error.code == code && error.what.contains(word)
            }
        }
    }

    @Test("A certificate that is no merchant's is refused")
    func notMerchant() throws {
        #expect {
            try ProcessingKey(certificate: apple.rootCertificate, key: Array(identity.key.reveal().utf8))
        } throws: { ($0 as? ProcessingKeyError)?.code == "not_merchant" }
    }

    @Test("Several keys are in use at once, and each opens its own tokens")
    func ring() async throws {
        let trust = try SignerTrust(root: apple.rootCertificate)
        var ring = ProcessingKeyRing()
        var makers: [SandboxTokenMaker] = []
        for _ in 0..<3 {
            let identity = try apple.processingIdentity(merchant: World.merchant)
            ring.add(
                try ProcessingKey(
                    certificate: Array(identity.certificate.utf8), key: Array(identity.key.reveal().utf8)))
            makers.append(try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate))
        }
        for maker in makers {
            let token = try maker.paymentData(SandboxTokenRequest(amount: World.price, signedAt: World.now))
            let verified = try await PaymentTokenVerifier(trust: trust).verify(
                UnverifiedPaymentToken(document: token), at: World.now)
            #expect(try verified.decrypt(with: ring).payload.amount == World.price)
        }
    }
}

@Suite("Times as people write them")
struct TimestampTextTests {
    @Test(
        "ISO 8601 is read with offset, fraction or neither",
        arguments: [
            ("2026-11-18T11:06:40Z", 1_795_000_000_000), ("2026-11-18T12:06:40+01:00", 1_795_000_000_000),
            ("2026-11-18T11:06:40.250Z", 1_795_000_000_250), ("2026-11-18 11:06:40+00:00", 1_795_000_000_000),
            ("2026-11-18T11:06:40", 1_795_000_000_000), ("1795000000", 1_795_000_000_000), ("1970-01-01", 0),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
        ])
    func good(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(
        "Days that do not exist and other text are refused",
        arguments: ["2023-02-29", "2026-13-01", "", "now", "2026-11-18T25:00:00Z", "2026-11-18T11:06:40+"])
    func bad(_ text: String) { #expect(Timestamp(iso8601: text) == nil) }
}
