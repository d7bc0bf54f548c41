public import TillCore

/// A card as the customer entered it, checked, with every part masked. The seed calls it `Card`.
public struct PaymentCard: Sendable {
    /// The number.
    public let number: CardNumber
    /// The month to whose end it is good.
    public let expiry: Expiry
    /// The security code; cards that a shop has stored have none.
    public let securityCode: SecurityCode?
    /// The name on the card.
    public let holder: Secret<String>?
    /// Where the card's statements go.
    public let billingAddress: Secret<BillingAddress>?

    /// A card from checked parts.
    public init(
        number: CardNumber, expiry: Expiry, securityCode: SecurityCode? = nil, holder: String? = nil,
        billingAddress: BillingAddress? = nil
    ) {
        self.number = number
        self.expiry = expiry
        self.securityCode = securityCode
        self.holder = holder.flatMap { $0.isEmpty ? nil : Secret(String($0.prefix(300))) }
        self.billingAddress = billingAddress.map { Secret($0) }
    }

    /// Checks and takes what was typed.
    /// - Parameter now: an expiry before it is refused.
    /// - Throws: ``PaymentCardError`` with the part that is wrong.
    public init(
        number: String, expiry: String, securityCode: String? = nil, holder: String? = nil,
        billingAddress: BillingAddress? = nil, now: Timestamp
    ) throws(PaymentCardError) {
        let parts: (CardNumber, Expiry, SecurityCode?)
        do throws(CardNumberError) { parts.0 = try CardNumber(number) } catch { throw .number(error) }
        do throws(ExpiryError) {
            parts.1 = try Expiry(expiry, now: now)
            try parts.1.check(at: now)
        } catch { throw .expiry(error) }
        do throws(SecurityCodeError) {
            if let securityCode { parts.2 = try SecurityCode(securityCode) } else { parts.2 = nil }
        } catch { throw .securityCode(error) }
        if let fault = billingAddress.flatMap({ BillingAddressRules.faults(in: $0).first }) {
            throw .billingAddress(fault)
        }
        self.init(
            number: parts.0, expiry: parts.1, securityCode: parts.2, holder: holder, billingAddress: billingAddress)
    }

    /// The card as the engine's tender.
    public var details: CardDetails {
        CardDetails(
            checkedNumber: Secret(number.reveal()), expiry: expiry.reveal(),
            securityCode: securityCode.map { Secret($0.reveal()) }, brand: number.brand?.rawValue ?? "unknown",
            holder: holder?.reveal(), billingAddress: billingAddress?.reveal())
    }
}

/// Which part of a card is wrong, and how.
public enum PaymentCardError: ExplainedError, Hashable {
    /// The number.
    case number(CardNumberError)
    /// The expiry.
    case expiry(ExpiryError)
    /// The security code.
    case securityCode(SecurityCodeError)
    /// The billing address.
    case billingAddress(BillingAddressFault)

    /// The stable word.
    public var code: String {
        switch self {
        case .number: "invalid_card_number"
        case .expiry: "invalid_expiry"
        case .securityCode: "invalid_security_code"
        case .billingAddress: "invalid_billing_address"
        }
    }

    /// What is wrong.
    public var what: String {
        switch self {
        case .number(let error): error.description
        case .expiry(let error): error.description
        case .securityCode(let error): error.description
        case .billingAddress(let fault): fault.description
        }
    }

    /// Nothing was sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "Correct it and try again." }
}
