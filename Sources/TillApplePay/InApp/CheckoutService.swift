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

/// A basket as the back end prepared it.
public struct PreparedCheckout: Hashable, Sendable {
    /// The back end's version of the basket.
    public var basket: SheetBasket
    /// The bytes that bind the payment to the basket: the wallet signs their hash into the token. `nil` for a back end
    /// that binds tokens otherwise.
    public var applicationData: [UInt8]?

    /// Creates the result of a preparation.
    public init(basket: SheetBasket, applicationData: [UInt8]? = nil) {
        self.basket = basket
        self.applicationData = applicationData
    }
}

/// A selection of the customer in an open sheet, which may change the price.
public enum SheetSelection: Hashable, Sendable {
    /// An address, redacted by the wallet.
    case contact(RedactedContact)
    /// A shipping method, by its identifier.
    case shippingMethod(String)
    /// A credit card, or another card.
    case card(isCredit: Bool)
    /// A coupon code as entered; empty to remove the coupon.
    case coupon(String)
}

/// The answer of the back end to a selection.
public struct SheetRevision: Hashable, Sendable {
    /// The basket with its present price.
    public var basket: SheetBasket
    /// The errors to show; they prevent authorization.
    public var errors: [SheetError]

    /// Creates an answer.
    public init(basket: SheetBasket, errors: [SheetError] = []) {
        self.basket = basket
        self.errors = errors
    }
}

/// The back end steps that prepare an order, the same for every payment method: notes and time are stored, and the back
/// end returns its version of the basket.
public protocol CheckoutService: Sendable {
    /// Prepares the order of a basket. May be called again; the last details apply.
    func prepare(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> PreparedCheckout
    /// Applies a selection in the open sheet. By default the back end takes no part, and the app computes the price.
    /// - Returns: the basket with its new price; `nil` for a back end that leaves it to the app.
    func select(_ selection: SheetSelection, in basket: SheetBasket) async -> SheetRevision?
}

extension CheckoutService {
    /// Leaves the price to the app.
    public func select(_ selection: SheetSelection, in basket: SheetBasket) async -> SheetRevision? { nil }
}

/// A placed order. Two are the same if order and amount are.
public struct PlacedOrder: Hashable, Sendable {
    /// The merchant's order identifier.
    public var id: OrderID
    /// The amount charged, including shipping and tax.
    public var amount: Money
    /// The token of the customer account that the order made, for the shop's server to redeem; `nil` for a customer who
    /// is known.
    public var guestToken: Secret<String>?

    public static func == (left: PlacedOrder, right: PlacedOrder) -> Bool {
        left.id == right.id && left.amount == right.amount
    }

    /// Hashes order and amount.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(amount)
    }

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

    /// Creates a placement from what the sheet showed and the wallet supplied.
    public init(basket: SheetBasket, token: Secret<[UInt8]>, contact: FullContact) {
        self.basket = basket
        self.token = token
        self.contact = contact
    }
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
