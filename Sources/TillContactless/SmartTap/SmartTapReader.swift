public import Crypto
import CryptoExtras
import Foundation
public import TillCore

/// A collector of Google Wallet passes: its identifier and long-term key, both registered with Google.
public struct SmartTapCollector: Sendable {
    /// The collector identifier assigned by Google.
    public let number: UInt32
    /// The version of the signing key, which wallets use to select the public key.
    public let keyVersion: UInt32
    let key: Secret<P256.Signing.PrivateKey>

    /// Creates a collector. Google must have the public half of the key.
    public init(number: UInt32, keyVersion: UInt32, key: P256.Signing.PrivateKey) {
        (self.number, self.keyVersion, self.key) = (number, keyVersion, Secret(key))
    }
}

/// A pass delivered by a wallet.
public struct SmartTapPass: Sendable {
    /// The kind: `ly` loyalty, `gc` gift card, `of` offer, `et` event, `fl` flight, `tr` transit, `gr` generic; other
    /// values are preserved.
    public let kind: String
    /// The issuer of the pass, as reported by the phone.
    public let issuer: [UInt8]
    /// The merchant data in the pass: it identifies a customer, so it is a `Secret`.
    public let value: Secret<[UInt8]>
}

/// The wallet's response.
public enum SmartTapOutcome: Sendable {
    /// The passes delivered; a wallet delivers one at a time.
    case passes([SmartTapPass])
    /// The wallet has no pass for this merchant.
    case none
    /// The customer must choose on the phone and tap again.
    case customerMustChoose
}

/// The reason that passes could not be read. No money is involved.
public enum SmartTapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not Google's wallet, or no wallet.
    case notAWallet(StatusWord)
    /// The wallet demands a pause.
    case tooManyRequests
    /// The wallet refused, with this status word.
    case refused(StatusWord)
    /// The wallet's session status reports an error.
    case session(UInt8)
    /// A response cannot be parsed.
    case malformed
    /// The response does not authenticate as the wallet of this session.
    case brokenSeal
    /// The wallet compressed its response, although compression was not offered.
    case compressed
    /// The response is longer than ``SmartTapReader/longestAnswer``.
    case tooLong
    /// Communication with the phone failed.
    case channel(CardChannelError)

    /// The error in one sentence.
    public var description: String {
        switch self {
        case .notAWallet(let status): "There is no Google wallet here: \(status)."
        case .tooManyRequests: "The wallet was asked too often. Take the phone away and present it again."
        case .refused(let status): "The wallet refuses: \(status)."
        case .session(let word): "The wallet ends the session (word \(word))."
        case .malformed: "The wallet's answer cannot be read."
        case .brokenSeal: "The seal of the wallet's answer is broken."
        case .compressed: "The wallet compressed its answer, which was not asked for."
        case .tooLong: "The wallet's answer is too long."
        case .channel(let error): error.description
        }
    }
}

/// Reads passes from Google Wallet: Smart Tap 2.1, the read path. Source: public reverse engineering (kormax) with its
/// byte examples. Commercial use requires Google's approval.
///
/// Both sides exchange a nonce and an ephemeral key per tap; the merchant authenticates with a signature, so that a
/// phone reveals its passes only to that merchant, and the response is encrypted for this tap.
public struct SmartTapReader: Sendable {
    /// The longest response, in bytes.
    public static let longestAnswer = 16_384
    /// Maximum number of fetches of further data.
    public static let mostFetches = 64

    /// The collector that requests passes.
    public let collector: SmartTapCollector
    /// `true` if a payment follows in the same tap.
    public let withPayment: Bool

    /// Creates a reader for a collector's passes. With `withPayment`, a payment may follow in the same tap.
    public init(_ collector: SmartTapCollector, withPayment: Bool = true) {
        (self.collector, self.withPayment) = (collector, withPayment)
    }

    /// Reads the passes for this merchant from a phone that is already in the field.
    public func read(over channel: any CardChannel) async throws(SmartTapError) -> SmartTapOutcome {
        let deviceNonce = try await select(channel)
        var generator = SystemRandomNumberGenerator()
        func random(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        let session = random(8)
        let (nonce, ephemeral) = (random(32), P256.KeyAgreement.PrivateKey())
        let point = ephemeral.publicKey.compressedRepresentation
        let signed = nonce + deviceNonce + number + point
        guard let signature = try? collector.key.reveal().signature(for: signed).derRepresentation else {
            throw .malformed
        }
        let answer = try await send(
            CommandAPDU(0x90, 0x53, 0, 0, data: negotiation(session, nonce, point, Array(signature)).bytes), channel)
        guard answer.status == .done else { throw SmartTapReader.refusal(answer.status) }
        guard let response = NDEFMessage(answer.data)?["nrs"].flatMap({ NDEFMessage($0) }),
            let said = response["ses"], said.count == 10, Array(said.prefix(8)) == session,
            let device = response["dpk"]
        else { throw .malformed }
        let secret: SharedSecret
        do {
            secret = try ephemeral.sharedSecretFromKeyAgreement(
                with: try P256.KeyAgreement.PublicKey(compressedRepresentation: device))
        } catch { throw .malformed }
        guard said[9] == 1 else { throw .session(said[9]) }
        let keys = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: device, sharedInfo: signed + signature, outputByteCount: 48
        ).withUnsafeBytes { Array($0) }
        guard said[8] < 0xFF else { throw .malformed }
        return try await passes(session, said[8], keys, channel)
    }

    private var number: [UInt8] { TerminalData.bigEndian(UInt64(collector.number), 4) }

    /// Selects the wallet and returns the phone's nonce.
    private func select(_ channel: any CardChannel) async throws(SmartTapError) -> [UInt8] {
        let selected = try await send(.select(Array("OSE.VAS.01".utf8)), channel)
        guard selected.status == .done, let objects = DataObject.parse(ifValid: selected.data),
            objects.first(0x50)?.value == Array("AndroidPay".utf8)
        else { throw .notAWallet(selected.status) }
        if let nonce = objects.first(0xC2)?.value, nonce.count == 32 { return nonce }
        // Older wallets return it with their own application.
        let own = try await send(.select([0xA0, 0, 0, 0x04, 0x76, 0xD0, 0, 0x01, 0x11]), channel)
        guard own.status == .done else { throw .notAWallet(own.status) }
        guard own.data.count > 4, let nonce = NDEFMessage(Array(own.data.dropFirst(4)))?.records.first?.payload,
            nonce.count == 33, nonce[0] == 4
        else { throw .malformed }
        return Array(nonce.dropFirst())
    }

    /// Builds the NEGOTIATE message: version, session and the merchant's proof.
    func negotiation(_ session: [UInt8], _ nonce: [UInt8], _ key: Data, _ signature: [UInt8]) -> NDEFMessage {
        let proof = NDEFMessage([
            .init(name: "sig", payload: [4] + signature), .init(name: "cld", payload: [4] + number),
        ])
        let parameters = nonce + [1] + key + TerminalData.bigEndian(UInt64(collector.keyVersion), 4) + proof.bytes
        let inside = NDEFMessage([
            .init(name: "ses", payload: session + [0, 1]), .init(name: "cpr", payload: parameters),
        ])
        return NDEFMessage([.init(name: "ngr", payload: [0, 1] + inside.bytes)])
    }

    /// Builds the GET DATA message: every pass for this merchant; capabilities without compression.
    func question(_ session: [UInt8], _ sequence: UInt8) -> NDEFMessage {
        let inside = NDEFMessage([
            .init(name: "ses", payload: session + [sequence, 1]),
            .init(name: "mer", payload: NDEFMessage([.init(name: "cld", payload: [4] + number)]).bytes),
            .init(name: "slr", payload: NDEFMessage([.init(name: "str", payload: [0])]).bytes),
            .init(name: "pcr", payload: [0x01, 0, 0, 0, withPayment ? 0x04 : 0x01]),
        ])
        return NDEFMessage([.init(name: "srq", payload: [0, 1] + inside.bytes)])
    }

    private func passes(
        _ session: [UInt8], _ sequence: UInt8, _ keys: [UInt8], _ channel: any CardChannel
    ) async throws(SmartTapError) -> SmartTapOutcome {
        var answer = try await send(
            CommandAPDU(0x90, 0x50, 0, 0, data: question(session, sequence).bytes), channel)
        var data = answer.data
        var fetches = 0
        while answer.status.rawValue == 0x9100 {
            fetches += 1
            guard fetches <= SmartTapReader.mostFetches, data.count <= SmartTapReader.longestAnswer else {
                throw .tooLong
            }
            answer = try await send(CommandAPDU(0x90, 0xC0, 0, 0), channel)
            data += answer.data
        }
        switch answer.status.rawValue {
        case 0x9000: break
        case 0x9001: return .none
        case 0x9302: return .customerMustChoose
        default: throw SmartTapReader.refusal(answer.status)
        }
        guard let response = NDEFMessage(data)?["srs"].flatMap({ NDEFMessage($0) }), let said = response["ses"],
            said.count == 10, Array(said.prefix(8)) == session, let bundle = response["reb"], let flags = bundle.first
        else { throw .malformed }
        guard flags & 0x02 == 0 else { throw .compressed }
        // An unencrypted response could come from any device in the field.
        guard flags & 0x01 != 0 else { throw .brokenSeal }
        return .passes(try opened(Array(bundle.dropFirst()), keys))
    }

    private func opened(_ sealed: [UInt8], _ keys: [UInt8]) throws(SmartTapError) -> [SmartTapPass] {
        guard sealed.count > 44, keys.count == 48 else { throw .malformed }
        let (start, code) = (Array(sealed.prefix(12)), Array(sealed.suffix(32)))
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: sealed.dropLast(32), using: SymmetricKey(data: keys[16..<48]))
        else { throw .brokenSeal }
        let plain: [UInt8]
        do {
            plain = Array(
                try AES._CTR.decrypt(
                    sealed.dropFirst(12).dropLast(32), using: SymmetricKey(data: keys[0..<16]),
                    nonce: try AES._CTR.Nonce(nonceBytes: start + [0, 0, 0, 0])))
        } catch { throw .brokenSeal }
        guard let message = NDEFMessage(plain) else { throw .brokenSeal }
        var found: [SmartTapPass] = []
        for record in message.records where record.name == "asv" {
            guard let service = NDEFMessage(record.payload) else { throw .malformed }
            let issuer = service["i"] ?? []
            for object in service.records where object.name != "i" {
                guard let inside = NDEFMessage(object.payload), let value = inside["n"], value.count > 1 else {
                    continue
                }
                found.append(
                    SmartTapPass(
                        kind: String(object.name.prefix(8)), issuer: Array((inside["i"] ?? issuer).dropFirst()),
                        value: Secret(Array(value.dropFirst()))))
            }
        }
        return found
    }

    private static func refusal(_ status: StatusWord) -> SmartTapError {
        status.rawValue == 0x9406 ? .tooManyRequests : .refused(status)
    }

    private func send(_ command: CommandAPDU, _ channel: any CardChannel) async throws(SmartTapError) -> ResponseAPDU {
        do { return try await channel.transmit(command) } catch { throw .channel(error) }
    }
}
