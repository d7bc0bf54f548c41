import Testing
import TillCore
@testable import TillFeatureCardFields

@Suite("What a customer is told of a payment")
struct CustomerPaymentStateTests {
    private static let attempt = AttemptID(rawValue: "pay_1-a1")
    private static let start = Timestamp(milliseconds: 1_795_253_405_000)

    private static func payment(_ events: [PaymentEvent]) throws -> Payment {
        let amount = Money(minorUnits: 1250, currency: .eur)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: amount)
        var payment = Payment(
            .init(payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: .manual), at: start)
        let started = PaymentEvent.attemptStarted(
            .init(attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card), amount: amount))
        for event in [started] + events { payment.evolve(RecordedEvent(event, at: start)) }
        return payment
    }

    @Test("nobody is sent to pay what is being canceled, in a session, with an order or at the bank's page")
    func canceled() throws {
        let session = try #require(CustomerSession(id: "CS1", data: "x", endsAt: Self.start))
        let actions = [
            CustomerAction(kind: "adyen_session", session: session), CustomerAction(kind: "attach-card", order: "5O1"),
            CustomerAction(kind: "redirect", url: "https://bank.example"),
        ]
        for action in actions {
            let open = PaymentEvent.actionRequired(Self.attempt, action)
            let shown = CustomerPaymentState(try Self.payment([open]))
            #expect(shown == .action(url: action.url, order: action.order, session: action.session))
            let cancel: [PaymentEvent] = [
                open, .cancelRequested(reason: "x"), .voidStarted(Self.attempt, reason: .canceled("x")),
            ]
            let canceled = CustomerPaymentState(try Self.payment(cancel))
            #expect(canceled == .pending)
        }
    }
}
