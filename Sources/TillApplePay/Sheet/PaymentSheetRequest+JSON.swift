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
        case .recurring(let description, let regular, let every, let interval, let management, let notification):
            var billing = regular.json.objectValue ?? []
            billing += [
                JSONMember(key: "paymentTiming", value: .string("recurring")),
                JSONMember(key: "recurringPaymentIntervalUnit", value: .string(interval.rawValue)),
                JSONMember(key: "recurringPaymentIntervalCount", value: .number(String(every))),
            ]
            return (
                "recurringPaymentRequest",
                Self.agreement(description, "regularBilling", .object(billing), management, notification)
            )
        case .automaticReload(let description, let item, let threshold, let management, let notification):
            var billing = item.json.objectValue ?? []
            billing += [
                JSONMember(key: "paymentTiming", value: .string("automaticReload")),
                JSONMember(key: "automaticReloadPaymentThresholdAmount", value: .string(threshold.decimalString)),
            ]
            return (
                "automaticReloadPaymentRequest",
                Self.agreement(description, "automaticReloadBilling", .object(billing), management, notification)
            )
        case .deferred(let description, let item, let date, let management, let notification):
            var billing = item.json.objectValue ?? []
            billing += [
                JSONMember(key: "paymentTiming", value: .string("deferred")),
                JSONMember(key: "deferredPaymentDate", value: .string(date.description)),
            ]
            return (
                "deferredPaymentRequest",
                Self.agreement(description, "deferredBilling", .object(billing), management, notification)
            )
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

    private static func agreement(
        _ description: String, _ key: String, _ billing: JSONValue, _ management: String, _ notification: String?
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("paymentDescription", .string(description)), (key, billing), ("managementURL", .string(management)),
        ]
        if let notification { members.append(("tokenNotificationURL", .string(notification))) }
        return JSONValue(members)
    }
}
