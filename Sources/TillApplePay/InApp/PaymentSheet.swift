import TillCore

/// The availability of Apple Pay on this device.
public enum ApplePayAvailability: Hashable, Sendable {
    /// No wallet: the button must not be shown.
    case unavailable
    /// A wallet without a card: show the set-up button.
    case needsSetup
    /// Available, with a card in the wallet.
    case available
}

/// The response to a change in the sheet.
public struct PaymentSheetUpdate: Hashable, Sendable {
    /// The lines, total last.
    public var items: [SheetItem]
    /// Shipping methods; empty leaves them unchanged.
    public var shippingMethods: [SheetShippingMethod]
    /// Errors in the customer's selection.
    public var errors: [SheetError]

    /// Creates an update. Errors prevent authorization.
    public init(items: [SheetItem], shippingMethods: [SheetShippingMethod] = [], errors: [SheetError] = []) {
        self.items = items
        self.shippingMethods = shippingMethods
        self.errors = errors
    }
}

/// The final result shown in the sheet.
public enum PaymentSheetResult: Hashable, Sendable {
    /// The sheet closes with a checkmark.
    case success
    /// The sheet stays open with the errors to correct.
    case failure([SheetError])
}

/// The handler of a sheet's callbacks.
@MainActor public protocol PaymentSheetDelegate: AnyObject, Sendable {
    /// The customer selected an address, redacted by the wallet.
    func selected(contact: RedactedContact) async -> PaymentSheetUpdate
    /// The customer selected a shipping method.
    func selected(shippingMethod identifier: String) async -> PaymentSheetUpdate
    /// The customer selected a card.
    func selected(isCredit: Bool) async -> PaymentSheetUpdate
    /// The customer entered a coupon.
    func entered(coupon: String) async -> PaymentSheetUpdate
    /// The customer authorized the payment; the sheet shows the result and closes unless it contains errors.
    func authorized(_ payment: AuthorizedWalletPayment) async -> PaymentSheetResult
    /// The sheet was closed.
    func finished() async
}

/// A presenter of payment sheets: PassKit's, or one for tests.
@MainActor public protocol PaymentSheetPresenter: AnyObject, Sendable {
    /// Returns the availability of Apple Pay for these networks.
    func availability(networks: [String]) -> ApplePayAvailability
    /// Shows the sheet; returns `false` if it could not be shown.
    func present(_ request: PaymentSheetRequest, delegate: any PaymentSheetDelegate) async -> Bool
    /// Dismisses the sheet.
    func dismiss() async
}
