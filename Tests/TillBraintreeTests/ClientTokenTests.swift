import Testing
import TillCore
import TillHTTP
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

@Suite("Client tokens for Braintree's card fields") struct ClientTokenTests {
    @Test("a token is for one currency's merchant account, and each call has another one")
    func tokens() async throws {
        let wire = RecordingTransport(SandboxBraintree())
        let provider = try BraintreeProviderTests.provider(wire)
        let first = try #require(await provider.clientToken(for: .eur))
        let second = try #require(await provider.clientToken(for: .jpy))
        #expect(first.reveal() != second.reveal())
        let calls = wire.exchanges
        #expect(calls.map(\.path) == ["/graphql", "/graphql"])
        #expect(calls.first?.body.contains(#""merchantAccountId":"sandbox""#) == true)
        #expect(calls.last?.body.contains(#""merchantAccountId":"sandbox_jpy""#) == true)
        // No merchant account takes it, so nobody is asked.
        #expect(await provider.clientToken(for: .usd) == nil)
        #expect(wire.exchanges.count == 2)
    }

    @Test(
        "what is no token is none",
        arguments: [
            #"{"data":{"createClientToken":{"clientToken":""}}}"#, #"{"data":{"createClientToken":null}}"#,
            #"{"data":{"createClientToken":{"clientToken":"a b"}}}"#,
            #"{"data":{"createClientToken":{"clientToken":7}}}"#,
            #"{"errors":[{"message":"No.","extensions":{"errorClass":"AUTHORIZATION"}}]}"#, "{}", "[]", "no JSON",
        ])
    func unusable(text: String) async throws {
        let provider = try BraintreeProviderTests.provider(ScriptedTransport([.json(200, text)]))
        #expect(await provider.clientToken(for: .eur) == nil)
    }

    @Test("a rejected key and a lost answer give no token")
    func failures() async throws {
        for step in [ScriptedTransport.Step.json(401, "{}"), .json(500, "{}"), .fail(.unknown(reason: "cut"))] {
            let provider = try BraintreeProviderTests.provider(ScriptedTransport([step]))
            #expect(await provider.clientToken(for: .eur) == nil)
        }
    }
}
