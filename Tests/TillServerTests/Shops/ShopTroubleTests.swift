import Testing
import TillCheckout
import TillCore
import TillFeatureOrders
@testable import TillFeatureShops
import TillJournal
@testable import TillShop
import TillTestSupport

/// A shop that behaves oddly is told what it can be told, stops nobody else, and somebody hears of it.
@Suite("Odd shops") struct ShopTroubleTests {
    @Test("An order whose total is no amount of its currency hides no other order")
    func unreadable() async throws {
        try await ShopWorld.with { world in
            try await world.control(
                "orders", #"{"line_items": [{"name": "Tea", "quantity": 1, "total": "4.00"}], "total": "4.005"}"#)
            let counter = world.start()
            #expect(try await counter.sync.step())
            #expect(try await counter.entry("101").order.isCurrent)
            #expect(try await counter.shops.list(.main).first?.trouble == nil)
        }
    }

    @Test("A connection with another key forgets neither what happened meanwhile nor how notifications are signed")
    func anotherKey() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let pepper = counter.shops.pepper
            let before = try #require(try await counter.shops.list(.main).first)
            try await world.edit(["set_paid": .bool(true), "transaction_id": .string("ch_elsewhere")], of: 101)
            world.clock.advance(by: .minutes(10))
            _ = try await counter.shops.connect(
                .init(url: world.url(), key: try ShopKey(key: "ck_new", secret: Secret("cs_new"))), account: .main)
            let after = try #require(try await counter.shops.list(.main).first)
            #expect(after.seenUntil == before.seenUntil && after.key == "ck_new")
            #expect(
                try after.openedHookSecret(by: pepper).reveal() == before.openedHookSecret(by: pepper).reveal())
            try await world.settle(counter)
            #expect(try await counter.entry("101").order.state == .canceled)
            await #expect(throws: ShopConnectError.scopeChanged) {
                _ = try await counter.shops.connect(
                    .init(
                        url: world.url(), key: try ShopKey(key: "ck_new", secret: Secret("cs_new")),
                        scope: OrderScope("b")), account: .main)
            }
        }
    }

    @Test("An order that waits for money again after it was told, or has another payment then, is reviewed")
    func paidAgain() async throws {
        for change: KeyValuePairs<String, JSONValue?> in [
            ["status": .string("pending")], ["transaction_id": .string("ch_another")],
        ] {
            try await ShopWorld.with { world in
                let counter = world.start()
                #expect(try await counter.sync.step())
                let payment = try await counter.payByCard()
                try await world.settle(counter)
                #expect(try await counter.reviews(payment.id).isEmpty)
                try await world.edit(change)
                try await world.settle(counter)
                #expect(try await counter.reviews(payment.id).count == 1)
                #expect(try await counter.link()?.trouble?.code == "shop_order_not_waiting")
            }
        }
    }

    @Test("A shop that takes no notes is told of the payment and its refunds all the same")
    func noNotes() async throws {
        try await ShopWorld.with { world in
            try await world.fail("note", "error500", times: 1_000)
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.payByCard()
            #expect(try await counter.sync.step())
            try await counter.refund(payment.id, 100)
            world.clock.advance(by: .hours(7))
            #expect(try await counter.sync.step())
            let ledger = try await world.ledger()
            #expect(ledger["paid"]?.int64Value == 1 && ledger["refunded"]?.int64Value == 100)
            #expect(try await counter.link()?.isNoted == false)
        }
    }

    @Test("A told order that changes its total in the shop is reviewed, and its refunds are told")
    func changedLater() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.payByCard()
            try await world.settle(counter)
            try await world.control("orders/101", #"{"total": "99.00"}"#)
            try await world.settle(counter)
            #expect(try await counter.reviews(payment.id).count == 1)
            try await counter.refund(payment.id, 100)
            try await world.settle(counter)
            #expect(try await world.ledger()["refunded"]?.int64Value == 100)
            #expect(try await counter.link()?.trouble == nil)
        }
    }

    @Test("A change that lies in the future hides no later one")
    func future() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            // The shop's clock is the counter's here: it was wrong for a moment, and is put back.
            world.clock.advance(by: .days(300))
            try await world.control("orders/102", #"{"total": "26.00"}"#)
            world.clock.advance(by: .days(-300))
            #expect(try await counter.sync.step())
            world.clock.advance(by: .minutes(30))
            try await world.control("orders/101", #"{"total": "13.00"}"#)
            #expect(try await counter.sync.step())
            world.clock.advance(by: .minutes(1))
            #expect(try await counter.sync.step())
            #expect(try await counter.entry("101").order.content.order.total.minorUnits == 1_300)
        }
    }

    @Test("Another card that is taken while the shop does not answer is the one that it is told of")
    func anotherCard() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            try await world.fail("update", "dropBeforeCommit")
            let first = try await counter.payByCard()
            #expect(try await counter.sync.step())
            #expect(try await counter.link()?.payment.transaction == first.id.rawValue)
            try await counter.refund(first.id, first.amount.minorUnits)
            let second = try await counter.payByCard()
            try await world.settle(counter)
            let ledger = try await world.ledger()
            #expect(ledger["paid"]?.int64Value == 1 && ledger["refunded"]?.int64Value == 0)
            #expect(ledger["transaction_id"]?.stringValue == second.id.rawValue)
            #expect(try await counter.reviews(second.id).isEmpty)
        }
    }

    @Test(
        "A record that cannot be read hides no other order, neither when payments are looked for nor when the shop is")
    func damaged() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let link = try #require(try await counter.link(102))
            let known = try #require(try await counter.journal.record(link.id))
            var record = link.record
            record.body = Array(#"{"shop":1}"#.utf8)
            try await counter.journal.change([.update(record, from: known.version)])
            try await counter.payByCard("102")
            let payment = try await counter.payByCard("101")
            try await world.settle(counter)
            let ledger = try await world.ledger()
            #expect(ledger["paid"]?.int64Value == 1)
            #expect(ledger["transaction_id"]?.stringValue == payment.id.rawValue)
        }
    }

    @Test("What has just failed is not tried again at once because something changed")
    func marks() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            var link = try #require(try await counter.link())
            let now = world.clock.now()
            for (failures, wait) in [(0, Span.seconds(0)), (3, .minutes(1)), (40, .minutes(5))] {
                (link.failures, link.due) = (failures, now.adding(.hours(6)))
                link.mark(isStale: true, at: now)
                #expect(link.due == now.adding(wait))
            }
        }
    }
}
