import ProviderConformance
import Synchronization
import Testing
import TillBraintree
import TillCards
import TillCore
import TillSandbox
import TillStandInBraintree

/// A clock that moves only when time passes at the stand-in.
private final class PassingClock: TillClock {
    private let time = Mutex(Int64(1_800_000_000_000))
    func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }
    func advance(_ span: Span) { time.withLock { $0 += span.milliseconds } }
    func sleep(for span: Span) async throws { advance(span) }
}

/// Braintree before its stand-in, with the nights that settle its sales.
private struct BraintreeWorld: ProviderWorld {
    private let clock = PassingClock()
    private let standIn: SandboxBraintree
    let provider: any PaymentServiceProvider
    let line: (any FaultyLine)?
    let tender: Tender
    let declined: (tender: Tender, amount: Money)?
    let secrets = ["4111111111111111", "\"987\"", "markedprivate"]
    var now: Timestamp { clock.now() }

    init(merchant: String = "merchant") throws {
        standIn = SandboxBraintree(clock: clock)
        let wire = UnreliableWire(standIn)
        line = wire
        let config = try BraintreeConfig(
            merchantID: merchant, publicKey: "public", privateKey: Secret("markedprivate"),
            merchantAccounts: [.eur: "sandbox", .jpy: "sandbox_jpy"], url: "http://127.0.0.1:9")
        provider = BraintreeProvider(config: config, transport: wire, clock: clock)
        let card = try PaymentCard(
            number: "4111111111111111", expiry: "12/30", securityCode: "987", holder: "Ada", now: clock.now())
        tender = .card(card.details)
        // The stand-in's processor declines by the amount.
        declined = (tender, Money(minorUnits: 200_100, currency: .eur))
    }

    let canHappen: Set<AfterSaleNews> = [.refund, .failRefund, .capture, .dispute, .winDispute, .inquiry, .failCapture]
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool {
        let word = news == .failCapture ? "decline_settlement" : news.word
        return await standIn.play(word, on: reference, amount: news.amount)
    }

    func moved() async throws -> Moved {
        let entries = await standIn.ledger()
        func sum(_ name: String) -> Int64 { entries.reduce(0) { $0 + ($1[name]?.int64Value ?? 0) } }
        let live = entries.filter { entry in
            entry["type"]?.stringValue == "sale"
                && ["authorized", "submitted_for_settlement", "settling", "settled"]
                    .contains(entry["state"]?.stringValue ?? "")
        }
        return Moved(live: live.count, captured: sum("captured"), refunded: sum("refunded"))
    }

    func wait() async throws {
        clock.advance(.minutes(10))
        await standIn.settle()
    }
}

@Suite("Braintree keeps what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.all) func keeps(_ promise: Promise) async throws {
        let broken = try await promise.broken { try BraintreeWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test("a sale of another merchant is not touched, whatever that merchant's search says of it") func otherAccount()
        async throws
    {
        let broken = try await CredentialChange.broken { try BraintreeWorld(merchant: $0) }
        #expect(broken.isEmpty, "\(broken)")
    }
}
