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

/// Braintree's statements over its searches.
@Suite("Braintree's statements") struct BraintreeStatementSourceTests {
    private let clock = ManualClock(waits: .last)

    private func source(_ transport: any HTTPTransport) throws -> BraintreeStatementSource {
        BraintreeStatementSource(provider: try BraintreeProviderTests.provider(transport, at: clock))
    }

    private func part(_ transport: any HTTPTransport, days: Int64 = 7) async throws -> StatementPart {
        let now = clock.now()
        return try await source(transport).part(from: now.adding(.days(-days)), to: now)
    }

    private func ids(_ names: [String]) -> ScriptedTransport.Step {
        let items = names.map { "<item>\($0)</item>" }.joined()
        return .json(200, "<search-results><ids type=\"array\">\(items)</ids></search-results>")
    }

    private func transaction(_ id: String, _ more: String = "", status: String = "settled", type: String = "sale")
        -> String
    {
        "<transaction><id>\(id)</id><status>\(status)</status><type>\(type)</type><amount>12.50</amount>"
            + "<currency-iso-code>EUR</currency-iso-code><order-id>pay_1-a1</order-id>"
            + "<created-at>2027-01-15T08:00:00Z</created-at>\(more)</transaction>"
    }

    private static let paid =
        "<disbursement-details><disbursement-date type=\"date\">2027-01-17</disbursement-date>"
        + "<settlement-amount>12.50</settlement-amount><settlement-currency-iso-code>EUR</settlement-currency-iso-code>"
        + "<success type=\"boolean\">true</success></disbursement-details>"

    private func page(_ transactions: [String]) -> ScriptedTransport.Step {
        .json(200, "<credit-card-transactions>\(transactions.joined())</credit-card-transactions>")
    }

    private static let noDisputes = ScriptedTransport.Step.json(
        200, "<disputes><total-items type=\"integer\">0</total-items></disputes>")

    @Test("reads what the searches name in pages, and says what it covers")
    func pages() async throws {
        let names = (1...BraintreeStatementSource.pageSize + 1).map { "t\(100 + $0)" }
        let wire = ScriptedTransport([
            ids(names), ids([]),
            page(names.prefix(BraintreeStatementSource.pageSize).map { transaction($0, Self.paid) }),
            page([transaction(names[names.count - 1], Self.paid)]), Self.noDisputes,
        ])
        let part = try await part(wire)
        #expect(part.lines.count == 2 * names.count && Set(part.lines.map(\.id)).count == part.lines.count)
        #expect(part.lines.filter { $0.kind == .charge }.allSatisfy { $0.payment == PaymentID(rawValue: "pay_1") })
        #expect(part.covers?.to == clock.now() && part.covers?.from == clock.now().adding(.days(-7)))
        #expect(
            wire.calls.map(\.line) == [
                "POST /merchants/merchant/transactions/advanced_search_ids",
                "POST /merchants/merchant/transactions/advanced_search_ids",
                "POST /merchants/merchant/transactions/advanced_search",
                "POST /merchants/merchant/transactions/advanced_search",
                "POST /merchants/merchant/disputes/advanced_search?page=1",
            ])
    }

    @Test("a transaction that a search names and that does not come is an error, never a part")
    func incomplete() async throws {
        for answer in [[], ["t2"], ["t1", "t1"]] {
            // All else is answered, so that only the page can be what is wrong.
            let wire = ScriptedTransport([
                ids(["t1"]), ids([]), page(answer.map { transaction($0, Self.paid) }), Self.noDisputes,
            ])
            let error = await #expect(throws: StatementError.self) { try await part(wire) }
            #expect(error?.code == "statement_not_fetched", "\(answer)")
        }
    }

    @Test("a time of which too much is found is halved, down to a day, which is then named")
    func halved() async throws {
        let many = (0...BraintreeStatementSource.maximumFound).map { "t\($0)" }
        let wire = ScriptedTransport(
            [ids(many), ids([]), ids(["t1"]), ids([]), page([transaction("t1", Self.paid)]), Self.noDisputes])
        #expect(try await part(wire, days: 1).lines.count == 2)
        let day = ScriptedTransport([ids(many), ids(many)])
        let error = await #expect(throws: StatementError.self) { try await part(day, days: 1) }
        #expect(error?.reason.contains("of one day") == true && error?.next.contains("control panel") == true)
    }

    @Test("what came to nothing is two lines that leave nothing; what never was handed in is none")
    func nothingLeft() async throws {
        func history(_ states: String...) -> String {
            let events = states.map { "<status-event><status>\($0)</status></status-event>" }.joined()
            return "<status-history type=\"array\">\(events)</status-history>"
        }
        let taken = history("submitted_for_settlement", "voided")
        let wire = ScriptedTransport([
            ids([]), ids(["a", "b", "c", "d"]),
            page([
                transaction("a", taken, status: "voided"), transaction("b", history("authorized"), status: "voided"),
                transaction("c", history("submitted_for_settlement"), status: "settlement_declined"),
                transaction("d", history("submitted_for_settlement"), status: "processor_declined", type: "credit"),
            ]), Self.noDisputes,
        ])
        let lines = try await part(wire).lines
        #expect(lines.map(\.kind) == [.charge, .refund, .charge, .chargeFailure, .refund, .refundFailure])
        #expect(lines.map(\.gross.minorUnits) == [1_250, -1_250, 1_250, -1_250, -1_250, 1_250])
    }

    @Test("funds that are kept back are no payout, and a payout that the bank refused is none yet")
    func standing() async throws {
        for (more, kinds) in [
            ("<funds-held>true</funds-held><success>false</success>", [StatementLine.Kind.charge, .transfer]),
            ("<success>false</success>", [.charge]), ("<funds-held>false</funds-held>", [.charge, .payout]),
        ] {
            let details = Self.paid.replacing("<success type=\"boolean\">true</success>", with: more)
            let wire = ScriptedTransport([ids(["a"]), ids([]), page([transaction("a", details)]), Self.noDisputes])
            #expect(try await part(wire).lines.map(\.kind) == kinds, "\(more)")
        }
    }

    @Test("a dispute's money is taken once, however it goes on, and given back once it is won")
    func dispute() async throws {
        func step(_ status: String, _ day: String?) -> String {
            "<status-history><status>\(status)</status><timestamp>2027-01-\(day ?? "20")T08:00:00Z</timestamp>"
                + (day.map { "<disbursement-date type=\"date\">2027-01-\($0)</disbursement-date>" } ?? "")
                + "</status-history>"
        }
        func lines(_ steps: [String]) async throws -> [StatementLine] {
            let dispute =
                "<dispute><id>d1</id><amount-disputed>12.50</amount-disputed><amount-won>10.00</amount-won>"
                + "<currency-iso-code>EUR</currency-iso-code><kind>chargeback</kind><status>won</status>"
                + "<status-history type=\"array\">\(steps.joined())</status-history>"
                + "<transaction><id>a</id><order-id>pay_1-a1</order-id></transaction></dispute>"
            let answer = "<disputes><total-items type=\"integer\">1</total-items>\(dispute)</disputes>"
            return try await part(ScriptedTransport([ids([]), ids([]), .json(200, answer)])).lines
        }
        let whole = try await lines([step("won", "25"), step("open", "18"), step("disputed", nil), step("lost", "19")])
        #expect(whole.map(\.kind) == [.dispute, .payout, .disputeReversal, .payout])
        #expect(whole.map(\.gross.minorUnits) == [-1_250, 1_250, 1_000, -1_000])
        #expect(whole.map(\.id) == ["d1/open", "d1/open/disbursed", "d1/won", "d1/won/disbursed"])
        #expect(whole[0].payment == PaymentID(rawValue: "pay_1") && whole[0].references == ["d1", "a"])
        #expect(try await lines([step("open", nil)]).isEmpty)
    }

    @Test("a refusal says what to set up, and what cannot be read names the transaction")
    func refusals() async throws {
        let refused = await #expect(throws: StatementError.self) { try await part(ScriptedTransport([.json(403, "")])) }
        #expect(refused?.code == "statement_not_set_up" && refused?.moneyMoved == .no)
        for step in [ScriptedTransport.Step.json(503, ""), .json(200, "<x/>"), .fail(.unknown(reason: "lost"))] {
            let error = await #expect(throws: StatementError.self) { try await part(ScriptedTransport([step])) }
            #expect(error?.code == "statement_not_fetched", "\(step)")
        }
        for more in [
            Self.paid.replacing("12.50", with: "12.505"), Self.paid.replacing("EUR", with: "EURO"),
            Self.paid.replacing("2027-01-17", with: "tomorrow"),
            Self.paid + "<service-fee-amount>1.00</service-fee-amount>",
        ] {
            let wire = ScriptedTransport([ids(["a"]), ids([]), page([transaction("a", more)])])
            let error = await #expect(throws: StatementError.self) { try await part(wire) }
            #expect(error?.reason.hasPrefix("transaction a: ") == true, "\(error?.reason ?? more)")
        }
    }

    @Test("the stand-in's sale, refund and dispute are lines of their payment, and all that was paid out")
    func standIn() async throws {
        let sandbox = SandboxBraintree(clock: clock)
        let provider = try BraintreeProviderTests.provider(sandbox, at: clock)
        let checkout = Checkout(journal: MemoryJournal(), providers: [provider], clock: clock)
        func sell(_ name: String) async throws -> Payment {
            let order = try Order(id: OrderID(rawValue: name), amount: BraintreeProviderTests.amount)
            let id = try await checkout.create(
                checkout.draft(account: .main, order: order, captureMode: .automatic)
            ).id
            return try await checkout.confirm(
                id, account: .main, provider: provider.name, tender: .card(BraintreeProviderTests.card().details))
        }
        let sold = try await sell("o-1")
        let voided = try await sell("o-2")
        // Before its settlement the whole is given back by a void.
        _ = try await checkout.refund(voided.id, account: .main)
        await sandbox.settle()
        _ = try await checkout.refund(sold.id, account: .main, amount: Money(minorUnits: 500, currency: .eur))
        await sandbox.settle()
        #expect(await sandbox.statement(.members(["do": .string("disburse")])))
        let reference = try #require(sold.attempts.last?.authorization?.reference)
        #expect(await sandbox.play("dispute", on: reference))
        let lines = try await part(sandbox).lines
        #expect(Set(lines.filter { $0.kind != .payout }.map(\.payment)) == [sold.id, voided.id])
        let moved = lines.filter { $0.payment == sold.id }.sorted { $0.gross.minorUnits < $1.gross.minorUnits }
        #expect(moved.map(\.kind) == [.dispute, .refund, .charge])
        #expect(moved.map(\.gross.minorUnits) == [-1_250, -500, 1_250])
        #expect(lines.filter { $0.payment == voided.id }.map(\.kind) == [.charge, .refund])
        #expect(lines.reduce(0) { $0 + $1.net.minorUnits } == 0)
    }
}
