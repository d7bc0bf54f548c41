import ProviderConformance
import Testing
import TillCards
import TillCore
import TillSandbox
import TillStandInStripe
import TillStripe

/// Stripe before its stand-in.
private struct StripeWorld: ProviderWorld {
    private let ledger: SandboxLedger
    private let standIn: SandboxStripeTransport
    let provider: any PaymentServiceProvider
    let line: (any FaultyLine)?
    let tender: Tender
    let declined: (tender: Tender, amount: Money)?
    let challenged: Tender?
    let secrets = ["4242424242424242", "4000000000009995", "\"987\"", "sk_test_markedkey"]
    let now = SystemClock().now()

    init(account: String = "one") throws {
        let clock = SystemClock()
        standIn = SandboxStripeTransport(
            ledger: SandboxLedger(store: SandboxMemoryStore(), clock: clock, rules: SandboxRules()),
            account: "acct_\(account)")
        ledger = standIn.ledger
        let wire = UnreliableWire(standIn)
        line = wire
        provider = try StripeProvider(secretKey: Secret("sk_test_markedkey"), transport: wire, clock: clock)
        func card(_ number: String) throws -> Tender {
            .card(
                try PaymentCard(
                    number: number, expiry: "12/34", securityCode: "987",
                    now: Timestamp(milliseconds: 1_795_000_000_000)
                ).details)
        }
        tender = try card("4242424242424242")
        declined = (try card("4000000000009995"), Moved.amount)
        challenged = try card("4000002760003184")
    }

    let canHappen: Set<AfterSaleNews> = [.refund, .failRefund, .capture, .dispute, .winDispute, .inquiry]
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool {
        await standIn.play(news.word, on: reference, amount: news.amount)
    }

    func moved() async throws -> Moved {
        let charges = try await ledger.charges()
        return Moved(
            live: charges.filter { $0.state == .authorized && $0.authorized > 0 }.count,
            captured: charges.reduce(0) { $0 + $1.captured }, refunded: charges.reduce(0) { $0 + $1.refunded })
    }
}

@Suite("Stripe keeps what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.all) func keeps(_ promise: Promise) async throws {
        let broken = try await promise.broken { try StripeWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test("a sale of another account is not touched, whatever that account says of it") func otherAccount()
        async throws
    {
        let broken = try await CredentialChange.broken { try StripeWorld(account: $0) }
        #expect(broken.isEmpty, "\(broken)")
    }
}
