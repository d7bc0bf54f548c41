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
import TillJournalSQLite
import TillProvider
import TillSandbox
import TillStandInApple
import TillTestSupport

@testable import TillServer
@testable import TillWeb

/// A shop's server that opens baskets with a key, and the pages of its customers, which have none.
private struct Shop {
    typealias Members = [String: JSONValue]

    static let contact: JSONValue = .members([
        "givenName": .string("Ada"), "familyName": .string("Lovelace"), "emailAddress": .string("ada@example.com"),
        "phoneNumber": .string("+44 20 7946 0000"), "addressLines": .array([.string("1 Fleet Place")]),
        "locality": .string("London"), "postalCode": .string("EC4M 7RF"), "countryCode": .string("GB"),
    ])
    private static let gateway = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"

    /// Tea and cake for 13.49 GBP.
    static func goods(_ order: String? = "o-1", cake: Int = 450, amount: Int? = nil, _ more: Members = [:]) -> String {
        var members: Members = [
            "amount": .number("\(amount ?? 899 + cake)"), "currency": .string("GBP"),
            "items": .array([item("Tea", 899), item("Cake", cake)]),
        ]
        if let order { members["order_id"] = .string(order) }
        return text(members.merging(more) { $1 })
    }

    static func item(_ label: String, _ amount: Int) -> JSONValue {
        .members(["label": .string(label), "amount": .number("\(amount)")])
    }

    static func text(_ members: Members) -> String {
        let sorted = members.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: $0.value) }
        return String(decoding: JSONValue.object(sorted).bytes(), as: UTF8.self)
    }

    let counter: RoutedCounter

    /// Asks with the key of an account.
    func ask(
        _ method: String, _ path: String, _ body: String = "", key: String = "key"
    ) async throws -> (status: Int, document: JSONValue) {
        // Letters alone: digits may happen to be a card number, which is refused.
        let letters = (0..<20).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        let headers = ["Authorization": "Bearer \(key)", "Idempotency-Key": String(decoding: letters, as: UTF8.self)]
        let response = try await counter.ask(method, path, isStranger: true, headers: headers, body)
        return (response.status.code, try await RoutedCounter.document(response))
    }

    func open(_ body: String, key: String = "key") async throws -> (status: Int, document: JSONValue) {
        try await ask("POST", "/v1/applepay/baskets", body, key: key)
    }

    /// Opens a basket that has to be opened.
    func basket(_ body: String) async throws -> String {
        let opened = try await open(body)
        #expect(opened.status == 201, "\(opened.document)")
        return try #require(opened.document["id"]?.stringValue)
    }

    /// Sells an order for cash.
    func sellForCash(_ order: String, _ amount: Int = 1349) async throws {
        let created = try await ask(
            "POST", "/v1/payments", #"{"order_id":"\#(order)","amount":\#(amount),"currency":"GBP"}"#)
        let id = try #require(created.document["id"]?.stringValue)
        #expect(try await ask("POST", "/v1/payments/\(id)/confirm", #"{"tender":{"type":"cash"}}"#).status == 200)
    }

    /// The basket's records, as another process sees them.
    var baskets: ApplePayBaskets { ApplePayBaskets(journal: counter.journal, owner: .main, clock: SystemClock()) }

    /// Goods that are delivered, with methods that cost as much.
    static func delivered(_ items: [Int], _ methods: [Int], amount: Int) -> String {
        goods(
            amount: amount,
            [
                "items": .array(items.map { item("x", $0) }), "service": .string("delivery"),
                "shipping_methods": .array(
                    methods.enumerated().map { index, cost in
                        .members([
                            "id": .string("m-\(index)"), "label": .string("Method"), "amount": .number("\(cost)"),
                        ])
                    }),
            ])
    }

    func payments(_ order: String = "o-1") async throws -> [JSONValue] {
        try await ask("GET", "/v1/payments?order_id=\(order)").document["payments"]?.arrayValue ?? []
    }

    func state(_ id: String) async throws -> String? {
        try await ask("GET", "/v1/applepay/baskets/\(id)").document["state"]?.stringValue
    }

    // MARK: Pages

    /// A page with an open sheet: the basket and a token for it as it was when the customer authorized.
    struct Sheet {
        var basket: String
        var proof: String
        var version: JSONValue
        var token: JSONValue
        var request: JSONValue
    }

    func post(_ path: String, _ members: Members, proof: String? = nil) async throws -> (Int, JSONValue) {
        let headers = proof.map { ["X-Till-Basket-Proof": $0] } ?? [:]
        let response = try await counter.ask("POST", path, isStranger: true, headers: headers, Shop.text(members))
        return (response.status.code, try await RoutedCounter.document(response))
    }

    /// Opens a sheet as a page does, and authorizes in it.
    func sheet(_ basket: String) async throws -> Sheet {
        let page = try await counter.ask("GET", "/applepay/basket/\(basket)", isStranger: true)
        let sheet = try await RoutedCounter.document(page)
        let proof = try #require(sheet["proof"]?.stringValue)
        let request = try #require(sheet["request"])
        let (_, session) = try await post(
            "/applepay/validate", ["basket": .string(basket), "validationURL": .string(Shop.gateway)], proof: proof)
        let (_, token) = try await post(
            "/applepay/sandbox/authorize",
            [
                "sheet": .string(basket), "session": session, "amount": request["total"]?["amount"] ?? .null,
                "currencyCode": .string("GBP"), "applicationData": request["applicationData"] ?? .null,
                "accountNumber": .string("4784000000380075"),
            ])
        return Sheet(
            basket: basket, proof: proof, version: sheet["version"] ?? .null, token: token, request: request)
    }

    func pay(_ sheet: Sheet, contact: JSONValue = Shop.contact) async throws -> (status: Int, document: JSONValue) {
        try await post(
            "/applepay/payment",
            [
                "basket": .string(sheet.basket), "version": sheet.version, "token": sheet.token,
                "shippingContact": contact,
            ], proof: sheet.proof)
    }
}

@Suite("Baskets that the shop's server opens")
struct BasketRouteTests {
    private func withShop(
        _ scope: OrderScope? = nil, hardware: Set<AccountID> = [], _ body: (Shop) async throws -> Void
    ) async throws {
        let counter = try await RoutedCounter(orderScope: scope, hardware: hardware)
        do { try await body(Shop(counter: counter)) } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    }

    @Test("A basket is opened with a key and paid by a page; a second tab gets the same payment")
    func paid() async throws {
        try await withShop { shop in
            let opened = try await shop.open(Shop.goods())
            #expect(opened.status == 201)
            let id = try #require(opened.document["id"]?.stringValue)
            #expect(opened.document["basket_path"]?.stringValue == "/applepay/basket/\(id)")
            #expect(opened.document["order_id"]?.stringValue == "o-1" && id != "o-1" && id.utf8.count >= 28)
            #expect(opened.document["amount"]?.int64Value == 1349 && opened.document["version"]?.int64Value == 1)
            #expect(opened.document["state"]?.stringValue == "open")
            #expect(opened.document["lines"]?.arrayValue?.count == 2 && opened.document["expires_at"] != nil)
            let (first, second) = (try await shop.sheet(id), try await shop.sheet(id))
            let (told, again) = (try await shop.pay(first), try await shop.pay(second))
            #expect(told.status == 201 && told.document["orderId"]?.stringValue == "o-1")
            #expect(again.document["paymentId"] == told.document["paymentId"] && told.document["paymentId"] != nil)
            let payments = try await shop.payments()
            #expect(payments.count == 1 && payments[0]["captured"]?.int64Value == 1349)
            let shown = try await shop.ask("GET", "/v1/applepay/baskets/\(id)").document
            #expect(shown["state"]?.stringValue == "paid" && shown["money_moved"]?.stringValue == "yes")
            #expect(shown["payment_id"] == told.document["paymentId"])
            #expect(shown["contact"]?["email"]?.stringValue == "ada@example.com")
            // A repeated request finds it paid; nothing else is done with it any more.
            let repeated = try await shop.open(Shop.goods())
            #expect(repeated.status == 200 && repeated.document["state"]?.stringValue == "paid")
            for (method, path, body) in [
                ("POST", "/v1/applepay/baskets", Shop.goods(cake: 500)),
                ("PUT", "/v1/applepay/baskets/\(id)", Shop.goods(cake: 500)),
                ("DELETE", "/v1/applepay/baskets/\(id)", ""),
            ] {
                let refused = try await shop.ask(method, path, body)
                #expect(refused.status == 409, "\(method)")
                #expect(refused.document["code"]?.stringValue == "basket_paid", "\(method) \(refused.document)")
                #expect(refused.document["money_moved"]?.stringValue == "yes", "\(method)")
            }
        }
    }

    @Test("An order has one basket: the same content returns it, other content is refused")
    func once() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let same = try await shop.open(Shop.goods())
            #expect(same.status == 200 && same.document["id"]?.stringValue == id)
            let other = try await shop.open(Shop.goods(cake: 500))
            #expect(other.status == 409 && other.document["code"]?.stringValue == "basket_exists")
            #expect(other.document["next"]?.stringValue?.contains(id) == true)
            #expect(other.document["money_moved"]?.stringValue == "no")
            #expect(try await shop.basket(Shop.goods("o-2")) != id)
        }
    }

    @Test("A replaced basket grows its version, and a sheet of the earlier one is refused")
    func replaced() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let path = "/v1/applepay/baskets/\(id)"
            let old = try await shop.sheet(id)
            let same = try await shop.ask("PUT", path, Shop.goods(nil))
            #expect(same.status == 200 && same.document["version"]?.int64Value == 1)
            let replaced = try await shop.ask("PUT", path, Shop.goods(nil, cake: 500))
            #expect(replaced.status == 200 && replaced.document["version"]?.int64Value == 2)
            #expect(replaced.document["amount"]?.int64Value == 1399)
            let refused = try await shop.pay(old)
            #expect(refused.status == 422 && refused.document["code"]?.stringValue == "basket_changed")
            let named = try await shop.ask("PUT", path, Shop.goods("o-2"))
            #expect(named.status == 422 && named.document["code"]?.stringValue == "order_mismatch")
            let wrong = try await shop.ask("PUT", path, Shop.goods(nil, amount: 1))
            #expect(wrong.document["code"]?.stringValue == "amount_mismatch")
            #expect(try await shop.pay(try await shop.sheet(id)).status == 201)
            #expect(try await shop.payments().map { $0["captured"]?.int64Value } == [1399])
        }
    }

    @Test("A sheet that is open when its basket is replaced takes on no new goods or terms, and pays nothing")
    func replacedWhileOpen() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            var sheet = try await shop.sheet(id)
            // At the same price, so that only the binding tells the two apart.
            for note in ["Ring twice", "Ring once"] {
                let more: Shop.Members = ["note": .string(note)]
                #expect(try await shop.ask("PUT", "/v1/applepay/baskets/\(id)", Shop.goods(nil, more)).status == 200)
            }
            func isRefused(_ answer: (Int, JSONValue)) -> Bool {
                answer.0 == 422 && answer.1["code"]?.stringValue == "basket_changed"
                    && answer.1["moneyMoved"]?.stringValue == "no"
            }
            for (path, members) in [
                ("update", ["event": .string("couponcode"), "couponCode": .string("TENOFF")]),
                ("validatepostalcode", ["postalCode": .string("EC4M")]),
            ] as [(String, Shop.Members)] {
                let told = try await shop.post("/applepay/basket/\(id)/\(path)", members, proof: sheet.proof)
                #expect(isRefused(told), "\(path) \(told)")
            }
            let paid = try await shop.pay(sheet)
            #expect(isRefused(paid))
            let shown = try await shop.ask("GET", "/v1/applepay/baskets/\(id)").document
            #expect(shown["version"]?.int64Value == 3 && shown["amount"]?.int64Value == 1349)
            // The page has loaded the basket again, and the sheet that is still open authorizes.
            let token = sheet.token
            sheet = try await shop.sheet(id)
            var late = sheet
            late.token = token
            let paidLate = try await shop.pay(late)
            #expect(isRefused(paidLate))
            let zeros = String(repeating: "0", count: 64)
            let wrong = try await shop.post("/applepay/basket/\(id)/update", [:], proof: zeros)
            #expect(wrong.0 == 403 && wrong.1["code"]?.stringValue == "basket_proof")
            #expect(try await shop.payments().isEmpty)
            #expect(try await shop.pay(sheet).status == 201)
        }
    }

    @Test("Goods below zero are refused, and so is a shipping method with which there is nothing or too much to pay")
    func sums() async throws {
        let refusals: [(body: String, code: String, field: String)] = [
            (Shop.delivered([500, -1_000], [1_000], amount: 500), "invalid_amount", "items"),
            (Shop.delivered([500, -500], [250, 0], amount: 250), "invalid_amount", "shipping_methods/1/amount"),
            (
                Shop.delivered([999_999_999_000], [1, 1_000], amount: 999_999_999_001), "amount_too_large",
                "shipping_methods/1/amount"
            ),
        ]
        try await withShop { shop in
            for refusal in refusals {
                let refused = try await shop.open(refusal.body)
                #expect(refused.status == 422 && refused.document["code"]?.stringValue == refusal.code, "\(refusal)")
                let error = refused.document["errors"]?.arrayValue?.first
                #expect(error?["field"]?.stringValue == refusal.field)
                guard refusal.field != "items" else { continue }
                #expect(error?["message"]?.stringValue?.contains("m-1") == true)
            }
            let id = try await shop.basket(Shop.goods())
            for refusal in refusals {
                let refused = try await shop.ask("PUT", "/v1/applepay/baskets/\(id)", refusal.body)
                #expect(refused.status == 422 && refused.document["code"]?.stringValue == refusal.code, "\(refusal)")
            }
        }
    }

    @Test("An order whose money was given back is refunded, and the next basket sells it again")
    func refunded() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let path = "/v1/applepay/baskets/\(id)"
            #expect(try await shop.pay(try await shop.sheet(id)).status == 201)
            let payment = try #require(try await shop.payments().first?["id"]?.stringValue)
            let refund = "/v1/payments/\(payment)/refunds"
            #expect(try await shop.ask("POST", refund, #"{"amount":49}"#).status == 201)
            #expect(try await shop.state(id) == "paid")
            #expect(try await shop.ask("POST", refund, "{}").status == 201)
            let shown = try await shop.ask("GET", path).document
            #expect(shown["state"]?.stringValue == "refunded" && shown["payment_id"]?.stringValue == payment)
            for (method, body) in [("PUT", Shop.goods(cake: 500)), ("DELETE", "")] {
                let refused = try await shop.ask(method, path, body)
                #expect(refused.status == 409, "\(method)")
                #expect(refused.document["code"]?.stringValue == "basket_refunded", "\(method)")
            }
            let next = try await shop.basket(Shop.goods())
            #expect(next != id)
            #expect(try await shop.pay(try await shop.sheet(next)).status == 201)
            #expect(try await shop.payments().count == 2)
            #expect(try await shop.state(id) == "refunded")
            #expect(try await shop.open(Shop.goods()).document["id"]?.stringValue == next)
        }
    }

    @Test("A paid basket has the amount of its payment")
    func paidAmount() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            #expect(try await shop.pay(try await shop.sheet(id)).status == 201)
            let other = basket(id).json.bytes()
            try await shop.baskets.update(id) { kept in
                kept.document = other
                return true
            }
            let shown = try await shop.ask("GET", "/v1/applepay/baskets/\(id)").document
            #expect(shown["amount"]?.int64Value == 1349 && shown["state"]?.stringValue == "paid")
        }
    }

    @Test("A sheet's payment that was paid in cash meanwhile is not the sheet's")
    func cashMeanwhile() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let sheet = try await shop.sheet(id)
            let body = #"{"order_id":"o-1","amount":1349,"currency":"GBP"}"#
            let made = try await shop.ask("POST", "/v1/payments", body).document
            let payment = try #require(made["id"]?.stringValue)
            // A process noted the payment for the sheet and ended before it asked for money.
            let transaction = WalletTransactionID(bytes: Array(repeating: 0xAB, count: 32))
            _ = try await shop.baskets.begin(id, version: 1, transaction: transaction)
            try await shop.baskets.note(
                PaymentID(rawValue: payment), of: id, transaction: transaction.description, contact: Array("{}".utf8))
            let cash = try await shop.ask(
                "POST", "/v1/payments/\(payment)/confirm", #"{"tender":{"type":"cash"}}"#)
            #expect(cash.status == 200, "\(cash.document)")
            let status = try await shop.counter.ask("GET", "/applepay/payment/\(id)", isStranger: true)
            #expect(try await RoutedCounter.document(status)["status"]?.stringValue == "open")
            #expect(try await shop.state(id) == "open")
            let told = try await shop.pay(sheet)
            #expect(told.status == 409 && told.document["code"]?.stringValue == "order_already_paid")
        }
    }

    @Test("A basket that no request opened is not replaced")
    func demo() async throws {
        try await withShop { shop in
            let made = try await shop.post("/shop/baskets", ["service": .string("delivery")])
            let id = try #require(made.1["basket"]?.stringValue)
            let refused = try await shop.ask("PUT", "/v1/applepay/baskets/\(id)", Shop.goods(nil))
            #expect(refused.status == 409 && refused.document["code"]?.stringValue == "basket_without_order")
            #expect(try await shop.ask("GET", "/v1/applepay/baskets/\(id)").document["amount"]?.int64Value == 1599)
        }
    }

    @Test("Opening, replacing and closing are in the audit log, each once")
    func audited() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let path = "/v1/applepay/baskets/\(id)"
            for _ in 0..<2 {
                _ = try await shop.open(Shop.goods())
                _ = try await shop.ask("PUT", path, Shop.goods(cake: 500))
            }
            for _ in 0..<2 { _ = try await shop.ask("DELETE", path) }
            let entries = try await shop.ask("GET", "/v1/audit?limit=100").document["entries"]?.arrayValue ?? []
            let own = entries.compactMap { $0["entry"] }.filter { $0["subject"]?.stringValue == id }
                .compactMap { $0["action"]?.stringValue }
            #expect(own.sorted() == ["basket.closed", "basket.opened", "basket.replaced"])
        }
    }

    @Test("A closed basket is paid by no sheet, and its order can have another")
    func closed() async throws {
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods())
            let path = "/v1/applepay/baskets/\(id)"
            let sheet = try await shop.sheet(id)
            for _ in 0..<2 {
                let closed = try await shop.ask("DELETE", path)
                #expect(closed.status == 200 && closed.document["state"]?.stringValue == "closed")
            }
            let told = try await shop.pay(sheet)
            #expect(told.status == 422 && told.document["code"]?.stringValue == "basket_closed")
            #expect(told.document["moneyMoved"]?.stringValue == "no")
            #expect(try await shop.payments().isEmpty)
            #expect(try await shop.state(id) == "closed")
            let coupon = try await shop.post(
                "/applepay/basket/\(id)/update",
                ["event": .string("couponcode"), "couponCode": .string("TENOFF")], proof: sheet.proof)
            #expect(coupon.0 == 409 && coupon.1["code"]?.stringValue == "basket_closed")
            let page = try await shop.counter.ask("GET", "/applepay/basket/\(id)", isStranger: true)
            #expect(page.status == .conflict)
            let status = try await shop.counter.ask("GET", "/applepay/payment/\(id)", isStranger: true)
            #expect(try await RoutedCounter.document(status)["status"]?.stringValue == "closed")
            let replaced = try await shop.ask("PUT", path, Shop.goods(cake: 500))
            #expect(replaced.document["code"]?.stringValue == "basket_closed")
            let next = try await shop.basket(Shop.goods())
            #expect(next != id)
            #expect(try await shop.pay(try await shop.sheet(next)).status == 201)
        }
    }

    @Test("Another account finds no basket, also where it shares the counter's readers")
    func accounts() async throws {
        try await withShop(hardware: [AccountID(rawValue: "other")]) { shop in
            let id = try await shop.basket(Shop.goods())
            let path = "/v1/applepay/baskets/\(id)"
            for (method, path, body) in [
                ("POST", "/v1/applepay/baskets", Shop.goods("o-9")), ("GET", path, ""),
                ("PUT", path, Shop.goods(cake: 500)), ("DELETE", path, ""),
            ] {
                let found = try await shop.ask(method, path, body, key: "other")
                #expect(found.status == 404 && found.document["code"]?.stringValue == "not_found", "\(method)")
            }
            let own = try await shop.ask("GET", path).document
            #expect(own["state"]?.stringValue == "open" && own["version"]?.int64Value == 1)
            #expect(try await shop.open(Shop.goods("o-9")).status == 201, "nothing was opened for it")
        }
    }

    @Test("An order that is paid by another tender is refused, before and while a sheet is open")
    func occupied() async throws {
        try await withShop { shop in
            try await shop.sellForCash("o-1")
            let late = try await shop.open(Shop.goods())
            #expect(late.status == 409 && late.document["code"]?.stringValue == "order_already_paid")
            let id = try await shop.basket(Shop.goods("o-2"))
            let sheet = try await shop.sheet(id)
            try await shop.sellForCash("o-2")
            let told = try await shop.pay(sheet)
            #expect(told.status == 409 && told.document["code"]?.stringValue == "order_already_paid")
            #expect(told.document["money_moved"]?.stringValue == "no")
            let payments = try await shop.payments("o-2")
            #expect(payments.map { $0["tender"]?["type"]?.stringValue } == ["cash"])
            let replaced = try await shop.ask("PUT", "/v1/applepay/baskets/\(id)", Shop.goods("o-2", cake: 500))
            #expect(replaced.status == 409 && replaced.document["code"]?.stringValue == "order_already_paid")
            #expect(try await shop.open(Shop.goods("o-2")).status == 409)
            #expect(try await shop.state(id) == "open", "it can be closed")
        }
    }

    @Test("The order is the shop's own number in its scope")
    func scope() async throws {
        try await withShop(OrderScope("2026")) { shop in
            let opened = try await shop.open(Shop.goods("7"))
            #expect(opened.document["order_id"]?.stringValue == "2026/7")
            #expect(opened.document["order_number"]?.stringValue == "7")
            let id = try #require(opened.document["id"]?.stringValue)
            let told = try await shop.pay(try await shop.sheet(id))
            #expect(told.document["orderId"]?.stringValue == "2026/7")
            #expect(try await shop.payments("7").count == 1)
            try await shop.sellForCash("8")
            #expect(try await shop.open(Shop.goods("8")).status == 409)
        }
    }

    @Test("Shipping, its price and the basket's own delivery rule")
    func delivery() async throws {
        let methods = JSONValue.array([
            .members(["id": .string("slow"), "label": .string("Slow"), "amount": .number("250")]),
            .members([
                "id": .string("fast"), "label": .string("Fast"), "detail": .string("25 minutes"),
                "amount": .number("499"),
            ]),
        ])
        var far = Shop.contact.objectValue ?? []
        far.removeAll { $0.key == "postalCode" }
        far.append(JSONMember(key: "postalCode", value: .string("BN15 9AA")))
        try await withShop { shop in
            func opened(_ order: String, _ rule: JSONValue?) async throws -> Shop.Sheet {
                var more: Shop.Members = ["service": .string("delivery"), "shipping_methods": methods]
                more["delivery"] = rule
                return try await shop.sheet(try await shop.basket(Shop.goods(order, amount: 1599, more)))
            }
            let area = JSONValue.members(["country": .string("GB"), "areas": .array([.string("BN15")])])
            for (order, rule, near, distant) in [
                ("settings", nil, 201, 422), ("everywhere", .string("everywhere"), 201, 201), ("own", area, 422, 201),
            ] as [(String, JSONValue?, Int, Int)] {
                let (first, second) = (try await opened(order, rule), try await opened(order + "-2", rule))
                #expect(try await shop.pay(first).status == near, "\(order)")
                let told = try await shop.pay(second, contact: .object(far))
                #expect(told.status == distant, "\(order)")
                guard distant == 422 else { continue }
                #expect(told.document["code"]?.stringValue == "address_unserviceable")
                let asked = try await shop.post(
                    "/applepay/basket/\(second.basket)/validatepostalcode", ["postalCode": .string("BN15")],
                    proof: second.proof)
                #expect(asked.1["deliverable"]?.stringValue == "no")
            }
        }
    }

    @Test("What is neither delivered nor collected asks for no address; note and time are kept")
    func unshipped() async throws {
        try await withShop { shop in
            let more: Shop.Members = [
                "note": .string("Ring twice"), "requested_for": .string("2026-11-21T18:30:00+01:00"),
                "customer": .string("customer_7"),
            ]
            let id = try await shop.basket(Shop.goods("o-1", more))
            let sheet = try await shop.sheet(id)
            let fields = sheet.request["requiredShippingContactFields"]?.arrayValue?.compactMap(\.stringValue)
            #expect(fields?.contains("postalAddress") == false && fields?.contains("email") == true)
            let place: Set = ["addressLines", "postalCode"]
            let contact = (Shop.contact.objectValue ?? []).filter { !place.contains($0.key) }
            let told = try await shop.pay(sheet, contact: .object(contact))
            #expect(told.status == 201 && told.document["account"]?.stringValue == "customer_7")
            let shown = try await shop.ask("GET", "/v1/applepay/baskets/\(id)").document
            #expect(shown["note"]?.stringValue == "Ring twice" && shown["customer"]?.stringValue == "customer_7")
            #expect(shown["requested_for"]?.stringValue == "2026-11-21T18:30:00+01:00")
            #expect(shown["service"]?.stringValue == "none")
            let shopAddress = JSONValue.members([
                "name": .string("Shop"), "address_lines": .array([.string("1 Street")]), "city": .string("London"),
                "postal_code": .string("EC4M 7RF"), "country": .string("GB"),
            ])
            let collected = try await shop.sheet(
                try await shop.basket(
                    Shop.goods("o-2", ["service": .string("collection"), "collection": shopAddress])))
            #expect(collected.request["shippingType"]?.stringValue == "storePickup")
        }
    }

    @Test("The customer, the note, the time and the contact of a basket are for a key that may sell")
    func contact() async throws {
        let personal: Shop.Members = [
            "customer": .string("customer_7"), "note": .string("Ring twice"),
            "requested_for": .string("2026-11-21T18:30:00+01:00"),
        ]
        try await withShop { shop in
            let id = try await shop.basket(Shop.goods("o-1", personal))
            #expect(try await shop.pay(try await shop.sheet(id)).status == 201)
            let keys = APIKeys(shop.counter.journal, clock: SystemClock())
            for (scopes, isSeen) in [([.read], false), ([.read, .sell], true)] as [(Set<APIScope>, Bool)] {
                let key = try await keys.create(account: .main, label: "test", scopes: scopes, life: nil)
                let shown = try await shop.ask("GET", "/v1/applepay/baskets/\(id)", key: key.key.reveal()).document
                #expect(shown["state"]?.stringValue == "paid")
                #expect((shown["contact"]?["email"] != nil) == isSeen)
                for name in personal.keys { #expect((shown[name]?.stringValue != nil) == isSeen, "\(name)") }
            }
        }
    }

    @Test("Every fault of a request is named, and nothing is opened")
    func faults() async throws {
        let many = JSONValue.array((0..<201).map { _ in Shop.item("x", 1) })
        let faults: [(String, code: String, field: String)] = [
            (Shop.goods(amount: 1348), "amount_mismatch", "amount"),
            (Shop.goods("o-1", ["currency": .string("EUR")]), "currency_mismatch", "currency"),
            (Shop.goods("o-1", ["currency": .string("gbp")]), "currency_mismatch", "currency"),
            (Shop.goods(nil), "invalid_request", "order_id"),
            (Shop.goods("o-1", ["amount": .string("13.49")]), "invalid_amount", "amount"),
            (Shop.goods("o-1", ["amount": .number("0")]), "invalid_amount", "amount"),
            (Shop.goods("o-1", ["amuont": .number("1")]), "invalid_request", "amuont"),
            (Shop.goods("o-1", ["items": .array([])]), "invalid_request", "items"),
            (Shop.goods("o-1", amount: 201, ["items": many]), "invalid_request", "items"),
            (
                Shop.goods("o-1", amount: 1, ["items": .array([Shop.item(String(repeating: "x", count: 129), 1)])]),
                "invalid_request", "items/0/label"
            ),
            (
                Shop.goods("o-1", amount: 1, ["items": .array([Shop.item("x", 1_000_000_000_000)])]), "invalid_amount",
                "items/0/amount"
            ),
            (Shop.goods("o-1", ["service": .string("teleport")]), "invalid_request", "service"),
            (Shop.goods("o-1", ["service": .string("collection")]), "invalid_request", "collection"),
            (Shop.goods("o-1", ["delivery": .string("everywhere")]), "invalid_request", "delivery"),
            (
                Shop.goods("o-1", ["service": .string("delivery"), "delivery": .string("nowhere")]), "invalid_request",
                "delivery"
            ),
            (
                Shop.goods("o-1", ["service": .string("delivery"), "delivery": .members([:])]), "invalid_request",
                "delivery"
            ),
            (
                Shop.goods(
                    "o-1",
                    [
                        "service": .string("delivery"),
                        "delivery": .members([
                            "country": .string("GB"), "areas": .array([.string("BN1")]),
                            "parts": .members(["EC1A": .array([])]),
                        ]),
                    ]), "invalid_request", "delivery/parts/EC1A"
            ),
            (Shop.goods("o-1", ["customer": .string("")]), "invalid_request", "customer"),
            (Shop.goods("o-1", ["customer": .string("4111111111111111")]), "card_number_refused", "customer"),
            (
                Shop.goods(
                    "o-1",
                    [
                        "service": .string("delivery"),
                        "shipping_methods": .array([
                            .members([
                                "id": .string("4111111111111111"), "label": .string("Slow"), "amount": .number("0"),
                            ])
                        ]),
                    ]), "card_number_refused", "shipping_methods/0/id"
            ),
            (Shop.goods("o-1", ["requested_for": .string("tomorrow")]), "invalid_request", "requested_for"),
            (Shop.goods("o-1", ["requested_for": .string("2026-02-30T10:00Z")]), "invalid_request", "requested_for"),
        ]
        try await withShop { shop in
            for fault in faults {
                let refused = try await shop.open(fault.0)
                #expect(refused.status == 422, "\(fault)")
                #expect(refused.document["code"]?.stringValue == fault.code, "\(fault)")
                #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == fault.field)
                #expect(refused.document["money_moved"]?.stringValue == "no")
            }
            let note = String(repeating: "x", count: BasketRequest.maximumBodyBytes)
            let large = Shop.goods("o-1", ["note": .string(note)])
            #expect(try await shop.open(large).status == 413)
            #expect(try await Records<WalletBasket>(shop.counter.journal).count() == 0)
            #expect(try await Records<OrderBasket>(shop.counter.journal).count() == 0)
        }
    }

    // MARK: Without a server

    private func memory() -> (ApplePayBaskets, ManualClock) {
        let clock = ManualClock()
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        return (ApplePayBaskets(journal: journal, owner: .main, clock: clock), clock)
    }

    private func basket(_ id: String) -> SheetBasket {
        SheetBasket(
            id: id, currency: .gbp, service: .neither,
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 250, currency: .gbp))])
    }

    @Test("Of many that open an order's basket at once, one opens it, and the others get that one")
    func concurrent() async throws {
        let (baskets, _) = memory()
        let terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", fingerprint: [1])
        let results = try await withThrowingTaskGroup(of: (isNew: Bool, id: String).self) { group in
            for number in 0..<8 {
                let basket = basket("b-\(number)")
                group.addTask {
                    switch try await baskets.open(basket, on: terms, account: nil) {
                    case .opened(let entry): (true, entry.basket.id)
                    case .existing(let entry): (false, entry.basket.id)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter(\.isNew).count == 1 && Set(results.map(\.id)).count == 1)
        #expect(try await Records<WalletBasket>(baskets.journal).count() == 1)
    }

    @Test("An expired basket is paid by no sheet, and the order's next one takes its place")
    func expiry() async throws {
        let (baskets, clock) = memory()
        let terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", fingerprint: [1])
        guard case .opened(let first) = try await baskets.open(basket("b-1"), on: terms, account: nil) else {
            Issue.record("it was not opened")
            return
        }
        #expect(first.expiresAt == clock.now().adding(.hours(24)))
        clock.advance(by: .hours(24))
        let transaction = WalletTransactionID(bytes: Array(repeating: 0xAB, count: 32))
        guard case .closed = try await baskets.begin("b-1", version: 1, transaction: transaction) else {
            Issue.record("it was claimed")
            return
        }
        guard case .opened(let second) = try await baskets.open(basket("b-2"), on: terms, account: nil) else {
            Issue.record("the first is in the way")
            return
        }
        #expect(second.basket.id == "b-2" && second.terms == terms)
    }

    /// The code with which a counter with these options refuses to open a basket; `nil` if it opens it.
    private func refusal(_ options: ApplePayOptions, _ handovers: Set<WalletHandover>) async throws -> String? {
        let clock = SystemClock()
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let web = try ApplePayWeb(
            options: options, checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock),
            journal: journal, account: .main, provider: .sandbox, handovers: handovers, clock: clock)
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/v1/applepay/baskets",
            headerFields: [.contentType: "application/json"])
        let incoming = Incoming(
            request: Request(head: head, body: RequestBody(buffer: .init(string: Shop.goods()))), account: .main,
            maximumBodyBytes: 4_096)
        var code: String?
        do { _ = try await BasketRoutes(routes: web.routes, orderScope: nil).open(incoming) } catch {
            code = Problem(error).code
        }
        await web.shutdown()
        return code
    }

    @Test("A counter that neither a page nor an app can pay at opens no basket; what pages alone need stops no app")
    func off() async throws {
        let clock = SystemClock()
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let sandbox = try ApplePayWeb.sandbox(
            checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock), journal: journal,
            account: .main, clock: clock)
        let options = sandbox.routes.options
        await sandbox.shutdown()
        let handovers: Set = [options.handover]
        #expect(try await refusal(options, handovers) == nil)
        #expect(try await refusal(options, []) == "applepay_off")
        let changes: [(inout ApplePayOptions) -> Void] = [
            { $0.fault = "The file cannot be read." }, { $0.keys = ProcessingKeyRing() }, { $0.domains = [] },
            { $0.domains[0].isEnabled = false }, { $0.domains[0].percentage = 0 },
        ]
        for (index, change) in changes.enumerated() {
            var changed = options
            change(&changed)
            #expect(try await refusal(changed, handovers) == "applepay_off", "\(index)")
        }
        let earlier = try SandboxAppleAuthority(issued: Timestamp(milliseconds: 1_600_000_000_000))
        let pair = try earlier.merchantIdentity(merchant: ApplePaySandbox.merchant)
        let ended = ApplePayDomain.Identity(certificate: Array(pair.certificate.utf8), key: Secret([]))
        let losses: [(inout ApplePayOptions) -> Void] = [
            { $0.domains[0].identities = [] }, { $0.domains[0].identities = [ended] },
            {
                $0.domains[0].associationFile = "association.txt"
                $0.domains[0].association = nil
            },
        ]
        for (index, loss) in losses.enumerated() {
            var changed = options
            loss(&changed)
            #expect(try await refusal(changed, handovers) == nil, "\(index)")
        }
    }

    @Test("An order's record lives as long as its paid or pending basket, and unpaid ones are limited in number")
    func orderRecords() async throws {
        let (baskets, clock) = memory()
        let transaction = WalletTransactionID(bytes: Array(repeating: 0xAB, count: 32))
        func open(_ order: String) async throws -> Bool {
            let terms = BasketTerms(order: OrderID(rawValue: order), number: order, fingerprint: [1])
            let opening = try await baskets.open(basket("b-\(order)-\(clock.now())"), on: terms, account: nil)
            guard case .opened(let entry) = opening else { return false }
            guard order != "open" else { return true }
            _ = try await baskets.begin(entry.basket.id, version: 1, transaction: transaction)
            guard order != "pending" else { return true }
            let answer = order == "paid" ? Array(#"{"status":"placed"}"#.utf8) : nil
            try await baskets.end(entry.basket.id, transaction: transaction.description, answer: answer)
            return true
        }
        for order in ["open", "pending", "paid", "declined"] { #expect(try await open(order)) }
        let orders = Records<OrderBasket>(baskets.journal)
        #expect(try await orders.count(matching: OrderBasket.unpaid) == 2)
        clock.advance(by: .hours(25))
        #expect(try await open("open"))
        #expect(try await orders.count() == 3, "that of the declined one is gone")
        #expect(try await !open("pending"))
        #expect(try await !open("paid"))
        clock.advance(by: .days(181))
        #expect(try await open("open"))
        #expect(try await open("paid"))
        #expect(try await !open("pending"))
    }

    @Test("A closed basket counts among the unpaid ones, until it is gone")
    func closedCounts() async throws {
        let (baskets, _) = memory()
        let terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", fingerprint: [1])
        _ = try await baskets.open(basket("b-1"), on: terms, account: nil)
        #expect(try await baskets.close("b-1"))
        #expect(try await Records<WalletBasket>(baskets.journal).count(matching: WalletBasket.open) == 1)
    }

    @Test("A coupon that leaves nothing to pay is refused when it is entered")
    func wholeCoupons() throws {
        func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .gbp) }
        func delivered(_ costs: [Int64]) -> SheetBasket {
            SheetBasket(
                id: "b-1", currency: .gbp, service: .delivery, lines: [SheetItem(label: "Tea", amount: money(250))],
                shippingMethods: costs.map {
                    SheetShippingMethod(identifier: "m-\($0)", label: "M", detail: "", amount: money($0))
                })
        }
        for (original, isTaken) in [
            (basket("b-1"), false), (delivered([100, 0]), false), (delivered([100, 300]), true),
        ] {
            var changed = original
            let errors = SheetChange.coupon("ALL", percent: 100, nil).apply(&changed)
            #expect(errors.map(\.code) == (isTaken ? [] : [.couponCodeInvalid]))
            #expect((changed.coupon != nil) == isTaken)
            #expect(try changed.total() == (isTaken ? money(100) : original.total()))
        }
        // A basket of the counter's own program is checked only here.
        var free = SheetBasket(
            id: "b-2", currency: .gbp, service: .delivery, lines: [SheetItem(label: "Gift", amount: money(0))],
            shippingMethods: [
                SheetShippingMethod(identifier: "fast", label: "Fast", detail: "", amount: money(100)),
                SheetShippingMethod(identifier: "free", label: "Free", detail: "", amount: money(0)),
            ])
        let errors = SheetChange.shippingMethod("free").apply(&free)
        #expect(errors.count == 1)
        #expect(try free.total() == money(100))
    }

    @Test("Terms that were kept are the terms, and so is a basket without delivery")
    func kept() throws {
        let area = DeliveryArea(country: "GB", areas: ["EC4M"], parts: ["EC1A": ["1", "4"]])
        for rule in [nil, .everywhere, .area(area)] as [DeliveryRule?] {
            let terms = BasketTerms(
                order: OrderID(rawValue: "2026/7"), number: "7", delivery: rule, note: "n",
                requestedFor: "2026-11-21T18:30Z", fingerprint: [1, 2])
            #expect(BasketTerms(json: try JSONValue(parsing: terms.json.bytes())) == terms)
        }
        #expect(SheetBasket(json: basket("b-1").json) == basket("b-1"))
    }
}
