/// The parts that a postal address needs in its country.
///
/// The facts are those of libaddressinput, Google's address data, as of 2024; `Tests/Peers/test_applepay_contacts.py`
/// compares them with another reading of that data.
struct AddressNeeds: Hashable, Sendable {
    /// `true` where no address is complete without a postcode.
    let postalCode: Bool
    /// `true` where no address is complete without a town. City states, and countries that are written with a district
    /// or a province instead, have none.
    let locality: Bool

    /// Returns the needs of a country.
    /// - Parameter country: ISO 3166-1 alpha-2, in either case; `nil` needs everything, so that all is named at once.
    init(of country: String?) {
        let country = country?.uppercased()
        postalCode = country.map { AddressNeeds.withPostalCode.contains($0) } ?? true
        locality = country.map { !AddressNeeds.withoutLocality.contains($0) } ?? true
    }

    /// The countries and territories whose addresses need a postcode. In all others it is optional or unknown.
    private static let withPostalCode: Set<String> = [
        "AS", "AT", "AU", "AX", "BE", "BL", "BR", "CA", "CH", "CN", "CZ", "DE", "DK", "EE", "ES", "FI", "FK", "FM",
        "FR", "GB", "GF", "GG", "GL", "GP", "GR", "GS", "GU", "HU", "IM", "IN", "IO", "IT", "JE", "JP", "KR", "LI",
        "LT", "LU", "LV", "MF", "MH", "MP", "MQ", "MX", "MY", "NC", "NL", "NO", "NZ", "PF", "PL", "PM", "PN", "PR",
        "PT", "PW", "RE", "RO", "RU", "SE", "SG", "SH", "SJ", "SK", "SM", "TC", "TR", "TW", "UA", "US", "VI", "WF",
        "YT", "ZA",
    ]

    /// The countries and territories whose addresses are complete without a town.
    private static let withoutLocality: Set<String> = [
        "AE", "AG", "CO", "GI", "HK", "ID", "JP", "KY", "MO", "NR", "SG", "SM", "VG",
    ]
}
