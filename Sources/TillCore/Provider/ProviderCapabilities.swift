/// A provider's capabilities and key retention. Data, so that the engine has no special cases.
public struct ProviderCapabilities: Hashable, Sendable {
    /// The time during which a repeated request with the same key is answered without being done again. After that only
    /// a query is safe. Zero if the provider keeps no keys.
    public var replayWindow: Span
    /// `true` if the provider's object is created before the money is requested, so that its reference is in the
    /// journal first. Creating it twice moves no money.
    public var preparesFirst: Bool
    /// `true` if less than the authorized amount can be captured.
    public var partialCapture: Bool
    /// `true` if an authorization can be captured more than once.
    public var multipleCapture: Bool
    /// `true` if money can be held and captured later. If `false`, everything is captured at confirmation, and the
    /// engine refuses a hold-only payment before anything is written.
    public var separateCapture: Bool
    /// `true` if typed card numbers are accepted.
    public var takesCards: Bool
    /// `true` if cards are accepted that the provider's own fields took (``CardToken``).
    public var takesTokens: Bool
    /// `true` if a PayPal account can pay: there is a page to approve on, and an address to come back to.
    public var takesPayPal: Bool
    /// `true` if PayPal's own fields can attach a card to a prepared order.
    public var takesPayPalCards: Bool
    /// `true` if sessions can be opened in which Adyen's components or SDK take a card.
    public var takesAdyenSessions: Bool
    /// The time for which the issuer guarantees a hold before it has to be renewed; `nil` if holds cannot be renewed.
    public var honorPeriod: Span?
    /// The time allowed for an answer to an authorization or a refund: longer if a customer has to present a card.
    public var answerTime: Span
    /// `true` if a query reveals changes to money after the sale: settled payments are then queried now and then, in
    /// case no webhook came. `false` if nothing can change, or if only webhooks report it.
    public var showsAfterSale: Bool

    /// Creates capabilities; the defaults are those of a modern card provider.
    public init(
        replayWindow: Span, preparesFirst: Bool, partialCapture: Bool = true, multipleCapture: Bool = false,
        separateCapture: Bool = true,
        takesCards: Bool = true, takesTokens: Bool = false, takesPayPal: Bool = false,
        takesPayPalCards: Bool = false, takesAdyenSessions: Bool = false, honorPeriod: Span? = nil,
        answerTime: Span = .seconds(30), showsAfterSale: Bool = true
    ) {
        self.replayWindow = replayWindow
        self.preparesFirst = preparesFirst
        self.partialCapture = partialCapture
        self.multipleCapture = multipleCapture
        self.separateCapture = separateCapture
        self.takesCards = takesCards
        self.takesTokens = takesTokens
        self.takesPayPal = takesPayPal
        self.takesPayPalCards = takesPayPalCards
        self.takesAdyenSessions = takesAdyenSessions
        self.honorPeriod = honorPeriod
        self.answerTime = answerTime
        self.showsAfterSale = showsAfterSale
    }
}
