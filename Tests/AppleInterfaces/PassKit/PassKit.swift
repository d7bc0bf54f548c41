// The part of PassKit's and Contacts' public interface that Till's adapter uses, declared so that the adapter is
// type-checked and run where those frameworks are not. It does nothing; it is in no product.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation

public let PKPaymentErrorDomain = "PKPaymentErrorDomain"

public struct PKPaymentNetwork: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let visa = PKPaymentNetwork(rawValue: "Visa")
    public static let masterCard = PKPaymentNetwork(rawValue: "MasterCard")
    public static let amex = PKPaymentNetwork(rawValue: "AmEx")
    public static let discover = PKPaymentNetwork(rawValue: "Discover")
    public static let maestro = PKPaymentNetwork(rawValue: "Maestro")
    public static let JCB = PKPaymentNetwork(rawValue: "JCB")
    public static let bancontact = PKPaymentNetwork(rawValue: "Bancontact")
    public static let barcode = PKPaymentNetwork(rawValue: "Barcode")
    public static let cartesBancaires = PKPaymentNetwork(rawValue: "CartesBancaires")
    public static let chinaUnionPay = PKPaymentNetwork(rawValue: "ChinaUnionPay")
    public static let dankort = PKPaymentNetwork(rawValue: "Dankort")
    public static let eftpos = PKPaymentNetwork(rawValue: "Eftpos")
    public static let electron = PKPaymentNetwork(rawValue: "Electron")
    public static let elo = PKPaymentNetwork(rawValue: "Elo")
    public static let girocard = PKPaymentNetwork(rawValue: "Girocard")
    public static let idCredit = PKPaymentNetwork(rawValue: "iD")
    public static let interac = PKPaymentNetwork(rawValue: "Interac")
    public static let mada = PKPaymentNetwork(rawValue: "Mada")
    public static let mir = PKPaymentNetwork(rawValue: "Mir")
    public static let nanaco = PKPaymentNetwork(rawValue: "Nanaco")
    public static let privateLabel = PKPaymentNetwork(rawValue: "PrivateLabel")
    public static let quicPay = PKPaymentNetwork(rawValue: "QUICPay")
    public static let suica = PKPaymentNetwork(rawValue: "Suica")
    public static let vPay = PKPaymentNetwork(rawValue: "VPay")
    public static let waon = PKPaymentNetwork(rawValue: "Waon")
    @available(iOS 16.4, *)
    public static let postFinance = PKPaymentNetwork(rawValue: "PostFinance")
    @available(iOS 17, *)
    public static let pagoBancomat = PKPaymentNetwork(rawValue: "PagoBancomat")
    @available(iOS 17, *)
    public static let tmoney = PKPaymentNetwork(rawValue: "Tmoney")
    @available(iOS 17.4, *)
    public static let meeza = PKPaymentNetwork(rawValue: "Meeza")
    @available(iOS 17.5, *)
    public static let bankAxept = PKPaymentNetwork(rawValue: "BankAxept")
    @available(iOS 18.4, macOS 15.4, *)
    public static let himyan = PKPaymentNetwork(rawValue: "Himyan")
    @available(iOS 18.4, macOS 15.4, *)
    public static let jaywan = PKPaymentNetwork(rawValue: "Jaywan")
}

public struct PKMerchantCapability: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let threeDSecure = PKMerchantCapability(rawValue: 1 << 0)
    public static let emv = PKMerchantCapability(rawValue: 1 << 1)
    public static let credit = PKMerchantCapability(rawValue: 1 << 2)
    public static let debit = PKMerchantCapability(rawValue: 1 << 3)
}

public struct PKContactField: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let postalAddress = PKContactField(rawValue: "postalAddress")
    public static let emailAddress = PKContactField(rawValue: "emailAddress")
    public static let phoneNumber = PKContactField(rawValue: "phoneNumber")
    public static let name = PKContactField(rawValue: "name")
    public static let phoneticName = PKContactField(rawValue: "phoneticName")
}

public enum PKShippingType: UInt, Sendable { case shipping, delivery, storePickup, servicePickup }
public enum PKShippingContactEditingMode: UInt, Sendable { case available = 1, storePickup }
public enum PKPaymentSummaryItemType: UInt, Sendable { case final, pending }
public enum PKPaymentMethodType: UInt, Sendable { case unknown, debit, credit, prepaid, store, eMoney }
public enum PKPaymentAuthorizationStatus: Int, Sendable { case success, failure }

open class CNPostalAddress: NSObject {
    public internal(set) var storedStreet = "", storedCity = "", storedState = "", storedCode = "", storedCountry = ""
    open var street: String { storedStreet }
    open var city: String { storedCity }
    open var state: String { storedState }
    open var postalCode: String { storedCode }
    open var isoCountryCode: String { storedCountry }
}

open class CNMutablePostalAddress: CNPostalAddress {
    open override var street: String {
        get { storedStreet }
        set { storedStreet = newValue }
    }
    open override var city: String {
        get { storedCity }
        set { storedCity = newValue }
    }
    open override var state: String {
        get { storedState }
        set { storedState = newValue }
    }
    open override var postalCode: String {
        get { storedCode }
        set { storedCode = newValue }
    }
    open override var isoCountryCode: String {
        get { storedCountry }
        set { storedCountry = newValue }
    }
}

open class CNPhoneNumber: NSObject {
    public let stringValue: String
    public init(stringValue: String) { self.stringValue = stringValue }
}

open class PKContact: NSObject {
    open var name: PersonNameComponents?
    open var postalAddress: CNPostalAddress?
    open var phoneNumber: CNPhoneNumber?
    open var emailAddress: String?
    public override init() {}
}

open class PKPaymentSummaryItem: NSObject {
    open var label: String
    open var amount: NSDecimalNumber
    open var type: PKPaymentSummaryItemType
    public init(label: String, amount: NSDecimalNumber, type: PKPaymentSummaryItemType) {
        self.label = label
        self.amount = amount
        self.type = type
    }
    public convenience init(label: String, amount: NSDecimalNumber) {
        self.init(label: label, amount: amount, type: .final)
    }
}

open class PKShippingMethod: PKPaymentSummaryItem {
    open var identifier: String?
    open var detail: String?
}

open class PKRecurringPaymentSummaryItem: PKPaymentSummaryItem {
    open var startDate: Date?
    open var intervalUnit = NSCalendar.Unit.month
    open var intervalCount = 1
    open var endDate: Date?
}

open class PKDeferredPaymentSummaryItem: PKPaymentSummaryItem {
    open var deferredDate = Date(timeIntervalSince1970: 0)
}

open class PKAutomaticReloadPaymentSummaryItem: PKPaymentSummaryItem {
    open var thresholdAmount = NSDecimalNumber.zero
}

open class PKRecurringPaymentRequest: NSObject {
    open var paymentDescription: String
    open var billingAgreement: String?
    open var regularBilling: PKRecurringPaymentSummaryItem
    open var trialBilling: PKRecurringPaymentSummaryItem?
    open var managementURL: URL
    open var tokenNotificationURL: URL?
    public init(paymentDescription: String, regularBilling: PKRecurringPaymentSummaryItem, managementURL: URL) {
        self.paymentDescription = paymentDescription
        self.regularBilling = regularBilling
        self.managementURL = managementURL
    }
}

open class PKDeferredPaymentRequest: NSObject {
    open var paymentDescription: String
    open var billingAgreement: String?
    open var deferredBilling: PKDeferredPaymentSummaryItem
    open var managementURL: URL
    open var tokenNotificationURL: URL?
    open var freeCancellationDate: Date?
    open var freeCancellationDateTimeZone: TimeZone?
    public init(paymentDescription: String, deferredBilling: PKDeferredPaymentSummaryItem, managementURL: URL) {
        self.paymentDescription = paymentDescription
        self.deferredBilling = deferredBilling
        self.managementURL = managementURL
    }
}

open class PKAutomaticReloadPaymentRequest: NSObject {
    open var paymentDescription: String
    open var billingAgreement: String?
    open var automaticReloadBilling: PKAutomaticReloadPaymentSummaryItem
    open var managementURL: URL
    open var tokenNotificationURL: URL?
    public init(
        paymentDescription: String, automaticReloadBilling: PKAutomaticReloadPaymentSummaryItem, managementURL: URL
    ) {
        self.paymentDescription = paymentDescription
        self.automaticReloadBilling = automaticReloadBilling
        self.managementURL = managementURL
    }
}

open class PKPaymentRequest: NSObject {
    open var merchantIdentifier = ""
    open var countryCode = ""
    open var currencyCode = ""
    open var supportedNetworks: [PKPaymentNetwork] = []
    open var merchantCapabilities: PKMerchantCapability = []
    open var paymentSummaryItems: [PKPaymentSummaryItem] = []
    open var requiredShippingContactFields: Set<PKContactField> = []
    open var requiredBillingContactFields: Set<PKContactField> = []
    open var shippingMethods: [PKShippingMethod]?
    open var shippingType = PKShippingType.shipping
    open var shippingContactEditingMode = PKShippingContactEditingMode.available
    open var shippingContact: PKContact?
    open var supportsCouponCode = false
    open var couponCode: String?
    open var applicationData: Data?
    open var supportedCountries: Set<String>?
    open var recurringPaymentRequest: PKRecurringPaymentRequest?
    open var deferredPaymentRequest: PKDeferredPaymentRequest?
    open var automaticReloadPaymentRequest: PKAutomaticReloadPaymentRequest?
    public override init() {}

    /// The networks of the device; a few of them, and one that has no constant here.
    open class func availableNetworks() -> [PKPaymentNetwork] {
        [.visa, .masterCard, .amex, .mada, PKPaymentNetwork(rawValue: "NAPAS")]
    }

    private static func fault(_ code: Int, _ text: String?) -> any Error {
        NSError(domain: PKPaymentErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text ?? ""])
    }
    open class func paymentContactInvalidError(
        withContactField field: PKContactField, localizedDescription: String?
    ) -> any Error { fault(1, localizedDescription) }
    open class func paymentShippingAddressUnserviceableError(
        withLocalizedDescription localizedDescription: String?
    ) -> any Error { fault(2, localizedDescription) }
    open class func paymentCouponCodeInvalidError(localizedDescription: String?) -> any Error {
        fault(3, localizedDescription)
    }
    open class func paymentCouponCodeExpiredError(localizedDescription: String?) -> any Error {
        fault(4, localizedDescription)
    }
}

open class PKPaymentMethod: NSObject {
    open var type = PKPaymentMethodType.unknown
    open var displayName: String?
    open var network: PKPaymentNetwork?
    public override init() {}
}

open class PKPaymentToken: NSObject {
    open var paymentData = Data()
    open var paymentMethod = PKPaymentMethod()
    open var transactionIdentifier = ""
    public override init() {}
}

open class PKPayment: NSObject {
    open var token = PKPaymentToken()
    open var shippingContact: PKContact?
    open var billingContact: PKContact?
    public override init() {}
}

open class PKPaymentAuthorizationResult: NSObject {
    open var status: PKPaymentAuthorizationStatus
    open var errors: [any Error]
    public init(status: PKPaymentAuthorizationStatus, errors: [any Error]?) {
        self.status = status
        self.errors = errors ?? []
    }
}

open class PKPaymentRequestUpdate: NSObject {
    open var paymentSummaryItems: [PKPaymentSummaryItem]
    public init(paymentSummaryItems: [PKPaymentSummaryItem]) { self.paymentSummaryItems = paymentSummaryItems }
}

open class PKPaymentRequestShippingMethodUpdate: PKPaymentRequestUpdate {}
open class PKPaymentRequestPaymentMethodUpdate: PKPaymentRequestUpdate {}

open class PKPaymentRequestShippingContactUpdate: PKPaymentRequestUpdate {
    open var errors: [any Error]
    open var shippingMethods: [PKShippingMethod]
    public init(
        errors: [any Error]?, paymentSummaryItems: [PKPaymentSummaryItem], shippingMethods: [PKShippingMethod]
    ) {
        self.errors = errors ?? []
        self.shippingMethods = shippingMethods
        super.init(paymentSummaryItems: paymentSummaryItems)
    }
}

open class PKPaymentRequestCouponCodeUpdate: PKPaymentRequestUpdate {
    open var errors: [any Error]
    open var shippingMethods: [PKShippingMethod]
    public init(
        errors: [any Error]?, paymentSummaryItems: [PKPaymentSummaryItem], shippingMethods: [PKShippingMethod]
    ) {
        self.errors = errors ?? []
        self.shippingMethods = shippingMethods
        super.init(paymentSummaryItems: paymentSummaryItems)
    }
}

public protocol PKPaymentAuthorizationControllerDelegate: NSObjectProtocol {
    @MainActor func paymentAuthorizationControllerDidFinish(_ controller: PKPaymentAuthorizationController)
    @MainActor func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didAuthorizePayment payment: PKPayment
    ) async -> PKPaymentAuthorizationResult
    @MainActor func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingContact contact: PKContact
    ) async -> PKPaymentRequestShippingContactUpdate
    @MainActor func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingMethod shippingMethod: PKShippingMethod
    ) async -> PKPaymentRequestShippingMethodUpdate
    @MainActor func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectPaymentMethod paymentMethod: PKPaymentMethod
    ) async -> PKPaymentRequestPaymentMethodUpdate
    @MainActor func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didChangeCouponCode couponCode: String
    ) async -> PKPaymentRequestCouponCodeUpdate
}

@MainActor open class PKPaymentAuthorizationController: NSObject {
    public weak var delegate: (any PKPaymentAuthorizationControllerDelegate)?
    public let paymentRequest: PKPaymentRequest
    /// What a test says the device can; not part of PassKit.
    public static var testCanMakePayments = true
    /// The last one that was shown; not part of PassKit.
    public private(set) static var testPresented: PKPaymentAuthorizationController?

    public init(paymentRequest: PKPaymentRequest) { self.paymentRequest = paymentRequest }
    open class func canMakePayments() -> Bool { testCanMakePayments }
    open class func canMakePayments(usingNetworks networks: [PKPaymentNetwork]) -> Bool {
        testCanMakePayments && !networks.isEmpty
    }
    open func present() async -> Bool {
        PKPaymentAuthorizationController.testPresented = self
        return true
    }
    open func dismiss() async {}
}
