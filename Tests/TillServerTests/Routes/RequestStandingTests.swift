import HTTPTypes
import Hummingbird
import Testing
import TillCore

@testable import TillServer
import TillWeb

@Suite("What is known of a request that had no answer")
struct RequestStandingTests {
    private let counter: RoutedCounter
    private let payment: String

    init() async throws {
        counter = try await RoutedCounter()
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "sale"],
            #"{"amount":100,"currency":"EUR","order_id":"1001"}"#)
        payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
    }

    private func shown(_ query: String = "") async throws -> (status: HTTPResponse.Status, body: JSONValue) {
        let response = try await counter.ask("GET", "/v1/payments/\(payment)\(query)")
        return (response.status, try await RoutedCounter.document(response))
    }

    @Test("is with its payment, and changes nothing")
    func standing() async throws {
        #expect(try await shown().body["request"] == nil)
        #expect(try await shown("?request=c-1").body["request"]?.stringValue == "unknown")
        let canceled = try await counter.ask(
            "POST", "/v1/payments/\(payment)/cancel", headers: ["Idempotency-Key": "c-1"], "{}")
        #expect(canceled.status == .ok)
        #expect(try await shown("?request=c-1").body["request"]?.stringValue == "recorded")
        #expect(try await shown("?request=c-2").body["request"]?.stringValue == "unknown")
        // The sale's own key is of another operation.
        #expect(try await shown("?request=sale").body["request"]?.stringValue == "unknown")
        await counter.close()
    }

    @Test("is unknown of one that was refused before anything was recorded")
    func refused() async throws {
        let refused = try await counter.ask(
            "POST", "/v1/payments/\(payment)/refunds", headers: ["Idempotency-Key": "r-1"], #"{"amount":100}"#)
        #expect(refused.status != .created)
        #expect(try await shown("?request=r-1").body["request"]?.stringValue == "unknown")
        await counter.close()
    }

    @Test("is not said of what is no key")
    func wrong() async throws {
        #expect(try await shown("?request=" + String(repeating: "a", count: 256)).status == .badRequest)
        #expect(try await shown("?request=a&request=b").status == .unprocessableContent)
        await counter.close()
    }
}
