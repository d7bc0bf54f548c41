/// What a request with a key does to a payment: the end of its route. The journal keeps it beside the key.
struct KeyedOperation: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    let rawValue: String
    /// Takes the text as it is.
    init(rawValue: String) { self.rawValue = rawValue }

    /// Asks for the money. The only one that is done again under its key if it has certainly moved none.
    static let confirm = KeyedOperation(rawValue: "confirm")
    static let capture = KeyedOperation(rawValue: "capture")
    static let cancel = KeyedOperation(rawValue: "cancel")
    static let refund = KeyedOperation(rawValue: "refunds")
    /// Closes an entry that waits for a person.
    static func resolve(attention number: Int) -> KeyedOperation {
        KeyedOperation(rawValue: "attention/\(number)/resolve")
    }
}
