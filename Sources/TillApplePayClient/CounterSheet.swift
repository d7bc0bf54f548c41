import Foundation
public import TillApplePay
import TillCore

/// A basket at the counter, with what its sheet is built from.
public struct CounterSheet: Sendable {
    /// The goods with the counter's prices.
    public let basket: SheetBasket
    /// The shop's name, country and card networks.
    public let factory: ApplePayPaymentRequestFactory
    /// The bytes that bind a payment to this basket.
    public let applicationData: [UInt8]
    /// The proof by which the counter knows whom it gave the basket to.
    let proof: Secret<String>

    /// Reads the counter's answer; `nil` if it has another form, or other amounts than its own parts.
    init?(_ json: JSONValue) {
        let request = json["request"]
        guard let basket = json["basket"].flatMap(SheetBasket.init), let proof = json["proof"]?.stringValue,
            let country = request?["countryCode"]?.stringValue,
            let name = request?["total"]?["label"]?.stringValue,
            let shown = request?["total"]?["amount"]?.stringValue,
            let networks = request?["supportedNetworks"]?.arrayValue,
            let capabilities = request?["merchantCapabilities"]?.arrayValue,
            let bound = request?["applicationData"]?.stringValue.flatMap({ Data(base64Encoded: $0) }),
            let total = try? basket.total(), total.decimalString == shown,
            request?["currencyCode"]?.stringValue == basket.currency.code
        else { return nil }
        self.basket = basket
        self.proof = Secret(proof)
        applicationData = Array(bound)
        factory = ApplePayPaymentRequestFactory(
            displayName: name, countryCode: country, supportedNetworks: networks.compactMap(\.stringValue),
            merchantCapabilities: capabilities.compactMap(\.stringValue),
            supportsCouponCode: request?["supportsCouponCode"]?.boolValue ?? false)
    }
}

/// The state of a basket's payment.
public enum CounterSheetOutcome: Hashable, Sendable {
    /// No payment is known. A request that is still on its way may begin one.
    case open
    /// The outcome is not known yet. Do not pay again.
    case pending
    /// The order was paid. What became of it since, such as a refund, the shop knows.
    case placed(PlacedOrder)
    /// The payment was declined; the basket can be paid again.
    case declined
    /// The basket cannot be paid any more. Nothing was charged.
    case closed

    /// Reads the counter's answer; `nil` if it has another form.
    init?(_ json: JSONValue) {
        switch json["status"]?.stringValue {
        case "open"?: self = .open
        case "declined"?: self = .declined
        case "closed"?: self = .closed
        case "placed"?:
            guard let order = PlacedOrder(json) else { return nil }
            self = .placed(order)
        case .some: self = .pending
        case nil: return nil
        }
    }
}

extension PlacedOrder {
    /// Reads the counter's answer about a paid order.
    init?(_ json: JSONValue) {
        guard let order = json["orderId"]?.stringValue, let code = json["currency"]?.stringValue,
            let currency = Currency(ifValid: code), let text = json["amount"]?.stringValue,
            let amount = Money(ifValid: text, currency: currency)
        else { return nil }
        self.init(id: OrderID(rawValue: order), amount: amount)
        guestToken = json["guestToken"]?.stringValue.map { Secret($0) }
    }
}

extension SheetError {
    /// Reads an error of the counter. An unknown code or field is kept as a message.
    init(json: JSONValue) {
        self.init(
            json["code"]?.stringValue.flatMap(Code.init) ?? .unknown,
            json["contactField"]?.stringValue.flatMap(Field.init),
            json["message"]?.stringValue.map { String($0.prefix(300)) } ?? "This cannot be paid here.")
    }
}
