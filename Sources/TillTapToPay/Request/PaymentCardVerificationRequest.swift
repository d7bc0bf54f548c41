import TillCore

/// A card is to be read without an amount.
public struct PaymentCardVerificationRequest: Hashable, Sendable {
    /// Why. Open: a later release's word is kept.
    public enum Reason: Hashable, Sendable {
        /// To find something that was bought with it.
        case lookUp
        /// To keep it for later.
        case saveCard
        /// To open a tab.
        case openTab
        case other
        /// A word that is not known here.
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
