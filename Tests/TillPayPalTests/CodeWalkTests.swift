import ProviderConformance
import Testing
import TillCore
import TillStandInPayPal
import TillTestSupport
@testable import TillPayPal
@testable import TillPayPalClient

/// Nothing that is said of the money is more than the tables of PayPal's codes allow.
@Suite("Every code of PayPal's") struct CodeWalkTests {
    private func walk() throws -> CodeWalk {
        let clock = ManualClock(waits: .last)
        let wire = CodedWire(SandboxPayPalTransport(clock: clock))
        return CodeWalk(try Fixture.provider(wire, clock: clock), try Fixture.tender(), wire, clock) { call, line in
            switch call {
            case .authorize: line.hasPrefix("POST /v2/checkout/orders/")
            case .capture: line.hasPrefix("POST /v2/payments/authorizations/") && line.hasSuffix("/capture")
            case .void: line.hasSuffix("/void")
            case .refund: line.hasSuffix("/refund")
            }
        }
    }

    @Test("answers every call of the engine", arguments: [400, 422]) func issues(status: Int) async throws {
        let wrong = try await walk().tooMuch(PayPalIssue.codes.codes) {
            CodedWire.Answer(status, Fixture.error($0.rawValue))
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test("an issue that PayPal has added since does not tell, so the order is read") func unknown() async throws {
        let error = Fixture.error("ON_THE_MOON")
        let order = Fixture.order("CREATED", holds: [(Fixture.hold, "CREATED")])
        func capture(_ steps: [ScriptedTransport.Step]) async throws -> ProviderAnswer<TillCore.Confirmation> {
            await (try Fixture.provider(ScriptedTransport(steps))).capture(Fixture.capture())
        }
        let lost = ScriptedTransport.Step.fail(.unknown(reason: "no answer in time"))
        guard case .unknown = try await capture([.json(422, error), lost]) else {
            Issue.record("something was said")
            return
        }
        guard case .declined(let decline) = try await capture([.json(422, error), .json(200, order)]) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.code == "ON_THE_MOON")
    }

    @Test("an invoice number that was used before means that an earlier call arrived") func duplicate() async throws {
        let transport = ScriptedTransport([.json(422, Fixture.error("DUPLICATE_INVOICE_ID"))])
        let answer = await (try Fixture.provider(transport)).capture(Fixture.capture())
        #expect(answer == .unknown(.pending))
    }

    @Test("a processor's answer to a declined capture", arguments: ProcessorResponse.codes.codes)
    func processor(code: ProviderCode) throws {
        let json = try JSONValue(parsing: Array(#"{"response_code":"\#(code.rawValue)"}"#.utf8))
        let response = try #require(ProcessorResponse(json))
        #expect(response.responseCode == code.rawValue && response.declineReason == code.reason)
        #expect(!code.money.needsQuery, "the capture's status has said that it is declined")
    }
}
