import Testing
import TillCore
import TillPayPalClient
import TillTestSupport
@testable import TillPayPal

/// What PayPal really does after a challenge, with several units, and when it refuses.
@Suite("PayPal as it is") struct FactsTests {
    typealias Step = ScriptedTransport.Step
    private typealias Done = ProviderAnswer<TillCore.Confirmation>

    private static func challenged(_ status: String, _ shift: String?) -> Step {
        let result = shift.map { #","authentication_result":{"liability_shift":"\#($0)"}"# } ?? ""
        return .json(
            200,
            Fixture.order(
                status, more: #","payment_source":{"card":{"last_digits":"7321","brand":"VISA"\#(result)}}"#))
    }

    private func standing(_ step: Step) async throws -> ProviderSnapshot.Standing? {
        let transport = ScriptedTransport([step])
        let query = QueryRequest(
            context: Fixture.context(), authorizationKey: IdempotencyKey(rawValue: "k"), amount: Fixture.amount)
        let answer = await (try Fixture.provider(transport)).query(query)
        #expect(transport.calls.first?.line.hasSuffix("?fields=payment_source") == true)
        guard case .approved(let snapshot) = answer else { return nil }
        return snapshot.standing
    }

    @Test("after the challenge an order may stay CREATED; its result decides, and a missing one does not pass")
    func challenge() async throws {
        for status in ["CREATED", "APPROVED"] {
            #expect(try await standing(Self.challenged(status, "POSSIBLE")) == .continuable, "\(status)")
            for shift in ["NO", "UNKNOWN", "ON_THE_MOON"] {
                guard case .declined = try await standing(Self.challenged(status, shift)) else {
                    Issue.record("\(status), \(shift) passed")
                    continue
                }
            }
        }
        guard case .declined = try await standing(Self.challenged("APPROVED", nil)) else {
            Issue.record("a missing result passed")
            return
        }
        #expect(try await standing(Self.challenged("CREATED", nil)) == .unconfirmed)
    }

    @Test("a 422 PAYER_ACTION_REQUIRED is a challenge like a 201, also where only the order names the page")
    func unprocessable() async throws {
        let page = #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#
        let transport = ScriptedTransport([
            .json(422, Fixture.error("PAYER_ACTION_REQUIRED")), .json(200, Fixture.order("CREATED", more: page)),
        ])
        let tender = try Fixture.tender()
        let answer = await (try Fixture.provider(transport)).authorize(Fixture.authorization(), with: tender)
        #expect(answer == .requiresAction(CustomerAction(kind: "payer-action", url: "https://www.paypal.com/x")))
    }

    @Test("our credentials, rejected: a capture, a void and a refund wait", arguments: [401, 403])
    func credentials(status: Int) async throws {
        let no = Step.json(status, #"{"name":"NOT_AUTHORIZED"}"#)
        func waits(_ call: (PayPalProvider) async -> Done) async throws -> Bool {
            if case .keyRejected = await call(try Fixture.provider(ScriptedTransport([no, no]))) {
                true
            } else {
                false
            }
        }
        #expect(try await waits { await $0.capture(Fixture.capture()) })
        #expect(try await waits { await $0.void(Fixture.void()) })
        #expect(try await waits { await $0.refund(Fixture.refund()) })
        let token = ScriptedTransport(
            [.json(401, #"{"error":"invalid_client"}"#)], scriptsTokens: true)
        guard case .keyRejected = await (try Fixture.provider(token)).capture(Fixture.capture()) else {
            Issue.record("a rejected client id was taken for a refusal")
            return
        }
    }

    @Test("an order of several units of which one was declined is partly paid") func units() throws {
        func unit(_ name: String, _ status: String) -> String {
            #"{"reference_id":"\#(name)","amount":{"currency_code":"EUR","value":"5.00"},"payments":{"captures":["#
                + #"{"id":"\#(Fixture.taken)","status":"\#(status)","amount":{"currency_code":"EUR","value":"5.00"}}]}}"#
        }
        func outcome(_ second: String) throws -> OrderOutcome? {
            let text =
                #"{"id":"\#(Fixture.order)","status":"COMPLETED","purchase_units":["#
                + #"\#(unit("a", "COMPLETED")),\#(unit("b", second))]}"#
            return OrderResponse(try JSONValue(parsing: Array(text.utf8)), debugID: "debug9")?.outcome
        }
        guard case .paid = try outcome("COMPLETED") else {
            Issue.record("not paid")
            return
        }
        guard case .partlyPaid(let paid, let refused) = try outcome("DECLINED") else {
            Issue.record("\(String(describing: try outcome("DECLINED")))")
            return
        }
        #expect(paid.amount.minorUnits == 500 && refused.requestID == "debug9")
    }

    @Test("the debug id of a declined capture is kept") func debugID() async throws {
        let step = Step.json(
            201,
            #"{"id":"\#(Fixture.taken)","status":"DECLINED","amount":{"currency_code":"EUR","value":"12.50"}}"#)
        guard
            case .declined(let decline) = await (try Fixture.provider(ScriptedTransport([step]))).capture(
                Fixture.capture())
        else {
            Issue.record("not declined")
            return
        }
        #expect(decline.requestID == "debug1")
    }

    @Test("a refund on PayPal's own pages is looked up before anything is said") func elsewhere() async throws {
        func answer(_ custom: String) async throws -> Done {
            let unit =
                #"{"reference_id":"default","amount":{"currency_code":"EUR","value":"12.50"},"payments":{"refunds":["#
                + #"{"id":"1JU08902781691411","status":"COMPLETED","custom_id":"\#(custom)","#
                + #""amount":{"currency_code":"EUR","value":"5.00"}}]}}"#
            let order = #"{"id":"\#(Fixture.order)","status":"COMPLETED","purchase_units":[\#(unit)]}"#
            let steps: [Step] = [.json(422, Fixture.error("CAPTURE_FULLY_REFUNDED")), .json(200, order)]
            return await (try Fixture.provider(ScriptedTransport(steps))).refund(Fixture.refund())
        }
        guard case .declined(let decline) = try await answer("by-hand") else {
            Issue.record("\(try await answer("by-hand"))")
            return
        }
        #expect(decline.reason == .alreadyRefunded)
        guard case .approved = try await answer("pay_1-r1") else {
            Issue.record("ours was not recognized")
            return
        }
    }
}
