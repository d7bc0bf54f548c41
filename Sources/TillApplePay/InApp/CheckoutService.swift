public import TillCore

/// The customer's choices for an order, apart from the goods.
public struct CheckoutDetails: Hashable, Sendable {
    /// A note to the merchant.
    public var notes: String?
    /// The requested time; `nil` means as soon as possible.
    public var preferredTime: Timestamp?

    /// Creates the details; both may be omitted.
    public init(notes: String? = nil, preferredTime: Timestamp? = nil) {
        self.notes = notes
        self.preferredTime = preferredTime
    }
}

/// The back end steps that prepare an order, the same for every payment method: notes and time are stored, and the back
/// end returns its version of the basket.
public protocol CheckoutService: Sendable {
    /// Prepares the order of a basket. May be called again; the last details apply.
    func prepare(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> SheetBasket
}

/// A placed order.
public struct PlacedOrder: Hashable, Sendable {
    /// The merchant's order identifier.
    public var id: OrderID
    /// The amount charged, including shipping and tax.
    public var amount: Money

    /// Creates a placed order.
    public init(id: OrderID, amount: Money) {
        self.id = id
        self.amount = amount
    }
}

/// The data supplied by the wallet on authorization.
public struct AuthorizedWalletPayment: Sendable {
    /// The token: the JSON of its `paymentData`. Empty in the device simulator.
    public var token: Secret<[UInt8]>
    /// The recipient of the goods.
    public var shipping: WalletContact
    /// The billing address, if the sheet requested it.
    public var billing: WalletContact?

    /// Creates an authorized payment.
    public init(token: Secret<[UInt8]>, shipping: WalletContact, billing: WalletContact?) {
        self.token = token
        self.shipping = shipping
        self.billing = billing
    }
}

/// The order data sent to the back end.
public struct OrderPlacement: Sendable {
    /// The basket, in the version shown to the customer.
    public var basket: SheetBasket
    /// The token, as issued by Apple.
    public var token: Secret<[UInt8]>
    /// The complete contact; it cannot be made from a redacted one.
    public var contact: FullContact
}

/// The back end that places the order and charges the token through the provider.
public protocol PaymentBackend: Sendable {
    /// Places an order. The back end places it once per basket, regardless of retries.
    func place(_ placement: OrderPlacement) async throws(PaymentBackendError) -> PlacedOrder
}

/// The reason that an order was not placed, or that its outcome is unknown.
public enum PaymentBackendError: Error, Hashable, Sendable {
    /// Certainly not placed; the errors to show in the sheet.
    case refused([SheetError])
    /// No response: the order may have been placed. Query it, and do not pay again.
    case unknown
}
