import Testing
import TillCheckout
import TillCore
import TillJournal

@Suite("A tip in cash") struct CashTipTests {
    private func confirm(_ tender: Tender, in world: World) async throws -> Payment {
        let checkout = Checkout(journal: world.journal, providers: [CashDrawer()], clock: world.clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(4_830))
        let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic)).id
        return try await checkout.confirm(id, account: .main, provider: .cash, tender: tender)
    }

    @Test("it is captured with the amount and leaves less change") func kept() async throws {
        let world = World()
        let paid = try await confirm(.cash(tendered: World.eur(5_000), tip: World.eur(150)), in: world)
        #expect(paid.status == .succeeded)
        #expect(paid.amount == World.eur(4_830) && paid.captured == World.eur(4_980))
        #expect(paid.tip == World.eur(150) && paid.change == World.eur(20))
        let stored = try await world.payment(paid.id)
        #expect(stored.tip == World.eur(150) && stored.change == World.eur(20))
    }

    @Test("without what was handed over there is no change") func exact() async throws {
        let paid = try await confirm(.cash(tendered: nil, tip: World.eur(170)), in: World())
        #expect(paid.captured == World.eur(5_000) && paid.tip == World.eur(170) && paid.change == nil)
    }

    @Test("nothing is taken if less than both was handed over") func short() async throws {
        let paid = try await confirm(.cash(tendered: World.eur(4_900), tip: World.eur(150)), in: World())
        #expect(paid.status == .declined && paid.captured == World.eur(0))
    }

    @Test("what cannot be taken is refused before anything is recorded") func refused() {
        func refusal(_ tendered: Money?, _ tip: Money) -> CashRefusal? {
            do throws(CashRefusal) {
                try CashDrawer.check(tendered: tendered, tip: tip, due: World.eur(4_830), captureMode: .automatic)
                return nil
            } catch { return error }
        }
        #expect(refusal(World.eur(5_000), World.eur(170)) == nil)
        #expect(
            refusal(World.eur(5_000), World.eur(171)) == .tenderedLess(World.eur(5_000), due: World.eur(5_001)))
        #expect(refusal(nil, World.eur(CashDrawer.maximumTaken - 4_830)) == nil)
        let others = [
            World.eur(0), World.eur(-1), World.eur(.max), World.eur(CashDrawer.maximumTaken - 4_829),
            Money(minorUnits: 1, currency: .usd),
        ]
        for tip in others { #expect(refusal(nil, tip) == .tipNotTaken(tip, due: World.eur(4_830))) }
    }
}
