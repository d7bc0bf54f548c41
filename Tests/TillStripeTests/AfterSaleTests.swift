import Testing
import TillCore
import TillSandbox
import TillStandIns
import TillTestSupport

@testable import TillStripe

@Suite("Stripe after the sale") struct AfterSaleTests {
    private typealias Step = ScriptedTransport.Step

    private func snapshot(_ charge: String, _ pages: [String]) async throws -> ProviderSnapshot? {
        let intent = Fixture.intent(
            "succeeded", #","amount_received":1250,"latest_charge":{"id":"ch_1","disputed":\#(charge)}"#)
        let steps: [Step] = [.json(200, intent)] + pages.map { .json(200, #"{"data":[\#($0)],"has_more":false}"#) }
        let provider = try Fixture.provider(ScriptedTransport(steps))
        guard case .approved(let snapshot) = await provider.query(Fixture.query()) else { return nil }
        return snapshot
    }

    private func dispute(_ status: String, _ moved: String, _ due: String = "1800000000") -> String {
        #"{"id":"du_1","amount":1250,"currency":"eur","payment_intent":"pi_1","reason":"fraudulent","status":"\#(status)","#
            + #""evidence_details":{"due_by":\#(due)},"balance_transactions":[\#(moved)]}"#
    }

    @Test("a dispute is read with its reason, its stage, its deadline and what became of the money")
    func disputes() async throws {
        func read(_ text: String) async throws -> ProviderSnapshot.Dispute? {
            try await snapshot("true", ["", text])?.disputes.first
        }
        let open = try await read(dispute("needs_response", #"{"amount":-1390,"currency":"usd"}"#))
        #expect(open?.facts.reference == ProviderReference(rawValue: "du_1"))
        #expect(open?.facts.reason == "fraudulent" && open?.facts.stage == "needs_response")
        #expect(open?.facts.respondBy == Timestamp(milliseconds: 1_800_000_000_000))
        #expect(open?.withdrawn == Fixture.amount && open?.outcome == nil)
        // A currency's adjustment is a balance transaction of its own: they are summed.
        let won = try await read(dispute("won", #"{"amount":-1390},{"amount":1400}"#))
        #expect(won?.withdrawn.isZero == true && won?.outcome == .won)
        #expect(try await read(dispute("lost", #"{"amount":-1390}"#))?.outcome == .lost)
        let inquiry = try await read(dispute("warning_needs_response", "", "0"))
        #expect(inquiry?.withdrawn.isZero == true && inquiry?.facts.respondBy == nil && inquiry?.outcome == nil)
        #expect(try await read(dispute("warning_closed", ""))?.outcome == .closed)
    }

    @Test("a dispute that cannot be read is not left out: the query is not answered") func unreadable() async throws {
        #expect(try await snapshot("true", ["", #"{"id":"du_1"}"#]) == nil)
        #expect(try await snapshot("true", [""]) == nil)
        #expect(try await snapshot("false", [""])?.disputes == [])
    }

    @Test(
        "what may be news after the sale",
        arguments: [
            ("charge.dispute.created", "", true), ("charge.refunded", "", true), ("refund.failed", "", true),
            ("charge.refund.updated", #","status":"failed","metadata":{"till_refund":"r"}"#, true),
            ("refund.created", #","status":"succeeded","metadata":{"till_refund":"r"}"#, false),
            ("payment_intent.succeeded", "", false), ("charge.updated", "", false),
        ])
    func hints(type: String, more: String, isNews: Bool) throws {
        let json = try JSONValue(
            parsing: Array(#"{"id":"evt_1","type":"\#(type)","data":{"object":{"id":"x"\#(more)}}}"#.utf8))
        #expect(StripeEvent(json)?.isAfterSale == isNews)
    }

    @Test("whose payment a dispute is about is asked, since a dispute does not say") func owner() async throws {
        func owner(_ step: Step) async throws -> PaymentID? {
            try await Fixture.provider(ScriptedTransport([step])).payment(of: Fixture.reference)
        }
        let ours = Fixture.intent("succeeded", #","metadata":{"till_payment":"pay_1"}"#)
        #expect(try await owner(.json(200, ours)) == PaymentID(rawValue: "pay_1"))
        #expect(try await owner(.json(200, Fixture.intent("succeeded"))) == nil)
        #expect(try await owner(.json(404, Fixture.error("resource_missing"))) == nil)
        await #expect(throws: WebhookOwnerUnknown.self) { try await owner(.json(500, "")) }
        await #expect(throws: WebhookOwnerUnknown.self) { try await owner(.fail(.unknown(reason: "lost"))) }
    }

    @Test("the stand-in's dashboard, banks and customers are read as Stripe's are") func standIn() async throws {
        let transport = SandboxStripeTransport(
            ledger: SandboxLedger(store: SandboxMemoryStore(), clock: ManualClock()))
        let provider = try Fixture.provider(transport)
        let request = Fixture.authorization(nil)
        guard case .approved(let made) = await provider.prepare(request), let reference = made.reference else {
            Issue.record("not prepared")
            return
        }
        guard case .approved = await provider.authorize(Fixture.authorization(reference), with: try Fixture.card())
        else {
            Issue.record("not authorized")
            return
        }
        func seen() async -> ProviderSnapshot? {
            guard case .approved(let snapshot) = await provider.query(Fixture.query(reference)) else { return nil }
            return snapshot
        }
        _ = await provider.capture(Fixture.capture(reference))
        #expect(await transport.play("refund", on: reference, amount: 500))
        #expect(await seen()?.refunds.map(\.status) == [.succeeded])
        #expect(await seen()?.refunds.first?.refund == nil)
        #expect(await transport.play("fail_refund", on: reference))
        guard case .failed? = await seen()?.refunds.first?.status else {
            Issue.record("the refund did not fail")
            return
        }
        #expect(await transport.play("dispute", on: reference))
        #expect(await seen()?.disputes.first?.withdrawn == Fixture.amount)
        #expect(await transport.play("win", on: reference))
        #expect(await seen()?.disputes.map(\.outcome) == [.won])
        #expect(await seen()?.disputes.first?.withdrawn.isZero == true)
        #expect(await !transport.play("nonsense", on: reference))
    }
}
