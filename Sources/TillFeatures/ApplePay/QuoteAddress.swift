import TillApplePay
import TillCore

/// An address as far as a wallet reveals it before authorization. The shop is told no more, also afterwards, when the
/// counter knows the rest: prices and taxes follow this part.
struct QuoteAddress: Hashable, Sendable {
    /// ISO 3166-1 alpha-2, in capitals.
    let country: String
    /// The county or state; empty where the country has none.
    let region: String
    let city: String
    /// The first part of a postcode where the whole one identifies a household; otherwise all of it.
    let postalCode: String

    private init(country: String, region: String, city: String, postalCode: String) {
        self.country = country.uppercased()
        self.region = QuoteAddress.trimmed(region)
        self.city = QuoteAddress.trimmed(city)
        let code = QuoteAddress.trimmed(postalCode)
        self.postalCode = PostalArea(postalCode: code, country: country)?.code ?? code.uppercased()
    }

    /// Reads the contact of an open sheet. A part that is missing or too long is empty.
    /// - Parameter country: the country of a contact that names none.
    init(_ contact: WalletContact, country: String) {
        self.init(
            country: contact.countryCode ?? country, region: contact.administrativeArea ?? "",
            city: contact.locality ?? "", postalCode: contact.postalCode ?? "")
    }

    /// Reduces the complete address of an authorized payment.
    init(_ address: FullContact.Address) {
        self.init(
            country: address.countryCode, region: address.administrativeArea, city: address.locality,
            postalCode: address.postalCode)
    }

    /// The form in questions and in the journal; ``init(json:)`` parses it.
    var json: JSONValue {
        .members([
            "country": .string(country), "region": .string(region), "city": .string(city),
            "postal_code": .string(postalCode),
        ])
    }

    /// Parses the stored form; `nil` if the document has another one.
    init?(json: JSONValue) {
        guard let country = json["country"]?.stringValue, let region = json["region"]?.stringValue,
            let city = json["city"]?.stringValue, let code = json["postal_code"]?.stringValue
        else { return nil }
        self.init(country: country, region: region, city: city, postalCode: code)
    }

    private static func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
