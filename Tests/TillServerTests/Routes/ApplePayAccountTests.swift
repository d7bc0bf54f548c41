import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal

@testable import TillServer

/// A counter that runs for `north`, on whose journal `main` has a key, too.
@Suite("Apple Pay of a counter that runs for another account")
struct ApplePayAccountTests {
    private static let north = AccountID(rawValue: "north")
    private static let gateway = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"

    private static let contact: [(String, JSONValue)] = [
        ("givenName", .string("Ada")), ("familyName", .string("Lovelace")),
        ("emailAddress", .string("ada@example.com")), ("phoneNumber", .string("+44 20 7946 0000")),
        ("addressLines", .array([.string("1 Fleet Place")])), ("locality", .string("London")),
        ("postalCode", .string("EC4M 7RF")), ("countryCode", .string("GB")),
    ]

    private func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(key: $0.0, value: $0.1) })
    }

    /// Sends what a page sends, which has no key.
    private func post(
        _ counter: RoutedCounter, _ path: String, _ members: [(String, JSONValue)], proof: String? = nil
    ) async throws -> JSONValue {
        let body = object(members).bytes()
        let headers = proof.map { ["X-Till-Basket-Proof": $0] } ?? [:]
        let response = try await counter.ask(
            "POST", path, isStranger: true, headers: headers, String(decoding: body, as: UTF8.self))
        return try await RoutedCounter.document(response)
    }

    /// Buys at the demo shop.
    /// - Returns: what the sheet is told.
    private func buy(_ counter: RoutedCounter) async throws -> JSONValue {
        let opened = try await post(counter, "/shop/baskets", [("service", .string("delivery"))])
        let basket = try #require(opened["basket"])
        let name = try #require(basket.stringValue)
        let page = try await counter.ask("GET", "/applepay/basket/\(name)", isStranger: true)
        let sheet = try await RoutedCounter.document(page)
        let proof = try #require(sheet["proof"]?.stringValue)
        let session = try await post(
            counter, "/applepay/validate", [("basket", basket), ("validationURL", .string(Self.gateway))], proof: proof)
        let amount = try #require(sheet["request"]?["total"]?["amount"])
        let bound = try #require(sheet["request"]?["applicationData"])
        let token = try await post(
            counter, "/applepay/sandbox/authorize",
            [
                ("sheet", basket), ("session", session), ("amount", amount), ("currencyCode", .string("GBP")),
                ("applicationData", bound), ("accountNumber", .string("4784000000380075")),
            ])
        return try await post(
            counter, "/applepay/payment",
            [
                ("basket", basket), ("version", sheet["version"] ?? .null), ("token", token),
                ("shippingContact", object(Self.contact)),
            ], proof: proof)
    }

    @Test("sells for it, and no key of another account sees the sale")
    func sale() async throws {
        let counter = try await RoutedCounter(account: Self.north, other: .main)
        let told = try await buy(counter)
        #expect(SheetAnswerStatus(of: told) == .placed)
        let id = try #require(told["paymentId"]?.stringValue)
        #expect(try await counter.journal.payment(PaymentID(rawValue: id))?.account == Self.north)
        for (key, isSeen) in [("key", true), ("other", false)] {
            let headers = ["Authorization": "Bearer \(key)"]
            let one = try await counter.ask("GET", "/v1/payments/\(id)", isStranger: true, headers: headers)
            let wanted: HTTPResponse.Status = isSeen ? .ok : .notFound
            #expect(one.status == wanted, "\(key)")
            let list = try await counter.ask("GET", "/v1/payments", isStranger: true, headers: headers)
            let payments = try await RoutedCounter.document(list)["payments"]?.arrayValue
            let count = isSeen ? 1 : 0
            #expect(payments?.count == count, "\(key)")
        }
        await counter.close()
    }
}
