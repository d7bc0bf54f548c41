import TillClient
import TillCore

/// The journeys of a customer's app, each a few lines over `CounterCheckout`.
struct App: Sendable {
    let checkout: CounterCheckout
    /// The counter's answer to the shop's server, from which the session was read.
    let document: String
    /// `nil` for an app that keeps no press: its caller starts it with the same command again.
    let file: PressFile?
    let kept: KeptPress?
    let screen: Screen

    private var payment: PaymentID { checkout.session.payment }

    // MARK: Paying

    /// Pays, with the number of the customer's press: the given one, that of the same press under way, or the next.
    func pay(_ way: Press.Way, press number: Int?) async throws(AppError) -> Ending {
        switch kept {
        case .underWay(let press)?:
            // Two ways at once could both be paid, so the first one is asked about first.
            guard press.payment == payment, press.way == way, number == nil || number == press.number else {
                throw .underWay(press)
            }
            return try await settle(press, isResumed: true)
        case .over(payment, press: let last)?:
            return try await settle(new(way, number ?? min(last + 1, Press.numbers.upperBound)), isResumed: false)
        case .over?, nil: return try await settle(new(way, number ?? 1), isResumed: false)
        }
    }

    /// Goes on with the press under way. The counter knows it by its key, which follows from payment, way and number.
    func resume() async throws(AppError) -> Ending {
        guard case .underWay(let press)? = kept else {
            throw .usage("No press is under way, or TILL_APP_STATE is not set.")
        }
        guard press.payment == payment else { throw .underWay(press) }
        return try await settle(press, isResumed: true)
    }

    private func new(_ way: Press.Way, _ number: Int) -> Press {
        Press(payment: payment, way: way, number: number, session: document)
    }

    private func settle(_ press: Press, isResumed: Bool) async throws(AppError) -> Ending {
        var press = press
        press.session = document
        // Before the first byte to the counter: a life that ends after it leaves a press that can be found.
        try file?.save(.underWay(press))
        let outcome = await checkout.pay(
            tender(press.way), press: press.number, isResumed: isResumed,
            presenter: TerminalPresenter(screen: screen))
        let ending = Ending(outcome)
        // If this is lost, the next life is told the same once more.
        if ending != .notKnown { _ = try? file?.save(.over(payment, press: press.number)) }
        screen.report(outcome, of: press, ending)
        return ending
    }

    private func tender(_ way: Press.Way) -> CheckoutTender {
        switch way {
        case .token(let token): .token(Secret(token))
        case .payPal: .payPal
        case .payPalCard:
            .payPalCard { [screen] order in
                screen.say("order: \(order)", ["order_id": .string(order)])
                return await Customer.line() == nil ? .closed : .returned
            }
        case .adyenSession:
            .adyenSession { [screen] session in
                let members = [
                    JSONMember(key: "id", value: .string(session.id)),
                    JSONMember(key: "data", value: .string(session.data)),
                ]
                screen.say("session: \(session.id) \(session.data)", ["adyen_session": .object(members)])
                return await Customer.line().flatMap { SessionResult($0) }
            }
        }
    }

    // MARK: Calls that charge nothing

    /// Asks for the key of the provider's SDK. A client token of Braintree is this customer's alone.
    func showFields() async throws(AppError) -> Ending {
        let fields = try await asked { () async throws(CounterCheckoutError) in try await checkout.cardFields() }
        switch fields {
        case .stripe(let key):
            screen.say("stripe: \(key)", ["provider": .string("stripe"), "publishable_key": .string(key)])
        case .braintree(let token, let verification):
            let text = token.reveal()
            screen.say(
                "braintree: \(text)",
                [
                    "provider": .string("braintree"), "client_token": .string(text),
                    "three_d_secure": verification?.document,
                ])
        case .payPal(let client):
            screen.say("paypal: \(client)", ["provider": .string("paypal"), "client_id": .string(client)])
        case .adyen(let key):
            screen.say("adyen: \(key)", ["provider": .string("adyen"), "client_key": .string(key)])
        case .other(let provider): screen.say("\(provider): not known", ["provider": .string(provider)])
        }
        return .done
    }

    func show() async throws(AppError) -> Ending {
        show(try await asked { () async throws(CounterCheckoutError) in try await checkout.payment() })
    }

    func cancel() async throws(AppError) -> Ending {
        show(try await asked { () async throws(CounterCheckoutError) in try await checkout.cancel() })
    }

    func showReceipt() async throws(AppError) -> Ending {
        let bytes = try await asked { () async throws(CounterCheckoutError) in try await checkout.receipt() }
        let page = String(decoding: bytes, as: UTF8.self)
        screen.say(page, ["receipt": .string(page)])
        return .done
    }

    private func show(_ payment: CounterCheckoutPayment) -> Ending {
        // A payment that nothing can pay any more has no press under way, whatever became of it.
        if case .underWay(let press)? = kept, press.payment == payment.id {
            switch payment.status {
            case .paid, .refunded, .closed: _ = try? file?.save(.over(payment.id, press: press.number))
            case .open, .declined, .action, .pending, .other: break
            }
        }
        screen.show(payment)
        return .done
    }

    private func asked<Answer: Sendable>(
        _ call: () async throws(CounterCheckoutError) -> Answer
    ) async throws(AppError) -> Answer {
        do throws(CounterCheckoutError) { return try await call() } catch { throw .counter(error) }
    }
}

extension Ending {
    /// Creates the end of a press.
    init(_ outcome: CounterCheckoutOutcome) {
        switch outcome {
        case .paid: self = .done
        case .declined, .refused, .over: self = outcome.moneyMoved == .no ? .notCharged : .notKnown
        case .givenUp, .unknown: self = .notKnown
        }
    }
}
