#if canImport(PassKit)
    public import Foundation
    public import PassKit
    #if TILL_SHELL_APART
        public import TillApplePay
    #endif
    public import TillCore
    #if canImport(Contacts)
        public import Contacts
    #endif

    /// Conversions between Till's values and PassKit's objects. Pure functions.
    public enum PassKitConversion {
        /// Returns PassKit's request for a sheet; `nil` if PassKit cannot show its agreement whole, and for one without
        /// card networks, which no card could pay.
        public static func request(_ request: PaymentSheetRequest, merchantIdentifier: String) -> PKPaymentRequest? {
            guard !request.supportedNetworks.isEmpty else { return nil }
            let result = PKPaymentRequest()
            result.merchantIdentifier = merchantIdentifier
            result.countryCode = request.countryCode
            result.currencyCode = request.currency.code
            result.supportedNetworks = networks(request.supportedNetworks)
            result.merchantCapabilities = capabilities(request.merchantCapabilities)
            result.paymentSummaryItems = (request.items + [request.total]).map(item)
            result.requiredShippingContactFields = Set(request.requiredShippingContactFields.map(field))
            result.requiredBillingContactFields = Set(request.requiredBillingContactFields.map(field))
            if !request.shippingMethods.isEmpty { result.shippingMethods = request.shippingMethods.map(method) }
            result.shippingType = shippingType(request.shippingType)
            if let pickup = request.pickup {
                result.shippingContactEditingMode = .storePickup
                result.shippingContact = contact(of: pickup)
            }
            result.supportsCouponCode = request.supportsCouponCode
            result.couponCode = request.couponCode
            result.applicationData = request.applicationData.map { Data($0) }
            if !request.supportedCountries.isEmpty { result.supportedCountries = Set(request.supportedCountries) }
            if let agreement = request.agreement, !add(agreement, to: result) { return nil }
            return result
        }

        /// Converts a line. The amount is exact: minor units with the currency's exponent.
        public static func item(_ item: SheetItem) -> PKPaymentSummaryItem {
            PKPaymentSummaryItem(
                label: item.label, amount: decimal(item.amount), type: item.isPending ? .pending : .final)
        }

        /// Converts a shipping method.
        public static func method(_ method: SheetShippingMethod) -> PKShippingMethod {
            let result = PKShippingMethod(label: method.label, amount: decimal(method.amount))
            result.identifier = method.identifier
            result.detail = method.detail
            return result
        }

        /// Converts an amount without floating-point arithmetic.
        public static func decimal(_ money: Money) -> NSDecimalNumber {
            NSDecimalNumber(
                mantissa: money.minorUnits.magnitude, exponent: Int16(-money.currency.exponent),
                isNegative: money.isNegative)
        }

        /// Converts an authorized payment. The contact is read here because PassKit's object must not leave its actor.
        public static func payment(_ payment: PKPayment) -> AuthorizedWalletPayment {
            AuthorizedWalletPayment(
                token: Secret(token(payment.token)),
                shipping: payment.shippingContact.map(contact) ?? WalletContact(),
                billing: payment.billingContact.map(contact))
        }

        /// Returns the token in the browser's form. The card's name and network are not signed, and some providers ask
        /// for them. Empty in the device simulator.
        static func token(_ token: PKPaymentToken) -> [UInt8] {
            guard let data = JSONValue(ifValid: Array(token.paymentData)) else { return [] }
            func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
            let method = JSONValue.object([
                JSONMember(key: "displayName", value: text(token.paymentMethod.displayName)),
                JSONMember(key: "network", value: text(token.paymentMethod.network?.rawValue)),
            ])
            return JSONValue.object([
                JSONMember(key: "paymentData", value: data), JSONMember(key: "paymentMethod", value: method),
                JSONMember(key: "transactionIdentifier", value: .string(token.transactionIdentifier)),
            ]).bytes()
        }

        /// Converts a contact before authorization, reading only the parts that are not redacted.
        public static func redacted(_ contact: PKContact) -> RedactedContact {
            RedactedContact(
                locality: contact.postalAddress?.city ?? "", administrativeArea: contact.postalAddress?.state ?? "",
                postalCode: contact.postalAddress?.postalCode ?? "",
                countryCode: (contact.postalAddress?.isoCountryCode ?? "").uppercased())
        }

        /// Converts a contact after authorization.
        public static func contact(_ contact: PKContact) -> WalletContact {
            func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
            let address = contact.postalAddress
            return WalletContact(
                givenName: text(contact.name?.givenName), familyName: text(contact.name?.familyName),
                emailAddress: text(contact.emailAddress), phoneNumber: text(contact.phoneNumber?.stringValue),
                addressLines: (address?.street ?? "").split(separator: "\n").map(String.init),
                locality: text(address?.city), administrativeArea: text(address?.state),
                postalCode: text(address?.postalCode), countryCode: text(address?.isoCountryCode)?.uppercased())
        }

        static func capabilities(_ names: [String]) -> PKMerchantCapability {
            var capabilities: PKMerchantCapability = .threeDSecure
            if names.contains("supportsEMV") { capabilities.insert(.emv) }
            if names.contains("supportsCredit") { capabilities.insert(.credit) }
            if names.contains("supportsDebit") { capabilities.insert(.debit) }
            return capabilities
        }

        static func field(_ field: PaymentSheetRequest.ContactField) -> PKContactField {
            switch field {
            case .email: .emailAddress
            case .name: .name
            case .phone: .phoneNumber
            case .postalAddress: .postalAddress
            case .phoneticName: .phoneticName
            }
        }

        static func shippingType(_ type: PaymentSheetRequest.ShippingType) -> PKShippingType {
            switch type {
            case .shipping: .shipping
            case .delivery: .delivery
            case .storePickup: .storePickup
            case .servicePickup: .servicePickup
            }
        }

        static func contact(of shop: SheetBasket.ShopAddress) -> PKContact {
            let address = CNMutablePostalAddress()
            address.street = shop.addressLines.joined(separator: "\n")
            address.city = shop.locality
            address.postalCode = shop.postalCode
            address.isoCountryCode = shop.countryCode
            let contact = PKContact()
            var name = PersonNameComponents()
            name.givenName = shop.name
            contact.name = name
            contact.postalAddress = address
            return contact
        }

        /// Converts an error for display beside its field.
        static func error(_ error: SheetError) -> any Error {
            switch error.code {
            case .addressUnserviceable:
                return PKPaymentRequest.paymentShippingAddressUnserviceableError(
                    withLocalizedDescription: error.message)
            case .couponCodeInvalid:
                return PKPaymentRequest.paymentCouponCodeInvalidError(localizedDescription: error.message)
            case .couponCodeExpired:
                return PKPaymentRequest.paymentCouponCodeExpiredError(localizedDescription: error.message)
            case .shippingContactInvalid:
                return PKPaymentRequest.paymentContactInvalidError(
                    withContactField: contactField(error.field), localizedDescription: error.message)
            case .billingContactInvalid, .unknown:
                return NSError(
                    domain: PKPaymentErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: error.message])
            }
        }

        private static func contactField(_ field: SheetError.Field?) -> PKContactField {
            switch field {
            case .phoneNumber?: .phoneNumber
            case .emailAddress?: .emailAddress
            case .name?: .name
            case .phoneticName?: .phoneticName
            default: .postalAddress
            }
        }
    }
#endif
