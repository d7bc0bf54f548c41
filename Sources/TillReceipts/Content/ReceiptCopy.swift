/// The intended recipient of a receipt.
public enum ReceiptCopy: String, Hashable, Sendable, CaseIterable {
    /// The customer copy, without a signature line.
    case customer
    /// The merchant copy, with a signature line if the cardholder verification method requires one.
    case merchant
}
