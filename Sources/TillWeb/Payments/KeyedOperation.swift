/// The operation of a keyed request on a payment: the last path component of its route. The journal stores it with the
/// key.
package struct KeyedOperation: RawRepresentable, Hashable, Sendable {
    /// The text exactly as received.
    package let rawValue: String
    /// Creates an operation from unvalidated text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Authorizes the payment. The only operation executed again under its key if it certainly moved no money.
    package static let confirm = KeyedOperation(rawValue: "confirm")
    package static let capture = KeyedOperation(rawValue: "capture")
    package static let cancel = KeyedOperation(rawValue: "cancel")
    package static let refund = KeyedOperation(rawValue: "refunds")
    /// Resolves an attention entry.
    package static func resolve(attention number: Int) -> KeyedOperation {
        KeyedOperation(rawValue: "attention/\(number)/resolve")
    }
}
