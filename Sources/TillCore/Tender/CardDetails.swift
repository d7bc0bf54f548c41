/// A card as typed. Every part that must not be seen is a ``Secret``.
public struct CardDetails: Sendable {
    /// The number: 12 to 19 ASCII digits with a right check digit.
    public let number: Secret<String>
    /// Month 1 to 12 and four-digit year.
    public let expiry: Secret<CardExpiry>
    /// The security code: 3 or 4 digits. Never stored, not even sealed.
    public let securityCode: Secret<String>?
    /// The name on the card, if it was asked for.
    public let holder: Secret<String>?
    /// Where the card's statements go, if it was asked for.
    public let billingAddress: Secret<BillingAddress>?
    /// Brand guess and last four.
    public let summary: CardSummary

    /// Takes parts that were checked already, such as a number of a brand whose cards need no check digit.
    package init(
        checkedNumber number: Secret<String>, expiry: CardExpiry, securityCode: Secret<String>?, brand: String,
        holder: String? = nil, billingAddress: BillingAddress? = nil
    ) {
        self.number = number
        self.expiry = Secret(expiry)
        self.securityCode = securityCode
        self.holder = holder.map { Secret($0) }
        self.billingAddress = billingAddress.map { Secret($0) }
        summary = CardSummary(brand: brand, lastFour: number.reveal(), entryMode: "keyed")
    }

    /// Checks and takes a typed card. Spaces and dashes in the number are taken out.
    public init(
        number: String, expiry: String, securityCode: String?, holder: String? = nil,
        billingAddress: BillingAddress? = nil
    ) throws(CardDetailsError) {
        let digits = String(number.filter { $0 != " " && $0 != "-" })
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), (12...19).contains(digits.utf8.count) else {
            throw .number
        }
        guard LuhnChecksum.isValid(digits) else { throw .checkDigit }
        let parsed = try CardExpiry(parsing: expiry)
        if let securityCode {
            guard (3...4).contains(securityCode.utf8.count),
                securityCode.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
            else { throw .securityCode }
        }
        self.number = Secret(digits)
        self.expiry = Secret(parsed)
        self.securityCode = securityCode.map { Secret($0) }
        self.holder = holder.map { Secret($0) }
        self.billingAddress = billingAddress.map { Secret($0) }
        self.summary = CardSummary(
            brand: CardDetails.brand(of: digits), lastFour: String(digits.suffix(4)), entryMode: "keyed")
    }

    /// A hint from the first digits; the provider's answer is the truth.
    private static func brand(of digits: String) -> String {
        guard let two = Int(digits.prefix(2)), let four = Int(digits.prefix(4)) else { return "unknown" }
        switch two {
        case 40...49: return "visa"
        case 34, 37: return "amex"
        case 51...55: return "mastercard"
        default: break
        }
        switch four {
        case 2221...2720: return "mastercard"
        case 6011, 6440...6599: return "discover"
        case 3528...3589: return "jcb"
        case 6200...6299: return "unionpay"
        default: return "unknown"
        }
    }
}

/// Month and year after which a card is not good.
public struct CardExpiry: Hashable, Sendable {
    /// 1 to 12.
    public let month: Int
    /// Four digits.
    public let year: Int

    /// Takes a month of 1 to 12 and a year of four digits.
    public init(month: Int, year: Int) throws(CardDetailsError) {
        guard (1...12).contains(month), (1000...9999).contains(year) else { throw .expiry }
        self.month = month
        self.year = year
    }

    /// Takes `MM/YY`, `MM/YYYY`, `MMYY` and `MM-YY`.
    public init(parsing text: String) throws(CardDetailsError) {
        let digits = text.filter { $0 != " " && $0 != "/" && $0 != "-" }
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), [4, 6].contains(digits.utf8.count),
            let month = Int(digits.prefix(2)), let year = Int(digits.dropFirst(2)), (1...12).contains(month)
        else { throw .expiry }
        self.month = month
        self.year = year < 100 ? 2000 + year : year
    }
}

/// What is wrong with a typed card. The sentences never repeat what was typed.
public enum CardDetailsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not 12 to 19 digits.
    case number
    /// The check digit does not fit.
    case checkDigit
    /// Not a month and a year.
    case expiry
    /// Not 3 or 4 digits.
    case securityCode

    /// One sentence for people.
    public var description: String {
        switch self {
        case .number: "The card number must have 12 to 19 digits."
        case .checkDigit: "The card number has a typing mistake: its check digit does not fit."
        case .expiry: "The expiry must be a month and a year, as 12/30."
        case .securityCode: "The security code must have 3 or 4 digits."
        }
    }
}
