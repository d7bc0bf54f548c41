import Testing
import TillCheckout
import TillCore
@testable import TillFeatureShops
@testable import TillShop

/// A refund is given back once and stands in the shop once, whoever made it and wherever it was recorded first.
@Suite("Refunds between a shop and the counter") struct ShopRefundTests {
    private func refunded(_ ledger: JSONValue) -> Int64? { ledger["refunded"]?.int64Value }

    @Test("One that the staff gave back here and recorded in the shop is not given back again")
    func recordedByHand() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.payByCard()
            try await world.settle(counter)
            // The shop cancels and refunds in one go, so that the review asks the staff to refund here.
            try await world.refund("3.00")
            try await world.edit(["status": .string("cancelled")])
            #expect(try await counter.sync.step())
            #expect(try await !counter.reviews(payment.id).isEmpty)
            try await counter.refund(payment.id, 300)
            try await world.edit(["status": .string("processing")])
            try await world.settle(counter)
            #expect(try await counter.payment(payment.id).refunded.minorUnits == 300)
            #expect(refunded(try await world.ledger()) == 300)
            #expect(try await counter.link()?.due == nil)
        }
    }

    @Test("One that the shop records while the counter does not know that it was told is carried out")
    func whileTelling() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            try await world.fail("update", "dropAfterCommit")
            let payment = try await counter.payByCard()
            #expect(try await counter.sync.step())
            #expect(try await world.ledger()["paid"]?.int64Value == 1)
            #expect(try await counter.link()?.payment.isTold == false)
            try await world.refund("3.00")
            try await world.settle(counter)
            #expect(try await counter.payment(payment.id).refunded.minorUnits == 300)
            #expect(refunded(try await world.ledger()) == 300)
        }
    }

    @Test("One of cash and card is handed out by the staff in two refunds, and stands in the shop once")
    func split() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let cash = try await counter.pay("101", 500)
            let card = try await counter.payByCard()
            try await world.settle(counter)
            try await world.refund("12.50")
            try await world.settle(counter)
            #expect(try await counter.payment(card.id).refunded.isZero, "nothing goes back by itself if cash is in it")
            #expect(try await counter.reviews(card.id).count == 1)
            try await counter.refund(cash.id, 500)
            try await counter.refund(card.id, 750)
            try await world.settle(counter)
            #expect(refunded(try await world.ledger()) == 1_250)
            #expect(try await counter.link()?.due == nil)
        }
    }

    @Test("Each of two equal ones of cash is put before the staff")
    func twice() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.pay()
            try await world.settle(counter)
            for count in 1...2 {
                try await world.refund("1.00")
                try await world.settle(counter)
                #expect(try await counter.reviews(payment.id).count == count)
            }
        }
    }

    @Test("Two equal ones are two")
    func equal() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.payByCard()
            try await world.settle(counter)
            try await counter.refund(payment.id, 200)
            try await counter.refund(payment.id, 200)
            try await world.settle(counter)
            #expect(refunded(try await world.ledger()) == 400)
            #expect(try await counter.link()?.toldRefunds.count == 2)
        }
    }

    @Test("More than the order's total, as with a tip, is recorded up to the total")
    func beyond() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.payByCard()
            try await world.settle(counter)
            // Of the whole, a part stands in the shop already.
            try await world.refund("3.00")
            try await world.edit(["status": .string("on-hold")])
            #expect(try await counter.sync.step())
            try await counter.refund(payment.id, 1_250)
            try await world.edit(["status": .string("processing")])
            try await world.settle(counter)
            #expect(refunded(try await world.ledger()) == 1_250)
            #expect(try await counter.payment(payment.id).refunded.minorUnits == 1_250)
            #expect(try await counter.link()?.due == nil)
        }
    }

    @Test("One of a part that is then paid here again: somebody hears of the money that the shop does not count")
    func paidHereAgain() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let part = try await counter.pay("101", 500)
            try await counter.payByCard()
            try await world.settle(counter)
            try await counter.refund(part.id, 500)
            try await world.settle(counter)
            #expect(refunded(try await world.ledger()) == 500)
            let again = try await counter.pay("101", 500)
            try await world.settle(counter)
            #expect(try await counter.reviews(again.id).count == 1)
            #expect(try await world.ledger()["paid"]?.int64Value == 1)
            #expect(try await counter.link()?.due == nil)
        }
    }
}
