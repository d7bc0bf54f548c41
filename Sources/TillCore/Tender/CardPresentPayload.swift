/// What a reader hands over after a card was presented: opaque to us, for the provider that the reader belongs to.
public struct CardPresentPayload: Sendable {
    /// The reader's label or id.
    public let reader: String
    /// The sealed card data or the provider's handle for it.
    public let sealed: Secret<String>
    /// What the reader may report: brand, last four, entry mode.
    public let card: CardSummary?
    /// What else it may report, for a decision without a connection.
    public let facts: TapFacts?
    /// Whether the reader asks the customer for a tip; `nil`: it does not.
    public let tipping: Tipping?

    /// What a reader counts a tip from.
    public enum Tipping: Hashable, Sendable {
        /// All that is to be paid.
        case onWholeAmount
        /// This part of it.
        case onPart(Money)
    }

    public init(
        reader: String, sealed: Secret<String>, card: CardSummary?, facts: TapFacts? = nil, tipping: Tipping? = nil
    ) {
        self.reader = reader
        self.sealed = sealed
        self.card = card
        self.facts = facts
        self.tipping = tipping
    }
}
