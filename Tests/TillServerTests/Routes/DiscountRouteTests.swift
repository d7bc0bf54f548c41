import HTTPTypes
import Hummingbird
import Testing
import TillCore
import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("A discount in the request of a payment")
struct DiscountRouteTests {
    private func create(
        _ counter: RoutedCounter, _ key: String, _ body: String, at path: String = "/v1/payments"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let response = try await counter.ask("POST", path, headers: ["Idempotency-Key": key], body)
        return (response.status, try await RoutedCounter.document(response))
    }

    private func sale(_ discount: String, _ more: String = "") -> String {
        #"{"amount": 1100, "currency": "EUR", "discount": \#(discount)\#(more)}"#
    }

    @Test("It is beside the amount, and a payment without one says nothing of it")
    func beside() async throws {
        let counter = try await RoutedCounter()
        let body = sale(#"{"amount": 150, "reason": "Scratched", "currency": "EUR"}"#)
        let made = try await create(counter, "k-1", body)
        #expect(made.status == .created && made.document["amount"]?.int64Value == 1_100)
        #expect(made.document["discount"]?["amount"]?.int64Value == 150)
        #expect(made.document["discount"]?["reason"]?.stringValue == "Scratched")
        let again = try await create(counter, "k-1", body)
        #expect(again.document["id"] == made.document["id"])
        let plain = try await create(counter, "k-2", #"{"amount": 1100, "currency": "EUR"}"#)
        #expect(plain.status == .created && plain.document["discount"] == nil)
        let file = try await RoutedCounter.text(try await counter.ask("GET", "/v1/payments.csv"))
        let rows = file.split(separator: "\r\n")
        #expect(rows.first?.contains(",discount,discount_reason,") == true)
        let discounted = rows.dropFirst().filter { $0.contains(",1.50,Scratched,") }
        #expect(rows.count == 3 && discounted.count == 1, "\(file)")
        await counter.close()
    }

    @Test(
        "It is refused by name",
        arguments: [
            (#"{"amount": 0, "reason": "x"}"#, "discount_not_above_zero"),
            (#"{"amount": -5, "reason": "x"}"#, "discount_not_above_zero"),
            (#"{"amount": 5, "reason": "x", "currency": "CHF"}"#, "discount_other_currency"),
            (#"{"amount": 5}"#, "discount_without_reason"),
            (#"{"amount": 5, "reason": " "}"#, "discount_without_reason"),
            (#"{"amount": 999999999999, "reason": "x"}"#, "discount_too_large"),
            (#"{"amount": "5", "reason": "x"}"#, "invalid_amount"), (#"{"reason": "x"}"#, "invalid_amount"),
            ("5", "invalid_request"), (#"{"amount": 5, "reason": "x", "percent": 10}"#, "invalid_request"),
            (#"{"amount": 5, "reason": "\#(String(repeating: "x", count: 201))"}"#, "invalid_request"),
        ])
    func refused(discount: String, code: String) async throws {
        let counter = try await RoutedCounter()
        let answer = try await create(counter, "k-1", sale(discount))
        #expect(answer.status == .unprocessableContent, "\(answer.document)")
        #expect(answer.document["code"]?.stringValue == code)
        #expect(answer.document["money_moved"]?.stringValue == "no")
        let list = try await RoutedCounter.document(try await counter.ask("GET", "/v1/payments"))
        #expect(list["payments"]?.arrayValue?.isEmpty == true)
        await counter.close()
    }

    @Test("The price of an order is the shop's, whichever way its payment is begun")
    func orders() async throws {
        let counter = try await RoutedCounter()
        let discount = #""discount": {"amount": 5, "reason": "x"}"#
        let booked = try await create(
            counter, "k-1", #"{"order_id": "4711", "amount": 1100, "currency": "EUR"}"#, at: "/v1/orders")
        #expect(booked.status == .created)
        let requests = [
            ("/v1/orders/4711/payments", "{\(discount)}"),
            ("/v1/payments", #"{"order_id": "4711", "amount": 1100, "currency": "EUR", \#(discount)}"#),
            ("/v1/payments", #"{"order": {"id": 1}, \#(discount)}"#),
        ]
        for (number, (path, body)) in requests.enumerated() {
            let answer = try await create(counter, "r-\(number)", body, at: path)
            #expect(answer.status == .unprocessableContent, "\(path)")
            #expect(answer.document["code"]?.stringValue == "discount_belongs_to_shop", "\(path)")
        }
        await counter.close()
    }

    @Test("An approval goes with a discount, and a key needs none")
    func approvals() async throws {
        let counter = try await RoutedCounter()
        let lone = try await create(counter, "k-1", #"{"amount": 1100, "currency": "EUR", "approval": "apr_1"}"#)
        #expect(lone.status == .unprocessableContent)
        let key = try await create(
            counter, "k-2", sale(#"{"amount": 999999, "reason": "x"}"#, #", "approval": "apr_1""#))
        #expect(key.status == .created)
        let asked =
            #"{"action": "discount", "amount": 1, "currency": "EUR", "#
            + #""discount": {"amount": 5, "reason": "x"}, "staff": "staff_1", "pin": "493817"}"#
        let approval = try await create(counter, "k-3", asked, at: "/v1/approvals")
        #expect(approval.document["code"]?.stringValue == "no_person")
        await counter.close()
    }
}
