import Testing
import TillApplePay
import TillCore
@testable import TillFeatureApplePay

@testable import TillWeb

@Suite("Agreements on later charges in baskets")
struct BasketAgreementTests {
    /// 21 November 2026, 09:30 UTC.
    private static let now = Timestamp(milliseconds: 1_795_253_400_000)

    private static let recurring = #"""
        {"description": "Box club", "billing_agreement": "9.00 GBP a month until canceled.",
         "management_url": "https://shop.example/box?id=1", "notification_url": "https://till.example/applepay/notifications",
         "regular": {"label": "Box", "amount": 900, "unit": "month", "count": 2,
                     "starts_at": "2026-12-21T00:00:00+01:00", "ends_at": "2027-12-21T00:00:00Z"},
         "trial": {"label": "Trial", "amount": 0, "unit": "day", "ends_at": "2026-12-20T23:00:00Z"}}
        """#
    private static let deferred = #"""
        {"description": "Room 7", "management_url": "https://shop.example/rooms",
         "payment": {"label": "Stay", "amount": 12000, "due_at": "2027-01-10T12:00:00Z"},
         "free_cancellation": {"until": "2027-01-03T12:00:00Z", "time_zone": "Europe/London"}}
        """#
    private static let reload = #"""
        {"description": "Coffee card", "management_url": "https://shop.example/card",
         "reload": {"label": "Top-up", "amount": 1000}, "threshold": 0}
        """#

    private static func request(_ members: String, now: Timestamp = now) throws -> (SheetBasket, BasketTerms) {
        let text = #"""
            {"amount": 1349, "currency": "GBP", "items": [{"label": "Tea", "amount": 1349}], \#(members)}
            """#
        let order = OrderID(rawValue: "o-1")
        return try BasketRequest(JSONValue(parsing: text.utf8), currencies: [.gbp], now: now)
            .basket("b-1", of: order, as: order)
    }

    /// The field that a request is refused for.
    private static func refusal(_ members: String) -> (field: String, sentence: String)? {
        do { _ = try request(members) } catch let problem as Problem {
            return problem.errors.first.map { ($0.field, $0.message) }
        } catch { return ("\(error)", "") }
        return nil
    }

    private static func sheet(_ basket: SheetBasket) throws -> PaymentSheetRequest {
        try ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB", supportsCouponCode: false)
            .request(for: basket)
    }

    @Test(
        "Each kind is stored with the basket and reaches the sheet in Apple's members, beside a total that is unchanged",
        arguments: [
            (
                "recurring", recurring,
                #"""
                {"paymentDescription":"Box club",
                 "regularBilling":{"label":"Box","amount":"9.00","type":"final","paymentTiming":"recurring",
                  "recurringPaymentIntervalUnit":"month","recurringPaymentIntervalCount":2,
                  "recurringPaymentStartDate":"2026-12-20T23:00:00.000Z",
                  "recurringPaymentEndDate":"2027-12-21T00:00:00.000Z"},
                 "trialBilling":{"label":"Trial","amount":"0.00","type":"final","paymentTiming":"recurring",
                  "recurringPaymentIntervalUnit":"day","recurringPaymentIntervalCount":1,
                  "recurringPaymentEndDate":"2026-12-20T23:00:00.000Z"},
                 "billingAgreement":"9.00 GBP a month until canceled.",
                 "managementURL":"https://shop.example/box?id=1",
                 "tokenNotificationURL":"https://till.example/applepay/notifications"}
                """#
            ),
            (
                "deferred", deferred,
                #"""
                {"paymentDescription":"Room 7",
                 "deferredBilling":{"label":"Stay","amount":"120.00","type":"final","paymentTiming":"deferred",
                  "deferredPaymentDate":"2027-01-10T12:00:00.000Z"},
                 "freeCancellationDate":"2027-01-03T12:00:00.000Z","freeCancellationDateTimeZone":"Europe/London",
                 "managementURL":"https://shop.example/rooms"}
                """#
            ),
            (
                "automatic_reload", reload,
                #"""
                {"paymentDescription":"Coffee card",
                 "automaticReloadBilling":{"label":"Top-up","amount":"10.00","type":"final",
                  "paymentTiming":"automaticReload","automaticReloadPaymentThresholdAmount":"0.00"},
                 "managementURL":"https://shop.example/card"}
                """#
            ),
        ])
    func kinds(_ kind: String, _ body: String, _ member: String) throws {
        let (basket, terms) = try Self.request("\"\(kind)\": \(body)")
        #expect(SheetBasket(json: try JSONValue(parsing: basket.json.bytes())) == basket)
        #expect(basket.agreement.map { BasketRequest.AgreementKind($0.terms).rawValue } == kind)
        let sheet = try Self.sheet(basket)
        #expect(sheet.lowestVersion == 14)
        #expect(sheet.total.amount == Money(minorUnits: 1349, currency: .gbp))
        #expect(sheet.json["lineItems"]?.arrayValue?.count == 1, "later charges are no lines of this payment")
        let name =
            switch kind {
            case "recurring": "recurringPaymentRequest"
            case "deferred": "deferredPaymentRequest"
            default: "automaticReloadPaymentRequest"
            }
        #expect(sheet.json[name]?.canonicalBytes() == (try JSONValue(parsing: member.utf8)).canonicalBytes())
        #expect(try ApplePayCheckout.order(of: basket).total == Money(minorUnits: 1349, currency: .gbp))
        // A basket without it is another one.
        let (plain, others) = try Self.request("\"\(kind)\": null")
        #expect(plain.agreement == nil && others.fingerprint != terms.fingerprint)
        #expect(try Self.sheet(plain).json[name] == nil)
    }

    @Test("What is chosen in the sheet leaves the agreement as it is, and a replacement has its own")
    func changes() throws {
        var (basket, _) = try Self.request("\"recurring\": \(Self.recurring)")
        let agreement = basket.agreement
        basket.pay(byCredit: true)
        basket.apply(SheetBasket.Coupon(code: "X", discount: Money(minorUnits: 100, currency: .gbp)))
        #expect(basket.agreement == agreement && agreement != nil)
        basket.replace(with: try Self.request("\"deferred\": \(Self.deferred)").0)
        #expect(basket.agreement?.managementURL == "https://shop.example/rooms")
    }

    @Test("A stored agreement that is damaged is no basket without one")
    func damaged() throws {
        let (basket, _) = try Self.request("\"recurring\": \(Self.recurring)")
        let members = (basket.json.objectValue ?? []).filter { $0.key != "agreement" }
        for broken in [
            JSONValue.null, .object([]), .members(["description": .string("x"), "managementURL": .string("y")]),
        ] {
            let document = JSONValue.object(members + [JSONMember(key: "agreement", value: broken)])
            #expect(SheetBasket(json: document) == nil)
        }
    }

    /// A change to one of the documents above, and the field that is refused for it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var kind: String
        var from: String
        var to: String
        var field: String
        var testDescription: String { "\(field): \(to.prefix(40))" }

        init(_ kind: String, _ from: String, _ to: String, _ field: String) {
            (self.kind, self.from, self.to, self.field) = (kind, from, to, kind + "/" + field)
        }
    }

    private static let addresses = [
        "http://shop.example/box", "https://", "https:///box", "ftp://shop.example", "shop.example/box", "",
        "https://user@shop.example/box", "https://shop.example/a b", "https://shop.example/ä", "javascript:alert(1)",
        "https://shop.example:0/", "https://-shop.example/",
        "https://shop.example/" + String(repeating: "x", count: 500),
    ]

    private static let faults: [Fault] =
        addresses.map { Fault("recurring", "https://shop.example/box?id=1", $0, "management_url") } + [
            Fault(
                "recurring", "https://till.example/applepay/notifications", "http://till.example", "notification_url"),
            Fault("recurring", #""management_url": "https://shop.example/box?id=1","#, "", "management_url"),
            Fault("recurring", "Box club", "", "description"),
            Fault("recurring", "Box club", String(repeating: "x", count: 129), "description"),
            Fault(
                "recurring", "9.00 GBP a month until canceled.", String(repeating: "x", count: 193),
                "billing_agreement"),
            Fault("recurring", #""regular": {"#, #""more": 1, "regular": {"#, "more"),
            Fault("recurring", #""regular": {"#, #""regular": {"more": 1, "#, "regular/more"),
            Fault("recurring", #""label": "Box""#, #""label": """#, "regular/label"),
            Fault("recurring", "900", "0", "regular/amount"),
            Fault("recurring", "900", "-1", "regular/amount"),
            Fault("recurring", "900", "9.5", "regular/amount"),
            Fault("recurring", "900", "1000000000000", "regular/amount"),
            Fault("recurring", #""amount": 0"#, #""amount": -1"#, "trial/amount"),
            Fault("recurring", #""month""#, #""week""#, "regular/unit"),
            Fault("recurring", #""unit": "month", "#, "", "regular/unit"),
            Fault("recurring", #""count": 2"#, #""count": 0"#, "regular/count"),
            Fault("recurring", #""count": 2"#, #""count": 367"#, "regular/count"),
            Fault("recurring", #""count": 2"#, #""count": "2""#, "regular/count"),
            Fault("recurring", "2026-12-21T00:00:00+01:00", "2026-12-21", "regular/starts_at"),
            Fault("recurring", "2026-12-21T00:00:00+01:00", "2026-02-30T00:00:00Z", "regular/starts_at"),
            Fault("recurring", "2027-12-21T00:00:00Z", "2026-12-20T23:00:00Z", "regular/ends_at"),
            Fault("recurring", "2027-12-21T00:00:00Z", "2026-11-21T09:30:00Z", "regular/ends_at"),
            Fault("recurring", "2026-12-20T23:00:00Z", "2026-12-21T23:00:00Z", "trial/ends_at"),
            Fault("recurring", #""starts_at": "2026-12-21T00:00:00+01:00", "#, "", "trial/ends_at"),
            Fault("deferred", "2027-01-10T12:00:00Z", "2026-11-21T09:30:00Z", "payment/due_at"),
            Fault("deferred", #", "due_at": "2027-01-10T12:00:00Z""#, "", "payment/due_at"),
            Fault("deferred", "12000", "0", "payment/amount"),
            Fault("deferred", "2027-01-03T12:00:00Z", "2025-01-03T12:00:00Z", "free_cancellation/until"),
            Fault("deferred", #""until": "2027-01-03T12:00:00Z", "#, "", "free_cancellation/until"),
            Fault("deferred", #", "time_zone": "Europe/London""#, "", "free_cancellation/time_zone"),
            Fault("deferred", "Europe/London", "../../etc/passwd", "free_cancellation/time_zone"),
            Fault("deferred", "Europe/London", String(repeating: "x", count: 65), "free_cancellation/time_zone"),
            Fault("automatic_reload", "1000", "0", "reload/amount"),
            Fault("automatic_reload", #""threshold": 0"#, #""threshold": -1"#, "threshold"),
            Fault("automatic_reload", #", "threshold": 0"#, "", "threshold"),
        ]

    @Test("A fault is named by its field, in a sentence", arguments: faults)
    func fault(_ fault: Fault) throws {
        let body =
            switch fault.kind {
            case "recurring": Self.recurring
            case "deferred": Self.deferred
            default: Self.reload
            }
        let changed = body.replacing(fault.from, with: fault.to, maxReplacements: 1)
        #expect(changed != body)
        let refused = try #require(Self.refusal("\"\(fault.kind)\": \(changed)"))
        #expect(refused.field == fault.field)
        #expect(refused.sentence.hasSuffix(".") && refused.sentence.contains(" "))
    }

    @Test("A part that is no object is refused", arguments: ["recurring", "deferred", "automatic_reload"])
    func parts(_ kind: String) throws {
        for value in ["1", "[]", "\"x\"", "true"] { #expect(Self.refusal("\"\(kind)\": \(value)")?.field == kind) }
        let part = ["recurring": "regular", "deferred": "payment", "automatic_reload": "reload"][kind] ?? ""
        #expect(Self.refusal("\"\(kind)\": {}")?.field == "\(kind)/\(part)")
        #expect(Self.refusal("\"\(kind)\": {\"\(part)\": 1}")?.field == "\(kind)/\(part)")
    }

    @Test("A basket has one agreement at most, and one merchant")
    func exclusive() throws {
        let both = "\"deferred\": \(Self.deferred), \"recurring\": \(Self.recurring)"
        let refused = try #require(Self.refusal(both))
        #expect(refused.field == "deferred")
        #expect(refused.sentence == "A basket has one agreement, and it has recurring, too. Nothing was opened.")
        for name in ["merchants", "multi_token_contexts", "multiTokenContexts"] {
            let several = try #require(Self.refusal("\"\(name)\": []"))
            #expect(several.field == name)
            #expect(several.sentence.contains("Open a basket for each merchant"))
        }
    }

    @Test("An address with a card number is refused rather than masked")
    func cardNumbers() throws {
        let body = try JSONValue(
            parsing: #"{"recurring": {"management_url": "https://shop.example/4111111111111111"}}"#.utf8)
        let places = BasketRequest.identifiers(in: body).map(\.place)
        #expect(places == ["recurring/management_url"])
    }
}
