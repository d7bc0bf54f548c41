import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
@testable import TillFeatureWebhooks
import TillJournal
import TillStandInApple
import TillTestSupport

/// A basket whose price the shop tells, from the sheet's changes to the check of the complete address.
@Suite("Prices that a shop tells while a sheet is open")
struct ShopQuoteTests {
    private typealias Entry = ApplePayBaskets.Entry

    private static let london = WalletContact(
        givenName: "Ada", emailAddress: "ada@example.com", phoneNumber: "+44 20 7946 0000",
        addressLines: ["1 Fleet Place"], locality: "London", postalCode: "EC4M 7RF", countryCode: "GB")
    private static let brighton = WalletContact(
        givenName: "Ada", emailAddress: "ada@example.com", phoneNumber: "+44 20 7946 0000",
        addressLines: ["1 Pier"], locality: "Brighton", postalCode: "BN1 1AA", countryCode: "GB")
    private static let transaction = WalletTransactionID(bytes: Array(repeating: 0xAB, count: 32))

    private let clock = ManualClock()
    private let shop = AskedShop()
    private let folder: TestFolder
    private let checkout: ApplePayCheckout

    private var baskets: ApplePayBaskets { checkout.baskets }

    init() async throws {
        let (clock, shop) = (clock, shop)
        folder = try TestFolder()
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let endpoints = WebhookEndpoints(
            journal, pepper: Pepper(besideJournal: folder.path + "/journal"), clock: clock, mode: .test,
            reachesInside: { _ in false })
        let (endpoint, _) = try await endpoints.create(
            account: .main, url: "https://shop.example/till", types: nil, allowsPrivate: false, key: "k")
        let options = ApplePayOptions(
            environment: .sandbox, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: [], keys: ProcessingKeyRing(), area: DeliveryArea(country: "GB", areas: ["EC4M"]))
        let baskets = ApplePayBaskets(journal: journal, owner: .main, clock: clock)
        let apple = try SandboxAppleAuthority(issued: clock.now())
        checkout = ApplePayCheckout(
            live: LiveApplePayOptions(options, clock: MeasuringClock(clock)),
            verifier: PaymentTokenVerifier(
                trust: try SignerTrust(root: apple.rootCertificate), environment: .sandbox),
            baskets: baskets,
            customers: CustomerAccounts(
                journal, owner: .main, pepper: Pepper(besideJournal: folder.path + "/journal"), clock: clock),
            replay: JournalReplayStore(store: journal, clock: clock),
            checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock), account: .main,
            provider: .sandbox, clock: clock, metrics: ApplePayMetrics(),
            quotes: ShopQuotes(SignedCalls(endpoints, transport: shop), account: .main))
        let basket = SheetBasket(
            id: "b-1", currency: .gbp, service: .delivery,
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 1_000, currency: .gbp))],
            shippingMethods: ["van", "bike"].map {
                SheetShippingMethod(
                    identifier: $0, label: $0, detail: "", amount: Money(minorUnits: 200, currency: .gbp))
            }, price: .awaited)
        let terms = BasketTerms(
            order: OrderID(rawValue: "o-1"), number: "o-1", delivery: .everywhere, fingerprint: [1],
            quote: QuoteCallback(endpoint: endpoint.id.rawValue, url: "https://shop.example/quote"))
        _ = try await baskets.open(basket, on: terms, account: nil)
    }

    private func tell(_ total: Int, _ label: String = "All") {
        shop.answer(#"{"currency":"GBP","items":[{"label":"\#(label)","amount":\#(total)}]}"#)
    }

    private func kept() async throws -> Entry { try #require(try await baskets.entry("b-1")) }

    /// Chooses an address in the sheet, as far as the wallet reveals it.
    private func choose(
        _ contact: WalletContact, _ deliverability: Deliverability = .yes
    ) async throws -> ApplePayCheckout.Repriced {
        let address = QuoteAddress(contact, country: "GB")
        return try #require(
            try await checkout.reprice(try await kept(), by: .shippingContact(deliverability), contact: address))
    }

    private func change(_ change: SheetChange) async throws -> ApplePayCheckout.Repriced {
        try #require(try await checkout.reprice(try await kept(), by: change, contact: nil))
    }

    /// Claims the basket for a payment.
    private func begun() async throws -> Entry {
        let version = try await kept().basket.version
        guard case .begin(let entry) = try await baskets.begin("b-1", version: version, transaction: Self.transaction)
        else {
            Issue.record("the basket is not free")
            return try await kept()
        }
        return entry
    }

    private func confirmed(_ entry: Entry, _ contact: WalletContact) async throws -> Entry {
        try await checkout.confirmed(
            entry, Self.transaction.description, try FullContact(contact, needsAddress: true))
    }

    private func total(_ entry: Entry) throws -> Int64 { try entry.basket.total().minorUnits }

    @Test("The shop is told the change, the part of the address known before, the choices and its own lines")
    func question() async throws {
        tell(1_284)
        let told = try await choose(Self.london)
        #expect(told.errors.isEmpty && !told.basket.awaitsPrice)
        #expect(try await total(kept()) == 1_284)
        let question = try #require(shop.questions.first)
        let expected = """
            {"basket_id":"b-1","order_id":"o-1","change":"shipping_contact","address":{"country":"GB","region":"",\
            "city":"London","postal_code":"EC4M"},"shipping_method":"van","coupon":null,"currency":"GBP","total":1200,\
            "items":[{"label":"Tea","amount":1000},{"label":"van","amount":200}],"livemode":false}
            """
        #expect(question.data?.text == expected && question.url == "https://shop.example/quote")
        #expect(JSONValue(ifValid: question.body)?["type"] == .string("basket.quote"))
    }

    @Test("Each address, method and coupon has a price of its own, and the kind of card has none")
    func changes() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        tell(1_300)
        #expect(try await change(.shippingMethod("bike")).basket.total().minorUnits == 1_300)
        #expect(shop.questions.last?.data?["shipping_method"] == .string("bike"))
        #expect(shop.questions.last?.data?["address"]?["postal_code"] == .string("EC4M"))
        tell(1_190)
        #expect(try await change(.coupon("TEN", percent: 10, nil)).basket.total().minorUnits == 1_190)
        #expect(shop.questions.last?.data?["coupon"] == .string("TEN"))
        #expect(shop.questions.last?.data?["total"]?.int64Value == 1_100)
        _ = try await change(.paymentMethod(isCredit: true))
        #expect(shop.questions.count == 3)
        #expect(try await total(kept()) == 1_190)
    }

    @Test(
        "A shop without a usable answer leaves no price: the total is pending, with an error at the address",
        arguments: ["<html>", #"{"currency":"EUR","items":[{"label":"All","amount":1284}]}"#, "500", "down"])
    func faults(_ fault: String) async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        switch fault {
        case "500": shop.answer("", status: 500)
        case "down": shop.answer { _ in .failure(.noAnswer("connection refused")) }
        default: shop.answer(fault)
        }
        let told = try await choose(Self.brighton)
        #expect(told.basket.awaitsPrice && told.errors.map(\.field) == [.postalAddress])
        #expect(try await kept().basket.awaitsPrice)
        #expect(shop.questions.count == 2, "one attempt")
        let refusal = await #expect(throws: ApplePayCheckout.Refusal.self) {
            try await confirmed(try await begun(), Self.brighton)
        }
        #expect(refusal?.code == "quote_unavailable")
        try await baskets.end("b-1", transaction: Self.transaction.description, answer: nil)
        tell(1_400)
        #expect(try await choose(Self.brighton).errors.isEmpty)
        #expect(try await total(kept()) == 1_400)
    }

    @Test("Where nothing is delivered there is no price, and the shop is not asked")
    func undelivered() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let told = try await choose(Self.brighton, .no)
        #expect(told.basket.awaitsPrice && told.errors.map(\.code) == [.addressUnserviceable])
        #expect(shop.questions.count == 1)
    }

    @Test("The shop's own errors are shown; a coupon that it refuses leaves the price as it is")
    func refused() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        shop.answer(#"{"errors":[{"code":"couponCodeInvalid","message":"Not for tea."}]}"#)
        let coupon = try await change(.coupon("TEN", percent: 10, nil))
        #expect(coupon.errors.map(\.message) == ["Not for tea."] && coupon.basket.coupon == nil)
        #expect(try await total(kept()) == 1_284)
        shop.answer(#"{"errors":[{"code":"addressUnserviceable","message":"Too far."}]}"#)
        let address = try await choose(Self.brighton)
        #expect(address.errors.map(\.message) == ["Too far."] && address.basket.awaitsPrice)
    }

    // MARK: Coupons of the shop's own

    private func price(_ units: Int64) -> [SheetItem] {
        [SheetItem(label: "All", amount: Money(minorUnits: units, currency: .gbp))]
    }

    @Test("The shop prices a coupon of its own, whose code is bound to the total and is in each later question")
    func shopCoupon() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        tell(1_000)
        let told = try await change(.shopCoupon("SUMMER"))
        #expect(told.errors.isEmpty && told.basket.coupon?.code == "SUMMER")
        #expect(try await total(kept()) == 1_000)
        let question = shop.questions.last?.data
        #expect(question?["change"] == .string("coupon") && question?["coupon"] == .string("SUMMER"))
        #expect(question?["total"]?.int64Value == 1_200, "what it takes off is the shop's to say")
        let entry = try await confirmed(try await begun(), Self.london)
        try checkout.bind(sheet(1_000), to: entry)
        try sealed().bind(sheet(1_000), to: entry)
        for code in [nil, "WINTER"] {
            var other = entry
            other.basket.apply(code.map { SheetBasket.Coupon(code: $0, discount: .zero(.gbp)) })
            other.basket.quote(price(1_000))
            #expect(throws: ApplePayCheckout.Refusal.self) { try checkout.bind(sheet(1_000), to: other) }
        }
        try await baskets.end("b-1", transaction: Self.transaction.description, answer: nil)
        tell(1_100)
        _ = try await choose(Self.brighton)
        #expect(shop.questions.last?.data?["coupon"] == .string("SUMMER"))
        tell(1_400)
        #expect(try await change(.coupon("", percent: nil, nil)).basket.coupon == nil)
        #expect(shop.questions.last?.data?["coupon"]?.isNull == true)
        #expect(try await total(kept()) == 1_400)
    }

    @Test("A coupon that the shop refuses or does not answer leaves coupon and price as they are, with an error at it")
    func unpricedCoupon() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        tell(1_000)
        _ = try await change(.shopCoupon("SUMMER"))
        let before = try await kept()
        shop.answer(#"{"errors":[{"code":"couponCodeExpired","message":"It has ended."}]}"#)
        let expired = try await change(.shopCoupon("SPRING"))
        #expect(expired.errors == [SheetError(.couponCodeExpired, nil, "It has ended.")])
        shop.answer { _ in .failure(.noAnswer("timed out")) }
        for unanswered in [SheetChange.shopCoupon("WINTER"), .coupon("", percent: nil, nil)] {
            #expect(try await change(unanswered).errors.map(\.code) == [.couponCodeInvalid])
        }
        let after = try await kept()
        #expect(expired.basket == before.basket && after.basket == before.basket)
        #expect(after.quotes.seal == before.quotes.seal && shop.questions.count == 5)
        try checkout.bind(sheet(1_000), to: try await confirmed(try await begun(), Self.london))
    }

    @Test("A coupon for a basket that has changed meanwhile is not answered with the former basket")
    func outdatedCoupon() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let opened = try await kept()
        _ = try await change(.shippingMethod("bike"))
        let asked = shop.questions.count
        let told = try await checkout.reprice(opened, by: .shopCoupon("SUMMER"), contact: nil)
        #expect(told == nil && shop.questions.count == asked)
        #expect(try await kept().basket.coupon == nil)
    }

    @Test("A coupon of the shop's is not asked about before an address")
    func couponBeforeAddress() async throws {
        let told = try await change(.shopCoupon("SUMMER"))
        #expect(told.errors.map(\.code) == [.couponCodeInvalid] && shop.questions.isEmpty)
        #expect(try await kept().basket.coupon == nil)
    }

    @Test("A code is the shop's where its basket takes coupons, unless the settings have it or it is no code")
    func whoseCoupon() async throws {
        var options = checkout.live.current
        options.coupons = ["TEN": (10, Timestamp(milliseconds: .max)), "OLD": (10, Timestamp(milliseconds: 0))]
        let settings = options
        let plain = try await kept()
        var taking = plain
        taking.terms?.quote?.takesCoupons = true
        func asked(_ code: String, _ entry: Entry) throws -> String? {
            let body = JSONValue.members(["event": .string("couponcode"), "couponCode": .string(code)])
            let change = try SheetChange(body, of: entry, options: settings, country: "GB", now: clock.now())
            guard case .shopCoupon(let code) = change else { return nil }
            return code
        }
        #expect(try asked("summer", plain) == nil)
        #expect(try asked(" sum mer-10%", taking) == "SUMMER-10%")
        let longest = String(repeating: "A", count: SheetChange.maximumCodeBytes)
        #expect(try asked(longest, taking) == longest)
        #expect(throws: (any Error).self) { try asked(longest + "A", taking) }
        for code in ["ten", "OLD", "", " ", "SÖMMER", "A*B", "\"A\"", "A/B"] {
            #expect(try asked(code, taking) == nil, "\(code)")
        }
    }

    @Test("A sheet has a field for coupons if the shop prices them, and what a quote says of coupons is kept")
    func couponField() throws {
        func quote(_ more: String) throws -> QuoteCallback {
            let text = #"{"quote":{"url":"https://shop.example/quote","webhook_endpoint":"we_a"\#(more)}}"#
            return try #require(try BasketRequest.quote(in: try JSONValue(parsing: text.utf8)))
        }
        let domain = ApplePayDomain(
            domain: try #require(WebDomain("shop.example")), merchant: "merchant.test.example")
        var options = checkout.live.current
        options.factory.supportsCouponCode = false
        for (more, isTaken) in [("", false), (#","coupons":false"#, false), (#","coupons":true"#, true)] {
            let callback = try quote(more)
            #expect(callback.takesCoupons == isTaken && QuoteCallback(json: callback.json) == callback)
            // Without coupons the stored form, and so a request's fingerprint, is that of earlier versions.
            #expect((callback.json["coupons"] != nil) == isTaken)
            let terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", quote: callback)
            #expect(options.factory(for: domain, on: terms).supportsCouponCode == isTaken)
        }
        #expect(throws: (any Error).self) { try quote(#","coupons":1"#) }
    }

    @Test("A payment whose complete address is the quoted one is not asked about again")
    func sameAddress() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        #expect(try await total(confirmed(try await begun(), Self.london)) == 1_284)
        #expect(shop.questions.count == 1)
    }

    @Test("Another complete address is asked about, and is taken at the same total only")
    func otherAddress() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let begun = try await begun()
        tell(1_285)
        let refusal = await #expect(throws: ApplePayCheckout.Refusal.self) {
            try await confirmed(begun, Self.brighton)
        }
        #expect(refusal?.code == "price_changed" && shop.questions.last?.data?["change"] == .string("authorized"))
        #expect(shop.questions.last?.data?["address"]?["postal_code"] == .string("BN1"))
        shop.answer { _ in .failure(.nameNotFound) }
        let unknown = await #expect(throws: ApplePayCheckout.Refusal.self) {
            try await confirmed(begun, Self.brighton)
        }
        #expect(unknown?.code == "quote_unavailable")
        tell(1_284, "Brighton")
        let entry = try await confirmed(begun, Self.brighton)
        #expect(try entry.basket.summaryItems().map(\.label) == ["Brighton"])
        #expect(entry.basket.version == begun.basket.version)
        #expect(try await kept().basket == entry.basket)
        let order = try ApplePayCheckout.order(of: entry.basket, on: entry.terms)
        #expect(order.total.minorUnits == 1_284 && order.lines.map(\.name) == ["Brighton"])
    }

    // MARK: What is bound

    private func sheet(_ shown: Int64?, _ currency: Currency = .gbp) -> ApplePayCheckout.Authorized {
        ApplePayCheckout.Authorized(
            basketID: "b-1", version: 1, merchant: MerchantIDHash(of: "merchant.test.example"), token: .null,
            shipping: Self.london, shown: shown.map { Money(minorUnits: $0, currency: currency) })
    }

    /// The same counter with a provider that opens the tokens.
    private func sealed() -> ApplePayCheckout {
        var options = checkout.live.current
        options.opening = .provider
        return ApplePayCheckout(
            live: LiveApplePayOptions(options, clock: MeasuringClock(clock)), verifier: checkout.verifier,
            baskets: baskets, customers: checkout.customers, replay: checkout.replay, checkout: checkout.checkout,
            account: .main, provider: .sandbox, clock: clock, metrics: checkout.metrics, quotes: checkout.quotes)
    }

    @Test("A token that the provider opens pays the total that its sheet showed, and no other")
    func bound() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let entry = try await confirmed(try await begun(), Self.london)
        try sealed().bind(sheet(1_284), to: entry)
        for wrong in [sheet(nil), sheet(1_283), sheet(1_285), sheet(1_284, .eur)] {
            let refusal = #expect(throws: ApplePayCheckout.Refusal.self) { try sealed().bind(wrong, to: entry) }
            #expect(refusal?.code == "price_changed")
        }
        // The amount within a token that is opened here is compared by itself.
        try checkout.bind(sheet(nil), to: entry)
        #expect(throws: ApplePayCheckout.Refusal.self) { try checkout.bind(sheet(1_283), to: entry) }
    }

    @Test("A price is bound to its basket, its address, its total and its currency")
    func sealedPrice() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let entry = try await confirmed(try await begun(), Self.london)
        let own = try #require(entry.quotes.seal)
        func code(_ entry: Entry, at contact: WalletContact) -> String? {
            ApplePayBaskets.seal(
                of: entry.basket, generation: entry.generation, nonce: entry.nonce,
                at: QuoteAddress(contact, country: "GB"))
        }
        #expect(code(entry, at: Self.london) == own && code(entry, at: Self.brighton) != own)
        var other = entry
        other.generation += 1
        #expect(code(other, at: Self.london) != own)
        other = entry
        other.basket.quote([SheetItem(label: "All", amount: Money(minorUnits: 1_283, currency: .gbp))])
        #expect(throws: ApplePayCheckout.Refusal.self) { try checkout.bind(sheet(nil), to: other) }
        other = entry
        other.quotes.address = QuoteAddress(Self.brighton, country: "GB")
        #expect(throws: ApplePayCheckout.Refusal.self) { try checkout.bind(sheet(nil), to: other) }
        other = entry
        other.quotes.seal = nil
        #expect(throws: ApplePayCheckout.Refusal.self) { try checkout.bind(sheet(nil), to: other) }
    }

    @Test("Another complete address of the same total has a binding of its own")
    func boundElsewhere() async throws {
        tell(1_284)
        _ = try await choose(Self.london)
        let begun = try await begun()
        let entry = try await confirmed(begun, Self.brighton)
        #expect(entry.quotes.seal != nil && entry.quotes.seal != begun.quotes.seal)
        try sealed().bind(sheet(1_284), to: entry)
        #expect(try await kept().quotes == entry.quotes)
    }

    @Test("A basket that was never priced is not charged")
    func neverPriced() async throws {
        let refusal = await #expect(throws: ApplePayCheckout.Refusal.self) {
            try await confirmed(try await begun(), Self.london)
        }
        #expect(refusal?.code == "quote_unavailable" && shop.questions.isEmpty)
    }

    @Test("A basket is asked about so many times, also by other processes; then its price is unknown")
    func limit() async throws {
        tell(1_284)
        for _ in 0..<QuoteLimits.perBasket { _ = try await choose(Self.london) }
        #expect(try await !kept().basket.awaitsPrice)
        let told = try await choose(Self.london)
        #expect(told.basket.awaitsPrice && told.errors.count == 1)
        #expect(shop.questions.count == QuoteLimits.perBasket)
    }

    @Test("A basket that changed while the shop was asked is left as it is")
    func overtaken() async throws {
        tell(1_284)
        let before = try await kept()
        _ = try await choose(Self.london)
        tell(1)
        let address = QuoteAddress(Self.brighton, country: "GB")
        #expect(try await checkout.reprice(before, by: .shippingContact(.yes), contact: address) == nil)
        #expect(try await total(kept()) == 1_284)
    }
}
