public import TillCore

/// A reason against accepting a card offline.
public enum RiskReason: Hashable, Sendable {
    /// The merchant does not accept offline payments.
    case notAllowed
    /// Refunds are never made offline.
    case refund
    /// The amount is zero or less.
    case notPositive
    /// The merchant has set no limit for the currency, so it is not accepted.
    case currencyNotTaken(String)
    /// The amount exceeds the limit per payment.
    case paymentTooLarge(limit: Money)
    /// The total would exceed the limit on stored payments.
    case tooMuchStored(stored: Money, limit: Money)
    /// The limit on the number of stored payments is reached.
    case tooManyStored(limit: Int)
    /// The same card was stored too often.
    case cardTooOften(limit: Int, window: Span)
    /// The last contact with the provider is too old.
    case contactTooOld(Timestamp, limit: Span)
    /// The provider was never reached from this log.
    case neverInContact
    /// The oldest stored payment has waited too long.
    case storedTooLong(Timestamp, limit: Span)
    /// The card has expired.
    case expiredCard
    /// The card requires a PIN that only the issuer can verify.
    case needsPIN
    /// Offline data authentication of the card failed.
    case notAuthentic
    /// The network is not accepted offline.
    case brandNotTaken(String)
    /// The clock is behind the latest time recorded.
    case clockWentBack(Timestamp)
    /// The country does not permit offline acceptance.
    case region(String)

    /// A stable identifier for programs.
    public var name: String {
        switch self {
        case .notAllowed: "not_allowed"
        case .refund: "refund"
        case .notPositive: "not_positive"
        case .currencyNotTaken: "currency_not_taken"
        case .paymentTooLarge: "payment_too_large"
        case .tooMuchStored: "too_much_stored"
        case .tooManyStored: "too_many_stored"
        case .cardTooOften: "card_too_often"
        case .contactTooOld: "contact_too_old"
        case .neverInContact: "never_in_contact"
        case .storedTooLong: "stored_too_long"
        case .expiredCard: "expired_card"
        case .needsPIN: "needs_pin"
        case .notAuthentic: "not_authentic"
        case .brandNotTaken: "brand_not_taken"
        case .clockWentBack: "clock_went_back"
        case .region: "region"
        }
    }

    public var sentence: String {
        switch self {
        case .notAllowed: "The shop takes no cards offline."
        case .refund: "Refunds need the provider."
        case .notPositive: "The amount must be more than zero."
        case .currencyNotTaken(let code): "There is no offline limit for \(code)."
        case .paymentTooLarge(let limit): "One offline payment may be \(limit) at most."
        case .tooMuchStored(let stored, let limit): "\(stored) are stored; together \(limit) may be."
        case .tooManyStored(let limit): "\(limit) payments are stored; more may not be."
        case .cardTooOften(let limit, let window):
            "This card was stored \(limit) times within \(window.milliseconds / 60_000) minutes."
        case .contactTooOld(let last, let limit):
            "The provider was last reached at \(last); that may be \(limit.milliseconds / 3_600_000) hours ago at most."
        case .neverInContact: "The provider was never reached from here."
        case .storedTooLong(let since, let limit):
            "A payment waits since \(since); that may be \(limit.milliseconds / 3_600_000) hours at most."
        case .expiredCard: "The card has expired."
        case .needsPIN: "The card asks for a PIN."
        case .notAuthentic: "The card did not prove that it is genuine."
        case .brandNotTaken(let brand): "\(brand) cards are not taken offline."
        case .clockWentBack(let latest): "The clock is behind \(latest), which it has shown before."
        case .region(let country): "In \(country) no tap may be taken offline."
        }
    }
}
