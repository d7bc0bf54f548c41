public import TillCore

/// A contact as revealed before authorization: country, region, town and the first part of the postcode. It is not
/// sufficient for an order, and cannot be converted to a ``FullContact``.
public struct RedactedContact: Hashable, Sendable {
    public let locality: String
    /// The county or state; empty where the country has none.
    public let administrativeArea: String
    /// The first part of the postcode, or all of it where that does not identify a household.
    public let postalCode: String
    /// The country, ISO 3166-1 alpha-2, in capitals.
    public let countryCode: String

    /// Creates a contact from these parts.
    public init(locality: String, administrativeArea: String, postalCode: String, countryCode: String) {
        self.locality = locality
        self.administrativeArea = administrativeArea
        self.postalCode = postalCode
        self.countryCode = countryCode
    }

    /// Parses the browser's `ApplePayPaymentContact`; all other members are ignored.
    public init(json: JSONValue) {
        self.init(
            locality: json["locality"]?.stringValue ?? "",
            administrativeArea: json["administrativeArea"]?.stringValue ?? "",
            postalCode: json["postalCode"]?.stringValue ?? "",
            countryCode: (json["countryCode"]?.stringValue ?? "").uppercased())
    }
}

/// A contact as supplied by the wallet after authorization. Any part may still be missing.
public struct WalletContact: Hashable, Sendable {
    /// The given name, as entered.
    public var givenName: String?
    /// The family name, as entered.
    public var familyName: String?
    /// The e-mail address, unvalidated.
    public var emailAddress: String?
    /// The telephone number, unvalidated.
    public var phoneNumber: String?
    /// Street and number, one entry per line; empty before authorization.
    public var addressLines: [String]
    public var locality: String?
    /// The county or state.
    public var administrativeArea: String?
    /// The postcode; before authorization only its first part.
    public var postalCode: String?
    /// The two-letter country code, as supplied by the wallet.
    public var countryCode: String?

    /// Maximum length of one part, in bytes.
    public static let maximumBytes = 256

    /// Creates a contact; parts that the wallet did not supply stay `nil`.
    public init(
        givenName: String? = nil, familyName: String? = nil, emailAddress: String? = nil, phoneNumber: String? = nil,
        addressLines: [String] = [], locality: String? = nil, administrativeArea: String? = nil,
        postalCode: String? = nil, countryCode: String? = nil
    ) {
        self.givenName = givenName
        self.familyName = familyName
        self.emailAddress = emailAddress
        self.phoneNumber = phoneNumber
        self.addressLines = addressLines
        self.locality = locality
        self.administrativeArea = administrativeArea
        self.postalCode = postalCode
        self.countryCode = countryCode
    }

    /// Parses the browser's `ApplePayPaymentContact`. Empty or overlong text counts as missing.
    public init(json: JSONValue) {
        func text(_ key: String) -> String? { WalletContact.clean(json[key]?.stringValue) }
        self.init(
            givenName: text("givenName"), familyName: text("familyName"), emailAddress: text("emailAddress"),
            phoneNumber: text("phoneNumber"),
            addressLines: (json["addressLines"]?.arrayValue ?? []).prefix(8).compactMap {
                WalletContact.clean($0.stringValue)
            },
            locality: text("locality"), administrativeArea: text("administrativeArea"),
            postalCode: text("postalCode"), countryCode: text("countryCode")?.uppercased())
    }

    private static func clean(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= maximumBytes,
            text.contains(where: { !$0.isWhitespace })
        else { return nil }
        return text
    }

    /// Merges the two contacts: the billing contact supplies name and address, the shipping contact phone and e-mail,
    /// because wallets omit those from the billing contact; each fills the other's gaps. An address is taken from one
    /// of them as a whole, never mixed.
    public static func merging(billing: WalletContact?, shipping: WalletContact?) -> WalletContact {
        let billing = billing ?? WalletContact()
        let shipping = shipping ?? WalletContact()
        let hasName = billing.givenName != nil || billing.familyName != nil
        let named = hasName ? billing : shipping
        let addressed = billing.addressLines.isEmpty ? shipping : billing
        return WalletContact(
            givenName: named.givenName, familyName: named.familyName,
            emailAddress: shipping.emailAddress ?? billing.emailAddress,
            phoneNumber: shipping.phoneNumber ?? billing.phoneNumber, addressLines: addressed.addressLines,
            locality: addressed.locality, administrativeArea: addressed.administrativeArea,
            postalCode: addressed.postalCode, countryCode: addressed.countryCode)
    }
}

/// A contact sufficient for an order: everything that its service needs is present.
public struct FullContact: Hashable, Sendable {
    /// The display name.
    public let name: String
    /// E-mail address, of the form `a@b`.
    public let emailAddress: String
    /// Telephone number, at least six digits.
    public let phoneNumber: String
    /// The address; `nil` for collection.
    public let address: Address?

    /// A delivery address.
    public struct Address: Hashable, Sendable {
        /// Street and number, at least one line.
        public let lines: [String]
        /// The town; empty where the country's addresses may have none, such as in Hong Kong.
        public let locality: String
        /// The county or state; empty where the country has none.
        public let administrativeArea: String
        /// The postcode; empty where the country's addresses may have none, such as in the United Arab Emirates.
        public let postalCode: String
        /// The country, ISO 3166-1 alpha-2, in capitals.
        public let countryCode: String
    }

    /// The missing parts, as errors for the sheet.
    public struct Incomplete: Error, Hashable, Sendable {
        /// One error per field.
        public let errors: [SheetError]
    }

    /// Validates a shipping contact. Town and postcode are needed where the country's addresses have them.
    /// - Parameter needsAddress: `true` if the order is delivered.
    /// - Throws: ``Incomplete`` with everything that is missing.
    public init(_ contact: WalletContact, needsAddress: Bool) throws(Incomplete) {
        var errors: [SheetError] = []
        let name = [contact.givenName, contact.familyName].compactMap { $0 }.joined(separator: " ")
        if name.isEmpty { errors.append(SheetError(.shippingContactInvalid, .name, "A name is needed.")) }
        let email = contact.emailAddress ?? ""
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        if parts.count != 2 || parts.contains(where: \.isEmpty) {
            errors.append(SheetError(.shippingContactInvalid, .emailAddress, "An e-mail address is needed."))
        }
        let phone = contact.phoneNumber ?? ""
        if phone.filter(\.isNumber).count < 6 {
            errors.append(SheetError(.shippingContactInvalid, .phoneNumber, "A telephone number is needed."))
        }
        var address: Address?
        if needsAddress {
            let needs = AddressNeeds(of: contact.countryCode)
            if contact.addressLines.isEmpty {
                errors.append(SheetError(.shippingContactInvalid, .addressLines, "A street address is needed."))
            }
            if contact.locality == nil, needs.locality {
                errors.append(SheetError(.shippingContactInvalid, .locality, "A town is needed."))
            }
            if contact.postalCode == nil, needs.postalCode {
                errors.append(SheetError(.shippingContactInvalid, .postalCode, "A postcode is needed."))
            }
            if contact.countryCode == nil {
                errors.append(SheetError(.shippingContactInvalid, .countryCode, "A country is needed."))
            }
            address = Address(
                lines: contact.addressLines, locality: contact.locality ?? "",
                administrativeArea: contact.administrativeArea ?? "", postalCode: contact.postalCode ?? "",
                countryCode: contact.countryCode ?? "")
        }
        guard errors.isEmpty else { throw Incomplete(errors: errors) }
        self.name = name
        self.emailAddress = email
        self.phoneNumber = phone
        self.address = address
    }
}
