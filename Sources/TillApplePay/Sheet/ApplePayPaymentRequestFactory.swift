public import TillCore

/// Makes a sheet's request from a basket.
public struct ApplePayPaymentRequestFactory: Sendable {
    /// The shop's name as the last line shows it.
    public var displayName: String
    /// Where the shop is, ISO 3166-1 alpha-2, in capitals.
    public var countryCode: String
    /// Apple's names of the card networks.
    public var supportedNetworks: [String]
    /// Apple's names of the capabilities.
    public var merchantCapabilities: [String]
    /// The sheet asks for coupons.
    public var supportsCouponCode: Bool

    /// A factory for one shop.
    public init(
        displayName: String, countryCode: String, supportedNetworks: [String] = ["visa", "masterCard", "amex"],
        merchantCapabilities: [String] = ["supports3DS"], supportsCouponCode: Bool = true
    ) {
        self.displayName = displayName
        self.countryCode = countryCode
        self.supportedNetworks = supportedNetworks
        self.merchantCapabilities =
            merchantCapabilities.contains("supports3DS") ? merchantCapabilities : ["supports3DS"] + merchantCapabilities
        self.supportsCouponCode = supportsCouponCode
    }

    /// Builds what the payment sheet is presented with.
    ///
    /// Phone, e-mail and name are asked for in both services, for customer service and the guest's account; the
    /// postal address only for delivery, or, for collection, as the shop's own that cannot be edited.
    public func request(
        for basket: SheetBasket, applicationData: [UInt8]? = nil
    ) throws(MoneyError) -> PaymentSheetRequest {
        let items = try summaryItems(for: basket)
        var request = PaymentSheetRequest(
            countryCode: countryCode, currency: basket.currency, supportedNetworks: supportedNetworks,
            merchantCapabilities: merchantCapabilities, items: Array(items.dropLast()),
            total: SheetItem(label: displayName, amount: try basket.total()),
            requiredShippingContactFields: [.name, .email, .phone, .postalAddress],
            requiredBillingContactFields: [.name, .postalAddress], shippingType: .delivery)
        switch basket.service {
        case .delivery: request.shippingMethods = basket.shippingMethods
        case .collection(let shop):
            request.shippingType = .storePickup
            request.pickup = shop
        }
        request.supportsCouponCode = supportsCouponCode
        request.couponCode = basket.coupon?.code
        request.applicationData = applicationData
        return request
    }

    /// The lines with the total as the last. Public because a change of address or card needs them alone.
    public func summaryItems(for basket: SheetBasket) throws(MoneyError) -> [SheetItem] {
        try basket.summaryItems() + [SheetItem(label: displayName, amount: basket.total())]
    }
}
