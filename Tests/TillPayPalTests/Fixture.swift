import Synchronization
import TillCards
import TillCore
import TillPayPal
import TillPayPalClient
import TillTestSupport

/// What the tests share.
enum Fixture {
    static let number = "4032036247327321"
    static let code = "987"
    static let amount = Money(minorUnits: 1250, currency: .eur)
    static let order = "5O190127TN364715T"
    static let hold = "0VF52814937998046"
    static let taken = "7TK53561YB803214S"

    static func config(client: String = "client") throws -> ServerConfig {
        try ServerConfig(
            clientID: client, secret: Secret("markedsecret"), environment: .custom("http://127.0.0.1:9"))
    }

    static func provider(
        _ transport: any HTTPTransport, clock: any TillClock = ManualClock(), client: String = "client"
    ) throws -> PayPalProvider {
        PayPalProvider(config: try config(client: client), transport: transport, clock: clock)
    }

    static func context(_ reference: String? = Fixture.order) -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: "pay_1-a1"), startedAt: ManualClock().now(),
            reference: reference.map { ProviderReference(rawValue: $0) })
    }

    static func authorization(
        _ reference: String? = Fixture.order, _ mode: CaptureMode = .automatic, amount: Money = Fixture.amount
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(reference), amount: amount, captureMode: mode,
            prepareKey: IdempotencyKey(rawValue: "k-prepare"), key: IdempotencyKey(rawValue: "k-authorize"),
            description: "Order o-1")
    }

    static func capture(_ units: Int64 = 1250, reference: String = "\(order).A.\(hold)") -> CaptureRequest {
        CaptureRequest(
            context: context(reference), capture: CaptureID(rawValue: "pay_1-c1"),
            amount: Money(minorUnits: units, currency: .eur), isFinal: true, key: IdempotencyKey(rawValue: "k-capture"))
    }

    static func void(_ reference: String = "\(order).A.\(hold)") -> VoidRequest {
        VoidRequest(
            context: context(reference), authorizationKey: IdempotencyKey(rawValue: "k-authorize"),
            reason: "abandoned", key: IdempotencyKey(rawValue: "k-void"))
    }

    static func refund(_ units: Int64 = 500, reference: String = "\(order).C.\(taken)") -> RefundRequest {
        RefundRequest(
            context: context(reference), refund: RefundID(rawValue: "pay_1-r1"),
            amount: Money(minorUnits: units, currency: .eur), reason: nil, key: IdempotencyKey(rawValue: "k-refund"))
    }

    static func query(_ reference: String? = Fixture.order) -> QueryRequest {
        QueryRequest(
            context: context(reference), authorizationKey: IdempotencyKey(rawValue: "k-authorize"), amount: amount)
    }

    static func card(_ holder: String? = nil, code: String? = Fixture.code) throws -> PaymentCard {
        try PaymentCard(
            number: number, expiry: "12/30", securityCode: code, holder: holder,
            now: Timestamp(milliseconds: 1_800_000_000_000))
    }
    static func tender(_ holder: String? = nil) throws -> Tender { .card(try card(holder).details) }

    /// An order as PayPal tells it.
    static func order(
        _ status: String, captures: [(String, String)] = [], holds: [(String, String)] = [], more: String = "",
        value: String = "12.50", intent: String = "CAPTURE", custom: String = "pay_1-a1"
    ) -> String {
        let amount = #"{"currency_code":"EUR","value":"\#(value)"}"#
        func list(_ items: [(String, String)]) -> String {
            items.map { id, status in
                #"{"id":"\#(id)","status":"\#(status)","amount":\#(amount),"#
                    + #""processor_response":{"response_code":"5120"},"expiration_time":"2027-02-13T08:00:00Z"}"#
            }.joined(separator: ",")
        }
        return #"{"id":"\#(Fixture.order)","status":"\#(status)","intent":"\#(intent)","purchase_units":[{"#
            + #""reference_id":"default","custom_id":"\#(custom)","amount":\#(amount),"payments":{"#
            + #""captures":[\#(list(captures))],"authorizations":[\#(list(holds))]}}]\#(more)}"#
    }

    static func error(_ issue: String, name: String = "UNPROCESSABLE_ENTITY", more: String = "") -> String {
        #"{"name":"\#(name)","message":"No.","debug_id":"90957fca61718","details":[{"issue":"\#(issue)","#
            + #""field":"/payment_source/card/expiry","value":"\#(number)","location":"body","#
            + #""description":"number \#(number) is wrong"}]\#(more)}"#
    }
}
