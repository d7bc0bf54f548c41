import Testing
import TillCore
import TillStandInPayPal
import TillTestSupport
@testable import TillPayPal

/// The setting `paypal.three_d_secure`: when a challenge is asked for, and that nothing is taken unless the bank bears
/// a loss.
@Suite("3-D Secure with PayPal") struct ThreeDSecureTests {
    private func provider(_ transport: any HTTPTransport, _ policy: ThreeDSecure) throws -> PayPalProvider {
        PayPalProvider(
            config: try Fixture.config(), transport: transport, clock: ManualClock(), threeDSecure: policy)
    }

    @Test("PayPal is told to challenge every card only where it is required", arguments: ThreeDSecure.allCases)
    func asks(policy: ThreeDSecure) async throws {
        let taken = Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])
        let transport = ScriptedTransport([.json(201, taken)])
        _ = try await provider(transport, policy).authorize(Fixture.authorization(), with: try Fixture.tender())
        let body = try #require(transport.calls.first).body
        #expect(body.contains("SCA_ALWAYS") == (policy == .required))
    }

    @Test("required: a card that nobody would have challenged is challenged, and nothing is taken before that")
    func required() async throws {
        for (policy, isChallenged) in [(ThreeDSecure.required, true), (.whenOffered, false)] {
            let standIn = SandboxPayPalTransport(clock: ManualClock())
            let provider = try provider(standIn, policy)
            var request = Fixture.authorization(nil)
            guard case .approved(let made) = await provider.prepare(request) else {
                Issue.record("not prepared")
                return
            }
            request.context.reference = made.reference
            let answer = await provider.authorize(request, with: try Fixture.tender())
            if case .requiresAction = answer { #expect(isChallenged) } else { #expect(!isChallenged, "\(answer)") }
            if isChallenged {
                let taken = await standIn.ledger().reduce(0) { $0 + ($1["captured"]?.int64Value ?? 0) }
                #expect(taken == 0)
            }
        }
    }

    @Test(
        "a result that is missing, UNKNOWN or NO takes nothing, whatever the order's status",
        arguments: ThreeDSecure.allCases)
    func failsClosed(policy: ThreeDSecure) async throws {
        for status in ["APPROVED", "CREATED"] {
            for shift in [nil, "UNKNOWN", "NO", "ON_THE_MOON"] {
                let result = shift.map { #"{"liability_shift":"\#($0)"}"# } ?? "{}"
                let order = Fixture.order(
                    status,
                    more: #","payment_source":{"card":{"last_digits":"7321","authentication_result":\#(result)}}"#)
                let answer = try await provider(ScriptedTransport([.json(200, order)]), policy).query(Fixture.query())
                guard case .approved(let snapshot) = answer, case .declined(let decline) = snapshot.standing else {
                    Issue.record("\(status) with \(shift ?? "nothing"): \(answer)")
                    continue
                }
                #expect(decline.code?.hasPrefix("LIABILITY_SHIFT_") == true)
            }
        }
    }

    @Test(
        "an order that is still CREATED and tells of no challenge is not gone on with",
        arguments: ThreeDSecure.allCases)
    func created(policy: ThreeDSecure) async throws {
        let order = Fixture.order("CREATED", more: #","payment_source":{"card":{"last_digits":"7321"}}"#)
        let answer = try await provider(ScriptedTransport([.json(200, order)]), policy).query(Fixture.query())
        guard case .approved(let snapshot) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(snapshot.standing == .unconfirmed)
    }

    @Test("an order that is still CREATED after a challenge that was passed is gone on with")
    func passed() async throws {
        let order = Fixture.order(
            "CREATED",
            more: #","payment_source":{"card":{"last_digits":"7321","#
                + #""authentication_result":{"liability_shift":"POSSIBLE"}}}"#)
        let answer = try await provider(ScriptedTransport([.json(200, order)]), .whenOffered).query(Fixture.query())
        guard case .approved(let snapshot) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(snapshot.standing == .continuable)
    }
}
