extension PaymentCardTransactionRequest {
    /// What a card is read for. Open: a later release's word is kept.
    public enum TransactionType: Hashable, Sendable {
        case purchase
        /// Money back to the card that is presented. Never labeled as Tap to Pay.
        case refund
        /// A word that is not known here.
        case unrecognized(String)

        public var name: String {
            switch self {
            case .purchase: "purchase"
            case .refund: "refund"
            case .unrecognized(let name): name
            }
        }
    }
}
