import Testing
import TillCore
import TillTestSupport

/// What is stored of an order is hashed, so it may never change in a byte.
@Suite("Writing orders")
struct OrderWritingTests {
    private func written(_ order: Order) -> String {
        var writer = JSONWriter()
        writer.order(order)
        return writer.text
    }

    @Test("a plain sale is written as it always was")
    func plain() throws {
        let plain = try Order(
            id: OrderID(rawValue: "sale-1"), amount: Money(minorUnits: 1_250, currency: .eur),
            description: "Tea \"hot\"")
        let before = [
            #"{"id":"sale-1","number":"sale-1","currency":"EUR","total":"12.50","description":"Tea \"hot\"","#,
            #""subtotal":"12.50","tax":"0.00"}"#,
        ]
        #expect(written(plain) == before.joined())
        #expect(plain.isWrittenAsItsValues)
        let part = try plain.part(2, of: Money(minorUnits: 5, currency: .eur))
        let partBefore = [
            #"{"id":"sale-1~2","number":"sale-1","currency":"EUR","total":"0.05","#,
            #""description":"Part 2 of order sale-1","subtotal":"0.05","tax":"0.00","#,
            #""part":{"of":"sale-1","number":2}}"#,
        ]
        #expect(written(part) == partBefore.joined())
        #expect(part.isWrittenAsItsValues)
    }

    @Test("an order with every member is written as it always was")
    func whole() throws {
        let yen = { (units: Int64) in Money(minorUnits: units, currency: .jpy) }
        var order = try Order(
            id: OrderID(rawValue: "shop/7"), number: "7", description: "お茶",
            lines: [
                OrderLine(
                    name: "Tea", quantity: "1.5", sku: "T\\1", attributes: [OrderAttribute(name: "Size", value: "L")],
                    subtotal: yen(900), total: yen(800), tax: yen(80))
            ], shipping: [OrderCharge(name: "Post", total: yen(100), tax: yen(10))],
            fees: [OrderCharge(name: "Less", total: yen(-50), tax: yen(-5))],
            coupons: [OrderCoupon(code: "TEN", discount: yen(100))],
            giftCards: [OrderGiftCard(lastFour: "1234", amount: yen(200))],
            taxes: [OrderTax(label: "VAT", total: yen(85))], rounding: yen(1), total: yen(736),
            notices: ["It was paid\n."], standing: .paid(on: "2019-06-06", through: "Card"))
        order.metadata = try OrderMetadata(["b": "2", "a": "1"])
        let before = [
            #"{"id":"shop/7","number":"7","currency":"JPY","total":"736","description":"お茶","tax":"85","#,
            #""rounding":"1","lines":[{"name":"Tea","quantity":"1.5","sku":"T\\1","#,
            #""attributes":[{"name":"Size","value":"L"}],"subtotal":"900","total":"800","tax":"80"}],"#,
            #""shipping":[{"name":"Post","total":"100","tax":"10"}],"#,
            #""fees":[{"name":"Less","total":"-50","tax":"-5"}],"#,
            #""coupons":[{"code":"TEN","discount":"100"}],"gift_cards":[{"last_four":"1234","amount":"200"}],"#,
            #""taxes":[{"label":"VAT","total":"85"}],"notices":["It was paid\n."],"#,
            #""standing":{"kind":"paid","on":"2019-06-06","through":"Card"},"metadata":{"a":"1","b":"2"}}"#,
        ]
        #expect(written(order) == before.joined())
        #expect(order.isWrittenAsItsValues)
    }

    @Test("five hundred seeded orders of every form are written byte for byte as their values")
    func seeded() throws {
        var maker = OrderMaker(random: SeededRandom(seed: 20_260_701))
        var forms: Set<[Bool]> = []
        for number in 1...500 {
            let order = try maker.order(number)
            #expect(order.isWrittenAsItsValues, "\(order.jsonValue.text)")
            #expect(try Order(json: JSONValue(parsing: Array(written(order).utf8))) == order)
            forms.insert([order.lines.isEmpty, order.standing != nil, order.part != nil, order.metadata.isEmpty])
        }
        #expect(forms.count >= 12, "the seed makes orders of too few forms")
    }
}

/// Makes orders that add up, with texts that must be escaped.
private struct OrderMaker {
    var random: SeededRandom

    private static let texts = [
        "Tea", "", "12.50", "\"quoted\"", "back\\slash", "tab\tline\nreturn\rbell\u{7}", "\u{1}\u{1F}\u{8}\u{C}",
        "Ä é 茶", "\u{1F469}\u{200D}\u{1F373}", "</script>", "\u{2028}",
        "a much longer text than fits into the words of a short string",
    ]
    private static let currencies: [Currency] = [.eur, .jpy, .kwd, .chf]

    private mutating func text() -> String { OrderMaker.texts[random.below(OrderMaker.texts.count)] }

    /// Up to two parts, none in a half of all cases.
    private mutating func several<Part>(_ part: (inout OrderMaker) -> Part) -> [Part] {
        guard random.chance(500) else { return [] }
        var parts: [Part] = []
        for _ in 0...random.below(2) { parts.append(part(&self)) }
        return parts
    }

    mutating func order(_ number: Int) throws -> Order {
        let currency = OrderMaker.currencies[random.below(OrderMaker.currencies.count)]
        let money = { (units: Int64) in Money(minorUnits: units, currency: currency) }
        // One line makes up for every reduction.
        let isPlain = random.chance(300)
        var lines: [OrderLine] = []
        if !isPlain {
            for _ in 0...random.below(3) {
                let before = random.number(100_000...9_000_000)
                lines.append(
                    OrderLine(
                        name: text(), quantity: "\(random.below(9)).5", sku: random.chance(500) ? text() : nil,
                        attributes: several { OrderAttribute(name: $0.text(), value: $0.text()) },
                        subtotal: money(before), total: money(before - random.number(0...1_000)),
                        tax: money(random.number(0...900))))
            }
        }
        let charge = { (maker: inout OrderMaker) in
            OrderCharge(
                name: maker.text(), total: money(maker.random.number(-900...900)),
                tax: money(maker.random.number(-90...90)))
        }
        let (shipping, fees) = (several(charge), several(charge))
        let gifts = several { OrderGiftCard(lastFour: "12-4", amount: money($0.random.number(1...900))) }
        let subtotal = money(random.number(100_000...900_000))
        let rounding = random.chance(300) ? money(random.number(-9...9)) : nil
        let tax = random.chance(300) ? money(random.number(0...9_000)) : nil
        let goods = isPlain ? subtotal : try lines.sum(currency) { $0.total }
        let charged = try (shipping + fees).sum(currency) { $0.total }
        let partTax = try lines.sum(currency) { $0.tax }.adding(try (shipping + fees).sum(currency) { $0.tax })
        let given = try gifts.sum(currency) { $0.amount }
        let total = try goods.adding(charged).adding(tax ?? partTax).subtracting(given).adding(rounding ?? money(0))
        var order = try Order(
            id: OrderID(rawValue: "o-\(number)"), number: random.chance(500) ? "o-\(number)" : text(),
            description: random.chance(500) ? text() : nil, lines: lines, shipping: shipping, fees: fees,
            coupons: several { OrderCoupon(code: $0.text(), discount: money($0.random.number(0...900))) },
            giftCards: gifts, taxes: several { OrderTax(label: $0.text(), total: money($0.random.number(0...900))) },
            subtotal: isPlain ? subtotal : nil, taxTotal: tax, rounding: rounding, total: total,
            notices: several { $0.text() }, standing: standing())
        for key in several({ "k\($0.random.below(99))" }) {
            var values = order.metadata.values
            values[key] = text()
            order.metadata = try OrderMetadata(values)
        }
        return random.chance(200) ? try order.part(1 + random.below(99), of: money(random.number(1...900))) : order
    }

    private mutating func standing() -> OrderStanding? {
        switch random.below(8) {
        case 0: .paid(on: text(), through: random.chance(500) ? text() : nil)
        case 1: .refunded
        case 2: .canceled
        case 3: .trashed
        default: nil
        }
    }
}
