import Foundation
import Testing
import TillCards
import TillCore
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

@Suite("Braintree after the sale") struct AfterSaleTests {
    @Test("webhooks that Braintree's own library signs: which are news, and which transaction they are about")
    func news() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Peers/braintree_webhooks.json")
        let json = try JSONValue(parsing: Array(Data(contentsOf: file)))
        let now = try #require(json["now"]?.stringValue.flatMap { Timestamp(internetTime: $0) })
        var news: [String: String?] = [:]
        for sample in try #require(json["samples"]?.arrayValue) {
            let event = try BraintreeWebhook.verify(
                payload: sample["payload"]?.stringValue ?? "", signature: sample["signature"]?.stringValue ?? "",
                publicKey: "integration_public_key", privateKey: Secret("integration_private_key"), now: now)
            if event.isAfterSale { news[event.kind] = event.transaction }
        }
        #expect(
            Set(news.keys) == [
                "dispute_opened", "dispute_won", "dispute_lost", "dispute_accepted", "dispute_expired",
                "dispute_under_review", "refund_failed", "transaction_settlement_declined",
            ])
        #expect(news.values.allSatisfy { $0 == "my_id" })
    }

    @Test(
        "what of a dispute's money is gone, and how it ended",
        arguments: [
            ("chargeback", "open", 1250, nil), ("chargeback", "under_review", 1250, nil),
            ("chargeback", "disputed", 1250, nil), ("chargeback", "won", 0, .won), ("chargeback", "lost", 1250, .lost),
            ("chargeback", "accepted", 1250, .lost), ("chargeback", "expired", 1250, .lost),
            ("retrieval", "open", 0, nil), ("retrieval", "expired", 0, .closed), ("pre_arbitration", "open", 0, nil),
            ("pre_arbitration", "lost", 1250, .lost),
        ] as [(String, String, Int64, Dispute.Outcome?)])
    func dispute(kind: String, status: String, withdrawn: Int64, outcome: Dispute.Outcome?) throws {
        let node = XMLNode(
            "dispute",
            of: [
                XMLNode("id", "d1"), XMLNode("amount", "20.00"), XMLNode("amount-disputed", "12.50"),
                XMLNode("currency-iso-code", "EUR"), XMLNode("kind", kind), XMLNode("status", status),
                XMLNode("reason", "fraud"), XMLNode("reply-by-date", "2030-01-31", type: "date"),
            ])
        let found = try #require(BraintreeDispute(node)?.dispute)
        #expect(found.withdrawn == Money(minorUnits: withdrawn, currency: .eur) && found.outcome == outcome)
        #expect(found.facts.amount == Money(minorUnits: 1250, currency: .eur))
        #expect(found.facts.respondBy == (status == "open" ? Timestamp(internetTime: "2030-01-31T00:00:00Z") : nil))
    }

    @Test("a request for documents about nothing is read, and what is won with nothing given back had not been taken")
    func nothing() throws {
        func read(_ kind: String, _ status: String, _ amount: String, _ more: [XMLNode]) throws -> Int64 {
            let node = XMLNode(
                "dispute",
                of: [
                    XMLNode("id", "d1"), XMLNode("amount-disputed", amount), XMLNode("currency-iso-code", "EUR"),
                    XMLNode("kind", kind), XMLNode("status", status),
                ] + more)
            return try #require(BraintreeDispute(node)?.dispute).withdrawn.minorUnits
        }
        #expect(try read("retrieval", "open", "0.00", []) == 0)
        func won(_ amount: String, _ day: String?) throws -> Int64 {
            let step = [XMLNode("status", "won")] + (day.map { [XMLNode("disbursement-date", $0)] } ?? [])
            return try read(
                "chargeback", "won", "100.00",
                [XMLNode("amount-won", amount), XMLNode("status-history", of: [XMLNode("status-history", of: step)])])
        }
        #expect(try won("0.00", nil) == 0)
        #expect(try won("60.00", nil) == 4000)
        #expect(try won("0.00", "2026-11-20") == 10_000)
    }

    private struct Shop {
        let sandbox = SandboxBraintree()
        let provider: BraintreeProvider
        let reference: ProviderReference

        init() async throws {
            provider = try BraintreeProviderTests.provider(sandbox)
            let sale = await provider.authorize(
                BraintreeProviderTests.sale(), with: .card(try BraintreeProviderTests.card().details))
            reference = try BraintreeProviderTests.held(sale).reference
        }

        func query(knowing reference: ProviderReference?) async -> ProviderSnapshot? {
            let request = QueryRequest(
                context: BraintreeProviderTests.context(reference), authorizationKey: IdempotencyKey(rawValue: "k"),
                amount: BraintreeProviderTests.amount, isAtRest: true)
            guard case .approved(let snapshot) = await provider.query(request) else { return nil }
            return snapshot
        }
    }

    @Test("a sale that somebody voids before it is settled was taken, and all of it went back") func voided()
        async throws
    {
        let shop = try await Shop()
        #expect(await shop.sandbox.play("void", on: shop.reference))
        let seen = try #require(await shop.query(knowing: shop.reference))
        #expect(seen.captured == BraintreeProviderTests.amount)
        #expect(seen.refunds.map(\.amount) == [BraintreeProviderTests.amount])
        #expect(seen.refunds.map(\.status) == [.succeeded])
    }

    @Test("a refund in the control panel has the order id of its sale, and is not taken for it") func sameOrder()
        async throws
    {
        let shop = try await Shop()
        await shop.sandbox.settle()
        #expect(await shop.sandbox.play("refund", on: shop.reference, amount: 500))
        let seen = try #require(await shop.query(knowing: nil))
        #expect(seen.reference == shop.reference && seen.captured == BraintreeProviderTests.amount)
        #expect(seen.refunds.map(\.amount.minorUnits) == [500])
    }

    @Test("a refund that names no order of ours belongs to the payment of its sale") func owner() async throws {
        let shop = try await Shop()
        #expect(
            await shop.provider.payment(ofTransaction: shop.reference.rawValue)
                == .payment(PaymentID(rawValue: "pay_1"), AttemptID(rawValue: "pay_1-a1")))
        #expect(await shop.provider.payment(ofTransaction: "nothing") == .none)
    }
}
