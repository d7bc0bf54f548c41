import Foundation
import HTTPTypes
import Testing
import TillCore
import TillHTTP
import TillStripe
import TillTestSupport

/// Against localstripe, an independent stand-in for Stripe. `Tests/Peers/setup` installs it; `TILL_PEERS=1` runs this.
@Suite(
    "Against localstripe", .serialized, .enabled(if: LocalStripe.isWanted, "set TILL_PEERS=1 after Tests/Peers/setup"))
struct LocalStripeTests {
    @Test("sale, partial capture, refund, void and decline over real sockets")
    func live() async throws {
        let wire = HTTPClientTransport()
        let recorder = RecordingTransport(wire)
        let peer = try await LocalStripe.start(wire)
        defer { peer.stop() }
        let provider = try StripeProvider(
            secretKey: Secret(Fixture.key), baseURL: "http://127.0.0.1:\(peer.port)", transport: recorder,
            clock: ManualClock())
        func prepare(_ id: String) async throws -> ProviderReference {
            guard case .approved(let made) = await provider.prepare(Fixture.authorization(nil, id: id)),
                let reference = made.reference
            else { throw LocalStripe.Fault() }
            return reference
        }
        func snapshot(_ reference: ProviderReference) async -> ProviderSnapshot? {
            guard case .approved(let snapshot) = await provider.query(Fixture.query(reference)) else { return nil }
            return snapshot
        }

        let sale = try await prepare("sale")
        #expect(await snapshot(sale)?.standing == .unconfirmed)
        let held = await provider.authorize(Fixture.authorization(sale, id: "sale"), with: try Fixture.card())
        guard case .approved(let authorization) = held else {
            Issue.record("\(held)")
            return
        }
        #expect(authorization.amount == Fixture.amount)
        #expect(authorization.card?.lastFour == "4242")
        // The stand-in keeps no keys, so the same call again is refused there; the provider must see that it is held.
        let again = await provider.authorize(Fixture.authorization(sale, id: "sale"), with: try Fixture.card())
        guard case .approved = again else {
            Issue.record("\(again)")
            return
        }
        #expect(await provider.capture(Fixture.capture(sale, 1000)) == .approved(Confirmation(reference: sale)))
        guard case .approved = await provider.refund(Fixture.refund(sale, 300)) else {
            Issue.record("not refunded")
            return
        }
        let after = await snapshot(sale)
        #expect(after?.captured == Money(minorUnits: 1000, currency: .eur))
        #expect(after?.refunds.map(\.amount.minorUnits) == [300])
        #expect(after?.refunds.first?.refund == RefundID(rawValue: "pay_1-r1"))

        let left = try await prepare("void")
        #expect(await provider.void(Fixture.void(left)) == .approved(Confirmation(reference: left)))
        #expect(await provider.void(Fixture.void(left)) == .approved(Confirmation(reference: left)))
        #expect(await snapshot(left)?.standing == .voided)

        let poor = try await prepare("decline")
        let no = await provider.authorize(
            Fixture.authorization(poor, id: "decline"), with: try Fixture.card("4000000000000341"))
        guard case .declined(let decline) = no else {
            Issue.record("\(no)")
            return
        }
        #expect(decline.code == "card_declined")
        guard case .declined = await snapshot(poor)?.standing else {
            Issue.record("not declined")
            return
        }
        #expect(!recorder.exchanges.contains { "\($0)".contains("4242424242424242") || "\($0)".contains(Fixture.key) })
        await wire.shutdown()
    }
}

/// The stand-in's process.
struct LocalStripe {
    struct Fault: Error {}
    static let isWanted = ProcessInfo.processInfo.environment["TILL_PEERS"] == "1"
    static let python = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/peers/bin/python")

    let process: Process
    let port: Int
    func stop() { process.terminate() }

    static func start(_ transport: HTTPClientTransport) async throws -> LocalStripe {
        let process = Process()
        let port = Int.random(in: 20_000..<30_000)
        process.executableURL = URL(
            filePath: ProcessInfo.processInfo.environment["TILL_PEERS_PYTHON"] ?? python.path(percentEncoded: false))
        process.arguments = ["-m", "localstripe", "--from-scratch", "--port", String(port)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/v1/balance")
        request.headerFields[.authorization] = "Bearer \(Fixture.key)"
        for _ in 0..<100 {
            if (try? await transport.send(request, body: [], deadline: .seconds(2))) != nil {
                return LocalStripe(process: process, port: port)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        process.terminate()
        throw Fault()
    }
}
