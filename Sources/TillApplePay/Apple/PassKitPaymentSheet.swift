#if canImport(PassKit)
    public import Foundation
    public import PassKit
    #if TILL_SHELL_APART
        public import TillApplePay
        import TillCore
    #else
        import TillCore
    #endif
    #if canImport(Contacts)
        import Contacts
    #endif

    /// PassKit's payment sheet behind Till's protocol. It makes no decisions.
    @MainActor public final class PassKitPaymentSheet: NSObject, PaymentSheetPresenter {
        private let merchantIdentifier: String
        private var controller: PKPaymentAuthorizationController?
        private weak var delegate: (any PaymentSheetDelegate)?

        /// Creates a sheet for a merchant identifier in the app's entitlements.
        public init(merchantIdentifier: String) {
            self.merchantIdentifier = merchantIdentifier
            super.init()
        }

        /// Returns the device's ability to pay with one of the networks; may be called before the sheet is shown. A
        /// shop without networks takes no card, and no set-up changes that.
        public func availability(networks: [String]) -> ApplePayAvailability {
            guard !networks.isEmpty, PKPaymentAuthorizationController.canMakePayments() else { return .unavailable }
            let named = PassKitConversion.networks(networks)
            return PKPaymentAuthorizationController.canMakePayments(usingNetworks: named) ? .available : .needsSetup
        }

        /// Shows the sheet for one payment.
        /// - Returns: `false` if PassKit did not show it, cannot show its agreement whole, or is given no networks;
        ///   then the delegate is not called.
        public func present(_ request: PaymentSheetRequest, delegate: any PaymentSheetDelegate) async -> Bool {
            guard
                let converted = PassKitConversion.request(request, merchantIdentifier: merchantIdentifier)
            else { return false }
            let controller = PKPaymentAuthorizationController(paymentRequest: converted)
            self.delegate = delegate
            self.controller = controller
            controller.delegate = self
            return await controller.present()
        }

        /// Dismisses the sheet, if one is shown; returns once it is closed.
        public func dismiss() async {
            await controller?.dismiss()
            controller = nil
        }
    }

    extension PassKitPaymentSheet: PKPaymentAuthorizationControllerDelegate {
        /// Handles the closed sheet.
        public func paymentAuthorizationControllerDidFinish(_ controller: PKPaymentAuthorizationController) {
            let delegate = delegate
            Task {
                await self.dismiss()
                await delegate?.finished()
            }
        }

        /// Handles the customer's authorization; the delegate decides.
        public func paymentAuthorizationController(
            _ controller: PKPaymentAuthorizationController, didAuthorizePayment payment: PKPayment
        ) async -> PKPaymentAuthorizationResult {
            let payment = PassKitConversion.payment(payment)
            switch await delegate?.authorized(payment) ?? .failure([]) {
            case .success: return PKPaymentAuthorizationResult(status: .success, errors: nil)
            case .failure(let errors):
                return PKPaymentAuthorizationResult(status: .failure, errors: errors.map(PassKitConversion.error))
            }
        }

        /// Handles the selection of an address.
        public func paymentAuthorizationController(
            _ controller: PKPaymentAuthorizationController, didSelectShippingContact contact: PKContact
        ) async -> PKPaymentRequestShippingContactUpdate {
            let contact = PassKitConversion.redacted(contact)
            let update = await delegate?.selected(contact: contact) ?? PaymentSheetUpdate(items: [])
            return PKPaymentRequestShippingContactUpdate(
                errors: update.errors.map(PassKitConversion.error),
                paymentSummaryItems: update.items.map(PassKitConversion.item),
                shippingMethods: update.shippingMethods.map(PassKitConversion.method))
        }

        /// Handles the selection of a shipping method.
        public func paymentAuthorizationController(
            _ controller: PKPaymentAuthorizationController, didSelectShippingMethod shippingMethod: PKShippingMethod
        ) async -> PKPaymentRequestShippingMethodUpdate {
            let identifier = shippingMethod.identifier ?? ""
            let update = await delegate?.selected(shippingMethod: identifier) ?? PaymentSheetUpdate(items: [])
            return PKPaymentRequestShippingMethodUpdate(
                paymentSummaryItems: update.items.map(PassKitConversion.item))
        }

        /// Handles the selection of a card.
        public func paymentAuthorizationController(
            _ controller: PKPaymentAuthorizationController, didSelectPaymentMethod paymentMethod: PKPaymentMethod
        ) async -> PKPaymentRequestPaymentMethodUpdate {
            let isCredit = paymentMethod.type == .credit
            let update = await delegate?.selected(isCredit: isCredit) ?? PaymentSheetUpdate(items: [])
            return PKPaymentRequestPaymentMethodUpdate(
                paymentSummaryItems: update.items.map(PassKitConversion.item))
        }

        /// Handles the entry of a coupon.
        public func paymentAuthorizationController(
            _ controller: PKPaymentAuthorizationController, didChangeCouponCode couponCode: String
        ) async -> PKPaymentRequestCouponCodeUpdate {
            let update = await delegate?.entered(coupon: couponCode) ?? PaymentSheetUpdate(items: [])
            return PKPaymentRequestCouponCodeUpdate(
                errors: update.errors.map(PassKitConversion.error),
                paymentSummaryItems: update.items.map(PassKitConversion.item),
                shippingMethods: update.shippingMethods.map(PassKitConversion.method))
        }
    }
#endif
