import Testing
import TillCore

@Suite("The scope of order numbers")
struct OrderScopeTests {
    @Test("the same number in two scopes is two orders, and the number that people see stays") func twoScopes() throws {
        let order = try Order(id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 100, currency: .eur))
        let old = try order.scoped(OrderScope("2025"))
        let new = try order.scoped(OrderScope("2026"))
        #expect(old.id.rawValue == "2025/1001" && new.id.rawValue == "2026/1001")
        #expect(old.number == "1001" && new.number == "1001")
        #expect(try order.scoped(nil) == order)
    }

    @Test("an order that is in its scope already stays as it is") func twice() throws {
        let order = try Order(id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 100, currency: .eur))
        let once = try order.scoped(OrderScope("2026"))
        #expect(try once.scoped(OrderScope("2026")) == once)
    }

    @Test(
        "what cannot be a part of an identifier is no scope",
        arguments: ["", "a b", "a/b", "é", String(repeating: "a", count: 33)])
    func refused(text: String) {
        #expect(OrderScope(text) == nil)
    }

    @Test("an identifier that gets too long is refused") func tooLong() throws {
        let long = String(repeating: "9", count: IdentifierLimits.maximumBytes)
        let order = try Order(id: OrderID(rawValue: long), amount: Money(minorUnits: 100, currency: .eur))
        #expect(throws: OrderError.self) { try order.scoped(OrderScope("2026")) }
    }
}
