import ProviderConformance
import Testing
import TillCards
import TillCore
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

/// Nothing that is said of the money is more than the tables of Braintree's codes allow.
@Suite("Every code of Braintree's") struct CodeWalkTests {
    private func walk() throws -> CodeWalk {
        let clock = ManualClock(waits: .last)
        let wire = CodedWire(SandboxBraintree(clock: clock))
        let config = try BraintreeConfig(
            merchantID: "merchant", publicKey: "public", privateKey: Secret("private"),
            merchantAccounts: [.eur: "sandbox"], url: "http://127.0.0.1:9")
        let provider = BraintreeProvider(config: config, transport: wire, clock: clock)
        let card = try PaymentCard(
            number: "4111111111111111", expiry: "12/30", securityCode: "987", holder: "Ada",
            now: Timestamp(milliseconds: 1_800_000_000_000)
        ).details
        return CodeWalk(provider, .card(card), wire, clock, settle: { clock.advance(by: .days(2)) }) { call, line in
            switch call {
            case .authorize: line.hasPrefix("POST ") && line.hasSuffix("/transactions")
            case .capture: line.hasSuffix("/submit_for_settlement")
            case .void: line.hasSuffix("/void")
            case .refund: line.hasSuffix("/refund")
            }
        }
    }

    private static func transaction(_ status: String, _ fields: String) -> String {
        "<api-error-response><message>No</message><transaction><id>dup1</id><status>\(status)</status>"
            + "<type>sale</type><amount>10.00</amount><currency-iso-code>EUR</currency-iso-code>\(fields)"
            + "</transaction></api-error-response>"
    }

    @Test("in an error answers every call of the engine") func errors() async throws {
        let wrong = try await walk().tooMuch(BraintreeCodes.errors.codes, [.authorize, .capture, .void]) {
            CodedWire.Answer(
                422,
                "<api-error-response><errors><transaction><errors type=\"array\"><error><code>81501</code>"
                    + "<message>a</message></error><error><code>\($0.rawValue)</code><message>b</message></error>"
                    + "</errors></transaction></errors><message>b</message></api-error-response>")
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test("of a processor answers an authorization") func processor() async throws {
        let wrong = try await walk().tooMuch(BraintreeCodes.processor.codes, [.authorize]) {
            CodedWire.Answer(
                422,
                Self.transaction(
                    "processor_declined", "<processor-response-code>\($0.rawValue)</processor-response-code>"))
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test("of the gateway answers an authorization") func gateway() async throws {
        let wrong = try await walk().tooMuch(BraintreeCodes.gatewayRejections.codes, [.authorize]) {
            CodedWire.Answer(
                422,
                Self.transaction(
                    "gateway_rejected", "<gateway-rejection-reason>\($0.rawValue)</gateway-rejection-reason>"))
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }
}
