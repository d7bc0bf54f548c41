/// A simulated card, or a customer's action with one, for a simulated reader.
///
/// ```swift
/// let plain = try SimulatedCard(parsing: "visa")
/// let phone = try SimulatedCard(parsing: "mastercard+tap+check_phone")  // contactless; its owner unlocks the phone
/// let worn = try SimulatedCard(parsing: "visa+misread")  // read at the second try
/// let gone = try SimulatedCard(parsing: "disconnected:powered_off")  // the reader goes away while it waits
/// print(plain.brand, phone.entryMode, worn.incidents, gone.behavior)
/// ```
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
        /// The reader disconnects while it waits for the card.
        case disconnected(CardReaderDisconnectReason)
    }

    /// What happens before the card is read, or before the reader asks for it.
    public enum Incident: String, Hashable, Sendable, CaseIterable {
        /// The first read fails, and the reader asks again.
        case misread
        /// The card was held to the reader, which wants it inserted.
        case insert
        /// The chip cannot be read, and the reader asks for the stripe; not for readers without one.
        case swipe
        /// The card is on a phone, whose owner must unlock it.
        case checkPhone = "check_phone"
        /// The reader asks for the PIN.
        case pin
        /// The reader's battery falls to 15 percent.
        case lowBattery = "low_battery"
        /// The reader installs an update while it is being connected.
        case update
        /// The reader loses its connection before the sale, and regains it.
        case reconnect
    }

    /// The event at the reader.
    public let behavior: Behavior
    /// What happens before that, in order.
    public let incidents: [Incident]
    /// The brand as providers spell it: `visa`, `eftpos_au`, …
    public let brand: String
    /// A published test number, not issued by any bank.
    let number: String
    /// The entry mode: `contact_emv`, `contactless_emv` or `magnetic_stripe_fallback`.
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

    /// Every name that ``init(parsing:)`` accepts.
    public static let known: [String] =
        brands.map(\.name) + ["declined:<reason>", "disconnected:<reason>", "timeout", "removed", "canceled"]
    /// Every word that may follow a name, after a `+`.
    public static let knownWords: [String] = [contactless] + Incident.allCases.map(\.rawValue)

    private static let contactless = "tap"

    /// Parses a name of ``known``, followed by any of ``knownWords``, each once: `visa+tap`, `visa+tap+misread`. The
    /// words happen in their order.
    public init(parsing text: String) throws(SimulatedCardError) {
        var words = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        let name = words.removeFirst()
        guard Set(words).count == words.count else { throw SimulatedCardError(text: text) }
        var incidents: [Incident] = []
        for word in words where word != SimulatedCard.contactless {
            guard let incident = Incident(rawValue: word) else { throw SimulatedCardError(text: text) }
            incidents.append(incident)
        }
        self.incidents = incidents
        let isContactless = words.contains(SimulatedCard.contactless) || incidents.contains(.checkPhone)
        let method: CardReadMethod =
            incidents.contains(.swipe)
            ? .magneticStripeFallback : isContactless && !incidents.contains(.insert) ? .contactlessEMV : .contactEMV
        entryMode = method.rawValue
        if let plain = SimulatedCard.brands.first(where: { $0.name == name || $0.brand == name }) {
            (behavior, brand, number, onlyCurrency) = (.read, plain.brand, plain.number, plain.onlyCurrency)
            return
        }
        (brand, number, onlyCurrency) = ("visa", "4000000000000002", nil)
        guard let behavior = SimulatedCard.behavior(name) else { throw SimulatedCardError(text: text) }
        self.behavior = behavior
    }

    private static func behavior(_ name: String) -> Behavior? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let reason = parts.count == 2 ? parts[1] : nil
        switch (parts[0], reason) {
        case ("timeout", nil): return .timeout
        case ("removed", nil): return .removed
        case ("canceled", nil): return .canceled
        case ("declined", nil): return .declined(reason: "generic_decline")
        case ("declined", let reason?):
            let isWord = reason.utf8.allSatisfy { $0 == 0x5F || ($0 >= 0x61 && $0 <= 0x7A) }
            return !reason.isEmpty && reason.utf8.count <= 64 && isWord ? .declined(reason: reason) : nil
        case ("disconnected", nil): return .disconnected(.bluetoothSignalLost)
        case ("disconnected", let reason?):
            return CardReaderDisconnectReason.known.first { $0.rawValue == reason }.map { .disconnected($0) }
        default: return nil
        }
    }

    /// The reader's sealed text: `sim:<number>:<brand>:<entry mode>`, or `sim:declined:<reason>`.
    var sealedText: String {
        if case .declined(let reason) = behavior { return "sim:declined:\(reason)" }
        return "sim:\(number):\(brand):\(entryMode)"
    }

    /// The input method by which it is read.
    var input: CardReaderInput {
        switch CardReadMethod(rawValue: entryMode) {
        case .contactEMV: .insert
        case .contactlessEMV: .tap
        default: .swipe
        }
    }

    /// `true` if it stays in the reader until it is taken out.
    var isInserted: Bool { input == .insert }

    /// The card as an intent has it.
    var paymentMethod: PaymentMethod {
        let details = CardPresentTransactionDetails(
            brand: CardBrand(rawValue: brand), lastFour: number, readMethod: CardReadMethod(rawValue: entryMode))
        return details.brand == .interac ? .interacPresent(details: details) : .cardPresent(details: details)
    }
}

/// An unknown simulated card.
public struct SimulatedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The requested text.
    public let text: String
    /// One sentence that lists the known cards.
    public var description: String {
        "There is no simulated card \"\(text.prefix(40))\". Known are: \(SimulatedCard.known.joined(separator: ", ")). "
            + "Each may be followed by \(SimulatedCard.knownWords.map { "+" + $0 }.joined(separator: ", "))."
    }
}
