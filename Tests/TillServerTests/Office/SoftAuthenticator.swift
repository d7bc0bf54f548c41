import Crypto
import Foundation
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff
import TillJournal

@testable import TillServer

/// An authenticator in software, which can also do what none would.
struct SoftAuthenticator {
    let key = P256.Signing.PrivateKey()
    let id = (0..<16).map { UInt8($0) }
    var counter: UInt32 = 0

    static func client(
        _ purpose: String = "webauthn.get", _ challenge: [UInt8] = [1, 2, 3], origin: String = "https://till.example",
        more: String = ""
    ) -> [UInt8] {
        Array(
            #"{"type":"\#(purpose)","challenge":"\#(Base64URL.text(challenge))","origin":"\#(origin)"\#(more)}"#.utf8)
    }

    func head(_ name: String = "till.example", flags: UInt8) -> [UInt8] {
        var bytes = Array(SHA256.hash(data: Data(name.utf8)))
        bytes.append(flags)
        bytes += withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        return bytes
    }

    /// The key as COSE.
    var cose: [UInt8] {
        let point = Array(key.publicKey.x963Representation)
        var bytes: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]
        bytes += point[1...32]
        bytes += [0x22, 0x58, 32] as [UInt8]
        bytes += point[33...]
        return bytes
    }

    func made(flags: UInt8 = 0x45, name: String = "till.example", cose: [UInt8]? = nil) -> [UInt8] {
        var bytes = head(name, flags: flags)
        bytes += [UInt8](repeating: 0, count: 16)
        bytes += [0, 16] as [UInt8]
        bytes += id
        bytes += cose ?? self.cose
        return bytes
    }

    static func attestation(_ data: [UInt8], format: String = "none") -> [UInt8] {
        func text(_ word: String) -> [UInt8] { [0x60 + UInt8(word.utf8.count)] + Array(word.utf8) }
        var bytes: [UInt8] = [0xA3]
        bytes += text("fmt")
        bytes += text(format)
        bytes += text("attStmt")
        bytes.append(0xA0)
        bytes += text("authData")
        bytes += [0x58, UInt8(data.count)]
        bytes += data
        return bytes
    }

    func passkey(of person: StaffRecord, at party: RelyingParty) throws -> Passkey {
        let data = try AuthenticatorData(made())
        guard let credential = data.credential else { throw PasskeyFault.unknown }
        return Passkey(
            credential, counter: data.counter, of: person, at: party, name: "Key", now: Timestamp(milliseconds: 0))
    }

    func assertion(
        client: [UInt8] = SoftAuthenticator.client(), name: String = "till.example", flags: UInt8 = 5,
        user: String = "staff_1"
    ) throws -> PasskeyAnswer.Assertion {
        let data = head(name, flags: flags)
        let signature = try key.signature(for: SHA256.hash(data: data + Array(SHA256.hash(data: client))))
        return PasskeyAnswer.Assertion(
            credential: id, clientData: client, authenticatorData: data,
            signature: Array(signature.derRepresentation), user: Array(user.utf8))
    }
}
