/// Data that a reader reports of a card besides its summary, for the decision to accept it offline. It does not
/// identify the card.
public struct TapFacts: Hashable, Sendable {
    /// `true` if the card was expired at the time of the tap; `nil` if the card did not report it.
    public var isExpired: Bool?
    /// `true` if the card requires a PIN that only its issuer can verify.
    public var needsOnlinePIN: Bool
    /// `true` if the card failed offline data authentication.
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
