/// A typed card on its way to a provider. Every sensitive part is a ``Secret``.
///
/// It is created by one parser only, `PaymentCard` of TillCards, which has validated number, expiry, code and address:
/// a provider need not validate it again.
public struct CardDetails: Sendable {
    /// 12 to 19 ASCII digits. The check digit is valid unless the network's cards need not have one.
    public let number: Secret<String>
    /// The expiry month: the card is valid until its end.
    public let expiry: Secret<CardExpiry>
    /// 3 or 4 ASCII digits. Never stored, not even sealed.
    public let securityCode: Secret<String>?
    /// The name on the card, 1 to 300 characters, if it was requested.
    public let holder: Secret<String>?
    /// The billing address, if it was requested.
    public let billingAddress: Secret<BillingAddress>?
    /// The network implied by the number's first digits, and the last four digits.
    public let summary: CardSummary

    /// Creates details from validated parts. `PaymentCard` is the only caller outside of tests.
    package init(
        number: Secret<String>, expiry: CardExpiry, securityCode: Secret<String>?, brand: String,
        holder: Secret<String>? = nil, billingAddress: Secret<BillingAddress>? = nil
    ) {
        self.number = number
        self.expiry = Secret(expiry)
        self.securityCode = securityCode
        self.holder = holder
        self.billingAddress = billingAddress
        summary = CardSummary(brand: brand, lastFour: number.reveal(), entryMode: "keyed")
    }
}

/// The expiry month: a card is valid until its end.
public struct CardExpiry: Hashable, Sendable {
    /// The month of expiry, from 1 to 12.
    public let month: Int
    public let year: Int

    /// Creates an expiry from a month of 1 to 12 and a year of four digits; `nil` for anything else.
    public init?(month: Int, year: Int) {
        guard (1...12).contains(month), (1000...9999).contains(year) else { return nil }
        self.month = month
        self.year = year
    }
}
