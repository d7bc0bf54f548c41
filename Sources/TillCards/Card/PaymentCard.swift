public import TillCore

/// A validated card as the customer entered it, with every part masked. The seed calls it `Card`.
///
/// ```swift
/// let card = try PaymentCard(
///     number: "4868 7191 9682 9038", expiry: "12/30", securityCode: "123", holder: "Ada Lovelace",
///     now: SystemClock().now())
/// print(card.number)  // 486871••••••9038
/// let tender = Tender.card(card.details)
/// ```
public struct PaymentCard: Sendable {
    /// The validated, masked number.
    public let number: CardNumber
    /// The expiry month; the card is valid until its last day.
    public let expiry: Expiry
    /// The security code; absent for cards on file.
    public let securityCode: SecurityCode?
    /// The cardholder name.
    public let holder: Secret<String>?
    /// The billing address.
    public let billingAddress: Secret<BillingAddress>?

    /// Creates a card from validated parts.
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

    /// Parses a card as typed and validates each part by itself and against the number's network. Expiry is not checked
    /// here but with ``Expiry/check(at:)``, so that a request accepted once can be parsed again later.
    /// - Parameter century: decides the century of a two-digit year.
    /// - Throws: ``PaymentCardError`` with the part at fault.
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

    /// Parses a card as typed and rejects one that is not valid at `now`.
    /// - Throws: ``PaymentCardError`` with the part at fault.
    public init(
        number: String, expiry: String, securityCode: String? = nil, holder: String? = nil,
        billingAddress: BillingAddress? = nil, now: Timestamp
    ) throws(PaymentCardError) {
        try self.init(
            reading: number, expiry: expiry, securityCode: securityCode, holder: holder,
            billingAddress: billingAddress, century: now)
        do throws(ExpiryError) { try self.expiry.check(at: now) } catch { throw .expiry(error) }
    }

    /// The provider's form of the card, for `Tender.card`.
    public var details: CardDetails {
        CardDetails(
            number: Secret(number.reveal()), expiry: expiry.reveal(),
            securityCode: securityCode.map { Secret($0.reveal()) }, brand: number.brand?.rawValue ?? "unknown",
            holder: holder, billingAddress: billingAddress)
    }
}

/// A card validation error, by part.
public enum PaymentCardError: ExplainedError, Hashable {
    /// The number is invalid.
    case number(CardNumberError)
    /// The expiry is invalid or past.
    case expiry(ExpiryError)
    /// The security code is invalid, or not of the network's length.
    case securityCode(SecurityCodeError)
    /// The billing address is invalid.
    case billingAddress(BillingAddressFault)

    /// A stable identifier for programs.
    public var code: String {
        switch self {
        case .number: "invalid_card_number"
        case .expiry: "invalid_expiry"
        case .securityCode: "invalid_security_code"
        case .billingAddress: "invalid_billing_address"
        }
    }

    /// The message for the part at fault; it never repeats the input.
    public var what: String {
        switch self {
        case .number(let error): error.description
        case .expiry(let error): error.description
        case .securityCode(let error): error.description
        case .billingAddress(let fault): fault.description
        }
    }

    /// Always `no`: cards are validated before anything is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// The recommended next step.
    public var next: String { "Correct it and try again." }
}
