import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// However many payments are asked for on one order, by whomever and at once, together they never ask for more than it.
@Suite("An order with a tab") struct OrderTabTests {
    private let world = World()
    private let id = OrderID(rawValue: "o-1")

    private func order(_ units: Int64 = 1_000) throws -> Order { try Order(id: id, amount: World.eur(units)) }

    private func open(_ units: Int64 = 1_000, state: OrderTab.State = .open) async throws {
        var tab = OrderTab(account: .main, order: id, total: World.eur(units))
        tab.state = state
        try await world.journal.change([.insert(tab.record)])
    }

    private func tab() async throws -> OrderTab {
        let kept = try await world.journal.record(OrderTab.id(account: .main, order: id))
        return try OrderTab(try #require(kept))
    }

    private func balance() async throws -> OrderBalance {
        let tab = try await tab()
        return OrderBalance(total: tab.total, payments: try await world.checkout.payments(on: tab))
    }

    /// Begins a payment as the route does: drafted again while the order changes.
    private func part(
        _ units: Int64?, by checkout: Checkout? = nil, mode: CaptureMode = .automatic
    ) async throws -> Payment {
        let checkout = checkout ?? world.checkout
        for _ in 1...1_000 {
            do {
                let draft = try await checkout.draft(
                    account: .main, onTabOf: try order(), amount: units.map(World.eur), captureMode: mode)
                return try await checkout.create(draft)
            } catch CheckoutError.orderChanged { await Task.yield() }
        }
        throw CheckoutError.orderChanged(id)
    }

    private func code(_ command: () async throws -> Payment) async -> String? {
        do {
            _ = try await command()
            return nil
        } catch { return (error as? CheckoutError)?.code }
    }

    @Test("is paid as a whole under its own identifier")
    func whole() async throws {
        try await open()
        let payment = try await part(nil)
        #expect(payment.order.id == id && payment.order.part == nil && payment.amount == World.eur(1_000))
        #expect(try await balance().status == .pending)
        #expect(await code { try await part(1) } == "order_has_a_payment")
        _ = try await world.confirm(payment.id)
        #expect(try await balance().status == .paid)
        #expect(await code { try await part(1) } == "order_already_paid")
    }

    @Test("takes no discount, also from a payment that only names it")
    func discount() async throws {
        try await open()
        let discount = try Discount(World.eur(100), reason: "Scratched", beside: World.eur(1_000))
        let draft = world.checkout.draft(
            account: .main, order: try order(), captureMode: .automatic, discount: discount)
        #expect(await code { try await world.checkout.create(draft) } == "discount_belongs_to_shop")
        #expect(try await tab().payments.isEmpty)
        let line = OrderLine(
            name: "Tea", quantity: "1", subtotal: World.eur(1_000), total: World.eur(1_000), tax: World.eur(0))
        let document = try Order(
            id: OrderID(rawValue: "o-2"), number: "2", lines: [line], total: World.eur(1_000))
        let priced = world.checkout.draft(
            account: .main, order: document, captureMode: .automatic, discount: discount)
        #expect(await code { try await world.checkout.create(priced) } == "discount_belongs_to_shop")
    }

    @Test("is paid in parts, each with an identifier of its own")
    func parts() async throws {
        try await open()
        let first = try await part(300)
        #expect(first.order.id == OrderID(rawValue: "o-1~1") && first.order.part?.order == id)
        #expect(first.order.number == "o-1")
        #expect(await code { try await part(701) } == "order_amount_differs")
        let second = try await part(nil)
        #expect(second.amount == World.eur(700) && second.order.part?.number == 2)
        _ = try await world.confirm(first.id)
        #expect(try await balance().status == .partlyPaid)
        _ = try await world.confirm(second.id)
        let end = try await balance()
        #expect(end.status == .paid && end.open.isZero && end.excess.isZero)
        #expect(try await world.problems() == [])
        // The part is known from the events alone.
        #expect(try await world.journal.payment(first.id)?.order.part == first.order.part)
    }

    @Test("is not sold as a whole by somebody who knows nothing of its parts")
    func unaware() async throws {
        try await open()
        let first = try await part(300)
        #expect(await code { try await world.payment(try await world.create("o-1", 1_000)) } == "order_has_a_payment")
        _ = try await world.confirm(first.id)
        #expect(await code { try await world.payment(try await world.create("o-1", 1_000)) } == "order_amount_differs")
        _ = try await world.checkout.refund(first.id, account: .main)
        // Nothing is paid any more. The whole is; another amount is not.
        #expect(await code { try await world.payment(try await world.create("o-1", 900)) } == "order_amount_differs")
        let whole = try await world.create("o-1", 1_000)
        #expect(try await tab().payments == [first.id, whole])
    }

    @Test("is not sold under the identifier of a part, and no part is replaced by a sale")
    func partsIdentifier() async throws {
        try await open()
        let first = try await part(300)
        for (name, units) in [("o-1~1", 300 as Int64), ("o-1~1", 400), ("o-1", 300), ("o-1", 1_000)] {
            for policy in OccupiedOrderPolicy.allCases {
                let sale = try Order(id: OrderID(rawValue: name), amount: World.eur(units))
                let draft = world.checkout.draft(account: .main, order: sale, captureMode: .automatic)
                await #expect(throws: CheckoutError.self, "\(name) \(units) \(policy)") {
                    try await world.checkout.open(draft, whenOccupied: policy)
                }
            }
        }
        #expect(try await world.payment(first.id).isLive)
        _ = try await world.checkout.cancel(first.id, account: .main, reason: "test")
        #expect(await code { try await world.payment(try await world.create("o-1~1", 300)) } == "order_not_found")
        #expect(try await tab().payments == [first.id])
    }

    @Test("keeps what a partly captured payment may still take, also after a refund of it")
    func furtherCapture() async throws {
        try await open()
        let held = try await part(800, mode: .manual)
        _ = try await world.confirm(held.id)
        _ = try await world.checkout.capture(held.id, account: .main, amount: World.eur(200), isFinal: false)
        _ = try await world.checkout.refund(held.id, account: .main, amount: World.eur(50))
        let now = try await balance()
        #expect(now.paid == World.eur(200) && now.reserved == World.eur(600) && now.open == World.eur(200), "\(now)")
        #expect(await code { try await part(201) } == "order_amount_differs")
    }

    @Test("is not paid in parts beside a payment of the whole that came alive again")
    func aliveAgain() async throws {
        // Made before the tab, and not on it.
        let first = try await world.create("o-1", 1_000)
        try await open()
        #expect(await code { try await part(300) } == "order_has_a_payment")
        #expect(try await world.payment(first).isLive)
    }

    @Test("gives the amount of a canceled payment free, and keeps that of a declined one")
    func freed() async throws {
        try await open()
        let first = try await part(600)
        _ = try await world.confirm(first.id, card: "4000000000000002")
        #expect(try await balance().reserved == World.eur(600))
        _ = try await world.checkout.cancel(first.id, account: .main, reason: "changed their mind")
        #expect(try await balance().open == World.eur(1_000))
        #expect(try await part(nil).order.id == id)
    }

    @Test("takes no payment when it is closed, nor more payments than are kept for one")
    func closed() async throws {
        try await open(state: .closed)
        #expect(await code { try await part(nil) } == "order_canceled")
        #expect(await code { try await world.payment(try await world.create("o-1", 1_000)) } == "order_canceled")
    }

    @Test("takes at most the payments that are kept for one order")
    func most() async throws {
        try await open()
        for _ in 1...OrderTab.maximumPayments {
            let payment = try await part(1)
            _ = try await world.checkout.cancel(payment.id, account: .main, reason: "test")
        }
        #expect(await code { try await part(1) } == "too_many_payments")
    }

    @Test("that is being opened gives way to a sale, which whoever opens it then finds")
    func opening() async throws {
        try await open(state: .opening)
        let sale = try await world.create("o-1", 1_000)
        // Whoever opens it has read version 1, and reads again.
        #expect(try await world.journal.record(OrderTab.id(account: .main, order: id))?.version == 2)
        #expect(try await world.journal.livePayment(account: .main, order: id)?.id == sale)
    }

    @Test("passes over a number under which something else was sold")
    func taken() async throws {
        _ = try await world.create("o-1~1", 77)
        try await open()
        #expect(try await part(300).order.id == OrderID(rawValue: "o-1~2"))
        #expect(try await balance().open == World.eur(700))
    }

    @Test("is refused for another amount, currency or order without one")
    func refused() async throws {
        #expect(await code { try await part(nil) } == "order_not_found")
        try await open()
        let dollars = Money(minorUnits: 100, currency: try Currency(code: "USD"))
        let cases = [(dollars, 1_000 as Int64, "order_amount_differs"), (World.eur(1), 999, "conflict")]
        for (amount, total, expected) in cases {
            #expect(
                await code {
                    try await world.checkout.draft(
                        account: .main, onTabOf: try order(total), amount: amount, captureMode: .automatic
                    ).payment
                } == expected)
        }
    }

    @Test("is held with each of its parts by a charge that no payment accounts for", arguments: ["o-1", "o-1~7"])
    func held(_ reported: String) async throws {
        try await open()
        let first = try await part(300)
        let hold = OrderHold(account: .main, order: OrderID(rawValue: reported), open: ["inc_1"])
        try await world.journal.change([.insert(hold.record)])
        #expect(await code { try await part(100) } == "order_held")
        #expect(await code { try await world.confirm(first.id) } == "order_held")
        #expect(try await world.provider.ledger.charges().isEmpty)
    }

    @Test("takes never more than its total, whatever happens at once", arguments: 1...12)
    func atOnce(_ seed: UInt64) async throws {
        try await open()
        let sale = try order()
        let processes = [world.checkout, world.anotherProcess(), world.anotherProcess()]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                let dice = (seed &* 2_654_435_761 &+ UInt64(number) &* 40_503) >> 3
                let checkout = processes[number % processes.count]
                group.addTask {
                    let made: Payment?
                    if dice % 5 == 0 {
                        let draft = checkout.draft(
                            account: .main, order: sale, captureMode: .automatic)
                        made = try? await checkout.create(draft)
                    } else {
                        made = try? await part(dice % 5 == 1 ? nil : Int64(dice % 400 + 1), by: checkout)
                    }
                    guard let made else { return }
                    switch dice % 4 {
                    case 0: _ = try? await checkout.cancel(made.id, account: .main, reason: "test")
                    case 1: _ = try? await world.confirm(made.id, card: "4000000000000002")
                    default: _ = try? await world.confirm(made.id)
                    }
                }
            }
        }
        let (tab, end) = (try await tab(), try await balance())
        #expect(end.excess.isZero, "\(end)")
        #expect(end.paid.minorUnits + end.reserved.minorUnits <= 1_000)
        let taken = try await world.provider.ledger.charges().reduce(0) { $0 + $1.captured - $1.refunded }
        #expect(taken == end.paid.minorUnits && taken <= 1_000)
        #expect(Set(tab.payments).count == tab.payments.count)
        #expect(try await world.problems() == [])
    }

    @Test(
        "has the order that its identifier names",
        arguments: [
            ("o-1~2", "o-1"), ("o-1", "o-1"), ("~2", "~2"), ("o~1~2", "o~1"), ("o-1~", "o-1~"), ("o~x", "o~x"),
            ("o~1234", "o~1234"),
        ])
    func names(_ name: String, _ whole: String) { #expect(OrderID(rawValue: name).whole.rawValue == whole) }

    @Test("keeps metadata in each payment's events")
    func metadata() async throws {
        try await open()
        var sold = try order()
        sold.metadata = try OrderMetadata(["table": "7"])
        let draft = try await world.checkout.draft(
            account: .main, onTabOf: sold, amount: World.eur(10), captureMode: .automatic)
        let payment = try await world.checkout.create(draft)
        #expect(try await world.journal.payment(payment.id)?.order.metadata.values == ["table": "7"])
        #expect(throws: OrderMetadata.Refusal.tooManyKeys) {
            try OrderMetadata(Dictionary(uniqueKeysWithValues: (0...20).map { ("k\($0)", "") }))
        }
        #expect(throws: OrderMetadata.Refusal.key) { try OrderMetadata(["a b": ""]) }
        let long = String(repeating: "x", count: 501)
        #expect(throws: OrderMetadata.Refusal.value("a")) { try OrderMetadata(["a": long]) }
    }

    @Test("counts tips apart, and a partial capture as far as it goes")
    func sums() async throws {
        try await open()
        let held = try await part(600, mode: .manual)
        _ = try await world.confirm(held.id)
        #expect(try await balance().reserved == World.eur(600))
        _ = try await world.checkout.capture(held.id, account: .main, amount: World.eur(200), isFinal: true)
        let end = try await balance()
        #expect(end.paid == World.eur(200) && end.open == World.eur(800), "\(end)")
    }
}
