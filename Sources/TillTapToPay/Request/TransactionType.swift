extension PaymentCardTransactionRequest {
    /// The purpose of a read. Open: the value of a later release is kept.
    public enum TransactionType: Hashable, Sendable {
        case purchase
        /// A refund to the presented card. Never labeled as Tap to Pay.
        case refund
        /// An unknown value.
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
