public import TillCore

/// The complete configuration of a payment sheet, in the browser or in an app. A plain value; the browser receives it
/// as JSON, PassKit through an adapter.
public struct PaymentSheetRequest: Hashable, Sendable {
    /// Contact fields that a sheet may require.
    public enum ContactField: String, Hashable, Sendable, CaseIterable {
        case email, name, phone, postalAddress, phoneticName
    }

    /// The label for the delivery of the goods.
    public enum ShippingType: String, Hashable, Sendable {
        case shipping, delivery, storePickup, servicePickup
    }

    /// A billing interval unit.
    public enum Interval: String, Hashable, Sendable, CaseIterable {
        case minute, hour, day, month, year
    }

    /// What the customer accepts beside the payment itself. The kinds exclude each other; Apple closes the sheet if two
    /// are requested, so the type allows only one.
    public enum Agreement: Hashable, Sendable {
        /// Later charges by the merchant.
        case billing(BillingAgreement)
        /// Several merchants at once.
        case multiToken([TokenContext])
    }

    /// One merchant's part of a shared payment.
    public struct TokenContext: Hashable, Sendable {
        /// Apple's identifier of the merchant that receives this part.
        public var merchantIdentifier: String
        /// The merchant's own identifier of the part.
        public var externalIdentifier: String
        /// The merchant name shown in the sheet.
        public var merchantName: String
        /// The merchant's domain, if it has one.
        public var merchantDomain: String?
        /// This merchant's part of the total.
        public var amount: Money

        /// Creates one merchant's part of a shared payment.
        public init(
            merchantIdentifier: String, externalIdentifier: String, merchantName: String, merchantDomain: String?,
            amount: Money
        ) {
            self.merchantIdentifier = merchantIdentifier
            self.externalIdentifier = externalIdentifier
            self.merchantName = merchantName
            self.merchantDomain = merchantDomain
            self.amount = amount
        }
    }

    /// The merchant's country, ISO 3166-1 alpha-2, in capitals.
    public var countryCode: String
    /// The currency of every amount.
    public var currency: Currency
    /// Apple's names: `visa`, `masterCard`, `amex`.
    public var supportedNetworks: [String]
    /// Apple's names; `supports3DS` is always among them.
    public var merchantCapabilities: [String]
    /// The sheet's lines above the total.
    public var items: [SheetItem]
    /// The last line: the merchant name and the amount due.
    public var total: SheetItem
    /// Required fields of the shipping contact. Phone and e-mail are requested here, because the billing contact never
    /// contains them.
    public var requiredShippingContactFields: Set<ContactField>
    /// Required fields of the billing contact.
    public var requiredBillingContactFields: Set<ContactField>
    /// Shipping methods that the customer can choose from; empty if nothing is shipped.
    public var shippingMethods: [SheetShippingMethod] = []
    /// The label for the delivery.
    public var shippingType: ShippingType
    /// The merchant's pickup address, which the customer cannot change: for collection.
    public var pickup: SheetBasket.ShopAddress?
    /// Accepted issuing countries of cards; empty accepts all.
    public var supportedCountries: [String] = []
    /// `true` if the customer may enter a coupon.
    public var supportsCouponCode = false
    /// The coupon already applied.
    public var couponCode: String?
    /// Application data; Apple signs its hash into the token.
    public var applicationData: [UInt8]?
    /// The agreement on later charges or with several merchants, if any.
    public var agreement: Agreement?

    /// The lowest Apple Pay JS version that supports all features in use, as Apple recommends. Deferred payments have
    /// no version of their own (they came after 14, the last one with notes): the browser client finds out whether they
    /// are known.
    public var lowestVersion: Int {
        var version = 3
        if total.amount.isZero { version = max(version, 4) }
        for network in supportedNetworks {
            switch network {
            case "elo", "mada": version = max(version, 5)
            case "mir", "girocard": version = max(version, 11)
            case "dankort": version = max(version, 13)
            default: break
            }
        }
        if supportsCouponCode || pickup != nil { version = max(version, 12) }
        if agreement != nil { version = max(version, 14) }
        return version
    }
}
