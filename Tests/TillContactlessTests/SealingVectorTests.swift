import Crypto
import Foundation
import Testing
import TillContactless
import TillCore

/// Public vectors of what card data are sealed with.
@Suite("Vectors of sealing")
struct SealingVectorTests {
    static func bytes(_ text: String) throws -> [UInt8] { try Hex.bytes(text) }

    @Test("AES DUKPT: ANSI X9.24-3, a base key of 128 bits")
    func dukpt() throws {
        let host = try #require(
            AESDUKPT(
                baseKey: Secret(try Self.bytes("FEDCBA9876543210F1F1F1F1F1F1F1F1")),
                identifier: try Self.bytes("1234567890123456")))
        #expect(Hex.text(host.initialKey.reveal()) == "1273671EA26AC29AFA4D1084127652A1")
        let terminal = try #require(AESDUKPT(initialKey: host.initialKey, identifier: host.identifier))
        #expect(Hex.text(terminal.serialNumber(1)) == "123456789012345600000001")
        #expect(terminal.derivationKey(1).map { Hex.text($0.reveal()) } == "4F21B565BAD9835E112B6465635EAE44")
        let expected: [(AESDUKPT.Usage, String)] = [
            (.pinEncryption, "AF8CB133A78F8DC2D1359F18527593FB"),
            (.messageAuthentication, "A2DC23DE6FDE0824A2BC321E08E4B8B7"),
            (.dataEncryption, "A35C412EFD41FDB98B69797C02DCD08F"),
        ]
        for (usage, text) in expected {
            #expect(terminal.key(usage, .aes128, count: 1).map { Hex.text($0.reveal()) } == text)
        }
        #expect(terminal.key(.pinEncryption, .aes128, count: 0) == nil)
        #expect(terminal.key(.pinEncryption, .aes128, count: 0x0001_FFFF) == nil, "17 bits set")
        #expect(!"\(terminal) \(terminal.initialKey)".contains("1273671E"))
    }

    @Test("AES DUKPT: counts skip those with too many bits and end")
    func counts() {
        #expect(AESDUKPT.next(after: 0) == 1)
        #expect(AESDUKPT.next(after: 0x0000_FFFE) == 0x0000_FFFF)
        #expect(AESDUKPT.next(after: 0x0000_FFFF) == 0x0001_0000)
        #expect(AESDUKPT.next(after: 0x0001_FFFE) == 0x0002_0000)
        #expect(AESDUKPT.next(after: 0xFFFF_0000) == nil)
        #expect(AESDUKPT.next(after: 0xFFFE_8000) == 0xFFFF_0000)
    }

    @Test("HPKE: RFC 9180, A.3.1.1, P-256 with SHA-256 and AES-128-GCM, base mode")
    func hpke() throws {
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Self.bytes("f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2"))
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_128),
            info: Data(try Self.bytes("4f6465206f6e2061204772656369616e2055726e")),
            encapsulatedKey: Data(
                try Self.bytes(
                    "04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be"
                        + "863c403ce65c9bfcb9382657222d18c4")))
        let opened = try recipient.open(
            Data(
                try Self.bytes(
                    "5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434")),
            authenticating: Data(try Self.bytes("436f756e742d30")))
        #expect(String(decoding: opened, as: UTF8.self) == "Beauty is truth, truth beauty")
    }

    /// X9.63's key derivation as the standard writes it: SHA-256 over the secret, a count and the shared information.
    static func x963(_ secret: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        var key: [UInt8] = []
        var number: UInt8 = 1
        while key.count < count {
            key += SHA256.hash(data: secret + [0, 0, 0, number] + info)
            number += 1
        }
        return Array(key.prefix(count))
    }

    @Test("X9.63: NIST's vector, and both keys of the loyalty passes' vectors, which then open their messages")
    func keyDerivation() throws {
        let nist = Self.x963(try Self.bytes("96c05619d56c328ab95fe84b18264b08725b85e33fd34f08"), [], 16)
        #expect(Hex.text(nist) == "443024C3DAE66B95E6F5670601558F71")
        let secret = try Self.bytes("4c1fdd6ed338d574d8542232741f6f994067606a69e5d3acc909fa15c4e9bc98")
        let hash = Array(SHA256.hash(data: Array("pass.com.example.loyalty".utf8)))
        let name = Array("ApplePay encrypted VAS data".utf8)
        let first = Self.x963(secret, [0x0D] + Array("id-aes256-GCM".utf8) + name + hash, 32)
        let second = Self.x963(secret, name, 32)
        #expect(Hex.text(first) == "990AE14BB60AA8DC8D3E1DCE762CC094535A0FEC42563234D678887930A742BB")
        #expect(Hex.text(second) == "6072C278E64AAE887C9BFF990EC560B654AD44647E4D7803B6FB509B04F4BE7F")
        for (key, sealed, more) in [
            (first, "d0597bd2b7802de32e98e2b33c18ae3dda87953d4727bcbf606279622fbadc", []),
            (second, "10440bdcef8204a267bf49a0aaf074f6644084b37647a6fcd5f319bfa3cc9e", hash),
        ] {
            let bytes = try Self.bytes(sealed)
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)), ciphertext: bytes.dropLast(16),
                tag: bytes.suffix(16))
            let opened = try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: more)
            #expect(Array(opened.dropFirst(4)) == Array("MEMBER-0001".utf8))
        }
    }
}
