/// A reader's result after a card was presented: opaque to us, for the provider to which the reader belongs.
public struct CardPresentPayload: Sendable {
    /// The reader's label or identifier.
    public let reader: String
    /// The sealed card data or the provider's handle for it.
    public let sealed: Secret<String>
    /// The data that the reader may report: brand, last four digits, entry mode.
    public let card: CardSummary?
    /// Further data for an offline decision, if the reader reports it.
    public let facts: TapFacts?
    /// The reader's tip prompt; `nil` if it does not prompt for a tip.
    public let tipping: Tipping?

    /// The base amount of a reader's tip.
    public enum Tipping: Hashable, Sendable {
        /// The whole amount due.
        case onWholeAmount
        /// This part of the amount due.
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
