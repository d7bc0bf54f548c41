public import TillCore

/// Sales at Stripe's smart readers, and on devices that run Stripe's SDK, as a provider of their own beside
/// ``StripeProvider``: the same payment intents, confirmed by a reader instead of by a request.
///
/// - An order has one payment intent: each new try of the same payment takes the one that is there, unless it was
///   canceled, so that two tries can never both be charged.
/// - The payment intent is the truth. A reader's action only says when to query it.
/// - A reader is canceled only while it waits for the card. Once it charges, the end is waited for, and without one
///   the answer is `unknown`.
public struct StripeTerminalProvider: PaymentServiceProvider {
    /// The name in settings, requests and the journal: `stripe-terminal`.
    public static let name = ProviderName(rawValue: "stripe-terminal")
    /// How long a customer may take to present a card.
    public static let collectionTime = Span.seconds(120)
    /// How long a charge may take after that.
    public static let chargingTime = Span.seconds(25)
    /// The longest wait between two queries; a webhook shortens it.
    public static let pollInterval = Span.milliseconds(700)
    /// The first polls come faster than that.
    public static let firstPolls: [Span] = [.milliseconds(60), .milliseconds(120), .milliseconds(250)]
    /// How many payment intents one order may use up by canceling.
    public static let maximumIntents = 20
    /// How long a command whose answer was lost may take to show at the reader.
    public static let grace = Span.seconds(5)

    /// How long a command for a refund may still come to a reader, slow on its way, although whoever sent it has died:
    /// counted from when this process sent it last or, if it never did, from when it first learned of the refund. Until
    /// then it does not say that the refund was not made; a process that does not run so long never does.
    public static let latestCommand = Span.minutes(5)

    public let terminal: StripeTerminal
    /// What happens at them.
    public let feed: TerminalFeed
    let online: StripeProvider
    let options: StripeTerminalOptions
    let clock: any TillClock

    /// Makes one over a provider of the same account.
    public init(
        _ online: StripeProvider, feed: TerminalFeed = TerminalFeed(),
        options: StripeTerminalOptions = StripeTerminalOptions()
    ) {
        self.online = online
        self.feed = feed
        self.options = options
        terminal = StripeTerminal(online)
        clock = online.clock
    }

    public var name: ProviderName { StripeTerminalProvider.name }

    /// The account of the provider online.
    public func identity() async -> ProviderIdentity { await online.identity() }

    /// As Stripe's, but a customer needs longer than a network, and no number is typed.
    public var capabilities: ProviderCapabilities {
        var capabilities = online.capabilities
        capabilities.takesCards = false
        capabilities.answerTime = .seconds(160)
        return capabilities
    }

    /// Amounts are written as `AmountCodec.stripe` says.
    public var amounts: AmountCodec { .stripe }

    /// The tender of a sale at a reader.
    /// - Parameter tipping: whether the reader asks for a tip, where its configuration has tips.
    public static func tender(reader: TerminalReader, tipping: CardPresentPayload.Tipping? = nil) -> Tender {
        .cardPresent(
            CardPresentPayload(reader: reader.label, sealed: Secret(reader.id), card: nil, tipping: tipping))
    }

    /// The tender of a sale that Stripe's SDK makes on a device.
    public static func deviceTender(named device: String) -> Tender {
        .cardPresent(CardPresentPayload(reader: device, sealed: Secret(deviceMark), card: nil))
    }

    static let deviceMark = "device"
    static let collectorKey = "till_collected_by"
    /// The word in `TillCore.CustomerAction` while a device collects.
    public static let deviceAction = "collect_on_device"
}

/// How intents for readers are made.
public struct StripeTerminalOptions: Hashable, Sendable {
    /// Hold the money longer than by default, where the scheme can.
    public var requestsExtendedAuthorization = false
    /// The amount may be raised later.
    public var requestsIncrementalAuthorization = false
    /// Which network of a card with two goes first: `domestic` (eftpos, Cartes Bancaires) or `international`.
    public var requestedPriority: String?

    public init() {}
}
