import Testing
import TillApplePay
import TillCore

@Suite("A basket whose price the merchant tells")
struct QuotedBasketTests {
    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .gbp) }

    private func item(_ label: String, _ units: Int64) -> SheetItem { SheetItem(label: label, amount: money(units)) }

    private func method(_ name: String, _ units: Int64) -> SheetShippingMethod {
        SheetShippingMethod(identifier: name, label: name, detail: "", amount: money(units))
    }

    private func basket() -> SheetBasket {
        SheetBasket(
            id: "b-1", currency: .gbp, service: .delivery, lines: [item("Tea", 1_000)],
            shippingMethods: [method("slow", 200), method("fast", 500)], price: .awaited)
    }

    private let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB")

    @Test("Before the price is told the total is pending, in the request and in an update")
    func awaited() throws {
        let basket = basket()
        #expect(basket.awaitsPrice && basket.version == 1)
        #expect(try basket.total() == money(1_200))
        let total = SheetItem(label: "Shop", amount: money(1_200), isPending: true)
        #expect(try factory.request(for: basket).total == total)
        #expect(try factory.summaryItems(for: basket).last == total)
        #expect(try factory.request(for: basket).total.json["type"] == .string("pending"))
    }

    @Test("A told price is all of the price, and final")
    func quoted() throws {
        var basket = basket()
        let told = [item("Tea", 1_000), item("Delivery", 200), item("Tax", 84)]
        basket.quote(told)
        #expect(basket.price == .quoted(told) && !basket.awaitsPrice && basket.version == 2)
        #expect(try basket.total() == money(1_284) && basket.summaryItems() == told)
        #expect(try factory.summaryItems(for: basket).last == SheetItem(label: "Shop", amount: money(1_284)))
        #expect(basket.lines == [item("Tea", 1_000)])
    }

    @Test("A told price ends with the choices that it was told for")
    func outdated() throws {
        let told = [item("All", 1_284)]
        let changes: [(inout SheetBasket) -> Void] = [
            { _ = $0.choose(shippingMethod: "fast") },
            { $0.apply(SheetBasket.Coupon(code: "TEN", discount: self.money(100))) },
        ]
        for change in changes {
            var basket = basket()
            basket.quote(told)
            change(&basket)
            #expect(basket.awaitsPrice && basket.version == 3)
        }
        var same = basket()
        same.quote(told)
        _ = same.choose(shippingMethod: "slow")
        same.apply(nil)
        same.pay(byCredit: true)
        #expect(same.price == .quoted(told) && same.version == 2)
    }

    @Test("Told shipping methods replace the former ones; the selected one stays, or the first is selected")
    func methods() {
        var basket = basket()
        _ = basket.choose(shippingMethod: "fast")
        basket.quote([item("All", 1)], methods: [method("slow", 300), method("fast", 700)])
        #expect(basket.shippingMethod == method("fast", 700) && basket.shippingMethods.count == 2)
        basket.quote([item("All", 1)], methods: [method("boat", 100)])
        #expect(basket.shippingMethod == method("boat", 100))
        basket.quote([item("All", 1)])
        #expect(basket.shippingMethods == [method("boat", 100)])
    }

    @Test("After authorization other lines are taken at the same total only, and the version stays")
    func confirmed() throws {
        var basket = basket()
        let untold = basket.confirm([item("All", 1_200)])
        #expect(!untold && basket.awaitsPrice)
        basket.quote([item("All", 1_284)])
        let before = basket
        for units: Int64 in [1_283, 1_285] {
            let isTaken = basket.confirm([item("All", units)])
            #expect(!isTaken && basket == before)
        }
        let isTaken = basket.confirm([item("Goods", 1_200), item("Tax", 84)])
        #expect(isTaken)
        #expect(try basket.total() == money(1_284) && basket.version == before.version)
    }

    @Test("A price that is lost is awaited again, with one new version")
    func lost() {
        var basket = basket()
        basket.quote([item("All", 1_284)])
        basket.awaitPrice()
        basket.awaitPrice()
        #expect(basket.awaitsPrice && basket.version == 3)
    }

    @Test("The stored form keeps each source of the price")
    func stored() throws {
        var quoted = basket()
        quoted.quote([item("Tea", 1_000), item("Discount", -100)])
        let own = SheetBasket(id: "b-1", currency: .gbp, service: .neither, lines: [item("Tea", 1_000)])
        for kept in [basket(), quoted, own] {
            #expect(SheetBasket(json: try JSONValue(parsing: kept.json.bytes())) == kept)
        }
        #expect(own.json["quoted"] == nil && own.json["awaitsPrice"] == nil)
        for damaged in ["[]", #"[{"label":"Tea"}]"#, "1"] {
            let json = JSONValue.object(
                (own.json.objectValue ?? []) + [
                    JSONMember(key: "quoted", value: try JSONValue(parsing: damaged.utf8))
                ])
            #expect(SheetBasket(json: json) == nil, "\(damaged)")
        }
    }
}
