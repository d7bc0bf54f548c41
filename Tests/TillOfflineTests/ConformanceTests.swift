import ProviderConformance
import Testing
import TillCore
import TillSandbox
import TillTestSupport

@testable import TillOffline

/// Cards stored on this device, before the provider that they will be forwarded to.
private struct OfflineWorld: ProviderWorld {
    private let shop: OfflineShop
    let provider: any PaymentServiceProvider
    let tender = Tender.cardPresent(
        CardPresentPayload(
            reader: "tap", sealed: Secret("sim:4242424242424242:visa:contactless_emv"),
            card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "contactless_emv")))
    let declined: (tender: Tender, amount: Money)? = nil
    let secrets = ["4242424242424242"]
    var now: Timestamp { shop.clock.now() }

    init() async throws {
        let shop = try OfflineShop()
        self.shop = shop
        provider = OfflineProvider(online: shop.sandbox, policy: OfflineExamples.lenient, clock: shop.clock) {
            () async throws(OfflineLogError) in
            do { return try shop.opened() } catch { throw OfflineLogError(error) }
        }
        try await shop.contact()
    }

    func moved() async throws -> Moved {
        let charges = try await shop.sandbox.ledger.charges()
        return Moved(
            live: charges.filter { $0.state == .authorized && $0.authorized > 0 }.count,
            captured: charges.reduce(0) { $0 + $1.captured }, refunded: charges.reduce(0) { $0 + $1.refunded })
    }
}

@Suite("Storing cards keeps what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.allOfStoring) func keeps(_ promise: Promise) async throws {
        let broken = try await promise.broken { try await OfflineWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }
}
