public import TillCore

/// A card as the customer entered it, checked, with every part masked. The seed calls it `Card`.
public struct PaymentCard: Sendable {
    /// The number, judged and masked.
    public let number: CardNumber
    /// The expiry month: the card is valid until its end.
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

    /// Reads a card as it was typed and judges each part by itself and by the number's network. Whether the card is
    /// still good is asked by itself, with ``Expiry/check(at:)``: a request that was taken once can be read again
    /// later.
    /// - Parameter century: decides the century of a year of two digits.
    /// - Throws: ``PaymentCardError`` with the part that is wrong.
    public init(
        reading number: String, expiry: String, securityCode: String? = nil, holder: String? = nil,
        billingAddress: BillingAddress? = nil, century: Timestamp
    ) throws(PaymentCardError) {
        do throws(CardNumberError) { self.number = try CardNumber(number) } catch { throw .number(error) }
        do throws(ExpiryError) { self.expiry = try Expiry(expiry, now: century) } catch { throw .expiry(error) }
        do throws(SecurityCodeError) {
            if let securityCode {
                self.securityCode = try SecurityCode(securityCode, for: self.number.candidates)
            } else {
                self.securityCode = nil
            }
        } catch { throw .securityCode(error) }
        if let fault = billingAddress.flatMap({ BillingAddressRules.faults(in: $0).first }) {
            throw .billingAddress(fault)
        }
        self.holder = holder.flatMap { $0.isEmpty ? nil : Secret(String($0.prefix(300))) }
        self.billingAddress = billingAddress.map { Secret($0) }
    }

    /// Reads a card as it was typed and refuses one that is not good at `now`.
    /// - Throws: ``PaymentCardError`` with the part that is wrong.
    public init(
        number: String, expiry: String, securityCode: String? = nil, holder: String? = nil,
        billingAddress: BillingAddress? = nil, now: Timestamp
    ) throws(PaymentCardError) {
        try self.init(
            reading: number, expiry: expiry, securityCode: securityCode, holder: holder,
            billingAddress: billingAddress, century: now)
        do throws(ExpiryError) { try self.expiry.check(at: now) } catch { throw .expiry(error) }
    }

    /// The card as a provider takes it, for `Tender.card`.
    public var details: CardDetails {
        CardDetails(
            number: Secret(number.reveal()), expiry: expiry.reveal(),
            securityCode: securityCode.map { Secret($0.reveal()) }, brand: number.brand?.rawValue ?? "unknown",
            holder: holder, billingAddress: billingAddress)
    }
}

/// Which part of a card is wrong, and how.
public enum PaymentCardError: ExplainedError, Hashable {
    /// The number is wrong.
    case number(CardNumberError)
    /// The expiry is wrong or over.
    case expiry(ExpiryError)
    /// The security code is wrong, or not as long as the network's.
    case securityCode(SecurityCodeError)
    /// A part of the billing address is wrong.
    case billingAddress(BillingAddressFault)

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch self {
        case .number: "invalid_card_number"
        case .expiry: "invalid_expiry"
        case .securityCode: "invalid_security_code"
        case .billingAddress: "invalid_billing_address"
        }
    }

    /// The wrong part's sentence, which never repeats what was typed.
    public var what: String {
        switch self {
        case .number(let error): error.description
        case .expiry(let error): error.description
        case .securityCode(let error): error.description
        case .billingAddress(let fault): fault.description
        }
    }

    /// No: a card is judged before anything is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "Correct it and try again." }
}
