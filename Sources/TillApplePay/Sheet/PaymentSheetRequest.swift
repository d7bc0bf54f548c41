public import TillCore

/// Everything that a payment sheet is opened with, in the browser or in an app. A plain value; the browser gets it as
/// JSON, PassKit through an adapter.
public struct PaymentSheetRequest: Hashable, Sendable {
    /// What a sheet may ask the customer for.
    public enum ContactField: String, Hashable, Sendable, CaseIterable {
        case email, name, phone, postalAddress, phoneticName
    }

    /// What the goods' way to the customer is called.
    public enum ShippingType: String, Hashable, Sendable {
        case shipping, delivery, storePickup, servicePickup
    }

    /// A unit of repetition.
    public enum Interval: String, Hashable, Sendable {
        case day, month, year, hour, minute
    }

    /// Charges to come. The kinds exclude one another; Apple closes the sheet when two are asked for, so here
    /// there cannot be two.
    public enum Agreement: Hashable, Sendable {
        /// The same amount again and again.
        case recurring(
            description: String, regular: SheetItem, every: Int, Interval, managementURL: String,
            notificationURL: String?)
        /// A balance that is filled up when it falls below a threshold.
        case automaticReload(
            description: String, item: SheetItem, threshold: Money, managementURL: String, notificationURL: String?)
        /// One amount, charged at a later day.
        case deferred(
            description: String, item: SheetItem, date: Timestamp, managementURL: String, notificationURL: String?)
        /// Several merchants at once.
        case multiToken([TokenContext])
    }

    /// One merchant's part of a payment.
    public struct TokenContext: Hashable, Sendable {
        /// Apple's identifier of the merchant who gets this part.
        public var merchantIdentifier: String
        /// The shop's own name for the part.
        public var externalIdentifier: String
        /// The merchant's name as the sheet shows it.
        public var merchantName: String
        /// The merchant's domain, if it has one.
        public var merchantDomain: String?
        /// This merchant's part of the total.
        public var amount: Money

        /// One merchant's part of a payment that several merchants share.
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

    /// Where the shop is, ISO 3166-1 alpha-2, in capitals.
    public var countryCode: String
    /// The currency of every amount.
    public var currency: Currency
    /// Apple's names: `visa`, `masterCard`, `amex`.
    public var supportedNetworks: [String]
    /// Apple's names; `supports3DS` is always among them.
    public var merchantCapabilities: [String]
    /// The sheet's lines above the total.
    public var items: [SheetItem]
    /// The last line: the shop's name and what is paid.
    public var total: SheetItem
    /// What is asked of the shipping contact. Phone and e-mail are asked here, because the billing
    /// contact never has them.
    public var requiredShippingContactFields: Set<ContactField>
    /// What is asked of the billing contact.
    public var requiredBillingContactFields: Set<ContactField>
    /// Ways to ship, from which the customer chooses; empty if nothing is shipped.
    public var shippingMethods: [SheetShippingMethod] = []
    /// What the way is called.
    public var shippingType: ShippingType
    /// The shop's address, which the customer cannot change: for collection.
    public var pickup: SheetBasket.ShopAddress?
    /// Countries of cards; empty takes all.
    public var supportedCountries: [String] = []
    /// The customer may type a coupon.
    public var supportsCouponCode = false
    /// The coupon that is taken already.
    public var couponCode: String?
    /// Bytes whose hash Apple signs into the token.
    public var applicationData: [UInt8]?
    /// What will be charged later, if anything.
    public var agreement: Agreement?

    /// The lowest version of Apple Pay JS that has all that is used, as Apple advises.
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
