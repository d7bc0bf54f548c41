import Testing
import TillCards
import TillCheckout
import TillCore
import TillPayPalClient
import TillSandbox
import TillStandInPayPal
import TillTestSupport

@testable import TillPayPal

/// Orders for PayPal's own fields that the customer leaves, or that the shop sets aside for another tender.
@Suite("Orders that nobody approved are ended") struct EndedOrderTests {
    private static let payPal = ProviderName(rawValue: "paypal")

    /// A payment whose order awaits its card.
    private func prepared(_ shop: MortalShop) async throws -> (payment: PaymentID, order: PayPalOrderID) {
        let engine = try shop.engine().engine
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Fixture.amount)
        let id = try await engine.create(engine.draft(account: .main, order: order, captureMode: .automatic)).id
        let payment = try await engine.confirm(id, account: .main, provider: Self.payPal, tender: .payPalCard)
        guard case .requiresAction(let action)? = payment.currentAttempt?.state,
            let awaited = action.order.flatMap({ PayPalOrderID(ifValid: $0) })
        else { throw Missing() }
        return (id, awaited)
    }

    /// No order was prepared.
    private struct Missing: Error {}

    /// Attaches a card as PayPal's fields do: with the client id alone.
    private func attach(_ holder: String? = nil, to order: PayPalOrderID, in shop: MortalShop) async throws {
        let app = CardClient(
            try CoreConfig(clientID: "client", environment: .custom("http://127.0.0.1:9")), transport: shop.payPal,
            clock: shop.clock)
        _ = try await app.approveOrder(
            order, card: try Fixture.card(holder),
            challenge: ChallengeReturn(base: "shop.example://card", random: (1, 2)))
    }

    @Test("an order that was ended frees the payment, and a card that is attached later is not charged")
    func ends() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        let (engine, wire) = try shop.engine()
        let payment = try await engine.endUnapproved(id, account: .main)
        #expect(payment.status == .requiresPaymentMethod)
        // Read before it is ended.
        #expect(wire.asked.first?.hasPrefix("GET /v2/checkout/orders/") == true)
        _ = try? await attach(to: order, in: shop)
        try await engine.query(id)
        try await shop.settle()
        #expect(await shop.taken() == 0)
        let paid = try await engine.confirm(
            id, account: .main, provider: Self.payPal, tender: try Fixture.tender())
        #expect(paid.status == .succeeded && paid.attempts.count == 2)
        try await shop.settle()
        #expect(await shop.taken() == 1250)
    }

    @Test("an order whose customer the bank is asking stays, and no other tender pays beside it")
    func atBank() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await attach("SCA-REQUIRED", to: order, in: shop)
        let engine = try shop.engine().engine
        #expect(try await engine.endUnapproved(id, account: .main).status == .requiresAction)
        await #expect(throws: CheckoutError.self) {
            _ = try await engine.confirm(id, account: .main, provider: Self.payPal, tender: try Fixture.tender())
        }
        #expect(await shop.payPal.answerChallenge(order.rawValue, succeeds: true))
        try await engine.query(id)
        try await shop.settle()
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("an order that was approved is charged, never ended; another tender is refused then")
    func approved() async throws {
        for isForAnother in [false, true] {
            let shop = MortalShop()
            let (id, order) = try await prepared(shop)
            try await attach(to: order, in: shop)
            let engine = try shop.engine().engine
            if isForAnother {
                await #expect(throws: CheckoutError.self) {
                    _ = try await engine.confirm(
                        id, account: .main, provider: Self.payPal, tender: try Fixture.tender())
                }
            } else {
                #expect(try await engine.endUnapproved(id, account: .main).status == .succeeded)
            }
            try await shop.settle()
            let payment = try await shop.payment(id)
            #expect(payment.status == .succeeded && payment.attempts.count == 1)
            #expect(await shop.taken() == 1250)
        }
    }

    @Test("another tender sets an unapproved order aside, and money is taken once")
    func setAside() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        let engine = try shop.engine().engine
        let paid = try await engine.confirm(
            id, account: .main, provider: Self.payPal, tender: try Fixture.tender())
        #expect(paid.status == .succeeded && paid.attempts.count == 2)
        _ = try? await attach(to: order, in: shop)
        try await shop.settle()
        #expect(await shop.taken() == 1250)
        #expect(try await shop.payment(id).captured == Fixture.amount)
    }

    @Test("the same tender goes on with its order")
    func same() async throws {
        let shop = MortalShop()
        let (id, _) = try await prepared(shop)
        let engine = try shop.engine().engine
        await #expect(throws: CheckoutError.self) {
            _ = try await engine.confirm(id, account: .main, provider: Self.payPal, tender: .payPalCard)
        }
        #expect(try await shop.payment(id).attempts.count == 1)
    }

    @Test("an order that cannot be read is not known to be unapproved, and keeps blocking")
    func unread() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        // The wire of a dying process: its first call has no answer.
        let dying = try shop.engine(Mortal(steps: 0)).engine
        let left = try? await dying.endUnapproved(id, account: .main)
        #expect(left.map { $0.status == .requiresAction } ?? true)
        await #expect(throws: CheckoutError.self) {
            _ = try await dying.confirm(id, account: .main, provider: Self.payPal, tender: try Fixture.tender())
        }
        #expect(try await shop.payment(id).attempts.count == 1)
        // The order lives, and its card is charged once.
        try await attach(to: order, in: shop)
        try await shop.settle()
        #expect(await shop.taken() == 1250)
    }

    @Test("asked again at once, PayPal is not queried again")
    func limited() async throws {
        let shop = MortalShop()
        let (id, _) = try await prepared(shop)
        let (engine, wire) = try shop.engine()
        try await engine.query(id)
        let before = wire.asked.count
        let payment = try await engine.endUnapproved(
            id, account: .main, ifNotWithin: Checkout.firstWatchedInterval)
        #expect(payment.status == .requiresAction && wire.asked.count == before)
    }
}
