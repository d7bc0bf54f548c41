import TillCards
import TillCore
import TillStripe
import TillTestSupport

/// What the tests share.
enum Fixture {
    static let key = "sk_test_markedkey"
    static let amount = Money(minorUnits: 1250, currency: .eur)
    static let reference = ProviderReference(rawValue: "pi_1")

    static func context(_ reference: ProviderReference? = Fixture.reference) -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: "pay_1-a1"), startedAt: ManualClock().now(), reference: reference)
    }

    static func authorization(
        _ reference: ProviderReference? = Fixture.reference, amount: Money = Fixture.amount, id: String = "k"
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(reference), amount: amount, captureMode: .automatic,
            prepareKey: IdempotencyKey(rawValue: "\(id)-prepare"), key: IdempotencyKey(rawValue: "\(id)-authorize"),
            description: "Order o-1")
    }

    static func capture(_ reference: ProviderReference? = Fixture.reference, _ units: Int64 = 1250) -> CaptureRequest {
        CaptureRequest(
            context: context(reference), capture: CaptureID(rawValue: "pay_1-c1"),
            amount: Money(minorUnits: units, currency: .eur), isFinal: true, key: IdempotencyKey(rawValue: "k-capture"))
    }

    static func void(_ reference: ProviderReference? = Fixture.reference) -> VoidRequest {
        VoidRequest(
            context: context(reference), authorizationKey: IdempotencyKey(rawValue: "k-authorize"),
            reason: "abandoned", key: IdempotencyKey(rawValue: "k-void"))
    }

    static func refund(_ reference: ProviderReference? = Fixture.reference, _ units: Int64 = 500) -> RefundRequest {
        RefundRequest(
            context: context(reference), refund: RefundID(rawValue: "pay_1-r1"),
            amount: Money(minorUnits: units, currency: .eur), reason: "duplicate",
            key: IdempotencyKey(rawValue: "k-refund"))
    }

    static func query(_ reference: ProviderReference? = Fixture.reference) -> QueryRequest {
        QueryRequest(
            context: context(reference), authorizationKey: IdempotencyKey(rawValue: "k-authorize"), amount: amount)
    }

    static func provider(_ transport: any HTTPTransport, key: String = Fixture.key) throws -> StripeProvider {
        try StripeProvider(secretKey: Secret(key), transport: transport, clock: ManualClock())
    }

    static func card(_ number: String = "4242424242424242", code: String = "987") throws -> Tender {
        .card(
            try PaymentCard(number: number, expiry: "12/34", securityCode: code, now: ManualClock().now()).details)
    }

    static func intent(_ status: String, _ more: String = "") -> String {
        #"{"id":"pi_1","object":"payment_intent","amount":1250,"currency":"eur","status":"\#(status)"\#(more)}"#
    }
    static func error(_ code: String, _ more: String = "") -> String {
        #"{"error":{"type":"card_error","code":"\#(code)","message":"No."\#(more)}}"#
    }
    static let method = #"{"id":"pm_1","card":{"brand":"visa","last4":"4242"}}"#
}
