/// What a reader can tell of a card besides its summary, for the decision to accept it without a connection. Nothing in
/// it identifies the card.
public struct TapFacts: Hashable, Sendable {
    /// The card's date is over at the time of the tap; `nil` if the card did not say.
    public var isExpired: Bool?
    /// The card wants a PIN that only its issuer can check.
    public var needsOnlinePIN: Bool
    /// The card failed offline data authentication.
    public var failedAuthentication: Bool
    /// The issuer's country, ISO 3166-1 numeric (tag 5F28), if the card reported it.
    public var issuerCountry: Int?

    public init(
        isExpired: Bool? = nil, needsOnlinePIN: Bool = false, failedAuthentication: Bool = false,
        issuerCountry: Int? = nil
    ) {
        self.isExpired = isExpired
        self.needsOnlinePIN = needsOnlinePIN
        self.failedAuthentication = failedAuthentication
        self.issuerCountry = issuerCountry
    }
}
