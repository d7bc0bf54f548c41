import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter

@testable import TillServer

@Suite("A list of payments in a scope of orders")
struct ScopedListTests {
    @Test("of an order whose name is too long for the scope is empty, and not the list of all payments")
    func tooLong() async throws {
        let counter = try await RoutedCounter(orderScope: OrderScope("2026"))
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "scoped-1"],
            #"{"amount":100,"currency":"EUR","order_id":"1001"}"#)
        #expect(made.status == .created)
        func found(_ order: String) async throws -> Int? {
            let list = try await counter.ask("GET", "/v1/payments?order_id=\(order)")
            return try await RoutedCounter.document(list)["payments"]?.arrayValue?.count
        }
        #expect(try await found("1001") == 1)
        #expect(try await found(String(repeating: "9", count: IdentifierLimits.maximumBytes)) == 0)
        await counter.close()
    }
}
