import Foundation
import HTTPTypes
import Synchronization
import Testing
@testable import TillClient
import TillCore
import TillTestSupport

/// A bank's page that ends as a test wants, and counts.
private final class Bank: ChallengePresenter {
    private let pages = Mutex<[String]>([])
    private let end: ChallengeEnd?
    var shown: [String] { pages.withLock { $0 } }

    /// - Parameter end: `nil` for a customer who neither comes back nor closes the page.
    init(_ end: ChallengeEnd? = .returned) { self.end = end }

    func present(_ page: ChallengePage) async -> ChallengeEnd {
        pages.withLock { $0.append(page.address) }
        if let end { return end }
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        return .closed
    }
}

/// The orders to which PayPal's SDK was to attach a card.
private final class AttachedOrders: Sendable {
    private let orders = Mutex<[String]>([])
    var all: [String] { orders.withLock { $0 } }
    func add(_ order: String) { orders.withLock { $0.append(order) } }
}

@Suite("An app's checkout at a counter")
struct CounterCheckoutTests {
    private static let text = "ap-abcdefghijklmnopqrst_secret"
    private let bank = Bank()

    private var session: CounterCheckoutSession {
        get throws {
            try #require(
                CounterCheckoutSession(
                    text: Secret(Self.text), payment: PaymentID(rawValue: "pay_1"),
                    amount: Money(minorUnits: 1250, currency: .eur)))
        }
    }

    private func checkout(
        _ steps: ScriptedTransport.Step..., clock: ManualClock = ManualClock(waits: .moveTime(upTo: .seconds(5))),
        limits: CounterCheckoutLimits = CounterCheckoutLimits()
    ) throws -> (CounterCheckout, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        let checkout = CounterCheckout(
            address: try CounterAddress("https://counter.example.com"), session: try session, limits: limits,
            transport: transport, clock: clock)
        return (checkout, transport)
    }

    private func shown(
        _ status: String, begun: Bool? = true, moved: String = "unknown", payment: String = "pay_1",
        amount: Int = 1250, currency: String = "EUR", message: String? = nil, url: String? = nil, order: String? = nil,
        session: String? = nil
    ) -> ScriptedTransport.Step {
        let end = [
            begun.map { #","begun":\#($0)"# }, message.map { #","message":"\#($0)""# },
            url.map { #","action_url":"\#($0)""# }, order.map { #","order_id":"\#($0)""# },
            session.map { #","adyen_session":{"id":"\#($0)","data":"x","ends_at":"2026-11-18T12:00:00.000Z"}"# },
        ].compactMap { $0 }.joined()
        return .json(
            200,
            #"{"payment_id":"\#(payment)","status":"\#(status)","money_moved":"\#(moved)","attempts":1,"#
                + #""order_number":"1001","amount":\#(amount),"currency":"\#(currency)"\#(end)}"#)
    }

    private func problem(_ status: Int, _ code: String, _ moved: String = "no") -> ScriptedTransport.Step {
        .json(status, FakeCounter.problem(code, moved))
    }

    private let lost = ScriptedTransport.Step.fail(.unknown(reason: "cut"))
    private let token = CheckoutTender.token(Secret("pm_card_visa"))

    private func isUnknown(_ outcome: CounterCheckoutOutcome) -> Bool {
        if case .unknown = outcome { return outcome.moneyMoved == .unknown }
        return false
    }

    @Test("a press pays with the session in a header, and with no key of the counter")
    func pays() async throws {
        let (checkout, transport) = try checkout(shown("paid", moved: "yes"))
        let outcome = await checkout.pay(token, presenter: bank)
        guard case .paid(let payment) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(payment.amount == Money(minorUnits: 1250, currency: .eur) && payment.orderNumber == "1001")
        #expect(outcome.moneyMoved == .yes)
        let call = try #require(transport.calls.first)
        #expect(call.line == "POST /app/pay" && transport.calls.count == 1)
        #expect(call.field("X-Till-Session") == Self.text && call.field("Authorization") == nil)
        #expect(call.body == #"{"tender":{"type":"token","token":"pm_card_visa"}}"#)
        #expect(!"\(checkout)".contains("secret") && !"\(token)".contains("visa"))
    }

    @Test("a press has the same key in every life of the app, and no other press has it")
    func keys() throws {
        let payment = PaymentID(rawValue: "pay_1")
        let key = token.key(of: payment, press: 1)
        #expect(CheckoutTender.token(Secret("pm_card_visa")).key(of: payment, press: 1) == key)
        #expect(key.rawValue == "app-" + key.rawValue.dropFirst(4).filter { ("a"..."p").contains($0) })
        #expect(key.rawValue.count == 44)
        let others = [
            token.key(of: payment, press: 2), token.key(of: PaymentID(rawValue: "pay_2"), press: 1),
            CheckoutTender.token(Secret("pm_card_visa2")).key(of: payment, press: 1),
        ]
        #expect(Set(others + [key]).count == 4)
    }

    @Test("a lost answer is asked for under the same key")
    func lostAnswer() async throws {
        let (checkout, transport) = try checkout(
            lost, problem(409, "request_in_progress", "unknown"), .json(502, "<html>"), shown("pending"),
            shown("paid", moved: "yes"))
        guard case .paid = await checkout.pay(token, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        #expect(transport.calls.count == 5 && Set(transport.calls.map(\.key)).count == 1)
    }

    @Test("a decline ends a press only if it is this press's own")
    func declines() async throws {
        var (checkout, transport) = try checkout(
            shown("declined", begun: false, moved: "no"), shown("declined", moved: "no", message: "Expired."))
        var outcome = await checkout.pay(token, presenter: bank)
        guard case .declined = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outcome.sentence == "Expired." && outcome.moneyMoved == .no && transport.calls.count == 2)
        (checkout, transport) = try self.checkout(
            lost, shown("declined", begun: false, moved: "no"), shown("paid", moved: "yes"))
        outcome = await checkout.pay(token, presenter: bank)
        guard case .paid = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("a refusal settles its own request, and no earlier one that may still arrive")
    func refusals() async throws {
        for (status, code) in [(410, "app_session_over"), (429, "app_session_used_up"), (503, "token_not_sent")] {
            var (checkout, _) = try checkout(problem(status, code))
            let outcome = await checkout.pay(token, presenter: bank)
            guard case .refused(let refusal) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(refusal.code.rawValue == code && outcome.moneyMoved == .no)
            (checkout, _) = try self.checkout(lost, problem(status, code), problem(status, code))
            #expect(isUnknown(await checkout.pay(token, presenter: bank)), "\(code)")
        }
        let (checkout, _) = try checkout(problem(404, "app_session_unknown", "unknown"))
        #expect(isUnknown(await checkout.pay(token, presenter: bank)))
    }

    @Test("a refusal settles no press that another life of the app may have sent")
    func resumedRefusals() async throws {
        let over = problem(410, "app_session_over")
        var (checkout, transport) = try checkout(over, over)
        #expect(isUnknown(await checkout.pay(token, isResumed: true, presenter: bank)))
        #expect(transport.calls.count > 2 && Set(transport.calls.map(\.key)).count == 1)
        (checkout, transport) = try self.checkout(over, shown("paid", moved: "yes"))
        guard case .paid = await checkout.pay(token, isResumed: true, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        #expect(transport.calls.count == 2)
    }

    @Test("a counter that is not reached has not said that nothing was charged")
    func notReached() async throws {
        let (checkout, transport) = try checkout()
        let outcome = await checkout.pay(token, presenter: bank)
        #expect(isUnknown(outcome) && outcome.sentence.contains("cannot be reached"))
        #expect(transport.calls.count > 10 && Set(transport.calls.map(\.key)).count == 1)
    }

    @Test("an answer about another payment, amount or currency does not count")
    func mismatch() async throws {
        let answers: [(ScriptedTransport.Step, CounterCheckoutError.Part)] = [
            (shown("paid", payment: "pay_2"), .payment), (shown("paid", amount: 1), .amount),
            (shown("paid", currency: "USD"), .currency),
        ]
        for (answer, part) in answers {
            let (checkout, _) = try checkout(answer, answer)
            let outcome = await checkout.pay(token, presenter: bank)
            guard case .unknown(let unknown) = outcome, case .mismatch(part, _, _)? = unknown.error else {
                Issue.record("\(outcome)")
                return
            }
            await #expect(throws: CounterCheckoutError.self) { try await checkout.payment() }
        }
    }

    @Test("the bank's page is shown once, and then the counter is asked until the payment has an outcome")
    func challenges() async throws {
        let page = "https://bank.example/3ds?x=1"
        let (checkout, transport) = try checkout(
            shown("action", url: page), shown("action", begun: nil, url: page), lost, shown("pending", begun: nil),
            shown("paid", begun: nil, moved: "yes"))
        guard case .paid = await checkout.pay(token, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        #expect(bank.shown == [page])
        #expect(transport.calls.map(\.line) == ["POST /app/pay"] + Array(repeating: "GET /app/payment", count: 4))
    }

    @Test("a customer who leaves the bank's page may have paid: that is asked for, and is otherwise given up")
    func leaves() async throws {
        let page = "https://bank.example/3ds"
        let limits: CounterCheckoutLimits = {
            var limits = CounterCheckoutLimits()
            limits.afterClosing = .seconds(2)
            limits.settling = .seconds(2)
            limits.challenge = .seconds(4)
            return limits
        }()
        let asked = shown("action", url: page)
        var (checkout, _) = try checkout(asked, asked, shown("paid", moved: "yes"), limits: limits)
        guard case .paid = await checkout.pay(token, presenter: Bank(.closed)) else {
            Issue.record("not paid")
            return
        }
        for end in [ChallengeEnd.closed, nil] {
            (checkout, _) = try self.checkout(asked, asked, asked, asked, asked, limits: limits)
            let outcome = await checkout.pay(token, presenter: Bank(end))
            guard case .givenUp = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(outcome.moneyMoved == .unknown)
        }
        (checkout, _) = try self.checkout(asked, asked, asked, asked, limits: limits)
        #expect(isUnknown(await checkout.pay(token, presenter: Bank(.notShown))))
        (checkout, _) = try self.checkout(asked, shown("declined", begun: nil, moved: "no"), limits: limits)
        guard case .declined = await checkout.pay(token, presenter: Bank(.closed)) else {
            Issue.record("not declined")
            return
        }
    }

    @Test("PayPal's SDK attaches the card to the order of the counter, which then says how it ended")
    func attaches() async throws {
        let attached = AttachedOrders()
        let card = CheckoutTender.payPalCard { order in
            attached.add(order)
            return .returned
        }
        let asked = shown("action", order: "5O190127TN364715T")
        var (checkout, transport) = try checkout(asked, asked, shown("paid", begun: nil, moved: "yes"))
        guard case .paid = await checkout.pay(card, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        #expect(attached.all == ["5O190127TN364715T"] && bank.shown == [])
        #expect(transport.calls.first?.body == #"{"tender":{"type":"paypal_card"}}"#)
        #expect(transport.calls.map(\.line) == ["POST /app/pay"] + Array(repeating: "GET /app/payment", count: 2))
        (checkout, transport) = try self.checkout(asked, shown("declined", begun: nil, moved: "no"))
        guard case .declined = await checkout.pay(card, presenter: bank) else {
            Issue.record("not declined")
            return
        }
        // An order that awaits its card is nothing for another way to pay, and one with a strange name is not used.
        for (tender, step) in [(token, asked), (card, shown("action", order: "../x"))] {
            (checkout, _) = try self.checkout(step)
            #expect(isUnknown(await checkout.pay(tender, presenter: bank)))
        }
        #expect(attached.all.count == 2 && bank.shown == [])
    }

    @Test("Adyen's SDK takes the card in the counter's session, and its result goes to the counter, which then decides")
    func takesInSession() async throws {
        let taken = AttachedOrders()
        let card = CheckoutTender.adyenSession { session in
            taken.add(session.id)
            return SessionResult("X3XtfGC9!")
        }
        let asked = shown("action", session: "CS1")
        let pending = shown("pending", begun: nil)
        var (checkout, transport) = try checkout(asked, pending, pending, shown("paid", begun: nil, moved: "yes"))
        guard case .paid = await checkout.pay(card, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        #expect(taken.all == ["CS1"] && bank.shown == [])
        #expect(transport.calls.first?.body == #"{"tender":{"type":"adyen_session"}}"#)
        #expect(
            transport.calls.map(\.line) == [
                "POST /app/pay", "POST /app/session_result", "GET /app/payment", "GET /app/payment",
            ])
        #expect(transport.calls.dropFirst().first?.body == #"{"session_result":"X3XtfGC9!"}"#)
        // A result whose answer is lost is no failure: the counter hears from Adyen.
        (checkout, transport) = try self.checkout(asked, lost, shown("paid", begun: nil, moved: "yes"))
        guard case .paid = await checkout.pay(card, presenter: bank) else {
            Issue.record("not paid")
            return
        }
        // A session is nothing for another way to pay, and one with a strange name is not used.
        for (tender, step) in [(token, asked), (card, shown("action", session: "../x"))] {
            (checkout, _) = try self.checkout(step)
            #expect(isUnknown(await checkout.pay(tender, presenter: bank)))
        }
        #expect(taken.all.count == 2 && bank.shown == [])
    }

    @Test("a customer who leaves PayPal's fields has given up, while the order awaits its card")
    func leavesFields() async throws {
        var limits = CounterCheckoutLimits()
        limits.afterClosing = .seconds(2)
        let asked = shown("action", order: "5O190127TN364715T")
        let (checkout, _) = try checkout(asked, asked, asked, asked, asked, limits: limits)
        guard case .givenUp = await checkout.pay(.payPalCard { _ in .closed }, presenter: bank) else {
            Issue.record("not given up")
            return
        }
    }

    @Test(
        "only a page over TLS is shown, or one of the machine itself",
        arguments: [
            ("https://bank.example/x", true), ("http://127.0.0.1:99/x", true), ("http://bank.example", false),
            ("javascript:alert(1)", false), ("https://a:b@bank.example", false), ("file:///etc/passwd", false),
            ("https://", false), ("", false),
        ])
    func pages(_ address: String, _ isShown: Bool) async throws {
        #expect((ChallengePage(address) != nil) == isShown)
        guard !isShown else { return }
        let (checkout, _) = try checkout(shown("action", url: address))
        #expect(isUnknown(await checkout.pay(token, presenter: bank)))
        #expect(bank.shown == [])
    }

    @Test("the payment, its cancellation and its receipt are asked for again without harm")
    func others() async throws {
        var (checkout, transport) = try checkout(lost, shown("closed", begun: nil, moved: "no"))
        #expect(try await checkout.cancel().status == .closed)
        #expect(transport.calls.map(\.line) == ["POST /app/cancel", "POST /app/cancel"])
        (checkout, transport) = try self.checkout(lost, lost, lost)
        do throws(CounterCheckoutError) {
            _ = try await checkout.payment()
            Issue.record("an answer")
        } catch { #expect(error == .notAnswered(reason: "cut") && error.moneyMoved == .unknown) }
        #expect(transport.calls.count == checkout.limits.maximumTries)
        (checkout, _) = try self.checkout(shown("weighed", begun: nil, moved: "perhaps"))
        let newer = try await checkout.payment()
        #expect(newer.status == .other("weighed") && newer.moneyMoved == .unknown)
        (checkout, _) = try self.checkout(problem(409, "receipt_not_ready", "unknown"))
        await #expect(throws: CounterCheckoutError.self) { try await checkout.receipt() }
    }

    @Test("what a provider's SDK needs is read, and an answer without it is no key")
    func cardFields() async throws {
        var (checkout, transport) = try checkout(.json(200, #"{"provider":"stripe","publishable_key":"pk_test_1"}"#))
        guard case .stripe(publishableKey: "pk_test_1") = try await checkout.cardFields() else {
            Issue.record("no key of Stripe")
            return
        }
        #expect(transport.calls.map(\.line) == ["GET /app/card_fields"])
        #expect(transport.calls.first?.field("X-Till-Session") == Self.text)
        (checkout, transport) = try self.checkout(
            .json(502, "<html>"), .json(200, #"{"provider":"braintree","client_token":"dG9rZW4="}"#))
        guard case .braintree(clientToken: let token, verification: nil) = try await checkout.cardFields() else {
            Issue.record("no token of Braintree")
            return
        }
        #expect(token.reveal() == "dG9rZW4=" && transport.calls.count == 2)
        (checkout, _) = try self.checkout(.json(200, #"{"provider":"paypal","client_id":"AY3x"}"#))
        guard case .payPal(clientID: "AY3x") = try await checkout.cardFields() else {
            Issue.record("no client id of PayPal")
            return
        }
        (checkout, _) = try self.checkout(.json(200, #"{"provider":"other","key":"k"}"#))
        guard case .other(provider: "other") = try await checkout.cardFields() else {
            Issue.record("a provider of a newer counter")
            return
        }
        for wrong in [
            #"{"provider":"stripe"}"#, "{}", #"{"provider":"paypal"}"#,
            #"{"provider":"braintree","publishable_key":"pk_test_1"}"#,
        ] {
            (checkout, _) = try self.checkout(.json(200, wrong))
            await #expect(throws: CounterCheckoutError.self) { try await checkout.cardFields() }
        }
    }

    @Test("a session is read from the counter's answer to the shop's server")
    func sessions() throws {
        let text =
            #"{"session":"ap-x_y","payment_id":"pay_1","amount":1250,"currency":"EUR","expires_at":"2026-11-27T00:00:00Z"}"#
        let session = try #require(CounterCheckoutSession(document: Array(text.utf8)))
        #expect(session.text.reveal() == "ap-x_y" && session.payment.rawValue == "pay_1")
        #expect(session.amount == Money(minorUnits: 1250, currency: .eur))
        #expect(!"\(session)".contains("ap-x_y"))
        for wrong in [
            "", "[]", text.replacing("1250", with: "-1"), text.replacing("EUR", with: "E"),
            text.replacing("ap-x_y", with: "a b"), text.replacing("ap-x_y", with: ""),
        ] { #expect(CounterCheckoutSession(document: Array(wrong.utf8)) == nil, "\(wrong)") }
    }
}
