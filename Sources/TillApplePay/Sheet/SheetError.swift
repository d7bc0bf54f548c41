public import TillCore

/// What the payment sheet tells the customer, in Apple's words for it (`ApplePayError`).
public struct SheetError: Error, Hashable, Sendable {
    /// The codes of Apple Pay JS.
    public enum Code: String, Hashable, Sendable {
        /// Something of the shipping contact.
        case shippingContactInvalid
        /// Something of the billing contact.
        case billingContactInvalid
        /// The shop does not deliver to this address.
        case addressUnserviceable
        /// There is no such coupon.
        case couponCodeInvalid
        /// A coupon whose time is over.
        case couponCodeExpired
        /// Anything that has no code of its own.
        case unknown
    }

    /// Apple's fields of a contact.
    public enum Field: String, Hashable, Sendable {
        case phoneNumber, emailAddress, name, phoneticName, postalAddress, addressLines, locality, subLocality
        case postalCode, administrativeArea, subAdministrativeArea, country, countryCode
    }

    /// Which of Apple's codes.
    public var code: Code
    /// The field of the contact, if one is at fault.
    public var field: Field?
    /// What the customer reads.
    public var message: String

    /// An error at a field; the message is shown to the customer as it is.
    public init(_ code: Code, _ field: Field? = nil, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    /// As the browser client makes an `ApplePayError` of it.
    public var json: JSONValue {
        var members = [JSONMember(key: "code", value: .string(code.rawValue))]
        if let field { members.append(JSONMember(key: "contactField", value: .string(field.rawValue))) }
        members.append(JSONMember(key: "message", value: .string(message)))
        return .object(members)
    }
}
