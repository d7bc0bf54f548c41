import Crypto
import CryptoExtras
import Foundation
import Testing
import TillCore

@testable import TillContactless

@Suite("Google's passes")
struct SmartTapTests {
    static let session = [UInt8]([0x6B, 0x15, 0x9A, 0x80, 0xFC, 0x82, 0x83, 0xFD])

    @Test("The published messages are read, and made again byte by byte")
    func examples() throws {
        let collector = SmartTapCollector(number: 0x0102_0304, keyVersion: 1, key: P256.Signing.PrivateKey())
        let question = SmartTapReader(collector).question(Self.session, 1).bytes
        // The published one also offers compression: 41 in place of 01.
        let published =
            "D4033B737271000194030A7365736B159A80FC8283FD010114030B6D6572D40305636C6404010203041403"
            + "07736C72D40301737472005403057063724100000004"
        #expect(Hex.text(question) == published.replacing("7063724100", with: "7063720100"))
        let negotiation = try Hex.bytes(
            "d403b86e6772000194030a7365736b159a80fc8283fd00015403a0637072a8aa2bae1ba891783d8c5be8a95bf2f9e5bb90fd9d197f8b2b1a"
                + "84d9cc80427501027b2e12f1a1a542084b4d01b8799380fa4cb77e530ba2305b0bf2b3e4b474fe7d00000001940349736967043046"
                + "02210086e43dc483b22e51aa177ae8112ed83d399a58b41d6d8cbe900cde03c4524da5022100e94b6a919c9e097568f4efa9a7123b"
                + "86b97ee44342593f8a77fc9e12e3f95ae4540305636c640401020304")
        let whole = try #require(NDEFMessage(negotiation)?["ngr"])
        let inside = try #require(NDEFMessage(Array(whole.dropFirst(2))))
        let parameters = try #require(inside["cpr"])
        let proof = try #require(NDEFMessage(Array(parameters.dropFirst(70))))
        let signature = try #require(proof["sig"])
        let made = SmartTapReader(collector).negotiation(
            Self.session, Array(parameters.prefix(32)), Data(parameters[33..<66]),
            Array(signature.dropFirst()))
        #expect(made.bytes == negotiation)
        let response = try Hex.bytes(
            "d403376e727394030a7365736b159a80fc8283fd010154032164706b03dfee38dbdb68a607383ad622640b180cc7e27d796b4e788c40e5d9"
                + "94291c71fc")
        let said = try #require(NDEFMessage(response)?["nrs"].flatMap { NDEFMessage($0) })
        #expect(said["dpk"]?.count == 33 && said["ses"]?.suffix(2) == [1, 1])
    }

    @Test("A wallet that checks the shop's signature gives its pass, in parts, sealed for this tap")
    func reads() async throws {
        let key = P256.Signing.PrivateKey()
        let wallet = TestWallet(collector: key.publicKey)
        let reader = SmartTapReader(SmartTapCollector(number: 0x0102_0304, keyVersion: 1, key: key))
        guard case .passes(let passes) = try await reader.read(over: wallet), let pass = passes.first else {
            Issue.record("no pass")
            return
        }
        #expect(pass.kind == "ly" && pass.issuer == [1, 2, 3, 4, 5])
        #expect(pass.value.reveal() == Array("MEMBER-0001".utf8))
        #expect(!"\(pass)".contains("MEMBER"))
    }

    @Test("Another shop's key gets nothing; a changed answer does not open; no pass and a choice are said")
    func refuses() async throws {
        let key = P256.Signing.PrivateKey()
        let reader = SmartTapReader(SmartTapCollector(number: 0x0102_0304, keyVersion: 1, key: key))
        await #expect(throws: SmartTapError.session(5)) {
            try await reader.read(over: TestWallet(collector: P256.Signing.PrivateKey().publicKey))
        }
        await #expect(throws: SmartTapError.brokenSeal) {
            try await reader.read(over: TestWallet(collector: key.publicKey, fault: .changed))
        }
        await #expect(throws: SmartTapError.tooLong) {
            try await reader.read(over: TestWallet(collector: key.publicKey, fault: .endless))
        }
        guard case .none = try await reader.read(over: TestWallet(collector: key.publicKey, fault: .status(0x9001))),
            case .customerMustChoose = try await reader.read(
                over: TestWallet(collector: key.publicKey, fault: .status(0x9302)))
        else {
            Issue.record("not as said")
            return
        }
        await #expect(throws: SmartTapError.tooManyRequests) {
            try await reader.read(over: TestWallet(collector: key.publicKey, fault: .status(0x9406)))
        }
        await #expect(throws: SmartTapError.notAWallet(.notFound)) {
            let card = VirtualCardChannel(.visa)
            try await card.waitForCard()
            _ = try await reader.read(over: card)
        }
    }
}

/// A phone with Google's wallet, written from the protocol's description.
actor TestWallet: CardChannel {
    enum Fault: Equatable {
        case none, changed, endless
        case status(UInt16)
    }

    private let collector: P256.Signing.PublicKey
    private let fault: Fault
    private let nonce = (0..<32).map { UInt8($0) }
    private let ephemeral = P256.KeyAgreement.PrivateKey()
    private var waiting: [UInt8] = []
    private var keys: [UInt8] = []
    private var session: [UInt8] = []

    init(collector: P256.Signing.PublicKey, fault: Fault = .none) { (self.collector, self.fault) = (collector, fault) }

    func waitForCard() async throws(CardChannelError) {}
    func powerOff() async {}

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        switch command.ins {
        case 0xA4:
            let objects = [DataObject(0x50, Array("AndroidPay".utf8)), DataObject(0xC2, nonce)]
            return ResponseAPDU(DataObject(0x6F, objects).encoded)
        case 0x53: return negotiate(command.data) ?? ResponseAPDU(status: StatusWord(rawValue: 0x6A80))
        case 0x50:
            if case .status(let word) = fault { return ResponseAPDU(status: StatusWord(rawValue: word)) }
            waiting = bundle()
            return part()
        case 0xC0: return fault == .endless ? ResponseAPDU([0], status: StatusWord(rawValue: 0x9100)) : part()
        default: return ResponseAPDU(status: .instructionNotSupported)
        }
    }

    private func part() -> ResponseAPDU {
        let now = Array(waiting.prefix(40))
        waiting = Array(waiting.dropFirst(40))
        let more = !waiting.isEmpty || fault == .endless
        return ResponseAPDU(now, status: StatusWord(rawValue: more ? 0x9100 : 0x9000))
    }

    private func negotiate(_ data: [UInt8]) -> ResponseAPDU? {
        guard let inside = NDEFMessage(data)?["ngr"].flatMap({ NDEFMessage(Array($0.dropFirst(2))) }),
            let said = inside["ses"], let parameters = inside["cpr"], parameters.count > 70,
            let proof = NDEFMessage(Array(parameters.dropFirst(70))), let number = proof["cld"]?.dropFirst(),
            let der = proof["sig"]?.dropFirst(),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der),
            let key = try? P256.KeyAgreement.PublicKey(compressedRepresentation: parameters[33..<66])
        else { return nil }
        session = Array(said.prefix(8))
        let signed = Array(parameters.prefix(32)) + nonce + number + parameters[33..<66]
        let isKnown = collector.isValidSignature(signature, for: signed)
        let own = ephemeral.publicKey.compressedRepresentation
        guard let secret = try? ephemeral.sharedSecretFromKeyAgreement(with: key) else { return nil }
        keys = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: own, sharedInfo: signed + der, outputByteCount: 48
        ).withUnsafeBytes { Array($0) }
        let answer = NDEFMessage([
            .init(name: "ses", payload: session + [1, isKnown ? 1 : 5]), .init(name: "dpk", payload: Array(own)),
        ])
        return ResponseAPDU(NDEFMessage([.init(name: "nrs", payload: answer.bytes)]).bytes)
    }

    private func bundle() -> [UInt8] {
        let loyalty = NDEFMessage([
            .init(name: "i", payload: [4, 1, 2, 3, 4, 5]), .init(name: "n", payload: [0] + Array("MEMBER-0001".utf8)),
        ])
        let service = NDEFMessage([.init(name: "ly", payload: loyalty.bytes)])
        let plain = NDEFMessage([.init(name: "asv", payload: service.bytes)]).bytes
        let start = [UInt8](repeating: 7, count: 12)
        guard let nonce = try? AES._CTR.Nonce(nonceBytes: start + [0, 0, 0, 0]),
            let sealed = try? AES._CTR.encrypt(plain, using: SymmetricKey(data: keys[0..<16]), nonce: nonce)
        else { return [] }
        var body = start + sealed
        body += HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: keys[16..<48]))
        if fault == .changed { body[14] ^= 1 }
        let answer = NDEFMessage([
            .init(name: "ses", payload: session + [2, 1]), .init(name: "reb", payload: [1] + body),
        ])
        return NDEFMessage([.init(name: "srs", payload: answer.bytes)]).bytes
    }
}
