import Testing
import TillCore
import TillStatements
import TillTestSupport

@testable import TillStripe

@Suite("Stripe's balance transactions")
struct StatementSourceTests {
    private static func transaction(_ id: String, _ category: String, _ amount: Int, source: String) -> String {
        #"{"id":"\#(id)","amount":\#(amount),"fee":0,"net":\#(amount),"currency":"eur","created":1700000000,"#
            + #""reporting_category":"\#(category)","type":"\#(category)","source":\#(source)}"#
    }

    private static func list(_ rows: String...) -> ScriptedTransport.Step {
        .json(200, #"{"object":"list","has_more":false,"data":[\#(rows.joined(separator: ","))]}"#)
    }

    private static func payout(_ more: String) -> String {
        transaction("txn_2", "payout", -1250, source: #"{"object":"payout","id":"po_1"\#(more)}"#)
    }

    private static let charge = transaction("txn_1", "charge", 1250, source: #"{"object":"charge","id":"ch_1"}"#)

    private func kinds(_ steps: [ScriptedTransport.Step]) async throws -> [StatementLine.Kind] {
        let source = StripeStatementSource(provider: try Fixture.provider(ScriptedTransport(steps)))
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        return try await source.part(from: now, to: now.adding(.hours(1))).lines.map(\.kind)
    }

    @Test("A manual payout, whose rows Stripe does not list, stops nothing else")
    func manual() async throws {
        #expect(try await kinds([Self.list(Self.charge, Self.payout(#","automatic":false"#))]) == [.charge, .payout])
        let refusal = ScriptedTransport.Step.json(400, Fixture.error("parameter_invalid"))
        #expect(try await kinds([Self.list(Self.charge, Self.payout("")), refusal]) == [.charge, .payout])
    }

    @Test("The rows of an automatic payout are read, and a refusal of them other than 400 is an error")
    func automatic() async throws {
        let payout = Self.list(Self.charge, Self.payout(#","automatic":true"#))
        #expect(try await kinds([payout, Self.list(Self.charge)]) == [.charge, .payout, .charge])
        let rejected = ScriptedTransport.Step.json(401, Fixture.error("api_key_expired"))
        await #expect(throws: StatementError.self) { try await kinds([payout, rejected]) }
    }
}
