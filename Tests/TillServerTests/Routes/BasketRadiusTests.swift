import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal

@testable import TillServer
@testable import TillWeb

/// A counter whose shop opens a basket that is delivered by distance, with a page that pays it.
private struct RadiusShop {
    /// EC4M is 161 m from the shop, BN1 76,432 m.
    static let places = """
        [{"postal_code":"EC4M","country":"GB","latitude":51513800,"longitude":-98700},
        {"postal_code":"BN1","country":"GB","latitude":50827000,"longitude":-137000}]
        """

    /// A delivery rule; with no places, those of the settings.
    static func rule(_ meters: Int, _ places: String? = RadiusShop.places) -> String {
        let table = places.map { #","places":\#($0)"# } ?? ""
        return #"{"radius":{"latitude":51514000,"longitude":-101000,"meters":\#(meters)\#(table)}}"#
    }

    let counter: RoutedCounter

    /// Letters alone: digits may happen to be a card number, which is refused.
    private static func letters() -> String {
        let bytes = (0..<20).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Opens a basket of an order of its own.
    /// - Parameter rule: `delivery`; `nil` for the settings' rule.
    func open(_ rule: String?) async throws -> (status: Int, document: JSONValue) {
        let delivery = rule.map { #","delivery":\#($0)"# } ?? ""
        let body =
            #"{"order_id":"\#(RadiusShop.letters())","amount":899,"currency":"GBP","service":"delivery","items":"#
            + #"[{"label":"Tea","amount":899}]\#(delivery)}"#
        let response = try await counter.ask(
            "POST", "/v1/applepay/baskets", headers: ["Idempotency-Key": RadiusShop.letters()], body)
        return (response.status.code, try await RoutedCounter.document(response))
    }

    /// Opens a basket, and its sheet as a page does.
    func sheet(_ rule: String?) async throws -> (id: String, document: JSONValue) {
        let opened = try await open(rule)
        #expect(opened.status == 201, "\(opened.document)")
        let id = try #require(opened.document["id"]?.stringValue)
        let page = try await counter.ask("GET", "/applepay/basket/\(id)", isStranger: true)
        return (id, try await RoutedCounter.document(page))
    }

    func post(_ path: String, _ members: JSONValue, proof: String) async throws -> (status: Int, document: JSONValue) {
        let body = String(decoding: members.bytes(), as: UTF8.self)
        let response = try await counter.ask(
            "POST", path, isStranger: true, headers: ["X-Till-Basket-Proof": proof], body)
        return (response.status.code, try await RoutedCounter.document(response))
    }

    /// Has a token made for an open sheet, and pays with an address of that postcode.
    func pay(_ sheet: (id: String, document: JSONValue), to postalCode: String) async throws -> (Int, JSONValue) {
        let proof = try #require(sheet.document["proof"]?.stringValue)
        let request = try #require(sheet.document["request"])
        let gateway = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"
        let session = try await post(
            "/applepay/validate", .members(["basket": .string(sheet.id), "validationURL": .string(gateway)]),
            proof: proof)
        let token = try await post(
            "/applepay/sandbox/authorize",
            .members([
                "sheet": .string(sheet.id), "session": session.document,
                "amount": request["total"]?["amount"] ?? JSONValue.null, "currencyCode": .string("GBP"),
                "applicationData": request["applicationData"] ?? JSONValue.null,
                "accountNumber": .string("4784000000380075"),
            ]), proof: proof)
        let contact = JSONValue.members([
            "givenName": .string("Ada"), "familyName": .string("Lovelace"), "emailAddress": .string("a@example.com"),
            "phoneNumber": .string("+44 20 7946 0000"), "addressLines": .array([.string("1 Fleet Place")]),
            "locality": .string("London"), "postalCode": .string(postalCode), "countryCode": .string("GB"),
        ])
        return try await post(
            "/applepay/payment",
            .members([
                "basket": .string(sheet.id), "version": sheet.document["version"] ?? JSONValue.null,
                "token": token.document,
                "shippingContact": contact,
            ]), proof: proof)
    }
}

@Suite("Baskets that are delivered by distance")
struct BasketRadiusTests {
    private func withShop(
        _ settings: ApplePayOptions? = nil, _ body: (RadiusShop) async throws -> Void
    ) async throws {
        var shop: ((Counter) throws -> ApplePayWeb)?
        if let settings {
            shop = { counter in
                try .sandbox(
                    checkout: counter.checkout, journal: counter.journal, account: .main, settings: settings)
            }
        }
        let counter = try await RoutedCounter(shop: shop)
        do { try await body(RadiusShop(counter: counter)) } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    }

    private func settings(_ more: String) throws -> ApplePaySettings {
        let text = #"{"environment":"sandbox","display_name":"Shop","country":"GB","currency":"GBP"\#(more)}"#
        return try ApplePaySettings(JSONValue(parsing: text.utf8), folder: "/", environment: [:])
    }

    @Test("The sheet is told who is inside, who is not, and whose place is not known")
    func sheets() async throws {
        try await withShop { shop in
            for (meters, code, answer, reason, message) in [
                (161, "EC4M", "yes", nil, nil), (161, "EC4M 7RF", "yes", nil, nil),
                (160, "EC4M", "no", nil, "We do not deliver to this postcode."),
                (161, "BN1", "no", nil, "We do not deliver to this postcode."),
                (
                    1_000_000, "SW1A", "no", "place_unknown",
                    "Till knows no place for SW1A. Please choose another address."
                ),
            ] as [(Int, String, String, String?, String?)] {
                let sheet = try await shop.sheet(RadiusShop.rule(meters))
                let proof = try #require(sheet.document["proof"]?.stringValue)
                let asked = try await shop.post(
                    "/applepay/basket/\(sheet.id)/validatepostalcode", .members(["postalCode": .string(code)]),
                    proof: proof)
                #expect(asked.document["deliverable"]?.stringValue == answer, "\(meters) \(code)")
                #expect(asked.document["reason"]?.stringValue == reason, "\(meters) \(code)")
                let contact = JSONValue.members(["postalCode": .string(code), "countryCode": .string("GB")])
                let changed = try await shop.post(
                    "/applepay/basket/\(sheet.id)/update",
                    .members(["event": .string("shippingcontact"), "shippingContact": contact]), proof: proof)
                #expect(changed.status == 200, "\(changed.document)")
                let error = changed.document["update"]?["errors"]?.arrayValue?.first
                #expect(error?["message"]?.stringValue == message, "\(meters) \(code)")
            }
        }
    }

    @Test("An address outside, or without a place, is charged nothing")
    func payments() async throws {
        try await withShop { shop in
            // A postcode that is truncated still when all is known is not taken as inside.
            let part = #"[{"postal_code":"EC4M 7RF","country":"GB","latitude":51513800,"longitude":-98700}]"#
            for (rule, code, refusal) in [
                (RadiusShop.rule(161), "EC4M 7RF", nil), (RadiusShop.rule(160), "EC4M 7RF", "address_unserviceable"),
                (RadiusShop.rule(161, part), "EC4M", "address_unserviceable"),
                (RadiusShop.rule(1_000_000), "SW1A 1AA", "place_unknown"),
            ] as [(String, String, String?)] {
                let sheet = try await shop.sheet(rule)
                let (status, document) = try await shop.pay(sheet, to: code)
                #expect(status == (refusal == nil ? 201 : 422), "\(document)")
                #expect(document["code"]?.stringValue == refusal)
                #expect(document["moneyMoved"]?.stringValue == (refusal == nil ? "yes" : "no"))
                guard refusal == "place_unknown" else { continue }
                let error = document["errors"]?.arrayValue?.first
                #expect(error?["message"]?.stringValue?.hasPrefix("Till knows no place for SW1A 1AA.") == true)
            }
        }
    }

    @Test("A radius without places has those of the settings, and the settings' radius is for baskets without a rule")
    func fromSettings() async throws {
        let radius = RadiusShop.rule(161, nil)
        let options = try settings(#","delivery":\#(radius),"places":\#(RadiusShop.places)"#).options()
        try await withShop(options) { shop in
            for (rule, code, answer) in [
                (nil, "EC4M", "yes"), (nil, "BN1", "no"), (nil, "SW1A", "no"),
                (RadiusShop.rule(160, nil), "EC4M", "no"),
                (RadiusShop.rule(80_000, nil), "BN1", "yes"), ("\"everywhere\"", "SW1A", "yes"),
            ] as [(String?, String, String)] {
                let sheet = try await shop.sheet(rule)
                let proof = try #require(sheet.document["proof"]?.stringValue)
                let asked = try await shop.post(
                    "/applepay/basket/\(sheet.id)/validatepostalcode", .members(["postalCode": .string(code)]),
                    proof: proof)
                #expect(asked.document["deliverable"]?.stringValue == answer, "\(rule ?? "settings") \(code)")
            }
        }
        for (more, field) in [
            (#","delivery":\#(radius)"#, "places"), (#","delivery":\#(RadiusShop.rule(0))"#, "delivery/radius/meters"),
            (
                #","delivery":{"areas":[],"radius":{"latitude":0,"longitude":0,"meters":1}},"#
                    + #""places":\#(RadiusShop.places)"#,
                "delivery (it has a radius beside areas)"
            ),
            (#","places":[]"#, "places"), (#","places":[{}]"#, "places/0/country"),
        ] {
            #expect(throws: ApplePaySettingsError(field: field)) { try settings(more) }
        }
        #expect(try settings(#","delivery":\#(RadiusShop.rule(161))"#).options().radius?.places?.count == 2)
    }

    @Test("Every fault of a radius is named, and nothing is opened")
    func faults() async throws {
        func table(_ row: String) -> String { RadiusShop.rule(1, "[\(row)]") }
        let row = #"{"postal_code":"EC4M","country":"GB","latitude":0,"longitude":0}"#
        let many = (0...BasketRequest.maximumPlaces).map {
            #"{"postal_code":"\#(10_000 + $0)","country":"DE","latitude":0,"longitude":0}"#
        }.joined(separator: ",")
        let faults: [(rule: String, field: String)] = [
            (RadiusShop.rule(161, nil), "delivery/radius/places"), (RadiusShop.rule(0), "delivery/radius/meters"),
            (RadiusShop.rule(1_000_001), "delivery/radius/meters"), (#"{"radius":null}"#, "delivery/radius"),
            (#"{"radius":5000}"#, "delivery/radius"),
            (#"{"radius":{"latitude":0,"longitude":0,"meters":1},"country":"GB"}"#, "delivery/country"),
            (#"{"radius":{"latitude":0,"longitude":0,"metres":1}}"#, "delivery/radius/metres"),
            (#"{"radius":{"latitude":90000001,"longitude":0,"meters":1}}"#, "delivery/radius/latitude"),
            (#"{"radius":{"latitude":0,"longitude":-180000001,"meters":1}}"#, "delivery/radius/longitude"),
            (#"{"radius":{"latitude":51.5,"longitude":0,"meters":1}}"#, "delivery/radius/latitude"),
            (RadiusShop.rule(1, "[]"), "delivery/radius/places"), (table(many), "delivery/radius/places"),
            (table(row + "," + row), "delivery/radius/places/1/postal_code"),
            (
                table(#"{"postal_code":"EC4M*","country":"GB","latitude":0,"longitude":0}"#),
                "delivery/radius/places/0/postal_code"
            ),
            (
                table(#"{"postal_code":"94103-1234","country":"US","latitude":0,"longitude":0}"#),
                "delivery/radius/places/0/postal_code"
            ),
            (
                table(#"{"postal_code":"EC4M","country":"gb","latitude":0,"longitude":0}"#),
                "delivery/radius/places/0/country"
            ),
            (table(#"{"postal_code":"EC4M","country":"GB","longitude":0}"#), "delivery/radius/places/0/latitude"),
        ]
        try await withShop { shop in
            for fault in faults {
                let refused = try await shop.open(fault.rule)
                #expect(refused.status == 422, "\(fault)")
                #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == fault.field)
                #expect(refused.document["money_moved"]?.stringValue == "no")
            }
            #expect(try await Records<WalletBasket>(shop.counter.journal).count() == 0)
        }
    }

    @Test("A radius that was kept is the radius, with its places")
    func kept() throws {
        let document = try JSONValue(parsing: RadiusShop.rule(161).utf8)
        let whole = try DeliveryDocument.radius(document["radius"] ?? JSONValue.null, at: "", limit: 2)
        let bare = try #require(DeliveryRadius(center: whole.center, meters: 1))
        for rule in [whole, bare] {
            let terms = BasketTerms(
                order: OrderID(rawValue: "7"), number: "7", delivery: .radius(rule), fingerprint: [1, 2])
            #expect(BasketTerms(json: try JSONValue(parsing: terms.json.bytes())) == terms)
        }
        #expect(whole.places?.count == 2)
    }
}
