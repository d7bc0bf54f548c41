import Testing
import TillCore
import TillTestSupport

@Suite("Orders")
struct OrderTests {
    private let id = OrderID(rawValue: "sale-1")

    @Test("a plain sale is one amount without lines")
    func plain() throws {
        let order = try Order(id: id, amount: Money(minorUnits: 1_250, currency: .eur), description: "Two\u{7} coffees")
        #expect(order.lines.isEmpty)
        #expect(order.subtotal == order.total)
        #expect(order.number == "sale-1")
        #expect(order.description == "Two coffees")
        #expect(try Order(json: order.jsonValue) == order)
        #expect(order.isWrittenAsItsValues)
        #expect(throws: OrderError.zeroTotal(order: "sale-1")) { try Order(id: id, amount: .zero(.eur)) }
        #expect(throws: OrderError.self) { try Order(id: id, amount: Money(minorUnits: -1, currency: .eur)) }
    }

    @Test("an order that does not add up, or mixes currencies, cannot be built")
    func arithmetic() {
        let ten = Money(minorUnits: 1_000, currency: .eur)
        let line = OrderLine(name: "Tea", quantity: "1", subtotal: ten, total: ten, tax: .zero(.eur))
        #expect(throws: Never.self) { try Order(id: id, number: "1", lines: [line], total: ten) }
        #expect(throws: OrderError.self) { try Order(id: id, number: "1", lines: [line, line], total: ten) }
        #expect(throws: OrderError.self) {
            try Order(id: id, number: "1", lines: [line], total: Money(minorUnits: 1_000, currency: .usd))
        }
        #expect(throws: OrderError.self) {
            try Order(id: id, number: "1", lines: Array(repeating: line, count: 1_001), total: ten)
        }
        let most = Money(minorUnits: .max, currency: .eur)
        let huge = OrderLine(name: "Tea", quantity: "1", subtotal: most, total: most, tax: .zero(.eur))
        #expect(throws: OrderError.self) { try Order(id: id, number: "1", lines: [huge, huge], total: most) }
    }

    @Test("a stored order that was changed is refused")
    func stored() throws {
        let order = try Order(id: id, amount: Money(minorUnits: 1_250, currency: .eur))
        let changed = order.jsonValue.text.replacing("\"total\":\"12.50\"", with: "\"total\":\"12.51\"")
        #expect(throws: OrderError.self) { try Order(json: JSONValue(parsing: Array(changed.utf8))) }
        #expect(throws: OrderError.self) { try Order(json: .object([])) }
    }
}
