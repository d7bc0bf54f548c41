/// The last digits of a card number. The type cannot hold more than four.
public struct LastFour: Hashable, Sendable, CustomStringConvertible {
    /// One to four ASCII digits.
    public let digits: String

    /// Keeps the last four ASCII digits of a text; `nil` if it has none.
    public init?(_ text: String?) {
        guard let text else { return nil }
        let kept = text.utf8.filter { $0 >= 0x30 && $0 <= 0x39 }.suffix(4)
        guard !kept.isEmpty else { return nil }
        digits = String(decoding: kept, as: UTF8.self)
    }

    /// The digits without a mask.
    public var description: String { digits }
}
