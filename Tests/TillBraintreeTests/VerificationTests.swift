import Testing
import TillBraintreeClient
import TillCards
import TillCore
import TillHTTP
import TillProvider
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

/// Nonces of Braintree's fields whose bank was asked, or should have been.
@Suite("A nonce is charged only as its bank's answer allows") struct VerificationTests {
    private static func provider(
        _ transport: any HTTPTransport, _ verification: BraintreeVerification
    ) throws -> BraintreeProvider {
        let config = try BraintreeConfig(
            merchantID: "merchant", publicKey: "public", privateKey: Secret("markedprivate"),
            merchantAccounts: [.eur: "sandbox"], url: "http://127.0.0.1:9")
        return BraintreeProvider(
            config: config, transport: transport, clock: ManualClock(), verification: verification)
    }

    /// A nonce as the fields make it.
    private func made(by provider: BraintreeProvider) async throws -> String {
        switch await provider.gateway.tokenize(try BraintreeProviderTests.card().details, within: .seconds(1)) {
        case .success(let made): return made.nonce.reveal()
        case .failure(let failure): throw failure
        }
    }

    private func pay(
        _ nonce: String, at provider: BraintreeProvider
    ) async throws -> ProviderAnswer<Authorization> {
        await provider.authorize(
            BraintreeProviderTests.sale(), with: .token(try #require(CardToken(nonce))))
    }

    private func isApproved(_ answer: ProviderAnswer<Authorization>) -> Bool {
        if case .approved = answer { true } else { false }
    }

    private func code(_ answer: ProviderAnswer<Authorization>) -> String? {
        if case .declined(let decline) = answer { decline.code } else { nil }
    }

    @Test("the answer that Braintree keeps decides, and nothing is sold without it")
    func answers() async throws {
        for (policy, answer, pays) in [
            (.required, "confirm", true), (.required, "refuse", false),
            (.required, "unenrolled", false), (.whenOffered, "confirm", true), (.whenOffered, "refuse", false),
            (.whenOffered, "unenrolled", true), (.off, "refuse", true),
        ] as [(BraintreeVerification, String, Bool)] {
            let sandbox = SandboxBraintree()
            let provider = try Self.provider(sandbox, policy)
            let first = try await made(by: provider)
            let nonce = try #require(await sandbox.verify(first, amount: "12.50", answer: answer))
            #expect(nonce != first)
            let found = try await pay(nonce, at: provider)
            #expect(isApproved(found) == pays, "\(policy), \(answer): \(found)")
            #expect(await sandbox.ledger().count == (pays ? 1 : 0))
            if !pays { #expect(code(found)?.hasPrefix("THREE_D_SECURE_") == true) }
        }
    }

    @Test("a nonce that no bank was asked about is refused, unless nobody wants it")
    func unasked() async throws {
        for policy in BraintreeVerification.allCases {
            let sandbox = SandboxBraintree()
            let provider = try Self.provider(sandbox, policy)
            let found = try await pay(try await made(by: provider), at: provider)
            #expect(isApproved(found) == (policy == .off))
            if policy != .off { #expect(code(found) == "THREE_D_SECURE_missing") }
            #expect(await sandbox.ledger().count == (policy == .off ? 1 : 0))
        }
    }

    @Test("a bank that was asked about another amount allows nothing")
    func otherAmount() async throws {
        let sandbox = SandboxBraintree()
        let provider = try Self.provider(sandbox, .required)
        let first = try await made(by: provider)
        let nonce = try #require(await sandbox.verify(first, amount: "1.00", answer: "confirm"))
        let found = try await pay(nonce, at: provider)
        #expect(code(found) == "91585", "\(found)")
        #expect(await sandbox.ledger().isEmpty)
    }

    @Test("what cannot be read, or is of another nonce, is charged nothing for")
    func unread() async throws {
        let other =
            "<payment-method-nonce><nonce>other</nonce><three-d-secure-info><liability-shifted>true</liability-shifted>"
            + "<liability-shift-possible>true</liability-shift-possible></three-d-secure-info></payment-method-nonce>"
        for step in [
            ScriptedTransport.Step.json(200, other), .json(200, "<transaction></transaction>"), .json(500, ""),
            .fail(.unknown(reason: "cut")), .fail(.notSent(reason: "down")),
        ] {
            let transport = ScriptedTransport([step])
            let found = try await pay("tokencc_bf_1", at: try Self.provider(transport, .whenOffered))
            guard case .notSent = found else {
                Issue.record("\(found)")
                continue
            }
            #expect(transport.calls.map(\.line) == ["GET /merchants/merchant/payment_method_nonces/tokencc_bf_1"])
        }
        let unknown = try await pay(
            "tokencc_bf_1", at: try Self.provider(ScriptedTransport([.json(404, "")]), .whenOffered))
        #expect(code(unknown) == "91565")
    }

    @Test("the frame may load what asks the banks only where they are asked")
    func sources() {
        for mode in [PaymentMode.live, .test] {
            let plain = BraintreeModule.sources(mode, verifies: false)
            #expect(!plain.asksBanks && !(plain.scripts + plain.connections).contains { $0.contains("cardinal") })
            let asking = BraintreeModule.sources(mode, verifies: true)
            let script = "https://songbird\(mode == .live ? "" : "stag").cardinalcommerce.com"
            #expect(asking.asksBanks && asking.scripts.contains(script) && asking.frames == plain.frames)
        }
    }
}
