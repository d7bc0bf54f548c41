public import TillCore

/// A contact as the sheet shows it before the customer has authorized: country, region, town and the first part of the
/// postcode. Nothing can be ordered with it, and there is no way from here to a ``FullContact``.
public struct RedactedContact: Hashable, Sendable {
    public let locality: String
    /// The county or state; empty where the country has none.
    public let administrativeArea: String
    /// The first part of the postcode, or all of it where that names no household.
    public let postalCode: String
    /// The country, ISO 3166-1 alpha-2, in capitals.
    public let countryCode: String

    /// A contact of these parts.
    public init(locality: String, administrativeArea: String, postalCode: String, countryCode: String) {
        self.locality = locality
        self.administrativeArea = administrativeArea
        self.postalCode = postalCode
        self.countryCode = countryCode
    }

    /// Reads the browser's `ApplePayPaymentContact`; anything beyond these parts is ignored.
    public init(json: JSONValue) {
        self.init(
            locality: json["locality"]?.stringValue ?? "",
            administrativeArea: json["administrativeArea"]?.stringValue ?? "",
            postalCode: json["postalCode"]?.stringValue ?? "",
            countryCode: (json["countryCode"]?.stringValue ?? "").uppercased())
    }
}

/// A contact as the wallet gives it after the customer has authorized. Any part may still be missing.
public struct WalletContact: Hashable, Sendable {
    /// The given name, as the customer wrote it.
    public var givenName: String?
    /// The family name, as the customer wrote it.
    public var familyName: String?
    /// An e-mail address, not checked.
    public var emailAddress: String?
    /// A telephone number, not checked.
    public var phoneNumber: String?
    /// Street and number, a line each; empty before authorization.
    public var addressLines: [String]
    public var locality: String?
    /// The county or state.
    public var administrativeArea: String?
    /// The postcode; before authorization only its first part.
    public var postalCode: String?
    /// The country by two letters, as the wallet wrote it.
    public var countryCode: String?

    /// Longest text of one part, in bytes.
    public static let maximumBytes = 256

    /// A contact; what the wallet did not hand over stays `nil`.
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

    /// Reads the browser's `ApplePayPaymentContact`. Empty text counts as missing; text that is too long too.
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

    /// One contact of two: who is billed gives name and address, who is shipped to gives phone and e-mail, because
    /// wallets leave those out of the billing contact; each field that one lacks comes from the other. An address is
    /// taken whole from one of them, never mixed.
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

/// A contact with which an order can be made: everything that its service needs is there.
public struct FullContact: Hashable, Sendable {
    /// The name for people.
    public let name: String
    /// E-mail address, of the form `a@b`.
    public let emailAddress: String
    /// Telephone number, at least six digits.
    public let phoneNumber: String
    /// The address; `nil` for collection.
    public let address: Address?

    /// Where a parcel goes.
    public struct Address: Hashable, Sendable {
        /// Street and number, at least one line.
        public let lines: [String]
        public let locality: String
        /// The county or state; empty where the country has none.
        public let administrativeArea: String
        public let postalCode: String
        /// The country, ISO 3166-1 alpha-2, in capitals.
        public let countryCode: String
    }

    /// What is missing, as the sheet shows it.
    public struct Incomplete: Error, Hashable, Sendable {
        /// One for each field.
        public let errors: [SheetError]
    }

    /// Checks a shipping contact.
    /// - Parameter needsAddress: the order is delivered.
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
            if contact.addressLines.isEmpty {
                errors.append(SheetError(.shippingContactInvalid, .addressLines, "A street address is needed."))
            }
            if contact.locality == nil {
                errors.append(SheetError(.shippingContactInvalid, .locality, "A town is needed."))
            }
            if contact.postalCode == nil {
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
