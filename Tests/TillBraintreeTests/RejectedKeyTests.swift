import ProviderConformance
import Testing
import TillBraintreeClient
import TillCards
import TillCheckout
import TillCore
import TillHTTP
import TillJournal
import TillPayPalClient
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

/// Braintree rejects our keys for a while: everything waits, and goes on when they are right.
@Suite("Rejected keys at Braintree") struct RejectedKeyTests {
    @Test("capture, refund and a new sale", arguments: [401, 403]) func waits(code: Int) async throws {
        let (gate, clock) = (RejectingTransport(SandboxBraintree()), ManualClock(waits: .last))
        let provider = try BraintreeProviderTests.provider(gate, at: clock)
        let checkout = Checkout(journal: MemoryJournal(), providers: [provider], clock: clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: BraintreeProviderTests.amount)
        let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .manual)).id
        func sell() async throws -> Payment {
            try await checkout.confirm(
                id, account: .main, provider: provider.name, tender: .card(BraintreeProviderTests.card().details))
        }
        gate.reject(with: code)
        let unsold = try await sell()
        #expect(unsold.status == .requiresPaymentMethod && unsold.moneyMoved == .no)
        gate.reject(with: nil)
        #expect(try await sell().status == .requiresCapture)
        gate.reject(with: code)
        let waiting = try await checkout.capture(id, account: .main)
        #expect(waiting.captures[0].state.isOpen && waiting.openAttention.map(\.attention) == [.keyRejected])
        for _ in 0..<30 {
            clock.advance(by: .minutes(5))
            try await checkout.recover()
        }
        #expect(try await checkout.payment(id, account: .main).captures[0].state.isOpen)
        gate.reject(with: nil)
        clock.advance(by: .minutes(5))
        try await checkout.recover()
        #expect(try await checkout.payment(id, account: .main).status == .succeeded)
        await gate.base.settle()
        gate.reject(with: code)
        #expect(try await checkout.refund(id, account: .main).refunds[0].state.isOpen)
        gate.reject(with: nil)
        for _ in 0..<4 {
            clock.advance(by: .minutes(5))
            try await checkout.recover()
        }
        #expect(try await checkout.payment(id, account: .main).status == .refunded)
    }

    @Test("an error of our credentials at the card's door says nothing of the card") func tokenizing() throws {
        func answer(_ kind: String, _ code: String? = nil) throws -> String {
            let legacy = code.map { #","legacyCode":"\#($0)""# } ?? ""
            let text = #"{"errors":[{"message":"No.","extensions":{"errorClass":"\#(kind)"\#(legacy)}}]}"#
            switch CardTokenization.answer(try JSONValue(parsing: Array(text.utf8))) {
            case .nonce: return "nonce"
            case .refused(let reason, _, _): return reason.rawValue
            case .keyRejected: return "key"
            case .failed: return "failed"
            case .unreadable: return "unreadable"
            }
        }
        #expect(try answer("AUTHENTICATION") == "key" && answer("AUTHORIZATION") == "key")
        #expect(try answer("VALIDATION", "81715") == "incorrect_number")
        #expect(try answer("VALIDATION", "81710") == "expired_card")
        #expect(try answer("VALIDATION") == "invalid_request")
        #expect(try answer("INTERNAL") == "failed" && answer("SERVICE_AVAILABILITY") == "failed")
    }

    @Test("each call to the card's door names the version of the interface") func version() async throws {
        let wire = RecordingTransport(SandboxBraintree())
        let config = try TokenizationConfig(tokenizationKey: "development_key_merchant", url: "http://127.0.0.1:9")
        _ = try await CardClient(config, transport: wire).tokenizeCard(BraintreeProviderTests.card())
    }
}
