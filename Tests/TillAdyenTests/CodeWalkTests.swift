import ProviderConformance
import Testing
import TillCards
import TillCore
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// Nothing that is said of the money is more than the tables of Adyen's codes allow.
@Suite("Every code of Adyen's") struct CodeWalkTests {
    private func walk() throws -> CodeWalk {
        let clock = ManualClock(waits: .last)
        let wire = CodedWire(SandboxAdyen())
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenProviderTests.hmacKey)])
        let provider = AdyenProvider(config: config, transport: wire, book: AdyenNotificationLog(), clock: clock)
        let card = try PaymentCard(
            reading: "4111111111111111", expiry: "03/30", securityCode: "737", century: Timestamp(milliseconds: 0)
        ).details
        return CodeWalk(provider, .card(card), wire, clock) { call, line in
            switch call {
            case .authorize: line.hasSuffix("/payments")
            case .capture: line.hasSuffix("/captures")
            case .void: line.hasSuffix("/cancels")
            case .refund: line.hasSuffix("/refunds")
            }
        }
    }

    @Test("in an error answers every call of the engine") func errors() async throws {
        let wrong = try await walk().tooMuch(AdyenCodes.errors.codes) {
            CodedWire.Answer(422, #"{"status":422,"errorCode":"\#($0.rawValue)","message":"No"}"#)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test("of a refusal answers an authorization") func refusals() async throws {
        let wrong = try await walk().tooMuch(AdyenCodes.refusals.codes, [.authorize]) {
            CodedWire.Answer(
                200, #"{"pspReference":"P1","resultCode":"Refused","refusalReasonCode":"\#($0.rawValue)"}"#)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
    }

    @Test(
        "a refund that Adyen did not make because less is left names the refund in the Customer Area",
        arguments: ["by hand", "pay_1-a1"])
    func refundedElsewhere(_ name: String) async throws {
        let book = AdyenNotificationLog(MemoryAdyenNotifications())
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenProviderTests.hmacKey)])
        let clock = ManualClock(waits: .last)
        let provider = AdyenProvider(config: config, transport: SandboxAdyen(), book: book, clock: clock)
        func event(
            _ name: String, of original: String, ours: String, success: Bool, _ reason: String?
        ) -> AdyenNotification {
            AdyenNotification(
                eventCode: .refund, pspReference: name, originalReference: original, merchantReference: ours,
                merchantAccount: "TillTest", amount: AdyenProviderTests.price, success: success, reason: reason,
                at: clock.now(), dispute: nil)
        }
        let context = AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: "pay_1-a1"), startedAt: clock.now(),
            reference: ProviderReference(rawValue: "PSP1"))
        let request = RefundRequest(
            context: context, refund: RefundID(rawValue: "pay_1-r1"), amount: AdyenProviderTests.price, reason: nil,
            key: IdempotencyKey(rawValue: "k"))
        try await book.take([
            event("PSP2", of: "PSP1", ours: "pay_1-r1", success: false, "Insufficient balance on payment")
        ])
        guard case .declined(let left) = await provider.refund(request) else {
            Issue.record("not declined")
            return
        }
        #expect(left.reason == .nothingLeft && left.reason.refundSentence.contains("before you refund it another way"))
        try await book.take([event("PSP3", of: "PSP1", ours: name, success: true, nil)])
        guard case .declined(let decline) = await provider.refund(request) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == .alreadyRefunded && decline.message?.contains("PSP3") == true)
    }
}
