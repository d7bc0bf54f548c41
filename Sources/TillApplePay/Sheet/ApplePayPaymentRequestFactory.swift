public import TillCore

/// Builds sheet requests from baskets.
///
/// ```swift
/// let teapot = SheetItem(label: "Teapot", amount: Money(minorUnits: 4200, currency: .gbp))
/// let cart = SheetBasket(id: "1001", currency: .gbp, service: .delivery, lines: [teapot])
/// let factory = ApplePayPaymentRequestFactory(displayName: "Corner shop", countryCode: "GB")
/// let request = try factory.request(for: cart)
/// print(request.json.text)  // for the browser
/// ```
public struct ApplePayPaymentRequestFactory: Sendable {
    /// The merchant name shown on the total line.
    public var displayName: String
    /// The merchant's country, ISO 3166-1 alpha-2, in capitals.
    public var countryCode: String
    /// Apple's names of the card networks.
    public var supportedNetworks: [String]
    /// Apple's names of the merchant capabilities.
    public var merchantCapabilities: [String]
    /// `true` if the sheet offers a coupon field.
    public var supportsCouponCode: Bool

    /// Creates a factory for one merchant.
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

    /// Builds the request that the payment sheet is presented with.
    ///
    /// Phone, e-mail and name are required in both services, for customer service and the guest account. The postal
    /// address is the customer's for delivery; for collection it is the merchant's, which cannot be edited. Without
    /// either there is none.
    public func request(
        for basket: SheetBasket, applicationData: [UInt8]? = nil
    ) throws(MoneyError) -> PaymentSheetRequest {
        let items = try summaryItems(for: basket)
        var request = PaymentSheetRequest(
            countryCode: countryCode, currency: basket.currency, supportedNetworks: supportedNetworks,
            merchantCapabilities: merchantCapabilities, items: Array(items.dropLast()),
            total: try total(of: basket),
            requiredShippingContactFields: [.name, .email, .phone, .postalAddress],
            requiredBillingContactFields: [.name, .postalAddress], shippingType: .delivery)
        switch basket.service {
        case .delivery: request.shippingMethods = basket.offeredMethods
        case .collection(let shop):
            request.shippingType = .storePickup
            request.pickup = shop
        case .neither: request.requiredShippingContactFields.remove(.postalAddress)
        }
        request.supportsCouponCode = supportsCouponCode
        request.couponCode = basket.coupon?.code
        request.applicationData = applicationData
        request.agreement = basket.agreement.map { .billing($0) }
        return request
    }

    /// Returns the lines with the total last. Public because a change of address or card needs only these.
    public func summaryItems(for basket: SheetBasket) throws(MoneyError) -> [SheetItem] {
        try basket.summaryItems() + [total(of: basket)]
    }

    /// Returns the last line. It is pending while the price is awaited, so that no amount is shown as final.
    private func total(of basket: SheetBasket) throws(MoneyError) -> SheetItem {
        SheetItem(label: displayName, amount: try basket.total(), isPending: basket.awaitsPrice)
    }
}
