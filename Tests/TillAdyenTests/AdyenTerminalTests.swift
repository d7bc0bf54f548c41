import Foundation
import HTTPTypes
import Testing
import TillAdyen
import TillCore
import TillStandInAdyen

@Suite("Adyen's terminals on the local network")
struct AdyenTerminalTests {
    static func seal(_ passphrase: String = "till terminal passphrase") throws -> AdyenTerminalSeal {
        try #require(AdyenTerminalSeal(passphrase: Secret(passphrase), keyIdentifier: "till", keyVersion: 1))
    }

    static let key = AdyenTerminalStandInKey(passphrase: Secret("till terminal passphrase"), identifier: "till")

    static func terminal(_ seal: AdyenTerminalSeal?, _ sandbox: SandboxAdyen) throws -> AdyenTerminal {
        try #require(
            AdyenTerminal(
                terminal: "V400m-324688179", till: "till-1", url: "http://127.0.0.1:1", seal: seal, transport: sandbox))
    }

    @Test("A payment over a sealed line, its status by name, and its way back")
    func pays() async throws {
        let seal = try Self.seal()
        let sandbox = SandboxAdyen(terminalKey: Self.key)
        let terminal = try Self.terminal(seal, sandbox)
        let price = Money(minorUnits: 1250, currency: .eur)
        let paid = try await terminal.pay(price, transaction: "o-1", name: "0000000001")
        #expect(paid.isApproved && paid.amount == price && paid.card?.lastFour == "9999")
        let again = try await terminal.status(of: "0000000001", as: "0000000002", currency: .eur)
        #expect(again.transaction == paid.transaction && again.isApproved)
        let unknown = try await terminal.status(of: "0000000009", as: "0000000003", currency: .eur)
        #expect(unknown.errorCondition == "NotFound")
        let transaction = try #require(paid.transaction)
        let back = try await terminal.reverse(
            transaction: transaction, at: paid.transactionTime ?? "", amount: nil, name: "0000000004", currency: .eur)
        #expect(back.isApproved)
        let refused = try await terminal.pay(
            Money(minorUnits: 1224, currency: .eur), transaction: "o-2", name: "0000000005")
        #expect(refused.errorCondition == "Refusal" && refused.message == "210 Not enough balance")
        await #expect(throws: AdyenTerminalError.brokenSeal) {
            try await terminal.pay(Money(minorUnits: 1226, currency: .eur), transaction: "o-3", name: "0000000006")
        }
        await #expect(throws: AdyenTerminalError.self) {
            try await terminal.pay(price, transaction: "o-4", name: "longer than ten")
        }
    }

    @Test("Whatever is changed in a sealed message, it does not open; another key is named")
    func changed() throws {
        let seal = try Self.seal()
        let message = try JSONValue(
            parsing: Array("{\"SaleToPOIRequest\":{\"MessageHeader\":{\"A\":\"1\"},\"B\":{}}}".utf8))
        let sealed = try seal.seal(message)
        #expect(try seal.open(sealed) == message)
        #expect(!sealed.text.contains("\"B\""))
        for (old, new) in [("\"A\":\"1\"", "\"A\":\"2\""), ("SaleToPOIRequest", "SaleToPOIResponse")] {
            let other = try JSONValue(parsing: Array(sealed.text.replacing(old, with: new).utf8))
            #expect(throws: AdyenTerminalError.brokenSeal) { try seal.open(other) }
        }
        // The seal alone, with everything that it seals as it was.
        let code = try #require(sealed["SaleToPOIRequest"]?["SecurityTrailer"]?["Hmac"]?.stringValue)
        for place in code.utf8.indices.dropLast(4) {
            var letters = Array(code.utf8)
            let offset = code.utf8.distance(from: code.utf8.startIndex, to: place)
            letters[offset] = letters[offset] == 0x41 ? 0x42 : 0x41
            let text = sealed.text.replacing(code, with: String(decoding: letters, as: UTF8.self))
            let other = try JSONValue(parsing: Array(text.utf8))
            #expect(throws: AdyenTerminalError.brokenSeal, "\(offset)") { try seal.open(other) }
        }
        #expect(throws: AdyenTerminalError.brokenSeal) { try Self.seal("another").open(sealed) }
        let named = try #require(
            AdyenTerminalSeal(passphrase: Secret("till terminal passphrase"), keyIdentifier: "x", keyVersion: 1))
        #expect(throws: AdyenTerminalError.otherKey) { try named.open(sealed) }
    }

    /// A terminal that always says the same.
    struct Parrot: HTTPTransport {
        let text: String
        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            HTTPReply(response: HTTPResponse(status: .ok), body: Array(text.utf8))
        }
    }

    @Test("An answer to another request, of another till or another terminal is no answer")
    func otherAnswers() async throws {
        let header = [
            "ServiceID": "0000000001", "MessageCategory": "Payment", "SaleID": "till-1", "POIID": "V400m-324688179",
        ]
        func ask(_ header: [String: String]) async throws -> AdyenTerminalError? {
            let fields = header.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
            let text =
                "{\"SaleToPOIResponse\":{\"MessageHeader\":{\(fields)},"
                + "\"PaymentResponse\":{\"Response\":{\"Result\":\"Success\"}}}}"
            let terminal = try #require(
                AdyenTerminal(
                    terminal: "V400m-324688179", till: "till-1", url: "http://127.0.0.1:1", seal: nil,
                    transport: Parrot(text: text)))
            do throws(AdyenTerminalError) {
                _ = try await terminal.pay(
                    Money(minorUnits: 1250, currency: .eur), transaction: "o-1", name: "0000000001")
                return nil
            } catch { return error }
        }
        #expect(try await ask(header) == nil)
        for name in header.keys {
            var other = header
            other[name] = "0000000002"
            #expect(try await ask(other) == .otherMessage, "\(name)")
        }
    }

    @Test("A message that Python sealed opens, and one that we seal with the same nonce is the same")
    func vector() throws {
        let seal = try #require(
            AdyenTerminalSeal(passphrase: Secret("mysupersecretpassphrase"), keyIdentifier: "mykey", keyVersion: 1))
        let plain = "{\"SaleToPOIRequest\":{\"MessageHeader\":{\"ServiceID\":\"1\"},\"PaymentRequest\":{}}}"
        let message = try JSONValue(parsing: Array(plain.utf8))
        let sealed = try seal.seal(message, nonce: Array(0..<16))
        let inner = try #require(sealed["SaleToPOIRequest"])
        #expect(inner["NexoBlob"]?.stringValue == Self.blob)
        #expect(inner["SecurityTrailer"]?["Hmac"]?.stringValue == Self.code)
    }

    static let blob =
        "gP0vnBpYJLc06akeJiZwNBlFjrp5++STsmoXHGz4jwDYHgl6RbGzm4bHdNNdxJC8aF0CneXq94fbTHNmyUadQdbX989C+BaVeL1tWZ4CJUA="
    static let code = "JeaBejAS5LhuZ1myiZUobbnsCCwPKLqsV35cfBHvKGg="

    @Test("Adyen gives a phone a session for its setup token")
    func phone() async throws {
        let config = try AdyenConfig(merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1")
        let session = try await AdyenTapToPay(config: config, transport: SandboxAdyen()).session(
            setupToken: Secret("token"), store: "Front")
        #expect(session.id == "till-session" && session.installationID == "till-installation")
        #expect(!"\(session)".contains("c2Vzc2lvbg"))
    }
}
