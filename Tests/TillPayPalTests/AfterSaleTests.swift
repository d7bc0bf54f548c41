import HTTPTypes
import Testing
import TillCore
import TillProvider
import TillPayPalClient
import TillStandInPayPal
import TillTestSupport
@testable import TillPayPal

@Suite("PayPal after the sale") struct AfterSaleTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private static func dispute(_ status: String, _ more: String) throws -> ProviderSnapshot.Dispute? {
        PayPalDispute(
            try json(
                #"{"dispute_id":"PP-D-1","status":"\#(status)","reason":"UNAUTHORISED","#
                    + #""dispute_amount":{"currency_code":"EUR","value":"12.50"},"dispute_life_cycle_stage":"CHARGEBACK","#
                    + #""seller_response_due_date":"2030-01-31T10:00:00.000Z"\#(more)}"#))?.dispute
    }

    private static func moved(_ party: String, _ type: String, _ reason: String, _ value: String = "12.50") -> String {
        #"{"affected_party":"\#(party)","type":"\#(type)","reason":"\#(reason)","#
            + #""amount":{"currency_code":"EUR","value":"\#(value)"}}"#
    }

    @Test("what is gone for a dispute is what was settled with the shop: no fee, and no money of others")
    func movements() throws {
        func withdrawn(_ movements: [String]) throws -> Int64? {
            let all = movements.joined(separator: ",")
            return try Self.dispute("UNDER_REVIEW", #","money_movements":[\#(all)]"#)?.withdrawn.minorUnits
        }
        let debit = Self.moved("SELLER", "DEBIT", "DISPUTE_SETTLEMENT")
        #expect(try withdrawn([]) == 0)
        #expect(try withdrawn([debit]) == 1250)
        #expect(try withdrawn([debit, Self.moved("SELLER", "DEBIT", "CHARGEBACK_FEE", "14.00")]) == 1250)
        #expect(try withdrawn([Self.moved("BUYER", "CREDIT", "DISPUTE_SETTLEMENT"), debit]) == 1250)
        #expect(try withdrawn([debit, Self.moved("SELLER", "CREDIT", "DISPUTE_SETTLEMENT", "2.50")]) == 1000)
        #expect(try withdrawn([debit, Self.moved("SELLER", "CREDIT", "DISPUTE_SETTLEMENT")]) == 0)
    }

    @Test("how a dispute ends, and what cannot be relied upon") func outcomes() throws {
        func outcome(_ status: String, _ code: String) throws -> Dispute.Outcome? {
            try Self.dispute(status, #","dispute_outcome":{"outcome_code":"\#(code)"}"#)?.outcome
        }
        #expect(try outcome("RESOLVED", "RESOLVED_SELLER_FAVOUR") == .won)
        #expect(try outcome("RESOLVED", "RESOLVED_BUYER_FAVOUR") == .lost)
        #expect(try outcome("RESOLVED", "CANCELED_BY_BUYER") == .closed)
        #expect(try outcome("UNDER_REVIEW", "NONE") == nil)
        #expect(try Self.dispute("OPEN", "")?.facts.respondBy == Timestamp(internetTime: "2030-01-31T10:00:00Z"))
        #expect(PayPalDispute(try Self.json(#"{"dispute_id":"../x","status":"OPEN"}"#)) == nil)
    }

    private static func event(_ kind: String, _ resource: String) throws -> PayPalWebhookEvent {
        let text = #"{"id":"WH-1","event_type":"\#(kind)","resource":{\#(resource)}}"#
        return try #require(PayPalWebhookEvent(Array(text.utf8), transmission: "t"))
    }

    private static let capture =
        #""id":"7TK53561YB803214S","status":"COMPLETED","amount":{"currency_code":"EUR","value":"1.00"}"#
    private static func up(_ path: String) -> String { #","links":[{"rel":"up","href":"https://x/\#(path)"}]"# }

    @Test("what may be news after the sale, and whose it is") func news() throws {
        let ofHold = Self.up("v2/payments/authorizations/0VF52814937998046")
        let ofCapture = Self.up("v2/payments/captures/7TK53561YB803214S")
        for (kind, resource, isNews) in [
            ("PAYMENT.CAPTURE.COMPLETED", Self.capture + #","invoice_id":"pay_1-c1""# + ofHold, false),
            ("PAYMENT.CAPTURE.COMPLETED", Self.capture + #","invoice_id":"pay_1-a1""# + ofHold, true),
            ("PAYMENT.CAPTURE.COMPLETED", Self.capture + Self.up("v2/checkout/orders/5O1"), false),
            ("PAYMENT.CAPTURE.REFUNDED", #""custom_id":"pay_1-r1","status":"COMPLETED""#, false),
            ("PAYMENT.REFUND.PENDING", #""custom_id":"pay_1-r1","status":"PENDING""#, false),
            ("PAYMENT.REFUND.FAILED", #""custom_id":"pay_1-r1","status":"FAILED""#, true),
            ("PAYMENT.CAPTURE.REFUNDED", #""status":"COMPLETED""# + ofCapture, true),
            ("PAYMENT.CAPTURE.REVERSED", #""status":"COMPLETED""# + ofCapture, true),
            ("PAYMENT.CAPTURE.DENIED", Self.capture, true),
            ("CUSTOMER.DISPUTE.UPDATED", #""dispute_id":"PP-D-1""#, true),
            ("CHECKOUT.ORDER.COMPLETED", "", false),
        ] {
            #expect(try Self.event(kind, resource).isAfterSale == isNews, "\(kind) \(resource)")
        }
        let foreign = try Self.event("PAYMENT.CAPTURE.REFUNDED", #""status":"COMPLETED""# + ofCapture)
        #expect(foreign.payment == nil && foreign.capture?.rawValue == "7TK53561YB803214S")
        let dispute = try Self.event(
            "CUSTOMER.DISPUTE.CREATED",
            #""disputed_transactions":[{"seller_transaction_id":"7TK53561YB803214S","custom":"pay_1-a1"}]"#)
        #expect(dispute.payment?.rawValue == "pay_1" && dispute.capture?.rawValue == "7TK53561YB803214S")
    }

    /// A sale at the stand-in, and what a query of it at rest says.
    private struct Shop {
        let clock = ManualClock()
        let standIn: SandboxPayPalTransport
        let provider: PayPalProvider
        let reference: ProviderReference

        init(_ transport: (SandboxPayPalTransport) -> any HTTPTransport = { $0 }) async throws {
            standIn = SandboxPayPalTransport(clock: clock)
            provider = try Fixture.provider(transport(standIn))
            guard case .approved(let made) = await provider.prepare(Fixture.authorization(nil)),
                case .approved(let paid) = await provider.authorize(
                    Fixture.authorization(made.reference?.rawValue), with: try Fixture.tender())
            else { throw CancellationError() }
            reference = paid.reference
        }

        func query(isAtRest: Bool = true) async -> ProviderAnswer<ProviderSnapshot> {
            await provider.query(
                QueryRequest(
                    context: Fixture.context(reference.rawValue), authorizationKey: IdempotencyKey(rawValue: "k"),
                    amount: Fixture.amount, isAtRest: isAtRest))
        }
    }

    @Test("disputes are asked for only where nothing else is open") func whenAsked() async throws {
        let shop = try await Shop()
        #expect(await shop.standIn.play("dispute", on: shop.reference))
        guard case .approved(let open) = await shop.query(isAtRest: false),
            case .approved(let atRest) = await shop.query()
        else {
            Issue.record("not answered")
            return
        }
        #expect(open.disputes.isEmpty && atRest.disputes.map(\.withdrawn) == [Fixture.amount])
    }

    @Test("PayPal takes money back by itself: what went back is found without a name of ours") func reversed()
        async throws
    {
        let shop = try await Shop()
        #expect(await shop.standIn.play("reverse", on: shop.reference))
        guard case .approved(let seen) = await shop.query() else {
            Issue.record("not answered")
            return
        }
        #expect(seen.refunds.map(\.amount) == [Fixture.amount] && seen.refunds.first?.refund == nil)
    }

    /// Answers what is asked of disputes, and hands on the rest.
    private struct Disputeless: HTTPTransport {
        let base: SandboxPayPalTransport
        let status: Int
        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            guard request.path?.hasPrefix("/v1/customer/disputes") == true else {
                return try await base.send(request, body: body, deadline: deadline)
            }
            return HTTPReply(
                response: HTTPResponse(status: .init(code: status)), body: Array(#"{"name":"NOT_AUTHORIZED"}"#.utf8))
        }
    }

    @Test("disputes that cannot be read leave the query open; a client that may not read them has none")
    func unread() async throws {
        let failing = try await Shop { Disputeless(base: $0, status: 500) }
        guard case .unknown = await failing.query() else {
            Issue.record("answered without its disputes")
            return
        }
        guard case .approved = await failing.query(isAtRest: false) else {
            Issue.record("an open step waits for disputes")
            return
        }
        let forbidden = try await Shop { Disputeless(base: $0, status: 403) }
        guard case .approved(let seen) = await forbidden.query() else {
            Issue.record("not answered")
            return
        }
        #expect(seen.disputes.isEmpty && seen.warning == nil)
        #expect(try await forbidden.provider.toldDisputes.areRefused())
        // What a webhook told is believed, and said.
        let capture = try #require(PayPalReference(forbidden.reference)?.capture)
        let event = try Self.event(
            "CUSTOMER.DISPUTE.CREATED",
            #""dispute_id":"PP-D-1","status":"UNDER_REVIEW","messages":[{"content":"Ada"}],"#
                + #""dispute_amount":{"currency_code":"EUR","value":"12.50"},"#
                + #""money_movements":[\#(Self.moved("SELLER", "DEBIT", "DISPUTE_SETTLEMENT"))],"#
                + #""disputed_transactions":[{"seller_transaction_id":"\#(capture.rawValue)"}]"#)
        let told = try #require(event.dispute)
        #expect(told.capture == capture && !told.facts.text.contains("Ada"))
        try await forbidden.provider.toldDisputes.keep(
            "WH-1", of: told.name, about: capture.rawValue, at: nil, told.facts)
        guard case .approved(let again) = await forbidden.query() else {
            Issue.record("not answered")
            return
        }
        #expect(again.disputes.map(\.withdrawn) == [Fixture.amount])
        #expect(again.warning == PayPalProvider.disputesWithheld && again.disputes.first?.isTold == true)
        // A webhook may leave the movements out: then what the customer was paid is lost.
        let lost = try Self.json(
            #"{"dispute_id":"PP-D-1","status":"RESOLVED","dispute_amount":{"currency_code":"EUR","value":"12.50"},"#
                + #""dispute_outcome":{"outcome_code":"RESOLVED_BUYER_FAVOUR","amount_refunded":{"#
                + #""currency_code":"EUR","value":"3.00"}}}"#)
        #expect(PayPalDispute(lost, isTold: true)?.dispute.withdrawn.minorUnits == 300)
        #expect(PayPalDispute(lost)?.dispute.withdrawn.minorUnits == 0, "what is read has all movements")
    }

    private func answered(_ shop: Shop) async throws -> ProviderSnapshot {
        guard case .approved(let seen) = await shop.query() else { throw CancellationError() }
        return seen
    }

    @Test("a reversal and the dispute that it belongs to are one movement; a reversal without one is a refund")
    func reversedForDispute() async throws {
        let shop = try await Shop()
        #expect(await shop.standIn.play("reverse", on: shop.reference))
        let reversed = try await answered(shop)
        #expect(reversed.captured == Fixture.amount && reversed.failedCaptures.isEmpty)
        #expect(reversed.refunds.map(\.amount) == [Fixture.amount])
        #expect(await shop.standIn.play("dispute", on: shop.reference))
        let disputed = try await answered(shop)
        #expect(disputed.captured == Fixture.amount && disputed.failedCaptures.isEmpty)
        #expect(disputed.disputes.map(\.withdrawn) == [Fixture.amount])
        #expect(disputed.disputes.first?.refunds == disputed.refunds.map(\.reference))
        // Won: the money is back, and the reversal is none of its own.
        #expect(await shop.standIn.play("win", on: shop.reference))
        let won = try await answered(shop)
        #expect(won.disputes.map(\.withdrawn.minorUnits) == [0] && won.disputes.first?.refunds.count == 1)
    }

    @Test("a capture that PayPal took back is told by what has its money, and by nothing else")
    func takenBack() async throws {
        func seen(_ disputes: String, _ refunds: String = "") async throws -> ProviderSnapshot? {
            var order = Fixture.order("COMPLETED", captures: [(Fixture.taken, "REVERSED")])
            order = order.replacing(#""authorizations":[]"#, with: #""authorizations":[],"refunds":[\#(refunds)]"#)
            let names = disputes.isEmpty ? "" : #"{"dispute_id":"PP-D-1"}"#
            var steps: [ScriptedTransport.Step] = [.json(200, order), .json(200, #"{"items":[\#(names)]}"#)]
            if !disputes.isEmpty { steps.append(.json(200, disputes)) }
            let answer = await (try Fixture.provider(ScriptedTransport(steps))).query(Fixture.query())
            guard case .approved(let seen) = answer else { return nil }
            return seen
        }
        func dispute(_ movements: String...) -> String {
            #"{"dispute_id":"PP-D-1","status":"UNDER_REVIEW","dispute_amount":{"currency_code":"EUR","value":"12.50"},"#
                + #""money_movements":[\#(movements.joined(separator: ","))]}"#
        }
        func refund(_ value: String) -> String {
            #"{"id":"R1","status":"COMPLETED","amount":{"currency_code":"EUR","value":"\#(value)"}}"#
        }
        let untold = try #require(try await seen(""))
        #expect(untold.captured.isZero && untold.failedCaptures.count == 1 && untold.warning == nil)
        let debit = Self.moved("SELLER", "DEBIT", "DISPUTE_SETTLEMENT")
        let disputed = try #require(try await seen(dispute(debit), refund("12.50")))
        #expect(disputed.captured == Fixture.amount && disputed.disputes.first?.refunds.count == 1)
        #expect(disputed.failedCaptures.isEmpty && disputed.warning == nil)
        let refunded = try #require(try await seen("", refund("12.50")))
        #expect(refunded.captured == Fixture.amount && refunded.warning == PayPalProvider.takenBack)
        let part = try #require(try await seen(dispute(Self.moved("SELLER", "DEBIT", "DISPUTE_SETTLEMENT", "3.00"))))
        #expect(part.captured == Fixture.amount && part.warning == PayPalProvider.takenBack)
        // A dispute that was won says nothing of where the money is now.
        let won = try #require(
            try await seen(dispute(debit, Self.moved("SELLER", "CREDIT", "DISPUTE_SETTLEMENT"))))
        #expect(won.captured.isZero && won.failedCaptures.count == 1)
    }

    private func refunded(_ shop: Shop) async -> ProviderAnswer<TillCore.Confirmation> {
        await shop.provider.refund(Fixture.refund(Fixture.amount.minorUnits, reference: shop.reference.rawValue))
    }

    @Test("our own refund while a dispute is open ends it with the same money; one before it does not")
    func refundedUnderDispute() async throws {
        let during = try await Shop()
        #expect(await during.standIn.play("inquire", on: during.reference))
        _ = await refunded(during)
        #expect(await during.standIn.play("lose", on: during.reference))
        let once = try await answered(during)
        #expect(once.refunds.map(\.amount) == [Fixture.amount])
        #expect(once.disputes.map(\.withdrawn.minorUnits) == [0] && once.disputes.first?.refunds == [])
        // What was lost before is not given back by a refund of the other half.
        let after = try await Shop()
        #expect(await after.standIn.play("dispute", on: after.reference, amount: 625))
        #expect(await after.standIn.play("lose", on: after.reference))
        after.clock.advance(by: .days(7))
        _ = await after.provider.refund(Fixture.refund(625, reference: after.reference.rawValue))
        let both = try await answered(after)
        #expect(both.disputes.map(\.withdrawn.minorUnits) == [625] && both.refunds.map(\.amount.minorUnits) == [625])
        // Nor is what somebody refunded in the dashboard weeks before.
        let dashboard = try await Shop()
        #expect(await dashboard.standIn.play("refund", on: dashboard.reference, amount: 625))
        dashboard.clock.advance(by: .days(20))
        #expect(await dashboard.standIn.play("dispute", on: dashboard.reference, amount: 625))
        let apart = try await answered(dashboard)
        #expect(apart.disputes.map(\.withdrawn.minorUnits) == [625] && apart.disputes.first?.refunds == [])
        let before = try await Shop()
        _ = await refunded(before)
        before.clock.advance(by: .hours(1))
        #expect(await before.standIn.play("dispute", on: before.reference))
        let twice = try await answered(before)
        #expect(twice.disputes.map(\.withdrawn) == [Fixture.amount] && twice.refunds.count == 1)
    }

    @Test("a dispute that is lost in part has taken that part, and what moved in another currency is a share")
    func partlyLost() async throws {
        let shop = try await Shop()
        #expect(await shop.standIn.play("inquire", on: shop.reference))
        #expect(await shop.standIn.play("lose", on: shop.reference, amount: 300))
        #expect(try await answered(shop).disputes.map(\.withdrawn.minorUnits) == [300])
        func usd(_ type: String, _ value: String) -> String {
            #"{"affected_party":"SELLER","type":"\#(type)","reason":"DISPUTE_SETTLEMENT","#
                + #""amount":{"currency_code":"USD","value":"\#(value)"}}"#
        }
        func gone(_ movements: String...) throws -> Int64? {
            try Self.dispute("UNDER_REVIEW", #","money_movements":[\#(movements.joined(separator: ","))]"#)?.withdrawn
                .minorUnits
        }
        #expect(try gone(usd("DEBIT", "14.00")) == 1250)
        #expect(try gone(usd("DEBIT", "14.00"), usd("CREDIT", "7.00")) == 625)
        #expect(try gone(#"{"affected_party":"SELLER","type":"DEBIT"}"#) == nil, "no amount")
    }

    @Test("whose payment a refund in the dashboard is of is asked of its capture") func owner() async throws {
        let shop = try await Shop()
        let capture = try #require(PayPalReference(shop.reference)?.capture)
        #expect(try await shop.provider.payment(of: capture) == PaymentID(rawValue: "pay_1"))
    }
}
