import Testing
import TillCore
import TillHardware

@testable import TillStripe

@Suite("A payment intent of Stripe's, as the reader service sees it") struct PaymentIntentTests {
    @Test("a status that is not known keeps its word and says nothing about money")
    func keepsUnknownStatus() throws {
        let json = try JSONValue(
            parsing: Array(
                """
                {"id":"pi_1","object":"payment_intent","status":"requires_reauthorization","amount":1250,\
                "currency":"eur","metadata":{"till_order":"o-1"}}
                """.utf8))
        let intent = try #require(PaymentIntent(stripe: json, account: .main))
        #expect(intent.status.rawValue == "requires_reauthorization")
        #expect(intent.status != .canceled)
        #expect(intent.status.moneyMoved == .unknown)
    }
}
