import ProviderConformance
import Testing
import TillCore
import TillSandbox
import TillStandInStripe
import TillTestSupport
@testable import TillStripe

/// Nothing that is said of the money is more than the table of Stripe's codes allows.
@Suite("Every code of Stripe's") struct CodeWalkTests {
    @Test("answers every call of the engine", arguments: [400, 402, 409]) func walk(status: Int) async throws {
        let clock = ManualClock(waits: .last)
        let standIn = SandboxStripeTransport(
            ledger: SandboxLedger(store: SandboxMemoryStore(), clock: clock, rules: SandboxRules()), account: "acct_1")
        let wire = CodedWire(standIn)
        let provider = try StripeProvider(
            secretKey: Secret(Fixture.key), transport: wire, clock: clock, account: "acct_1")
        let walk = CodeWalk(provider, try Fixture.card(), wire, clock) { call, line in
            switch call {
            case .authorize: line.hasSuffix("/confirm")
            case .capture: line.hasSuffix("/capture")
            case .void: line.hasSuffix("/cancel")
            case .refund: line == "POST /v1/refunds"
            }
        }
        let wrong = try await walk.tooMuch(StripeCodes.errors.codes) { code in
            let key = status == 402 ? #""code":"card_declined","decline_code""# : #""code""#
            return CodedWire.Answer(status, #"{"error":{"type":"card_error",\#(key):"\#(code.rawValue)"}}"#)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test("has one row, and a new one keeps its word") func unknown() {
        let error = StripeError(
            status: 402, body: try? JSONValue(parsing: Array(#"{"error":{"code":"on_the_moon"}}"#.utf8)),
            requestID: nil
        ) { $0 }
        #expect(error.decline.code == "on_the_moon" && error.decline.reason.rawValue == "on_the_moon")
        #expect(error.row == nil && !error.needsQuery)
    }

    @Test("that another call is at work on the same is never an answer", arguments: [400, 402, 409, 429])
    func running(status: Int) throws {
        let running = StripeCodes.errors.codes.filter { $0.money == .notKnown && $0.retry == .later }
        #expect(running.count >= 3)
        for code in running {
            let body = try JSONValue(parsing: Array(#"{"error":{"code":"\#(code.rawValue)"}}"#.utf8))
            guard case .unclear = StripeError(status: status, body: body, requestID: nil, scrub: { $0 }).meaning else {
                Issue.record("\(code.rawValue) with HTTP \(status) is taken for an answer")
                continue
            }
        }
    }

    @Test("a duplicate of an earlier charge is not said to have charged nothing before the intent was read")
    func duplicate() async throws {
        let steps: [ScriptedTransport.Step] = [
            .json(200, Fixture.method), .json(200, Fixture.intent("requires_confirmation")),
            .json(402, Fixture.error("card_declined", #","decline_code":"duplicate_transaction""#)),
            .json(200, Fixture.intent("requires_capture", #","amount_capturable":1250"#)),
        ]
        let provider = try Fixture.provider(ScriptedTransport(steps))
        let answer = await provider.authorize(Fixture.authorization(), with: try Fixture.card())
        guard case .approved(let held) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(held.amount == Fixture.amount)
    }
}
