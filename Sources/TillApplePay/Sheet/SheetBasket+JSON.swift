public import TillCore

extension SheetBasket {
    /// The complete basket for storage; ``init(json:)`` parses it.
    public var json: JSONValue {
        var members = [
            JSONMember(key: "id", value: .string(id)), JSONMember(key: "version", value: .number(String(version))),
            JSONMember(key: "currency", value: .string(currency.code)),
            JSONMember(key: "lines", value: .array(lines.map(\.kept))),
            JSONMember(key: "shippingMethods", value: .array(shippingMethods.map(\.kept))),
            JSONMember(key: "paysByCredit", value: .bool(paysByCredit)),
        ]
        switch service {
        case .delivery: break
        case .collection(let shop): members.append(JSONMember(key: "collection", value: shop.kept))
        case .neither: members.append(JSONMember(key: "isUnshipped", value: .bool(true)))
        }
        if let shippingMethod {
            members.append(JSONMember(key: "shippingMethod", value: .string(shippingMethod.identifier)))
        }
        if let coupon {
            let value = JSONValue.object([
                JSONMember(key: "code", value: .string(coupon.code)),
                JSONMember(key: "discount", value: coupon.discount.kept),
            ])
            members.append(JSONMember(key: "coupon", value: value))
        }
        if let creditFee { members.append(JSONMember(key: "creditFee", value: creditFee.kept)) }
        if let agreement { members.append(JSONMember(key: "agreement", value: agreement.kept)) }
        switch price {
        case .own: break
        case .awaited: members.append(JSONMember(key: "awaitsPrice", value: .bool(true)))
        case .quoted(let items): members.append(JSONMember(key: "quoted", value: .array(items.map(\.kept))))
        }
        return .object(members)
    }

    /// Parses a stored basket; `nil` if the document is not one.
    public init?(json: JSONValue) {
        guard let id = json["id"]?.stringValue, let number = json["version"]?.int64Value,
            let version = Int(exactly: number), version > 0,
            let currency = json["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
            let lines = json["lines"]?.arrayValue, let methods = json["shippingMethods"]?.arrayValue
        else { return nil }
        func money(_ value: JSONValue?) -> Money? {
            value?.int64Value.map { Money(minorUnits: $0, currency: currency) }
        }
        var service = Service.delivery
        if let shop = json["collection"] {
            guard let address = ShopAddress(kept: shop) else { return nil }
            service = .collection(address)
        } else if json["isUnshipped"]?.boolValue == true {
            service = .neither
        }
        var agreement: BillingAgreement?
        if let kept = json["agreement"] {
            agreement = BillingAgreement(kept: kept, currency: currency)
            guard agreement != nil else { return nil }
        }
        self.init(
            id: id, currency: currency, service: service,
            lines: lines.compactMap { SheetItem(kept: $0, currency: currency) },
            shippingMethods: methods.compactMap { method in
                guard let name = method["identifier"]?.stringValue, let label = method["label"]?.stringValue,
                    let amount = money(method["amount"])
                else { return nil }
                return SheetShippingMethod(
                    identifier: name, label: label, detail: method["detail"]?.stringValue ?? "", amount: amount)
            }, creditFee: money(json["creditFee"]), agreement: agreement)
        guard self.lines.count == lines.count, shippingMethods.count == methods.count else { return nil }
        if let name = json["shippingMethod"]?.stringValue, !choose(shippingMethod: name) { return nil }
        if let coupon = json["coupon"] {
            guard let code = coupon["code"]?.stringValue, let discount = money(coupon["discount"]) else { return nil }
            self.coupon = Coupon(code: code, discount: discount)
        }
        paysByCredit = json["paysByCredit"]?.boolValue ?? false
        if let kept = json["quoted"] {
            guard let items = kept.arrayValue, !items.isEmpty, items.count <= SheetBasket.maximumLines else {
                return nil
            }
            let quoted = items.compactMap { SheetItem(kept: $0, currency: currency) }
            guard quoted.count == items.count else { return nil }
            price = .quoted(quoted)
        } else if json["awaitsPrice"]?.boolValue == true {
            price = .awaited
        }
        self.version = version
    }
}

extension Money {
    /// The amount in minor units; the basket has the currency.
    fileprivate var kept: JSONValue { .number(String(minorUnits)) }
}

extension SheetItem {
    /// The stored form, with the amount in minor units; ``init(kept:currency:)`` parses it.
    var kept: JSONValue {
        var members = [
            JSONMember(key: "label", value: .string(label)), JSONMember(key: "amount", value: amount.kept),
        ]
        if isPending { members.append(JSONMember(key: "pending", value: .bool(true))) }
        return .object(members)
    }

    /// Parses a stored line; `nil` if the document is not one.
    init?(kept json: JSONValue, currency: Currency) {
        guard let label = json["label"]?.stringValue, let units = json["amount"]?.int64Value else { return nil }
        self.init(
            label: label, amount: Money(minorUnits: units, currency: currency),
            isPending: json["pending"]?.boolValue ?? false)
    }
}

extension SheetShippingMethod {
    fileprivate var kept: JSONValue {
        .object([
            JSONMember(key: "identifier", value: .string(identifier)), JSONMember(key: "label", value: .string(label)),
            JSONMember(key: "detail", value: .string(detail)), JSONMember(key: "amount", value: amount.kept),
        ])
    }
}

extension SheetBasket.ShopAddress {
    fileprivate var kept: JSONValue {
        .object([
            JSONMember(key: "name", value: .string(name)),
            JSONMember(key: "addressLines", value: .array(addressLines.map { .string($0) })),
            JSONMember(key: "locality", value: .string(locality)),
            JSONMember(key: "postalCode", value: .string(postalCode)),
            JSONMember(key: "countryCode", value: .string(countryCode)),
        ])
    }

    fileprivate init?(kept json: JSONValue) {
        guard let name = json["name"]?.stringValue, let lines = json["addressLines"]?.arrayValue,
            let locality = json["locality"]?.stringValue, let code = json["postalCode"]?.stringValue,
            let country = json["countryCode"]?.stringValue
        else { return nil }
        self.init(
            name: name, addressLines: lines.compactMap(\.stringValue), locality: locality, postalCode: code,
            countryCode: country)
    }
}
