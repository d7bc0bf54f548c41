import Testing
import TillCore
import TillTestSupport
@testable import TillStripe

/// What Stripe's refusals and failures mean, and what is said of them.
@Suite("Refusals of Stripe") struct RefusalTests {
    typealias Step = ScriptedTransport.Step

    private static func list(_ refunds: String) -> Step { .json(200, #"{"has_more":false,"data":[\#(refunds)]}"#) }
    private static let refunded = Step.json(
        400, #"{"error":{"type":"invalid_request_error","code":"charge_already_refunded","message":"No."}}"#)
    private static let elsewhere =
        #"{"id":"re_9","amount":1250,"currency":"eur","status":"succeeded","payment_intent":"pi_1"}"#
    private static let ours =
        #"{"id":"re_1","amount":500,"currency":"eur","status":"succeeded","payment_intent":"pi_1","#
        + #""metadata":{"till_refund":"pay_1-r1"}}"#

    private func refund(_ steps: [Step]) async throws -> ProviderAnswer<TillCore.Confirmation> {
        await (try Fixture.provider(ScriptedTransport(steps))).refund(Fixture.refund())
    }

    @Test("our own key, rejected: a capture, a void and a refund wait", arguments: [401, 403])
    func key(status: Int) async throws {
        func step() -> [Step] { [.json(status, "{}")] }
        func waits<Success>(_ answer: ProviderAnswer<Success>) -> Bool {
            if case .keyRejected = answer { true } else { false }
        }
        #expect(waits(await (try Fixture.provider(ScriptedTransport(step()))).capture(Fixture.capture())))
        #expect(waits(await (try Fixture.provider(ScriptedTransport(step()))).void(Fixture.void())))
        #expect(waits(try await refund(step())))
        #expect(waits(await (try Fixture.provider(ScriptedTransport(step()))).query(Fixture.query())))
        #expect(waits(await (try Fixture.provider(ScriptedTransport(step()))).prepare(Fixture.authorization())))
    }

    @Test("a failure of Stripe's own is kept under its key; one of a gate in between is not") func kept() async throws {
        let own = #"{"error":{"type":"api_error","message":"Sorry."}}"#
        func isSpent(_ step: Step) async throws -> Bool {
            if case .unknown(.keySpent) = try await refund([step]) { true } else { false }
        }
        #expect(try await isSpent(.json(500, own)))
        #expect(try await !isSpent(.json(503, own)))
        #expect(try await !isSpent(.json(500, "<html>")))
        #expect(try await !isSpent(.fail(.unknown(reason: "no answer in time"))))
    }

    @Test("a refund in the dashboard is looked up before anything is said, and nobody is told to refund another way")
    func dashboard() async throws {
        guard case .declined(let decline) = try await refund([Self.refunded, Self.list(Self.elsewhere)]) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == .alreadyRefunded && decline.code == "charge_already_refunded")
        #expect(decline.message?.contains("re_9") == true)
        #expect(decline.reason.refundSentence.contains("Do not refund it another way"))
    }

    @Test("a refused refund that is ours and there is done") func repeated() async throws {
        let done = ProviderAnswer.approved(TillCore.Confirmation(reference: ProviderReference(rawValue: "re_1")))
        #expect(try await refund([Self.refunded, Self.list(Self.ours)]) == done)
    }

    @Test("a refusal that cannot be looked up says nothing") func unread() async throws {
        guard case .unknown = try await refund([Self.refunded, .json(500, "")]) else {
            Issue.record("something was said")
            return
        }
    }

    @Test("a disputed payment is not refunded another way either") func disputed() async throws {
        let step = Step.json(
            400, #"{"error":{"type":"invalid_request_error","code":"charge_disputed","message":"No."}}"#)
        guard case .declined(let decline) = try await refund([step, Self.list("")]) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == .disputed)
        #expect(decline.reason.refundSentence.contains("dispute"))
    }
}
