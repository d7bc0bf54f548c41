/// A simulated card, or a customer's action with one, for a simulated reader.
public struct SimulatedCard: Hashable, Sendable {
    /// The event at the reader.
    public enum Behavior: Hashable, Sendable {
        /// The card is read.
        case read
        /// The card is read; the provider will decline it with this reason.
        case declined(reason: String)
        case timeout
        /// The card is removed too early.
        case removed
        /// The customer cancels at the reader.
        case canceled
    }

    /// The event at the reader.
    public let behavior: Behavior
    /// The brand as providers spell it: `visa`, `eftpos_au`, …
    public let brand: String
    /// A published test number, not issued by any bank.
    let number: String
    /// The entry mode: `contact_emv` or `contactless_emv`.
    public let entryMode: String
    /// The only currency of a national scheme; `nil` for others.
    public let onlyCurrency: String?

    /// The plain cards by name.
    static let brands: [(name: String, brand: String, number: String, onlyCurrency: String?)] = [
        ("visa", "visa", "4242424242424242", nil),
        ("mastercard", "mastercard", "5555555555554444", nil),
        ("amex", "amex", "378282246310005", nil),
        ("discover", "discover", "6011111111111117", nil),
        ("interac", "interac", "4506445006931933", "CAD"),
        ("eftpos", "eftpos_au", "6280000360000978", "AUD"),
    ]

    /// Every text that ``init(parsing:)`` accepts.
    public static let known: [String] =
        brands.map(\.name) + ["declined:<reason>", "timeout", "removed", "canceled"]

    /// Parses a name of ``known``. A brand may end in `+tap` for a contactless read: `visa+tap`.
    public init(parsing text: String) throws(SimulatedCardError) {
        var name = text
        entryMode = name.hasSuffix("+tap") ? "contactless_emv" : "contact_emv"
        if name.hasSuffix("+tap") { name.removeLast(4) }
        if let plain = SimulatedCard.brands.first(where: { $0.name == name || $0.brand == name }) {
            (behavior, brand, number, onlyCurrency) = (.read, plain.brand, plain.number, plain.onlyCurrency)
            return
        }
        (brand, number, onlyCurrency) = ("visa", "4000000000000002", nil)
        switch name {
        case "timeout": behavior = .timeout
        case "removed": behavior = .removed
        case "canceled": behavior = .canceled
        case "declined": behavior = .declined(reason: "generic_decline")
        default:
            let reason = name.dropFirst("declined:".count)
            let isWord = reason.utf8.allSatisfy { $0 == 0x5F || ($0 >= 0x61 && $0 <= 0x7A) }
            guard name.hasPrefix("declined:"), !reason.isEmpty, reason.utf8.count <= 64, isWord else {
                throw SimulatedCardError(text: text)
            }
            behavior = .declined(reason: String(reason))
        }
    }

    /// The reader's sealed text: `sim:<number>:<brand>:<entry mode>`, or `sim:declined:<reason>`.
    var sealedText: String {
        if case .declined(let reason) = behavior { return "sim:declined:\(reason)" }
        return "sim:\(number):\(brand):\(entryMode)"
    }
}

/// An unknown simulated card.
public struct SimulatedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The requested text.
    public let text: String
    /// One sentence that lists the known cards.
    public var description: String {
        "There is no simulated card \"\(text.prefix(40))\". Known are: \(SimulatedCard.known.joined(separator: ", "))."
            + " A brand may end in +tap."
    }
}
