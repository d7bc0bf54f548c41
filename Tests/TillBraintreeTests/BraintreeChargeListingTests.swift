import HTTPTypes
import Testing
import TillCards
import TillCheckout
import TillCore
import TillJournal
import TillStatements
import TillStandInBraintree
import TillTestSupport

@testable import TillBraintree

/// What Braintree's search shows after a restore.
@Suite("Braintree's list of charges") struct BraintreeChargeListingTests {
    private func all(_ listing: BraintreeChargeListing, since: Timestamp) async -> (found: [ListedCharge], pages: Int)?
    {
        var (found, pages, cursor): ([ListedCharge], Int, String?) = ([], 0, nil)
        for _ in 0..<10 {
            guard case .listed(let charges, let next) = await listing.charges(since: since, after: cursor) else {
                return nil
            }
            found += charges
            pages += 1
            cursor = next
            if next == nil { return (found, pages) }
        }
        Issue.record("the list does not end")
        return nil
    }

    @Test("has every transaction since then once, in pages, with the attempt that it is of")
    func pages() async throws {
        let clock = ManualClock(waits: .last)
        let provider = try BraintreeProviderTests.provider(SandboxBraintree(clock: clock), at: clock)
        let checkout = Checkout(journal: MemoryJournal(), providers: [provider], clock: clock)
        func sell(_ number: Int) async throws -> PaymentID {
            let order = try Order(id: OrderID(rawValue: "o-\(number)"), amount: BraintreeProviderTests.amount)
            let id = try await checkout.create(
                checkout.draft(account: .main, order: order, captureMode: .automatic)
            ).id
            _ = try await checkout.confirm(
                id, account: .main, provider: provider.name, tender: .card(BraintreeProviderTests.card().details))
            return id
        }
        _ = try await sell(0)
        clock.advance(by: .hours(2))
        let since = clock.now()
        var sold: [PaymentID] = []
        for number in 1...(BraintreeChargeListing.pageSize + 1) { sold.append(try await sell(number)) }
        let listing = BraintreeChargeListing(provider: provider)
        let (found, pages) = try #require(await all(listing, since: since))
        #expect(pages == 2)
        #expect(found.compactMap(\.payment?.rawValue).sorted() == sold.map(\.rawValue).sorted())
        #expect(found.compactMap(\.attempt?.rawValue).sorted() == sold.map { "\($0)-a1" }.sorted())
        #expect(
            found.allSatisfy { $0.kind == .charge && $0.mayHaveMoved && $0.amount == BraintreeProviderTests.amount })
        #expect(listing.lag == BraintreeProvider.lateArrival)
    }

    @Test("concludes nothing from an answer that is no list") func failures() async throws {
        for step in [ScriptedTransport.Step.json(500, "<x/>"), .json(200, "<x/>"), .fail(.notSent(reason: "down"))] {
            let provider = try BraintreeProviderTests.provider(ScriptedTransport([step]), at: ManualClock())
            let page = await BraintreeChargeListing(provider: provider)
                .charges(since: Timestamp(milliseconds: 0), after: nil)
            guard case .failed = page else {
                Issue.record("\(step) is a list")
                continue
            }
        }
    }
}
