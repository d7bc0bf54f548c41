/// The billing address of a card. Wrap it in a ``Secret`` wherever it is kept.
public struct BillingAddress: Hashable, Sendable {
    /// Street and number; at most 300 characters.
    public var line1: String?
    /// Flat, floor, company; at most 300 characters.
    public var line2: String?
    /// Town; at most 120 characters.
    public var city: String?
    /// State or province, by its short code where the country has one; at most 300 characters.
    public var region: String?
    /// Postal code; at most 60 characters.
    public var postalCode: String?
    /// ISO 3166-1 alpha-2, in capitals.
    public var country: String

    public init(
        line1: String? = nil, line2: String? = nil, city: String? = nil, region: String? = nil,
        postalCode: String? = nil, country: String
    ) {
        self.line1 = line1
        self.line2 = line2
        self.city = city
        self.region = region
        self.postalCode = postalCode
        self.country = country
    }
}
