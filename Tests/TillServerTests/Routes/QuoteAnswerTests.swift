import Testing
import TillApplePay
import TillCore
@testable import TillFeatureApplePay
@testable import TillFeatureWebhooks

@Suite("A shop's answer to a question for a price")
struct QuoteAnswerTests {
    private static let terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", fingerprint: [1])

    private static let basket = SheetBasket(
        id: "b-1", currency: .gbp, service: .delivery, lines: [item("Tea", 1_000)], price: .awaited)

    private func judged(_ text: String, status: Int = 200) throws(QuoteFault) -> QuoteAnswer {
        try QuoteAnswer(WebhookAnswer(status: status, body: Array(text.utf8)), for: Self.basket, on: Self.terms)
    }

    private static func item(_ label: String, _ units: Int64) -> SheetItem {
        SheetItem(label: label, amount: Money(minorUnits: units, currency: .gbp))
    }

    @Test("Lines in the basket's currency are a price, with a total or without one")
    func priced() throws {
        let items = #""currency":"GBP","items":[{"label":"Tea","amount":1000},{"label":"Discount","amount":-100}]"#
        let expected = QuoteAnswer.priced([Self.item("Tea", 1_000), Self.item("Discount", -100)], methods: nil)
        #expect(try judged("{\(items)}") == expected)
        #expect(try judged(#"{\#(items),"total":900,"methods":null,"errors":null}"#) == expected)
        let method = SheetShippingMethod(
            identifier: "van", label: "Van", detail: "Today", amount: Money(minorUnits: 300, currency: .gbp))
        let told = try judged(
            #"{\#(items),"methods":[{"id":"van","label":"Van","detail":"Today","amount":300}]}"#)
        #expect(told == .priced([Self.item("Tea", 1_000), Self.item("Discount", -100)], methods: [method]))
    }

    @Test("Errors in Apple's words are the customer's")
    func refused() throws {
        let told = try judged(
            #"{"errors":[{"code":"addressUnserviceable","field":"postalCode","message":"Not there."},"#
                + #"{"code":"couponCodeInvalid","message":"No such coupon."}]}"#)
        #expect(
            told
                == .refused([
                    SheetError(.addressUnserviceable, .postalCode, "Not there."),
                    SheetError(.couponCodeInvalid, nil, "No such coupon."),
                ]))
    }

    private static let tea = #"{"label":"Tea","amount":1000}"#

    /// Answers that are no price, with the fault of each.
    static let faults: [(String, String)] = [
        ("", "not_json"), ("<!doctype html><title>Shop</title>", "not_json"), ("[]", "not_json"), ("null", "not_json"),
        (#"{"currency":"GBP","items":[\#(tea)],"items":[\#(tea)]}"#, "not_json"),
        (#"{"items":[\#(tea)]}"#, "other_currency"), (#"{"currency":"EUR","items":[\#(tea)]}"#, "other_currency"),
        (#"{"currency":"gbp","items":[\#(tea)]}"#, "other_currency"),
        (#"{"currency":"GBP","items":[\#(tea)],"total":1001}"#, "wrong_sum"),
        (#"{"currency":"GBP","items":[\#(tea)],"total":"1000"}"#, "wrong_sum"),
        (#"{"currency":"GBP","items":[\#(tea)],"total":1000.0}"#, "wrong_sum"),
        (#"{"currency":"GBP"}"#, "malformed"), (#"{"currency":"GBP","items":[]}"#, "malformed"),
        (#"{"currency":"GBP","items":{}}"#, "malformed"), (#"{"currency":"GBP","items":[1]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":10.5}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":"1000"}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":1000000000000}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"","amount":1000}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":1000,"tax":1}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":0}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[{"label":"Tea","amount":-1}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[\#(tea)],"price":1000}"#, "malformed"),
        (#"{"currency":"GBP","items":[\#(tea)],"methods":[]}"#, "malformed"),
        (#"{"currency":"GBP","items":[\#(tea)],"methods":[{"id":"a","label":"A","amount":-1}]}"#, "malformed"),
        (#"{"currency":"GBP","items":[\#(tea)],"errors":[{"code":"unknown","message":"No."}]}"#, "malformed"),
        (#"{"errors":[]}"#, "malformed"), (#"{"errors":[{"code":"tooFar","message":"No."}]}"#, "malformed"),
        (#"{"errors":[{"code":"unknown"}]}"#, "malformed"),
        (#"{"errors":[{"code":"unknown","field":"street","message":"No."}]}"#, "malformed"),
    ]

    @Test("Any other answer is no price", arguments: faults)
    func fault(_ text: String, _ code: String) {
        let fault = #expect(throws: QuoteFault.self) { try judged(text) }
        #expect(fault?.code == code, "\(text)")
    }

    @Test("Labels, lines, errors and nesting are limited")
    func limits() {
        let label = String(repeating: "a", count: 129)
        let items = Array(repeating: Self.tea, count: 201).joined(separator: ",")
        let errors = Array(repeating: #"{"code":"unknown","message":"No."}"#, count: QuoteLimits.errors + 1)
            .joined(separator: ",")
        for text in [
            #"{"currency":"GBP","items":[{"label":"\#(label)","amount":1000}]}"#,
            #"{"currency":"GBP","items":[\#(items)]}"#, #"{"errors":[\#(errors)]}"#,
            #"{"errors":[{"code":"unknown","message":"\#(label)"}]}"#,
            #"{"items":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}",
        ] {
            #expect(throws: QuoteFault.self) { try judged(text) }
        }
    }

    @Test("Only 200 is an answer", arguments: [201, 204, 302, 404, 500, 503])
    func status(_ status: Int) {
        #expect(throws: QuoteFault.status(status)) {
            try judged(#"{"currency":"GBP","items":[\#(Self.tea)]}"#, status: status)
        }
    }

    @Test("An address is compared and told by what a wallet reveals before authorization")
    func address() throws {
        let redacted = QuoteAddress(
            WalletContact(locality: "London", postalCode: "EC4M", countryCode: "gb"), country: "US")
        let complete = try FullContact(
            WalletContact(
                givenName: "Ada", emailAddress: "ada@example.com", phoneNumber: "+44 20 7946 0000",
                addressLines: ["1 Fleet Place"], locality: " London ", postalCode: "EC4M 7RF", countryCode: "GB"),
            needsAddress: true)
        #expect(QuoteAddress(try #require(complete.address)) == redacted)
        #expect(redacted.postalCode == "EC4M" && redacted.country == "GB" && redacted.region.isEmpty)
        #expect(QuoteAddress(json: redacted.json) == redacted)
        let nowhere = QuoteAddress(WalletContact(postalCode: "94105-1234"), country: "US")
        #expect(nowhere.country == "US" && nowhere.postalCode == "94105" && nowhere.city.isEmpty)
    }
}
