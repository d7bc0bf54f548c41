public import TillCore

/// What a billing address must have, by country, before it is worth sending.
public enum BillingAddressRules {
    /// The longest line, in characters.
    public static let maximumLine = 300
    /// The longest town, in characters.
    public static let maximumCity = 120
    /// The longest region, in characters.
    public static let maximumRegion = 300
    /// The longest postal code.
    public static let maximumPostalCode = 60

    /// Everything that is wrong with an address; empty if it may be sent.
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
        /// Forms of the postal code without spaces and dashes: `9` a digit, `A` a letter. Empty: none is needed.
        var postalCodes: [String]
        var needsCity = true
        var hasShortRegions = false
    }

    /// Countries with a rule of their own; others need a country only.
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
            // No postal codes at all.
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

/// One thing that is wrong with a billing address.
public struct BillingAddressFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the address that is wrong, by its name in requests.
    public enum Field: String, Hashable, Sendable {
        case line1
        /// More of the street.
        case line2
        case city
        case region
        /// The postal code, where the country has them.
        case postalCode = "postal_code"
        /// The country's code, ISO 3166-1 alpha-2.
        case country
    }

    /// What is wrong with that part.
    public enum Reason: Hashable, Sendable {
        /// The country's addresses need it.
        case missing
        /// It has more characters than this.
        case tooLong(Int)
        /// No postal code of that country has this form.
        case wrongForm
        /// The country has short codes for its regions, such as CA.
        case notAShortCode
        /// Two capital letters are wanted.
        case notACountryCode
        /// The United Kingdom's code is GB.
        case unitedKingdomIsGB
    }

    /// The part of the address that is wrong.
    public var field: Field
    /// What is wrong with it.
    public var reason: Reason

    /// One sentence for people.
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
