public import TillCore

/// The conditions under which a card is accepted without asking the provider. Every figure is the merchant's own risk;
/// the defaults are low.
public struct OfflinePolicy: Hashable, Sendable {
    /// A Boolean value that indicates whether offline payments are accepted at all.
    public var isAllowed = true
    /// Limit per payment, in minor units by ISO 4217 code. Currencies not listed are not accepted.
    public var perPayment: [String: Int64] = ["EUR": 5_000, "USD": 5_000, "GBP": 5_000, "CAD": 5_000]
    /// Limit on the total stored, in minor units by ISO 4217 code.
    public var total: [String: Int64] = ["EUR": 50_000, "USD": 50_000, "GBP": 50_000, "CAD": 50_000]
    /// Limit on the number of stored payments.
    public var count = 100
    /// Limit per card (by brand and last four digits) within ``velocityWindow``.
    public var perCard = 3
    /// The window of ``perCard``.
    public var velocityWindow: Span = .hours(1)
    /// Maximum time since the last contact with the provider. Source: Apple, Adyen, Square, Stripe: 24 h.
    public var contactAge: Span = .hours(24)
    /// Maximum age of the oldest stored payment when another is added, and the time that the provider accepts one.
    public var itemAge: Span = .hours(24)
    /// Tolerated backward step of the clock before it is distrusted.
    public var clockTolerance: Span = .minutes(2)
    /// Time within which the last stored payment can be withdrawn. Source: Apple, 60 s.
    public var declineWindow: Span = .seconds(60)
    /// The merchant's country, ISO 3166-1 alpha-2, if set.
    public var country: String?
    /// Countries in which no tap may be accepted offline: the issuer must be able to ask for a PIN there.
    public var refusedCountries = OfflinePolicy.strongAuthentication
    /// Networks never accepted offline: their cards have no offline risk management, or are debited at once.
    public var refusedBrands: Set<String> = ["interac", "eftpos_au"]

    /// The European Economic Area and the United Kingdom. Source: Directive (EU) 2015/2366, article 97, and its
    /// counterpart in the United Kingdom; one provider accepts no tap offline there.
    public static let strongAuthentication: Set<String> = [
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GR", "HR", "HU", "IE", "IS", "IT",
        "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
    ]

    public init() {}

    /// The payment to be assessed.
    public struct Request: Sendable {
        public var amount: Money
        /// `true` for a refund instead of a payment.
        public var isRefund: Bool
        /// Displayable card details; `nil` before the card is read.
        public var card: CardSummary?
        /// Further facts reported by the reader.
        public var facts: TapFacts?

        public init(amount: Money, isRefund: Bool = false, card: CardSummary? = nil, facts: TapFacts? = nil) {
            self.amount = amount
            self.isRefund = isRefund
            self.card = card
            self.facts = facts
        }
    }

    /// Returns all reasons against storing the card; empty if it may be stored.
    public func reasonsAgainst(_ request: Request, _ book: OfflineLedger, at now: Timestamp) -> [RiskReason] {
        var reasons: [RiskReason] = []
        if !isAllowed { reasons.append(.notAllowed) }
        if request.isRefund { reasons.append(.refund) }
        let code = request.amount.currency.code
        let units = request.amount.minorUnits
        func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: request.amount.currency) }
        if let most = perPayment[code] {
            if units > most { reasons.append(.paymentTooLarge(limit: money(most))) }
            let (sum, overflow) = (book.exposure.sums[code] ?? 0).addingReportingOverflow(units)
            let limit = total[code] ?? 0
            if overflow || sum > limit {
                reasons.append(.tooMuchStored(stored: money(book.exposure.sums[code] ?? 0), limit: money(limit)))
            }
        } else {
            reasons.append(.currencyNotTaken(code))
        }
        if !request.amount.isPositive { reasons.append(.notPositive) }
        if book.exposure.count >= count { reasons.append(.tooManyStored(limit: count)) }
        reasons += timeReasons(book, at: now) + cardReasons(request, book, at: now)
        if let country, refusedCountries.contains(country.uppercased()) { reasons.append(.region(country)) }
        return reasons
    }

    private func timeReasons(_ book: OfflineLedger, at now: Timestamp) -> [RiskReason] {
        var reasons: [RiskReason] = []
        if let latest = book.latestTime, now.adding(clockTolerance) < latest { reasons.append(.clockWentBack(latest)) }
        if let contact = book.lastContact {
            if now.since(contact) > contactAge { reasons.append(.contactTooOld(contact, limit: contactAge)) }
        } else {
            reasons.append(.neverInContact)
        }
        if let oldest = book.exposure.oldest, now.since(oldest.at) > itemAge {
            reasons.append(.storedTooLong(oldest.at, limit: itemAge))
        }
        return reasons
    }

    private func cardReasons(_ request: Request, _ book: OfflineLedger, at now: Timestamp) -> [RiskReason] {
        var reasons: [RiskReason] = []
        if let card = request.card {
            if refusedBrands.contains(card.brand) { reasons.append(.brandNotTaken(card.brand)) }
            let since = now.adding(.milliseconds(-velocityWindow.milliseconds))
            if book.taps(ofCard: RecordTag.of(card), since: since) >= perCard {
                reasons.append(.cardTooOften(limit: perCard, window: velocityWindow))
            }
        }
        if request.facts?.isExpired == true { reasons.append(.expiredCard) }
        if request.facts?.needsOnlinePIN == true { reasons.append(.needsPIN) }
        if request.facts?.failedAuthentication == true { reasons.append(.notAuthentic) }
        return reasons
    }
}
