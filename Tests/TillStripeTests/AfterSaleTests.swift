import Testing
import TillCore
import TillProvider
import TillSandbox
import TillStandInStripe
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

    @Test(
        "what is gone of a dispute is what was taken for it and not returned, at whatever rates",
        arguments: [
            // Refunded 30.00 before, a chargeback about all, won for that part.
            ("lost", "eur", [(-1250, "dispute", "eur"), (375, "dispute_reversal", "eur")], 875),
            ("needs_response", "eur", [(-1250, "dispute", "eur")], 1250),
            ("won", "eur", [(-1150, "dispute", "usd"), (1140, "dispute_reversal", "usd")], 0),
            ("won", "eur", [(-1150, "dispute", "usd"), (1160, "dispute_reversal", "usd")], 0),
            ("won", "eur", [(-1250, "dispute", "eur")], 0),
            // A correction of the rate is no return.
            ("under_review", "eur", [(-1150, "dispute", "usd"), (5, "other_adjustment", "usd")], 1250),
            ("lost", "eur", [(-1150, "dispute", "usd"), (575, "dispute_reversal", "usd")], 625),
            ("warning_needs_response", "eur", [], 0),
            // Two decimals at Stripe, none in ISO 4217.
            ("lost", "isk", [(-125_000, "dispute", "isk"), (25_000, "dispute_reversal", "isk")], 1000),
        ] as [(String, String, [(Int64, String, String)], Int64)])
    func gone(status: String, currency: String, moved: [(Int64, String, String)], gone: Int64) throws {
        let entries = moved.map { #"{"amount":\#($0.0),"reporting_category":"\#($0.1)","currency":"\#($0.2)"}"# }
        let amount = currency == "isk" ? 125_000 : 1250
        let json = try JSONValue(
            parsing: Array(
                (#"{"id":"du_1","amount":\#(amount),"currency":"\#(currency)","payment_intent":"pi_1","status":"\#(status)","#
                    + #""balance_transactions":[\#(entries.joined(separator: ","))]}"#).utf8))
        let read = try #require(StripeDispute(json)?.dispute)
        #expect(read.withdrawn.minorUnits == gone)
        let kept = try #require(StripeDispute.facts(json))
        #expect(StripeDispute(kept)?.dispute == read)
    }

    @Test("a key that may not read disputes: what signed webhooks told of them is believed, and it is said")
    func forbidden() async throws {
        let intent = Fixture.intent(
            "succeeded", #","amount_received":1250,"latest_charge":{"id":"ch_1","disputed":true}"#)
        let nothing = #"{"data":[],"has_more":false}"#
        let won = #"{"data":[\#(dispute("won", ""))],"has_more":false}"#
        let provider = try Fixture.provider(
            ScriptedTransport([
                .json(200, intent), .json(200, nothing), .json(403, Fixture.error("no_right")), .json(200, intent),
                .json(200, nothing), .json(200, won),
            ]))
        func tell(_ id: String, _ status: String, _ moved: String, at seconds: Int64) async throws {
            let evidence = #"{"object":"dispute","evidence":{"customer_name":"Ada"},"#
            let object = evidence + dispute(status, moved).dropFirst()
            let text =
                #"{"id":"\#(id)","type":"charge.dispute.updated","created":\#(seconds),"data":{"object":\#(object)}}"#
            let event = try #require(StripeEvent(try JSONValue(parsing: Array(text.utf8))))
            let facts = try #require(event.dispute)
            #expect(!facts.text.contains("Ada"))
            try await provider.disputes.keep(event.id, of: "du_1", about: "pi_1", at: event.created, facts)
        }
        let taken = #"{"amount":-1250,"currency":"eur","reporting_category":"dispute"}"#
        try await tell("evt_2", "needs_response", taken, at: 200)
        try await tell("evt_1", "warning_needs_response", "", at: 100)
        try await tell("evt_3", "needs_response", "", at: 200)
        guard case .approved(let told) = await provider.query(Fixture.query()) else {
            Issue.record("not answered")
            return
        }
        #expect(told.disputes.map(\.withdrawn) == [Fixture.amount] && told.disputes.first?.outcome == nil)
        #expect(told.warning == StripeProvider.disputesWithheld)
        #expect(try await provider.disputes.areRefused())
        guard case .approved(let read) = await provider.query(Fixture.query()) else {
            Issue.record("not answered")
            return
        }
        #expect(read.disputes.map(\.outcome) == [.won] && read.warning == nil)
        #expect(try await !provider.disputes.areRefused())
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
