import TillTestSupport
import Testing
import TillPayPalClient
import TillCore
@testable import TillPayPal

@Suite("Access tokens") struct AccessTokenSourceTests {
    @Test("many callers at once cause one fetch")
    func once() async throws {
        let transport = ScriptedTransport(Array(repeating: .json(200, Fixture.order("CREATED")), count: 64))
        let provider = try Fixture.provider(transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = await provider.query(Fixture.query()) } }
        }
        #expect(transport.tokens == 1)
        #expect(transport.calls.count == 64)
    }

    @Test("a token is renewed before it ends, and used on if no new one can be had")
    func early() async throws {
        let clock = ManualClock()
        let good = #"{"access_token":"t1","expires_in":32400}"#
        let transport = ScriptedTransport(
            [.json(200, good), .json(503, "{}"), .json(200, good.replacing("t1", with: "t2"))], scriptsTokens: true)
        let source = AccessTokenSource(
            clientID: "c", secret: Secret("markedsecret"), environment: .sandbox, transport: transport, clock: clock)
        func token() async -> String? { try? await source.authorization(within: .seconds(5)).get().reveal() }
        #expect(await token() == "Bearer t1")
        clock.advance(by: .seconds(32_400 - 301))
        #expect(await token() == "Bearer t1")
        #expect(transport.calls.count == 1)
        clock.advance(by: .seconds(2))
        #expect(await token() == "Bearer t1")
        #expect(await token() == "Bearer t2")
        #expect(transport.calls.count == 3)
        #expect(transport.calls[0].body == "grant_type=client_credentials")
        #expect(transport.calls[0].field("Authorization") == "Basic YzptYXJrZWRzZWNyZXQ=")
    }

    @Test("a 401 says that nothing was done: one more try with a new token, never a third")
    func refused() async throws {
        let no = ScriptedTransport.Step.json(401, #"{"name":"AUTHENTICATION_FAILURE"}"#)
        let transport = ScriptedTransport([no, .json(200, Fixture.order("CREATED"))])
        guard case .approved = try await Fixture.provider(transport).query(Fixture.query()) else {
            Issue.record("the second token was not tried")
            return
        }
        #expect(transport.tokens == 2)
        let never = ScriptedTransport([no, no, no])
        let answer = try await Fixture.provider(never).authorize(Fixture.authorization(), with: try Fixture.tender())
        guard case .keyRejected = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(never.calls.count == 2)
    }

    @Test("without a token nothing is sent, and neither secret nor token is told")
    func unavailable() async throws {
        let steps: [(ScriptedTransport.Step, Bool)] = [
            (.json(401, #"{"error":"invalid_client","error_description":"markedsecret"}"#), true),
            (.json(500, "x"), false), (.fail(.unknown(reason: "time")), false), (.json(200, "{}"), false),
            (.json(200, #"{"access_token":"","expires_in":5}"#), false),
            (.json(200, #"{"access_token":"a b","expires_in":5}"#), false),
        ]
        for (step, isRefused) in steps {
            let transport = ScriptedTransport([step], scriptsTokens: true)
            let answer = try await Fixture.provider(transport).authorize(
                Fixture.authorization(), with: try Fixture.tender())
            switch answer {
            case .keyRejected: #expect(isRefused)
            case .notSent: #expect(!isRefused)
            default: Issue.record("\(answer)")
            }
            #expect(!"\(answer)".contains("markedsecret"))
            #expect(transport.calls.count == 1)
        }
    }
}
