/// For whom a receipt is.
public enum ReceiptCopy: String, Hashable, Sendable, CaseIterable {
    /// For the person who pays. No signature line.
    case customer
    /// For the shop: the signature line is here if the card's verification asks for it.
    case merchant
}
