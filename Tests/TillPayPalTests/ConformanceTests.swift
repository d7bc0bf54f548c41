import ProviderConformance
import Testing
import TillCore
import TillPayPal
import TillSandbox
import TillStandInPayPal
import TillTestSupport

/// PayPal before its stand-in.
private struct PayPalWorld: ProviderWorld {
    private let clock = ManualClock()
    private let standIn: SandboxPayPalTransport
    let provider: any PaymentServiceProvider
    let line: (any FaultyLine)?
    let tender: Tender
    let declined: (tender: Tender, amount: Money)?
    let challenged: Tender?
    let secrets = [Fixture.number, "\"\(Fixture.code)\"", "markedsecret"]
    var now: Timestamp { clock.now() }

    init(client: String = "client") throws {
        standIn = SandboxPayPalTransport(clock: clock)
        let wire = UnreliableWire(standIn)
        line = wire
        provider = try Fixture.provider(wire, clock: clock, client: client)
        tender = try Fixture.tender()
        declined = (try Fixture.tender("CCREJECT-IF"), Moved.amount)
        challenged = try Fixture.tender("SCA-REQUIRED")
    }

    let canHappen: Set<AfterSaleNews> = [.refund, .failRefund, .capture, .dispute, .winDispute, .inquiry, .failCapture]
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool {
        let word = news == .failCapture ? "deny" : news.word
        return await standIn.play(word, on: reference, amount: news.amount)
    }

    func moved() async throws -> Moved {
        let orders = await standIn.ledger()
        func sum(_ name: String) -> Int64 { orders.reduce(0) { $0 + ($1[name]?.int64Value ?? 0) } }
        return Moved(
            live: orders.filter { $0["canceled"]?.boolValue == false && ($0["authorized"]?.int64Value ?? 0) > 0 }.count,
            captured: sum("captured"), refunded: sum("refunded"))
    }
}

@Suite("PayPal keeps what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.all) func keeps(_ promise: Promise) async throws {
        let broken = try await promise.broken { try PayPalWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test("a sale of another client is not touched, whatever PayPal says to that client") func otherAccount()
        async throws
    {
        let broken = try await CredentialChange.broken { try PayPalWorld(client: $0) }
        #expect(broken.isEmpty, "\(broken)")
    }
}
