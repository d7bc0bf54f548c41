import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter

@testable import TillServer

@Suite("Addresses")
struct AddressTableTests {
    @Test("Every form of an address has its answer")
    func table() async throws {
        let counter = try await RoutedCounter()
        let sale = #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#
        let created = try await counter.ask("POST", "/v1/payments", headers: ["Idempotency-Key": "k"], sale)
        let payment = try #require(try await RoutedCounter.document(created)["id"]?.stringValue)
        let opened = try await counter.ask("POST", "/shop/baskets", #"{"service":"delivery"}"#)
        let basket = try #require(try await RoutedCounter.document(opened)["basket"]?.stringValue)
        var answers: [String] = []
        for line in addresses.split(separator: "\n") {
            let words = line.split(separator: " ")
            let isStranger = words[0].hasSuffix("*")
            let method = words[0].prefix { $0 != "*" }
            let path = words[1].replacing("PAYMENT", with: payment).replacing("BASKET", with: basket)
            let response = try await counter.ask(String(method), String(path), isStranger: isStranger)
            var answer = [String(words[0]), String(words[1]), "\(response.status.code)"]
            if response.status.code >= 400, method != "HEAD" {
                answer.append(try await RoutedCounter.document(response)["code"]?.stringValue ?? "-")
            }
            if let allowed = response.headers[.allow] { answer.append(allowed.replacing(", ", with: ",")) }
            if response.headers[.vary]?.contains("Origin") == true { answer.append("Vary") }
            answers.append(answer.joined(separator: " "))
        }
        await counter.close()
        let expected = addresses.split(separator: "\n").map(String.init)
        for (answer, wanted) in zip(answers, expected) { #expect(answer == wanted) }
        #expect(answers.count == expected.count)
    }
}
