/// What a provider can do and for how long it remembers a key. Data, so that the engine has no special cases.
public struct ProviderCapabilities: Hashable, Sendable {
    /// For how long the same key with the same request is answered without doing it again. After that only a query
    /// is safe. Zero: the provider keeps no keys.
    public var replayWindow: Span
    /// Makes the provider's object before the customer's money is asked for, so that its reference is in the journal
    /// first. Making it twice moves no money.
    public var preparesFirst: Bool
    /// Can capture less than was authorized.
    public var partialCapture: Bool
    /// Can capture an authorization more than once.
    public var multipleCapture: Bool
    /// Can hold money and capture it later. `false`: everything is captured at confirmation, and the engine refuses a
    /// payment that is to be held before anything is written.
    public var separateCapture: Bool
    /// Takes typed card numbers.
    public var takesCards: Bool
    /// For how long the bank guarantees a hold before it has to be renewed; `nil`: holds cannot be renewed.
    public var honorPeriod: Span?
    /// How long an authorization or a refund may take to be answered: longer where a customer has to present a card.
    public var answerTime: Span
    /// A query shows what became of money after the sale without our asking: settled payments are queried now and then,
    /// in case no webhook came. `false` where nothing can happen, or where only webhooks report it.
    public var showsAfterSale: Bool

    /// Makes one; the defaults are those of a modern card provider.
    public init(
        replayWindow: Span, preparesFirst: Bool, partialCapture: Bool = true, multipleCapture: Bool = false,
        separateCapture: Bool = true,
        takesCards: Bool = true, honorPeriod: Span? = nil, answerTime: Span = .seconds(30),
        showsAfterSale: Bool = true
    ) {
        self.replayWindow = replayWindow
        self.preparesFirst = preparesFirst
        self.partialCapture = partialCapture
        self.multipleCapture = multipleCapture
        self.separateCapture = separateCapture
        self.takesCards = takesCards
        self.honorPeriod = honorPeriod
        self.answerTime = answerTime
        self.showsAfterSale = showsAfterSale
    }
}
