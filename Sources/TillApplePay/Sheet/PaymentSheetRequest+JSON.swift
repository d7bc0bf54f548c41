public import TillCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PaymentSheetRequest {
    /// The browser's `ApplePayPaymentRequest`. Amounts are decimal text, as Apple requires.
    public var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("countryCode", .string(countryCode)), ("currencyCode", .string(currency.code)),
            ("supportedNetworks", Self.texts(supportedNetworks)),
            ("merchantCapabilities", Self.texts(merchantCapabilities)), ("total", total.json),
            ("lineItems", .array(items.map(\.json))),
            ("requiredShippingContactFields", Self.texts(requiredShippingContactFields.map(\.rawValue).sorted())),
            ("requiredBillingContactFields", Self.texts(requiredBillingContactFields.map(\.rawValue).sorted())),
            ("shippingType", .string(shippingType.rawValue)),
        ]
        if !shippingMethods.isEmpty { members.append(("shippingMethods", .array(shippingMethods.map(\.json)))) }
        if let pickup {
            members.append(("shippingContactEditingMode", .string("storePickup")))
            members.append(("shippingContact", pickup.json))
        }
        if !supportedCountries.isEmpty { members.append(("supportedCountries", Self.texts(supportedCountries))) }
        if supportsCouponCode { members.append(("supportsCouponCode", .bool(true))) }
        if let couponCode { members.append(("couponCode", .string(couponCode))) }
        if let applicationData {
            members.append(("applicationData", .string(Data(applicationData).base64EncodedString())))
        }
        if let agreement { members.append(agreement.member) }
        return JSONValue(members)
    }

    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension JSONValue {
    init(_ members: [(String, JSONValue)]) {
        self = .object(members.map { JSONMember(key: $0.0, value: $0.1) })
    }
}

extension SheetItem {
    /// The Apple Pay JS representation.
    public var json: JSONValue {
        JSONValue([
            ("label", .string(label)), ("amount", .string(amount.decimalString)),
            ("type", .string(isPending ? "pending" : "final")),
        ])
    }
}

extension SheetShippingMethod {
    /// The Apple Pay JS representation.
    public var json: JSONValue {
        JSONValue([
            ("label", .string(label)), ("detail", .string(detail)), ("amount", .string(amount.decimalString)),
            ("identifier", .string(identifier)),
        ])
    }
}

extension SheetBasket.ShopAddress {
    /// The Apple Pay JS representation.
    public var json: JSONValue {
        JSONValue([
            ("givenName", .string(name)), ("addressLines", .array(addressLines.map { .string($0) })),
            ("locality", .string(locality)), ("postalCode", .string(postalCode)),
            ("countryCode", .string(countryCode)),
        ])
    }
}

extension PaymentSheetRequest.Agreement {
    /// The member of the request for this kind of agreement.
    fileprivate var member: (String, JSONValue) {
        switch self {
        case .billing(let agreement): return agreement.member
        case .multiToken(let contexts):
            return (
                "multiTokenContexts",
                .array(
                    contexts.map { context in
                        var members: [(String, JSONValue)] = [
                            ("merchantIdentifier", .string(context.merchantIdentifier)),
                            ("externalIdentifier", .string(context.externalIdentifier)),
                            ("merchantName", .string(context.merchantName)),
                        ]
                        if let domain = context.merchantDomain { members.append(("merchantDomain", .string(domain))) }
                        members.append(("amount", .string(context.amount.decimalString)))
                        return JSONValue(members)
                    })
            )
        }
    }
}
