import HTTPTypes
import Testing
import TillCheckout
import TillCore
import TillStatements
import TillStandInPayPal
import TillTestSupport

@testable import TillPayPal

/// PayPal's statements over its search of transactions.
@Suite("PayPal's statements")
struct PayPalStatementSourceTests {
    private static let start = ManualClock().now()
    private let clock = ManualClock(PayPalStatementSourceTests.start.adding(.days(40)))

    private func source(_ transport: any HTTPTransport) throws -> PayPalStatementSource {
        PayPalStatementSource(provider: try Fixture.provider(transport, clock: clock))
    }

    private func row(_ id: String, _ value: String = "1.00", fee: String = "-0.10", code: String = "T0006") -> String {
        #"{"transaction_info":{"transaction_id":"\#(id)","transaction_event_code":"\#(code)","transaction_status":"S","#
            + #""transaction_initiation_date":"2027-01-15T04:03:52+0000","#
            + #""transaction_amount":{"currency_code":"EUR","value":"\#(value)"},"#
            + #""fee_amount":{"currency_code":"EUR","value":"\#(fee)"},"custom_field":"pay_1-a1"}}"#
    }

    private func page(_ rows: [String], pages: Int = 1, total: Int? = nil) -> ScriptedTransport.Step {
        .json(
            200,
            #"{"transaction_details":[\#(rows.joined(separator: ","))],"#
                + #""total_items":\#(total ?? rows.count),"total_pages":\#(pages)}"#)
    }

    private func part(
        _ steps: [ScriptedTransport.Step], days: Int64 = 7
    ) async throws -> (part: StatementPart, calls: [String]) {
        let wire = ScriptedTransport(steps)
        let part = try await source(wire).part(from: Self.start, to: Self.start.adding(.days(days)))
        return (part, wire.calls.map(\.line))
    }

    @Test("reads every page of a time, with what moves money only, and says what it covers")
    func pages() async throws {
        let (part, calls) = try await part([page([row("A")], pages: 2, total: 2), page([row("B")], pages: 2, total: 2)])
        #expect(part.lines.map(\.gross.minorUnits) == [100, 100] && part.lines.allSatisfy { $0.fee.minorUnits == 10 })
        #expect(part.lines.allSatisfy { $0.payment == PaymentID(rawValue: "pay_1") })
        #expect(part.covers?.from == Self.start && part.covers?.to == Self.start.adding(.days(7)))
        #expect(calls.count == 2 && calls.allSatisfy { $0.contains("balance_affecting_records_only=Y") })
        #expect(calls[0].hasSuffix("&page=1") && calls[1].hasSuffix("&page=2"))
    }

    @Test("asks for 31 days at most, and halves a time of which PayPal finds too much")
    func windows() async throws {
        let (_, calls) = try await part([page([]), page([])], days: 35)
        #expect(calls.count == 2)
        let tooMuch = #"{"name":"INVALID_REQUEST","message":"m","details":[{"issue":"RESULTSET_TOO_LARGE"}]}"#
        let (part, halves) = try await part([.json(400, tooMuch), page([row("A")]), page([row("B")])])
        #expect(part.lines.count == 2 && halves.count == 3)
        let middle = Self.start.adding(.hours(84)).internetTime
        #expect(halves[1].contains("end_date=\(middle)") && halves[2].contains("start_date=\(middle)"))
    }

    @Test("pages that shift while they are read are read again, and never a part is given")
    func shifting() async throws {
        let (part, calls) = try await part([
            page([row("A")], pages: 2, total: 2), page([row("C")], pages: 2, total: 3),
            page([row("A"), row("B"), row("C")]),
        ])
        #expect(part.lines.count == 3 && calls.count == 3)
        await #expect(throws: StatementError.self) {
            try await self.part([self.page([self.row("A")], pages: 2, total: 2), .json(503, "{}")])
        }
        await #expect(throws: StatementError.self) { try await self.part([self.page([], pages: 1, total: 4)]) }
    }

    @Test("an app without the feature is told what to set up, and what cannot be there yet is not asked for")
    func refusals() async throws {
        do {
            _ = try await part([.json(403, #"{"name":"NOT_AUTHORIZED","message":"m"}"#)])
            Issue.record("it was fetched")
        } catch let error as StatementError {
            #expect(error.code == "statement_not_set_up" && error.next.contains("Transaction Search"))
            #expect(error.moneyMoved == .no)
        }
        let wire = ScriptedTransport([])
        let now = clock.now()
        let part = try await source(wire).part(from: now.adding(Span(milliseconds: -3_600_000)), to: now)
        #expect(part.lines.isEmpty && part.covers == nil && wire.calls.isEmpty)
    }

    @Test("the stand-in's sale, refund and fee are lines of their payment, and net is gross less fee")
    func standIn() async throws {
        let shop = MortalShop()
        let paid = try await shop.sale(.automatic)
        _ = try await shop.engine().engine.refund(paid.id, account: .main)
        let begin = shop.clock.now()
        shop.clock.advance(by: .hours(4))
        let source = PayPalStatementSource(provider: try Fixture.provider(shop.payPal, clock: shop.clock))
        let part = try await source.part(from: begin.adding(Span(milliseconds: -60_000)), to: shop.clock.now())
        #expect(part.lines.map(\.kind) == [.charge, .refund] || part.lines.map(\.kind) == [.refund, .charge])
        #expect(part.lines.allSatisfy { $0.payment == paid.id })
        let charge = try #require(part.lines.first { $0.kind == .charge })
        #expect(charge.fee.minorUnits == 92 && charge.net.minorUnits == 1_250 - 92)
    }
}
