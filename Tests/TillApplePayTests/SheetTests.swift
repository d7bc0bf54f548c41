import Testing
import TillApplePay
import TillCore

@Suite("Apple's gateways")
struct MerchantGatewayTests {
    @Test("Each of Apple's four hosts is taken with either path, in its own environment only")
    func genuine() throws {
        for gateway in MerchantGateway.allCases {
            for path in ["startSession", "paymentSession"] {
                let url = "https://\(gateway.rawValue)/paymentservices/\(path)"
                #expect(try MerchantGateway(validationURL: url, environment: gateway.environment) == gateway)
                #expect(gateway.sessionURL == "https://\(gateway.rawValue)/paymentservices/paymentSession")
                let other: WalletEnvironment = gateway.environment == .production ? .sandbox : .production
                #expect(throws: MerchantSessionError.otherEnvironment(gateway.environment)) {
                    try MerchantGateway(validationURL: url, environment: other)
                }
            }
        }
    }

    static let evasions = [
        "", "https://", "apple-pay-gateway.apple.com", "//apple-pay-gateway.apple.com/paymentservices/startSession",
        "http://apple-pay-gateway.apple.com/paymentservices/startSession",
        "ftp://apple-pay-gateway.apple.com/paymentservices/startSession",
        "file:///paymentservices/startSession", "HTTPS://apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com", "https://apple-pay-gateway.apple.com/",
        "https://apple-pay-gateway.apple.com/paymentservices/startsession",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession/",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession?x=1",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession#x",
        "https://apple-pay-gateway.apple.com/paymentservices/../startSession",
        "https://apple-pay-gateway.apple.com/paymentservices//startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/%73tartSession",
        "https://apple-pay-gateway.apple.com/other/startSession",
        "https://apple-pay-gateway.apple.com:444/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:0443/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com./paymentservices/startSession",
        "https://user@apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com@evil.example/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:443@evil.example/paymentservices/startSession",
        "https://evil.example/apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://evil.example/?https://apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://evil.example#apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com.evil.example/paymentservices/startSession",
        "https://apple-pay-gateway-x.evil-apple.com/paymentservices/startSession",
        "https://apple-pay-gateway-a.notapple.com/paymentservices/startSession",
        "https://apple-pay-gateway.applexcom/paymentservices/startSession",
        "https://apple-pay-gateway-nc-pod1.apple.com/paymentservices/startSession",
        "https://evil.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com\\@evil.example/paymentservices/startSession",
        "https:\\\\apple-pay-gateway.apple.com\\paymentservices\\startSession",
        "https://apple-pay-gateway.apple.com\u{0}.evil.example/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession\u{0}",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession\r\nHost: evil.example",
        " https://apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession ",
        "https://аpple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway\u{3002}apple.com/paymentservices/startSession",
        "https://apple-pay-gatew\u{0061}\u{0301}y.apple.com/paymentservices/startSession",
        "https://127.0.0.1/paymentservices/startSession", "https://[::1]/paymentservices/startSession",
        "https://2130706433/paymentservices/startSession", "https://localhost/paymentservices/startSession",
    ]

    @Test("No other spelling reaches any host", arguments: evasions)
    func evasion(_ url: String) {
        for environment in [WalletEnvironment.production, .sandbox] {
            #expect(throws: MerchantSessionError.foreignAddress) {
                try MerchantGateway(validationURL: url, environment: environment)
            }
        }
    }

    @Test("Whatever the text, the address that is called is one of Apple's four")
    func property() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("https://apple-pay-gateway.cn:443/paymentservices/startSession@#?%\\")
        let seeds = MerchantGateway.allCases.map { "https://\($0.rawValue)/paymentservices/startSession" }
        let allowed = Set(MerchantGateway.allCases.map(\.sessionURL))
        for round in 0..<20_000 {
            var text = Array(seeds[round % seeds.count])
            for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
                let place = Int.random(in: text.indices, using: &random)
                if Bool.random(using: &random) {
                    text[place] = alphabet.randomElement(using: &random) ?? "x"
                } else {
                    text.insert(alphabet.randomElement(using: &random) ?? "x", at: place)
                }
            }
            guard let gateway = try? MerchantGateway(validationURL: String(text), environment: .production) else {
                continue
            }
            #expect(allowed.contains(gateway.sessionURL))
            #expect(seeds.contains(String(text)) || String(text).contains(":443/"))
        }
    }
}

@Suite("Postcodes that the wallet cuts short")
struct PostalAreaTests {
    @Test(
        "A code gives its area, whole or cut short",
        arguments: [
            ("SW1A 1AA", "GB", "SW1A", "1AA"), ("SW1A", "GB", "SW1A", nil), ("sw1a1aa", "gb", "SW1A", "1AA"),
            ("BN1", "GB", "BN1", nil), ("BN15", "GB", "BN15", nil), ("BN15 9AA", "GB", "BN15", "9AA"),
            ("BN1 5AA", "GB", "BN1", "5AA"), ("M1 1AE", "GB", "M1", "1AE"), ("EC4M", "GB", "EC4M", nil),
            ("K1A 0B1", "CA", "K1A", "0B1"), ("K1A", "CA", "K1A", nil), ("90210", "US", "90210", nil),
            ("90210-1234", "US", "90210", "1234"), ("10115", "DE", "10115", nil),
            ("M1 1", "GB", "M1", nil), ("BN1 5", "GB", "BN1", nil), ("SW1A 1", "GB", "SW1A", nil),
            ("M 11", "GB", "M11", nil),
        ] as [(String, String, String, String?)])
    func areas(_ code: String, _ country: String, _ area: String, _ rest: String?) {
        let parsed = PostalArea(postalCode: code, country: country)
        #expect(parsed?.code == area)
        #expect(parsed?.rest == rest)
    }

    @Test("What is no postcode is none", arguments: ["", "*", "BN1*", "1AA", "SW1A 1A", "AAAAAAAA", "ÄB1"])
    func none(_ code: String) { #expect(PostalArea(postalCode: code, country: "GB") == nil) }

    @Test("BN1 is not BN15, and a part of an area needs the whole code")
    func deliverability() {
        let area = DeliveryArea(country: "GB", areas: ["BN1"], parts: ["EC1A": ["1", "4B"]])
        #expect(area.delivers(to: "BN1", country: "GB") == .yes)
        #expect(area.delivers(to: "BN15", country: "GB") == .no)
        #expect(area.delivers(to: "BN1 5", country: "GB") == .yes)
        #expect(area.delivers(to: "EC1A 1", country: "GB") == .needsFullAddress)
        #expect(area.delivers(to: "BN15 9AA", country: "GB") == .no)
        #expect(area.delivers(to: "EC1A", country: "GB") == .needsFullAddress)
        #expect(area.delivers(to: "EC1A 1BB", country: "GB") == .yes)
        #expect(area.delivers(to: "EC1A 4BQ", country: "GB") == .yes)
        #expect(area.delivers(to: "EC1A 4AA", country: "GB") == .no)
        #expect(area.delivers(to: "BN1", country: "IE") == .no)
    }
}

@Suite("Baskets and their sheets")
struct SheetTests {
    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .gbp) }

    private func basket(_ service: SheetBasket.Service = .delivery) -> SheetBasket {
        SheetBasket(
            id: "b", currency: .gbp, service: service,
            lines: [SheetItem(label: "A", amount: money(1000)), SheetItem(label: "B", amount: money(250))],
            shippingMethods: [
                SheetShippingMethod(identifier: "s", label: "Slow", detail: "", amount: money(100)),
                SheetShippingMethod(identifier: "f", label: "Fast", detail: "", amount: money(300)),
            ], creditFee: money(20))
    }

    @Test("The lines add up to the total after every change, and each change is a new version")
    func arithmetic() throws {
        var basket = basket()
        let steps: [(inout SheetBasket) -> Void] = [
            { _ = $0.choose(shippingMethod: "f") },
            { $0.apply(SheetBasket.Coupon(code: "X", discount: Money(minorUnits: 300, currency: .gbp))) },
            { $0.pay(byCredit: true) },
            { $0.apply(SheetBasket.Coupon(code: "ALL", discount: Money(minorUnits: 99_999, currency: .gbp))) },
            { $0.pay(byCredit: false) }, { $0.apply(nil) }, { _ = $0.choose(shippingMethod: "s") },
        ]
        let totals: [Int64] = [1550, 1250, 1270, 320, 300, 1550, 1350]
        #expect(try basket.total() == money(1350))
        for (index, step) in steps.enumerated() {
            let before = basket.version
            step(&basket)
            #expect(basket.version == before + 1)
            #expect(try basket.total() == money(totals[index]))
            let sum = try basket.summaryItems().reduce(Money.zero(.gbp)) { try $0.adding($1.amount) }
            #expect(sum == money(totals[index]))
        }
        let before = basket
        let isChosen = basket.choose(shippingMethod: "none")
        #expect(!isChosen)
        #expect(basket == before)
    }

    @Test("A coupon takes nothing off goods below zero, and adds nothing to them")
    func goodsBelowZero() throws {
        let cases: [(goods: Int64, discount: Int64, total: Int64)] = [
            (-500, 100, 500), (-500, -100, 500), (500, -100, 1500),
        ]
        for (goods, discount, total) in cases {
            var basket = SheetBasket(
                id: "b", currency: .gbp, service: .delivery, lines: [SheetItem(label: "A", amount: money(goods))],
                shippingMethods: [
                    SheetShippingMethod(identifier: "s", label: "Slow", detail: "", amount: money(1000))
                ])
            basket.apply(SheetBasket.Coupon(code: "X", discount: money(discount)))
            #expect(try basket.discount() == money(0))
            #expect(try basket.total() == money(total))
            #expect(try basket.summaryItems().count == 2)
        }
    }

    @Test("Collection has no shipping and shows the shop's address; delivery asks for the customer's")
    func services() throws {
        let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB", supportsCouponCode: false)
        let shop = SheetBasket.ShopAddress(
            name: "Shop", addressLines: ["1 Road"], locality: "Town", postalCode: "BN1 1AA", countryCode: "GB")
        let collected = try factory.request(for: basket(.collection(shop)))
        #expect(collected.shippingType == .storePickup)
        #expect(collected.json["shippingContactEditingMode"] == .string("storePickup"))
        #expect(collected.shippingMethods.isEmpty)
        #expect(collected.total.amount == money(1250))
        let delivered = try factory.request(for: basket())
        #expect(delivered.json["shippingContactEditingMode"] == nil)
        #expect(delivered.shippingMethods.count == 2)
        for request in [collected, delivered] {
            #expect(request.requiredShippingContactFields.isSuperset(of: [.phone, .email, .name]))
        }
    }

    @Test("The selected shipping method is the first that a sheet is given, also when it opens again")
    func offered() throws {
        var basket = basket()
        #expect(basket.offeredMethods.map(\.identifier) == ["s", "f"])
        let isChosen = basket.choose(shippingMethod: "f")
        #expect(isChosen)
        #expect(basket.offeredMethods.map(\.identifier) == ["f", "s"])
        let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB")
        #expect(try factory.request(for: basket).shippingMethods.map(\.identifier) == ["f", "s"])
        #expect(basket.shippingMethods.map(\.identifier) == ["s", "f"])
        #expect(self.basket(.neither).offeredMethods.isEmpty)
    }

    @Test("A replaced basket is the other one in the next version; without delivery or collection it needs no address")
    func replaced() throws {
        let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB")
        var basket = basket()
        basket.apply(SheetBasket.Coupon(code: "TENOFF", discount: money(100)))
        let (version, other) = (basket.version, self.basket(.neither))
        basket.replace(with: other)
        #expect(basket.version == version + 1 && basket.lines == other.lines)
        #expect(basket.coupon == nil && basket.shippingMethods.isEmpty && basket.service == .neither)
        #expect(SheetBasket(json: basket.json) == basket)
        let fields = try factory.request(for: basket).requiredShippingContactFields
        #expect(fields == [.phone, .email, .name])
    }

    @Test("The version is the lowest that has what is used")
    func versions() throws {
        let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB", supportsCouponCode: false)
        var request = try factory.request(for: basket())
        #expect(request.lowestVersion == 3)
        request.supportedNetworks.append("mada")
        #expect(request.lowestVersion == 5)
        request.supportsCouponCode = true
        #expect(request.lowestVersion == 12)
        let box = BillingAgreement.RecurringBilling(
            item: SheetItem(label: "Box", amount: money(900)), every: 1, .month)
        request.agreement = .billing(
            BillingAgreement(
                description: "Box", managementURL: "https://shop.example/box",
                terms: .recurring(regular: box, trial: nil)))
        #expect(request.lowestVersion == 14)
        #expect(request.json["recurringPaymentRequest"]?["regularBilling"]?["paymentTiming"] == .string("recurring"))
    }
}

@Suite("Contacts")
struct ContactTests {
    private let billing = WalletContact(
        givenName: "Bill", familyName: "Payer", addressLines: ["1 Bank St"], locality: "Leeds", postalCode: "LS1 1AA",
        countryCode: "GB")
    private let shipping = WalletContact(
        givenName: "Shirley", emailAddress: "s@example.com", phoneNumber: "0113 496 0000", addressLines: ["2 Home Rd"],
        locality: "York", postalCode: "YO1 1AA", countryCode: "GB")

    @Test("Name and address are the payer's, phone and e-mail come from the shipping contact")
    func merging() {
        let merged = WalletContact.merging(billing: billing, shipping: shipping)
        #expect(merged.givenName == "Bill")
        #expect(merged.addressLines == ["1 Bank St"])
        #expect(merged.postalCode == "LS1 1AA")
        #expect(merged.emailAddress == "s@example.com")
        #expect(merged.phoneNumber == "0113 496 0000")
    }

    @Test("An address is never mixed of two, and a missing contact leaves the other")
    func addresses() {
        var half = billing
        half.addressLines = []
        #expect(WalletContact.merging(billing: half, shipping: shipping).postalCode == "YO1 1AA")
        #expect(WalletContact.merging(billing: nil, shipping: shipping) == shipping)
        #expect(WalletContact.merging(billing: billing, shipping: nil) == billing)
    }

    @Test("On collection the shop's name, with which the wallet was given its place, is not the customer's")
    func collection() {
        let place = SheetBasket.ShopAddress(
            name: "Till Pizza", addressLines: ["1 Street"], locality: "London", postalCode: "EC4M 7RF",
            countryCode: "GB")
        func named(_ given: String?, _ family: String?, _ service: SheetBasket.Service) -> [String?] {
            var shown = shipping
            (shown.givenName, shown.familyName) = (given, family)
            let customer = WalletContact.customer(shipping: shown, billing: billing, service: service)
            #expect(customer.emailAddress == "s@example.com" && customer.phoneNumber == "0113 496 0000")
            return [customer.givenName, customer.familyName]
        }
        for (given, family) in [("Till Pizza", nil), ("Till", "Pizza"), ("till  pizza ", nil)] as [(String, String?)] {
            #expect(named(given, family, .collection(place)) == ["Bill", "Payer"])
        }
        #expect(named(nil, nil, .collection(place)) == ["Bill", "Payer"])
        #expect(named("Shirley", nil, .collection(place)) == ["Shirley", nil])
        #expect(named("Till Pizza", nil, .delivery) == ["Till Pizza", nil])
        // Nobody's name is made up.
        var shown = shipping
        shown.givenName = "Till Pizza"
        let nameless = WalletContact.customer(shipping: shown, billing: nil, service: .collection(place))
        #expect(nameless.givenName == nil && nameless.familyName == nil)
    }

    @Test("A full contact has what its service needs; what is missing is named field by field")
    func full() throws {
        #expect(try FullContact(shipping, needsAddress: true).address?.postalCode == "YO1 1AA")
        #expect(try FullContact(shipping, needsAddress: false).address == nil)
        #expect {
            try FullContact(billing, needsAddress: true)
        } throws: { error in
            (error as? FullContact.Incomplete)?.errors.map(\.field) == [.emailAddress, .phoneNumber]
        }
        #expect {
            try FullContact(WalletContact(), needsAddress: true)
        } throws: { ($0 as? FullContact.Incomplete)?.errors.count == 7 }
    }

    @Test(
        "Postcode and town are needed where the country's addresses have them",
        arguments: [
            ("GB", [.locality, .postalCode]), ("US", [.locality, .postalCode]), ("FR", [.locality, .postalCode]),
            ("HK", []), ("AE", []), ("hk", []), ("IE", [.locality]), ("SA", [.locality]), ("SG", [.postalCode]),
            ("JP", [.postalCode]), (nil, [.locality, .postalCode, .countryCode]),
        ] as [(String?, [SheetError.Field])])
    func countries(_ country: String?, _ missing: [SheetError.Field]) throws {
        var contact = shipping
        contact.locality = nil
        contact.postalCode = nil
        contact.countryCode = country
        var full: FullContact?
        var errors: [SheetError] = []
        do throws(FullContact.Incomplete) { full = try FullContact(contact, needsAddress: true) } catch {
            errors = error.errors
        }
        #expect(errors.compactMap(\.field) == missing)
        #expect((full == nil) == !missing.isEmpty)
        if let address = full?.address {
            #expect(address.locality == "" && address.postalCode == "" && address.countryCode == country)
        }
        #expect(try FullContact(contact, needsAddress: false).address == nil)
    }

    @Test("An address without a postcode is outside every area, and is refused as a whole")
    func outside() {
        let area = DeliveryArea(country: "HK", areas: ["999077"])
        let answer = area.delivers(to: "", country: "HK")
        #expect(answer == .no)
        for isComplete in [false, true] {
            #expect(answer.refusal(of: "", isComplete: isComplete)?.field == .postalAddress)
            #expect(answer.refusal(of: "BN1", isComplete: isComplete)?.field == .postalCode)
        }
    }

    @Test("Empty and endless text counts as missing")
    func cleaning() {
        let json = JSONValue.object([
            JSONMember(key: "givenName", value: .string(" ")),
            JSONMember(key: "familyName", value: .string(String(repeating: "x", count: 300))),
            JSONMember(key: "emailAddress", value: .number("1")),
        ])
        #expect(WalletContact(json: json) == WalletContact())
    }
}
