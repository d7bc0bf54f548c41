public import TillCore

/// What the customer chose before paying, beside the goods.
public struct CheckoutDetails: Hashable, Sendable {
    /// A note for the shop.
    public var notes: String?
    /// When the goods are wanted; `nil` is as soon as possible.
    public var preferredTime: Timestamp?

    /// What the customer says about the order; both may be left out.
    public init(notes: String? = nil, preferredTime: Timestamp? = nil) {
        self.notes = notes
        self.preferredTime = preferredTime
    }
}

/// The steps at the back end that prepare an order, the same for every way of paying: the notes and the time are
/// stored, and the basket comes back as the back end has it.
public protocol CheckoutService: Sendable {
    /// Prepares the order of a basket. May be called again; the last details count.
    func prepare(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> SheetBasket
}

/// An order that was placed.
public struct PlacedOrder: Hashable, Sendable {
    /// The order's name in the shop.
    public var id: OrderID
    /// What is charged, shipping and tax included.
    public var amount: Money

    /// An order that the shop has placed.
    public init(id: OrderID, amount: Money) {
        self.id = id
        self.amount = amount
    }
}

/// What the wallet hands over when the customer has authorized.
public struct AuthorizedWalletPayment: Sendable {
    /// The token: the JSON of its `paymentData`. Empty in the device simulator.
    public var token: Secret<[UInt8]>
    /// Who gets the goods.
    public var shipping: WalletContact
    /// The address of the card's statements, if the sheet asked for it.
    public var billing: WalletContact?

    /// What the customer authorized in the sheet.
    public init(token: Secret<[UInt8]>, shipping: WalletContact, billing: WalletContact?) {
        self.token = token
        self.shipping = shipping
        self.billing = billing
    }
}

/// What is sent to the back end.
public struct OrderPlacement: Sendable {
    /// The basket, in the version that the customer saw.
    public var basket: SheetBasket
    /// The token, as Apple made it.
    public var token: Secret<[UInt8]>
    /// The whole contact; there is no way to make it from a redacted one.
    public var contact: FullContact
}

/// The back end that takes the token and places the order; it talks to the provider.
public protocol PaymentBackend: Sendable {
    /// Places an order. The back end does it once for each basket, however often it is asked.
    func place(_ placement: OrderPlacement) async throws(PaymentBackendError) -> PlacedOrder
}

/// Why an order was not placed, or is not known to be.
public enum PaymentBackendError: Error, Hashable, Sendable {
    /// Certainly not placed; what the sheet shows.
    case refused([SheetError])
    /// There was no answer: it may have been placed. The order must be looked up, and nothing paid again.
    case unknown
}
