public import TillCore

/// An error displayed in the payment sheet, in Apple's terms (`ApplePayError`).
public struct SheetError: Error, Hashable, Sendable {
    /// The codes of Apple Pay JS.
    public enum Code: String, Hashable, Sendable {
        /// A fault in the shipping contact.
        case shippingContactInvalid
        /// A fault in the billing contact.
        case billingContactInvalid
        /// The merchant does not deliver to this address.
        case addressUnserviceable
        /// The coupon does not exist.
        case couponCodeInvalid
        /// The coupon has expired.
        case couponCodeExpired
        /// Any error without a code of its own.
        case unknown
    }

    /// Apple's fields of a contact.
    public enum Field: String, Hashable, Sendable {
        case phoneNumber, emailAddress, name, phoneticName, postalAddress, addressLines, locality, subLocality
        case postalCode, administrativeArea, subAdministrativeArea, country, countryCode
    }

    /// Apple's error code.
    public var code: Code
    /// The contact field at fault, if any.
    public var field: Field?
    /// The message shown to the customer.
    public var message: String

    /// Creates an error; the message is shown to the customer unchanged.
    public init(_ code: Code, _ field: Field? = nil, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    /// The form from which the browser client creates an `ApplePayError`.
    public var json: JSONValue {
        var members = [JSONMember(key: "code", value: .string(code.rawValue))]
        if let field { members.append(JSONMember(key: "contactField", value: .string(field.rawValue))) }
        members.append(JSONMember(key: "message", value: .string(message)))
        return .object(members)
    }
}
