import Testing
import TillCore
import TillStandInAdyen
import TillTestSupport

@testable import TillAdyen

@Suite("A sale at a terminal of Adyen's, after the sale")
struct AdyenTerminalAfterSaleTests {
    private let book = AdyenNotificationLog()
    private let sandbox = SandboxAdyen()

    private func provider(_ terminal: String = "V400m-1") throws -> AdyenTerminalProvider {
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenProviderTests.hmacKey)])
        return AdyenTerminalProvider(
            terminal: try #require(
                AdyenTerminal(
                    terminal: terminal, till: "Till", url: "http://127.0.0.1:1", seal: nil, transport: sandbox)),
            checkout: AdyenProvider(config: config, transport: sandbox, book: book))
    }

    private func query(_ reference: String?) throws -> QueryRequest {
        var context = try AdyenProviderTests.context()
        context.reference = try reference.map { try ProviderReference(validating: $0) }
        return QueryRequest(
            context: context, authorizationKey: IdempotencyKey(rawValue: "k"), amount: AdyenProviderTests.price)
    }

    private func snapshot(_ provider: AdyenTerminalProvider) async throws -> ProviderSnapshot {
        guard case .approved(let seen) = await provider.query(try query("PSP1.TENDER")) else {
            throw AdyenNotificationLogError.unreadable
        }
        return seen
    }

    @Test("hears of chargebacks, of refunds in the Customer Area and of those that fail")
    func heard() async throws {
        let provider = try provider()
        try await book.take([
            try AfterSaleTests.event("CHARGEBACK", "D1"), try AfterSaleTests.event("REFUND", "R1", units: 100),
            try AfterSaleTests.event("REFUND", "R2", "pay_1-r1", units: 200),
            try AfterSaleTests.event("REFUND_FAILED", "R2", "pay_1-r1", units: 200),
        ])
        let seen = try await snapshot(provider)
        #expect(seen.captured == AdyenProviderTests.price)
        #expect(seen.disputes.map(\.withdrawn) == [AdyenProviderTests.price])
        #expect(seen.refunds.map { $0.status == .succeeded } == [true, false])
    }

    @Test("belongs to the merchant account: another terminal knows it, and earlier ones recorded by their name")
    func swapped() async throws {
        let (before, now) = (await (try provider()).identity(), await (try provider("V400m-2")).identity())
        #expect(now.account == "TillTest" && before.match(now) == .same)
        #expect(ProviderIdentity(account: "V400m-1", mode: now.mode).match(now) == .same)
        #expect(ProviderIdentity(account: "V400m-1", mode: .live).match(now) == .other)
        let stranger = ProviderIdentity(account: "Other", mode: now.mode, keyFingerprint: "f")
        #expect(stranger.match(now) == .other)
        #expect(try await snapshot(try provider("V400m-2")).captured == AdyenProviderTests.price)
        // What was asked of a terminal and never answered is still that terminal's.
        guard case .unknown = await (try provider("V400m-2")).query(try query("V400m-1")) else {
            Issue.record("only the terminal that was asked can tell")
            return
        }
    }

    @Test("hears of disputes that name no payment, by our name for it") func nameless() async throws {
        let text = """
            {"eventCode":"CHARGEBACK","pspReference":"D1","merchantReference":"pay_1-a1","merchantAccountCode":"M",\
            "minor":1250,"currency":"EUR","success":true}
            """
        let event = try #require(AdyenNotification(kept: try JSONValue(parsing: Array(text.utf8))))
        try await book.take([event])
        #expect(try await book.ownAttempt(of: event)?.rawValue == "pay_1-a1")
        #expect(try await snapshot(try provider()).disputes.count == 1)
    }
}
