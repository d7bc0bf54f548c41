import Crypto
import Foundation
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff
import TillJournal

@testable import TillServer

@Suite("Passkeys")
struct PasskeyTests {
    private let party = RelyingParty(origin: "https://till.example")
    private let person = StaffRecord(
        id: StaffID(rawValue: "staff_1"), account: .main, name: "Olga", role: "owner", generation: 1,
        createdAt: Timestamp(milliseconds: 0))

    private func fault(_ work: () throws -> Void) -> PasskeyFault? {
        do {
            try work()
            return nil
        } catch { return error as? PasskeyFault }
    }

    private func cbor(_ bytes: [UInt8]) -> CBORValue? {
        var rest = bytes[...]
        do throws(PasskeyFault) {
            let value = try CBORValue.read(&rest)
            return rest.isEmpty ? value : nil
        } catch { return nil }
    }

    @Test("CBOR is read in its one form, and nothing beyond the limits")
    func values() {
        #expect(cbor([0x17]) == .unsigned(23) && cbor([0x18, 24]) == .unsigned(24))
        #expect(cbor([0x19, 1, 0]) == .unsigned(256) && cbor([0x1A, 0, 1, 0, 0]) == .unsigned(65_536))
        #expect(cbor([0x1B, 0, 0, 0, 1, 0, 0, 0, 0]) == .unsigned(1 << 32))
        #expect(cbor([0x20]) == .negative(-1) && cbor([0x39, 1, 0]) == .negative(-257))
        #expect(cbor([0x43, 1, 2, 3]) == .bytes([1, 2, 3]) && cbor([0x62, 0xC3, 0xA9]) == .text("é"))
        #expect(cbor([0x82, 0xF4, 0xF5]) == .array([.bool(false), .bool(true)]) && cbor([0xF6]) == .null)
        #expect(cbor([0xA1, 1, 2]) == .map([.unsigned(1): .unsigned(2)]))
        let refused: [[UInt8]] = [
            [], [0x18], [0x18, 23], [0x19, 0, 255], [0x1A, 0, 0, 255, 255], [0x1B, 0, 0, 0, 0, 255, 255, 255, 255],
            [0x3B, 255, 255, 255, 255, 255, 255, 255, 255], [0x1C], [0x1F], [0x5F, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF],
            [0x42, 1], [0x61, 0xFF], [0x82, 1], [0xA2, 1, 2, 1, 3], [0xA1, 1], [0xC0, 1], [0xF9, 0, 0], [0xF7], [1, 1],
            [0x81, 0x81, 0x81, 0x81, 1], [0x98, 33] + [UInt8](repeating: 1, count: 33),
            [0x5B, 255, 255, 255, 255, 255, 255, 255, 255], [0x9B, 255, 255, 255, 255, 255, 255, 255, 255],
        ]
        for bytes in refused { #expect(cbor(bytes) == nil, "\(bytes)") }
    }

    @Test("Every prefix and every changed byte of what an authenticator sends is read or refused, and crashes nothing")
    func mutations() throws {
        let key = SoftAuthenticator()
        let bytes = SoftAuthenticator.attestation(key.made())
        let party = try #require(party)
        for length in bytes.indices {
            let cut = PasskeyAnswer.Registration(
                clientData: SoftAuthenticator.client("webauthn.create"), attestation: Array(bytes[..<length]))
            #expect(fault { _ = try cut.judged(at: party) } != nil, "\(length)")
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                let registration = PasskeyAnswer.Registration(
                    clientData: SoftAuthenticator.client("webauthn.create"), attestation: changed)
                _ = fault { _ = try registration.judged(at: party) }
            }
        }
    }

    @Test("A registration is of this page, for this purpose, by somebody whom the authenticator has checked")
    func registration() throws {
        let key = SoftAuthenticator()
        let party = try #require(party)
        func judged(_ client: [UInt8], _ data: [UInt8], _ format: String = "none") -> PasskeyFault? {
            fault {
                let registration = PasskeyAnswer.Registration(
                    clientData: client, attestation: SoftAuthenticator.attestation(data, format: format))
                let judged = try registration.judged(at: party)
                #expect(
                    judged.challenge == [1, 2, 3] && judged.made.id == key.id && judged.made.encodedKey == key.cose)
            }
        }
        let client = SoftAuthenticator.client("webauthn.create")
        #expect(judged(client, key.made()) == nil)
        #expect(judged(client, key.made(), "packed") == nil, "what a statement says is not looked at")
        #expect(judged(SoftAuthenticator.client("webauthn.get"), key.made()) == .purpose)
        for origin in [
            "https://evil.example", "http://till.example", "https://till.example:8443", "https://Till.example",
        ] {
            #expect(judged(SoftAuthenticator.client("webauthn.create", origin: origin), key.made()) == .origin)
        }
        for more in [#","crossOrigin":true"#, #","crossOrigin":null"#, #","topOrigin":"https://till.example""#] {
            #expect(judged(SoftAuthenticator.client("webauthn.create", more: more), key.made()) == .origin)
        }
        #expect(judged(SoftAuthenticator.client("webauthn.create", more: #","crossOrigin":false"#), key.made()) == nil)
        #expect(judged(client + [0], key.made()) == .malformed("client data"))
        #expect(judged(client, key.made(name: "evil.example")) == .relyingParty)
        #expect(judged(client, key.made(flags: 0x44)) == .presence)
        #expect(judged(client, key.made(flags: 0x41)) == .verification)
        #expect(judged(client, key.made(flags: 0x55)) == .malformed("authenticator data"))
        #expect(judged(client, key.made() + [0]) == .malformed("authenticator data"))
        var far = key.cose
        far[far.count - 1] ^= 1
        #expect(judged(client, key.made(cose: far)) == .key)
    }

    @Test("A signature is of the passkey's own key, for its person, under its name, with a counter that rises")
    func assertion() throws {
        var key = SoftAuthenticator()
        let party = try #require(party)
        let passkey = try key.passkey(of: person, at: party)
        func judged(_ passkey: Passkey, _ assertion: PasskeyAnswer.Assertion) -> PasskeyFault? {
            fault { _ = try assertion.judged(by: passkey, at: party) }
        }
        #expect(judged(passkey, try key.assertion()) == nil, "one that does not count")
        key.counter = 5
        #expect(judged(passkey, try key.assertion()) == nil)
        var used = passkey
        used.counter = 5
        #expect(judged(used, try key.assertion()) == .counter)
        key.counter = 4
        #expect(judged(used, try key.assertion()) == .counter)
        key.counter = 0
        #expect(judged(used, try key.assertion()) == .counter)
        #expect(judged(passkey, try SoftAuthenticator().assertion()) == .signature)
        #expect(judged(passkey, try key.assertion(client: SoftAuthenticator.client("webauthn.create"))) == .purpose)
        #expect(
            judged(passkey, try key.assertion(client: SoftAuthenticator.client(origin: "https://evil.example")))
                == .origin)
        #expect(judged(passkey, try key.assertion(name: "evil.example")) == .relyingParty)
        #expect(judged(passkey, try key.assertion(flags: 4)) == .presence)
        #expect(judged(passkey, try key.assertion(flags: 1)) == .verification)
        #expect(judged(passkey, try key.assertion(user: "staff_2")) == .unknown)
        #expect(judged(passkey, try key.assertion(user: "")) == .unknown)
        let other = try #require(RelyingParty(origin: "https://other.example"))
        #expect(judged(try key.passkey(of: person, at: other), try key.assertion()) == .unknown)
    }

    @Test("Ed25519 is taken too; what is signed with one key is not with another")
    func ed25519() throws {
        let key = Curve25519.Signing.PrivateKey()
        var bytes: [UInt8] = [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32]
        bytes += key.publicKey.rawRepresentation
        let read = try PasskeyKey(try #require(cbor(bytes)))
        #expect(read.hasSigned([1, 2], Array(try key.signature(for: [1, 2]))))
        #expect(!read.hasSigned([1, 3], Array(try key.signature(for: [1, 2]))))
        #expect(!read.hasSigned([1, 2], []))
    }

    @Test("A challenge is this counter's, for one purpose and session, and good for five minutes")
    func challenge() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/till-challenges-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (pepper, other) = (Pepper(besideJournal: folder + "/a"), Pepper(besideJournal: folder + "/b"))
        let made = Timestamp(milliseconds: 1_000_000)
        let mine = PasskeyChallenge.Purpose.register(session: [1, 2])
        let bytes = try PasskeyChallenge.make(for: mine, at: made, pepper).bytes
        func fault(
            _ bytes: [UInt8], _ purpose: PasskeyChallenge.Purpose, after span: Span = .milliseconds(0), _ pepper: Pepper
        ) -> PasskeyFault? {
            self.fault { _ = try PasskeyChallenge(bytes, for: purpose, at: made.adding(span), pepper) }
        }
        #expect(fault(bytes, mine, pepper) == nil)
        #expect(fault(bytes, mine, after: .milliseconds(299_999), pepper) == nil)
        #expect(fault(bytes, mine, after: .minutes(5), pepper) == .challenge)
        #expect(fault(bytes, mine, after: .milliseconds(-1), pepper) == .challenge)
        #expect(fault(bytes, .signIn, pepper) == .challenge)
        #expect(fault(bytes, .register(session: [1, 3]), pepper) == .challenge)
        #expect(fault(bytes, mine, other) == .challenge)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(fault(changed, mine, pepper) == .challenge)
        }
        #expect(fault(Array(bytes.dropLast()), mine, pepper) == .challenge)
        #expect(try PasskeyChallenge.make(for: mine, at: made, pepper).bytes != bytes)
    }

    @Test("Passkeys are for a name over TLS, or for this machine's")
    func parties() {
        #expect(RelyingParty(origin: "https://till.example:8443")?.id == "till.example")
        #expect(RelyingParty(origin: "http://localhost:8080")?.id == "localhost")
        for origin in [
            "http://till.example", "https://192.0.2.1", "http://127.0.0.1:8080", "https://[::1]:8080", "", "null",
        ] {
            #expect(RelyingParty(origin: origin) == nil, "\(origin)")
        }
    }

    @Test("Base64url has one text for the same bytes")
    func base64() {
        #expect(Base64URL.text([251, 255]) == "-_8" && Base64URL.decode("-_8") == [251, 255])
        for text in ["-_9", "-_8=", "+/8", "-_8 ", "a", "-_8\n"] { #expect(Base64URL.decode(text) == nil, "\(text)") }
    }
}
