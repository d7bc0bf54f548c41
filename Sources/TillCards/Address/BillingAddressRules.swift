public import TillCore

/// Required fields and formats of billing addresses by country, checked before anything is sent.
public enum BillingAddressRules {
    /// Maximum length of a line, in characters.
    public static let maximumLine = 300
    /// Maximum length of the town, in characters.
    public static let maximumCity = 120
    /// Maximum length of the region, in characters.
    public static let maximumRegion = 300
    /// Maximum length of the postal code.
    public static let maximumPostalCode = 60

    /// Returns all faults in an address; empty if it may be sent.
    public static func faults(in address: BillingAddress) -> [BillingAddressFault] {
        var faults: [BillingAddressFault] = []
        let country = address.country
        let isCode =
            country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) } || country == "C2"
        if country == "UK" {
            faults.append(BillingAddressFault(field: .country, reason: .unitedKingdomIsGB))
        } else if !isCode {
            faults.append(BillingAddressFault(field: .country, reason: .notACountryCode))
        }
        let lengths: [(BillingAddressFault.Field, String?, Int)] = [
            (.line1, address.line1, maximumLine), (.line2, address.line2, maximumLine),
            (.city, address.city, maximumCity), (.region, address.region, maximumRegion),
            (.postalCode, address.postalCode, maximumPostalCode),
        ]
        for (field, text, limit) in lengths where (text?.unicodeScalars.count ?? 0) > limit {
            faults.append(BillingAddressFault(field: field, reason: .tooLong(limit)))
        }
        let rule = rules[country]
        let code = (address.postalCode ?? "").uppercased().filter { $0 != " " && $0 != "-" }
        if let rule, !rule.postalCodes.isEmpty {
            if code.isEmpty {
                faults.append(BillingAddressFault(field: .postalCode, reason: .missing))
            } else if !rule.postalCodes.contains(where: { fits(code, $0) }) {
                faults.append(BillingAddressFault(field: .postalCode, reason: .wrongForm))
            }
        }
        if address.line1 != nil, rule?.needsCity ?? false, (address.city ?? "").isEmpty {
            faults.append(BillingAddressFault(field: .city, reason: .missing))
        }
        if let region = address.region, !region.isEmpty, rule?.hasShortRegions ?? false {
            let isShort = (2...3).contains(region.utf8.count) && region.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            if !isShort { faults.append(BillingAddressFault(field: .region, reason: .notAShortCode)) }
        }
        return faults
    }

    private struct Rule: Sendable {
        /// Postal code formats without spaces and dashes: `9` for a digit, `A` for a letter. Empty: none is needed.
        var postalCodes: [String]
        var needsCity = true
        var hasShortRegions = false
    }

    /// Countries with rules of their own; all others require only a country.
    private static let rules: [String: Rule] = {
        var rules: [String: Rule] = [
            "US": Rule(postalCodes: ["99999", "999999999"], hasShortRegions: true),
            "CA": Rule(postalCodes: ["A9A9A9"], hasShortRegions: true),
            "GB": Rule(postalCodes: ["A99AA", "A999AA", "AA99AA", "AA999AA", "A9A9AA", "AA9A9AA", "AAA9AA"]),
            "AU": Rule(postalCodes: ["9999"], hasShortRegions: true),
            "BR": Rule(postalCodes: ["99999999"], hasShortRegions: true),
            "NL": Rule(postalCodes: ["9999AA"]), "PL": Rule(postalCodes: ["99999"]),
            "PT": Rule(postalCodes: ["9999999", "9999"]), "JP": Rule(postalCodes: ["9999999"]),
            "SG": Rule(postalCodes: ["999999"], needsCity: false),
            // No postal codes.
            "HK": Rule(postalCodes: []), "IE": Rule(postalCodes: []), "AE": Rule(postalCodes: []),
        ]
        for country in ["AT", "BE", "CH", "DK", "HU", "LU", "NO", "NZ", "SI", "ZA"] {
            rules[country] = Rule(postalCodes: ["9999"])
        }
        for country in ["DE", "ES", "FI", "FR", "HR", "IT", "MX", "MY", "SE", "TH", "CZ", "SK", "GR"] {
            rules[country] = Rule(postalCodes: ["99999"])
        }
        for country in ["CN", "C2", "IN", "RU"] { rules[country] = Rule(postalCodes: ["999999"]) }
        return rules
    }()

    private static func fits(_ code: String, _ form: String) -> Bool {
        guard code.utf8.count == form.utf8.count else { return false }
        return zip(code.utf8, form.utf8).allSatisfy { byte, kind in
            kind == 0x39 ? (0x30...0x39).contains(byte) : (0x41...0x5A).contains(byte)
        }
    }
}

/// A fault in a billing address.
public struct BillingAddressFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field at fault, by its name in requests.
    public enum Field: String, Hashable, Sendable {
        case line1
        /// Further street details.
        case line2
        case city
        case region
        /// The postal code, in countries that have one.
        case postalCode = "postal_code"
        /// The country code, ISO 3166-1 alpha-2.
        case country
    }

    /// The kind of fault.
    public enum Reason: Hashable, Sendable {
        /// The country's addresses require the field.
        case missing
        /// The field exceeds this number of characters.
        case tooLong(Int)
        /// The postal code does not match any format of the country.
        case wrongForm
        /// The country uses short region codes, such as CA.
        case notAShortCode
        /// Two capital letters are required.
        case notACountryCode
        /// The code of the United Kingdom is GB.
        case unitedKingdomIsGB
    }

    /// The field at fault.
    public var field: Field
    /// The kind of fault.
    public var reason: Reason

    /// A display sentence.
    public var description: String {
        switch reason {
        case .missing: "The billing address needs a \(field.rawValue.replacing("_", with: " "))."
        case .tooLong(let limit):
            "The billing address's \(field.rawValue.replacing("_", with: " ")) is longer than \(limit) characters."
        case .wrongForm: "The postal code of the billing address is not one of that country."
        case .notAShortCode: "The billing address's region must be its short code, such as CA or NSW."
        case .notACountryCode: "The billing address's country must be two capital letters, such as DE."
        case .unitedKingdomIsGB: "The code of the United Kingdom is GB, not UK."
        }
    }
}
