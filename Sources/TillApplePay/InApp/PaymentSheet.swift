import TillCore

/// Whether this device can pay.
public enum ApplePayAvailability: Hashable, Sendable {
    /// No wallet here: the button must not be shown.
    case unavailable
    /// A wallet without a card: show the button that sets one up.
    case needsSetup
    /// It can be offered, and a card is there.
    case available
}

/// What the sheet is answered after the customer changed something.
public struct PaymentSheetUpdate: Hashable, Sendable {
    /// The lines, the total last.
    public var items: [SheetItem]
    /// Ways to ship; empty leaves them as they are.
    public var shippingMethods: [SheetShippingMethod]
    /// What is wrong with the customer's choice.
    public var errors: [SheetError]

    /// What the sheet shows next. Errors keep the customer from authorizing.
    public init(items: [SheetItem], shippingMethods: [SheetShippingMethod] = [], errors: [SheetError] = []) {
        self.items = items
        self.shippingMethods = shippingMethods
        self.errors = errors
    }
}

/// What the sheet shows last.
public enum PaymentSheetResult: Hashable, Sendable {
    /// It closes with a tick.
    case success
    /// It stays, with what must be corrected.
    case failure([SheetError])
}

/// Who answers a sheet's questions.
@MainActor public protocol PaymentSheetDelegate: AnyObject, Sendable {
    /// An address was chosen, cut short by the wallet.
    func selected(contact: RedactedContact) async -> PaymentSheetUpdate
    /// A way to ship was chosen.
    func selected(shippingMethod identifier: String) async -> PaymentSheetUpdate
    /// A card was chosen.
    func selected(isCredit: Bool) async -> PaymentSheetUpdate
    /// A coupon was typed.
    func entered(coupon: String) async -> PaymentSheetUpdate
    /// The customer authorized; the sheet shows the answer and closes unless it holds errors.
    func authorized(_ payment: AuthorizedWalletPayment) async -> PaymentSheetResult
    /// The sheet is gone.
    func finished() async
}

/// A sheet that can be shown: PassKit's, or one for tests.
@MainActor public protocol PaymentSheetPresenter: AnyObject, Sendable {
    /// Whether this device can pay with these networks.
    func availability(networks: [String]) -> ApplePayAvailability
    /// Shows the sheet. `false`: it could not be shown.
    func present(_ request: PaymentSheetRequest, delegate: any PaymentSheetDelegate) async -> Bool
    /// Takes the sheet away.
    func dismiss() async
}
