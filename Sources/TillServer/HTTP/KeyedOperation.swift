/// The operation of a keyed request on a payment: the last path component of its route. The journal stores it with the
/// key.
struct KeyedOperation: RawRepresentable, Hashable, Sendable {
    /// The text exactly as received.
    let rawValue: String
    /// Creates an operation from unvalidated text.
    init(rawValue: String) { self.rawValue = rawValue }

    /// Authorizes the payment. The only operation executed again under its key if it certainly moved no money.
    static let confirm = KeyedOperation(rawValue: "confirm")
    static let capture = KeyedOperation(rawValue: "capture")
    static let cancel = KeyedOperation(rawValue: "cancel")
    static let refund = KeyedOperation(rawValue: "refunds")
    /// Resolves an attention entry.
    static func resolve(attention number: Int) -> KeyedOperation {
        KeyedOperation(rawValue: "attention/\(number)/resolve")
    }
}
