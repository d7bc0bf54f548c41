import TillCore

/// A request to read a card without an amount.
public struct PaymentCardVerificationRequest: Hashable, Sendable {
    /// The reason for the read. Open: the value of a later release is kept.
    public enum Reason: Hashable, Sendable {
        /// To find a past purchase.
        case lookUp
        /// To store the card.
        case saveCard
        /// To open a tab.
        case openTab
        case other
        /// An unknown value.
        case unrecognized(String)

        public var name: String {
            switch self {
            case .lookUp: "lookUp"
            case .saveCard: "saveCard"
            case .openTab: "openTab"
            case .other: "other"
            case .unrecognized(let name): name
            }
        }
    }

    /// ISO 4217, three letters.
    public var currencyCode: String
    public var reason: Reason
    /// The language of the sheet; nil: the device's. iOS 17.
    public var userInterfaceLanguage: String?

    public init(currencyCode: String, for reason: Reason = .other) {
        (self.currencyCode, self.reason) = (currencyCode, reason)
    }

    func check() throws(PaymentCardReaderSession.ReadError) {
        guard Currency(ifValid: currencyCode) != nil else { throw .invalidCurrencyCode }
    }
}
