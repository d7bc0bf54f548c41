import HTTPTypes
import Testing
import TillCheckout
import TillCore
import TillStatements
import TillStandInPayPal
import TillTestSupport

@testable import TillPayPal

/// What PayPal's search of transactions shows after a restore.
@Suite("PayPal's list of charges") struct PayPalChargeListingTests {
    private static let start = ManualClock().now()

    private func listing(_ transport: any HTTPTransport, _ clock: ManualClock = ManualClock()) throws
        -> PayPalChargeListing
    {
        PayPalChargeListing(provider: try Fixture.provider(transport, clock: clock))
    }

    private func all(_ listing: PayPalChargeListing, since: Timestamp = start) async -> [ListedCharge]? {
        var (found, cursor): ([ListedCharge], String?) = ([], nil)
        for _ in 0..<20 {
            guard case .listed(let charges, let next) = await listing.charges(since: since, after: cursor) else {
                return nil
            }
            found += charges
            cursor = next
            if next == nil { return found }
        }
        Issue.record("the list does not end")
        return nil
    }

    private func row(_ id: String, code: String = "T0006", status: String = "S", custom: String? = nil) -> String {
        let custom = custom.map { #","custom_field":"\#($0)""# } ?? ""
        return #"{"transaction_info":{"transaction_id":"\#(id)","transaction_event_code":"\#(code)","#
            + #""transaction_status":"\#(status)","transaction_amount":{"currency_code":"EUR","value":"1.00"}\#(custom)}}"#
    }

    private func page(_ rows: [String], pages: Int = 1, total: Int? = nil) -> ScriptedTransport.Step {
        .json(
            200,
            #"{"transaction_details":[\#(rows.joined(separator: ","))],"#
                + #""total_items":\#(total ?? rows.count),"total_pages":\#(pages)}"#)
    }

    @Test("has captures, holds and refunds with the attempt that they are of, once the search shows them")
    func standIn() async throws {
        let shop = MortalShop()
        let paid = try await shop.sale(.automatic)
        _ = try await shop.engine().engine.refund(paid.id, account: .main)
        let held = try await shop.sale(.manual)
        let list = try listing(shop.payPal, shop.clock)
        #expect(list.lag == .hours(3))
        shop.payPal.setLists(late: .hours(3))
        shop.clock.advance(by: .hours(2))
        #expect(await all(list)?.isEmpty == true)
        shop.clock.advance(by: .hours(1))
        let found = try #require(await all(list))
        #expect(Set(found.map(\.payment)) == [paid.id, held.id])
        let charges = found.filter { $0.kind == .charge }
        #expect(charges.compactMap(\.attempt?.rawValue).sorted() == ["\(paid.id)-a1", "\(held.id)-a1"].sorted())
        #expect(charges.allSatisfy { $0.mayHaveMoved })
        #expect(found.filter { $0.kind == .refund }.map(\.payment) == [paid.id])
    }

    @Test("a long time is read in windows of 31 days at most, and nothing between them is left out")
    func windows() async throws {
        let wire = ScriptedTransport([page([row("A")]), page([row("B")]), page([row("C")])])
        let clock = ManualClock()
        let since = clock.now().adding(.days(-70))
        #expect(await all(try listing(wire, clock), since: since)?.map(\.reference.rawValue) == ["A", "B", "C"])
        let paths = wire.calls.compactMap(\.request.path).filter { $0.hasPrefix("/v1/reporting") }
        let dates = paths.map { path in
            ["start_date", "end_date"].compactMap { name in
                path.split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix("\(name)=") }
                    .flatMap { Timestamp(internetTime: String($0.dropFirst(name.count + 1))) }
            }
        }
        #expect(dates.count == 3 && dates.allSatisfy { $0.count == 2 && $0[1].since($0[0]) <= .days(31) })
        #expect(dates.first?.first.map { $0 <= since } == true)
        for (one, next) in zip(dates, dates.dropFirst()) { #expect(next[0] <= one[1]) }
        #expect(dates.last.map { clock.now().since($0[1]) < .seconds(1) } == true)
    }

    @Test("a window whose number of transactions changes is read again, and one with too many is halved")
    func changes() async throws {
        let tooMany = ScriptedTransport.Step.json(
            400, #"{"name":"INVALID_REQUEST","details":[{"issue":"RESULTSET_TOO_LARGE"}]}"#)
        let wire = ScriptedTransport([
            tooMany, page([row("A")], pages: 2, total: 2), page([row("C")], pages: 2, total: 3),
            page([row("A")], pages: 2, total: 3), page([row("B"), row("C")], pages: 2, total: 3), page([row("D")]),
        ])
        let clock = ManualClock()
        let found = await all(try listing(wire, clock), since: clock.now().adding(.hours(-4)))
        #expect(found?.map(\.reference.rawValue) == ["A", "A", "B", "C", "D"])
    }

    @Test("a page with a row that cannot be read, a refusal and a lost answer conclude nothing")
    func failures() async throws {
        let unreadable = page([row("A"), #"{"transaction_info":{"transaction_id":"B"}}"#])
        let forbidden = ScriptedTransport.Step.json(403, #"{"name":"NOT_AUTHORIZED"}"#)
        for step in [unreadable, forbidden, .json(500, "{}"), page([], pages: 1, total: 4), .json(200, "{}")] {
            let list = try listing(ScriptedTransport([step]))
            guard case .failed = await list.charges(since: Self.start.adding(.hours(-1)), after: nil) else {
                Issue.record("\(step) is a list")
                continue
            }
        }
    }

    @Test("what was declined has not moved; a code that is not known may be a charge, a fee is none")
    func codes() async throws {
        let custom = "pay_1-a1"
        let rows = [
            row("A", status: "D", custom: custom), row("B", code: "T9999", custom: custom),
            row("C", code: "T0100", custom: custom), row("D", custom: "another program's"),
        ]
        let found = try #require(
            await all(
                try listing(ScriptedTransport([page(rows)])), since: Self.start.adding(.hours(-1))))
        #expect(found.map(\.mayHaveMoved) == [false, true, true, true])
        #expect(found.map(\.kind) == [.charge, .charge, .refund, .charge])
        #expect(found.map(\.payment?.rawValue) == ["pay_1", "pay_1", "pay_1", nil])
    }
}
