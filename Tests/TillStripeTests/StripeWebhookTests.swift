import Crypto
import Foundation
import Testing
import TillCore
import TillStripe

@Suite("Stripe webhooks") struct StripeWebhookTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let body = Array(
        #"""
        {"id":"evt_1","type":"payment_intent.succeeded","created":1800000000,"livemode":false,"data":{"object":
        {"id":"pi_1","object":"payment_intent","metadata":{"till_account":"main","till_payment":"pay_1"}}}}
        """#.utf8)

    private func signature(_ secret: String, at time: Int64 = 1_800_000_000, _ body: [UInt8]? = nil) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(time).".utf8) + (body ?? self.body), using: SymmetricKey(data: Array(secret.utf8)))
        return code.map { String(format: "%02x", $0) }.joined()
    }

    private func fault(
        _ header: String?, secrets: [String] = ["whsec_a"], body: [UInt8]? = nil
    ) -> StripeWebhookError? {
        do throws(StripeWebhookError) {
            _ = try StripeWebhook.verify(
                payload: body ?? self.body, signatureHeader: header, secrets: secrets.map { Secret($0) }, now: now)
            return nil
        } catch { return error }
    }

    @Test("a right signature gives the event with our names")
    func right() throws {
        let event = try StripeWebhook.verify(
            payload: body, signatureHeader: "t=1800000000,v1=\(signature("whsec_a")),v0=00",
            secrets: [Secret("whsec_a")], now: now)
        #expect(event.id == "evt_1")
        #expect(event.type == "payment_intent.succeeded")
        #expect(event.paymentIntent == ProviderReference(rawValue: "pi_1"))
        #expect(event.payment == PaymentID(rawValue: "pay_1"))
        #expect(event.account == .main)
    }

    @Test("a known signature, made with another implementation")
    func known() {
        // printf '1800000000.{}' | openssl dgst -sha256 -hmac whsec_a
        #expect(
            signature("whsec_a", at: 1_800_000_000, Array("{}".utf8))
                == "f66ebcd4d4dfd6f204ad83d004ebfc0312e82e8dfe7df5110714cbc58099a9c8")
    }

    @Test("either secret fits while one is replaced, and any of several signatures")
    func rotation() {
        let wrong = String(repeating: "0", count: 64)
        #expect(fault("t=1800000000,v1=\(wrong),v1=\(signature("whsec_b"))", secrets: ["whsec_a", "whsec_b"]) == nil)
    }

    @Test("whatever is wrong is refused with its own reason")
    func wrong() {
        let right = signature("whsec_a")
        #expect(fault("t=1800000000,v1=\(right)", body: body + [0x20]) == .wrongSignature)
        #expect(fault("t=1800000001,v1=\(right)") == .wrongSignature)
        #expect(fault("t=1800000000,v1=\(signature("whsec_x"))") == .wrongSignature)
        #expect(fault("t=1799999699,v1=\(signature("whsec_a", at: 1_799_999_699))") == .stale)
        #expect(fault("t=1799999700,v1=\(signature("whsec_a", at: 1_799_999_700))") == nil)
        #expect(fault("t=1800000301,v1=\(signature("whsec_a", at: 1_800_000_301))") == .stale)
        #expect(fault("t=\(Int64.max),v1=\(signature("whsec_a", at: .max))") == .stale)
        #expect(fault("t=\(Int64.min),v1=\(signature("whsec_a", at: .min))") == .stale)
        for header in [
            nil, "", "t=1", "v1=\(right)", "t=x,v1=\(right)", "t=1,t=2,v1=\(right)", "junk", "t=1800000000,v0=\(right)",
        ] {
            #expect(fault(header) == .malformedHeader)
        }
        #expect(fault("t=1800000000,v1=\(signature(""))", secrets: [""]) == .noSecret)
        #expect(fault("t=1", body: Array(repeating: 0x20, count: StripeWebhook.maximumBytes + 1)) == .tooLong)
        let text = Array("[]".utf8)
        #expect(fault("t=1800000000,v1=\(signature("whsec_a", at: 1_800_000_000, text))", body: text) == .unreadable)
    }
}
