public import TillCore

/// Sales at Stripe's smart readers, and on devices that run Stripe's SDK, as a separate provider beside
/// ``StripeProvider``: the same payment intents, confirmed by a reader instead of by a request.
///
/// - An order has one payment intent: each new attempt of the same payment reuses it, unless it was canceled, so that
///   two attempts can never both be charged.
/// - The payment intent is authoritative. A reader's action only triggers a query.
/// - A reader is canceled only while it waits for the card. Once it charges, the provider waits for the end, and
///   without one returns `unknown`.
public struct StripeTerminalProvider: PaymentServiceProvider {
    /// The name in settings, requests and the journal: `stripe-terminal`.
    public static let name = ProviderName(rawValue: "stripe-terminal")
    /// The maximum number of payment intents that one order may consume by canceling.
    public static let maximumIntents = 20
    /// The maximum time for a delayed refund command to reach the reader although its sender has died: counted from the
    /// time when this process last sent it or, if it never did, when it first learned of the refund. Until then this
    /// process does not report the refund as not made; a process that runs for less time never does.
    public static let latestCommand = Span.minutes(5)

    public let terminal: StripeTerminal
    /// Events at the readers.
    public let feed: TerminalFeed
    let online: StripeProvider
    let options: StripeTerminalOptions
    let clock: any TillClock

    /// Creates a provider for readers from an online provider of the same account.
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

    /// The account of the online provider.
    public func identity() async -> ProviderIdentity { await online.identity() }

    /// Stripe's capabilities, with more time for the customer and without manual entry.
    public var capabilities: ProviderCapabilities {
        var capabilities = online.capabilities
        capabilities.takesCards = false
        capabilities.takesTokens = false
        capabilities.answerTime = .seconds(160)
        return capabilities
    }

    /// Amounts in the format of `AmountCodec.stripe`.
    public var amounts: AmountCodec { .stripe }

    /// Returns the tender of a sale at a reader.
    /// - Parameter tipping: the tipping mode, if tips are configured for the reader.
    public static func tender(reader: TerminalReader, tipping: CardPresentPayload.Tipping? = nil) -> Tender {
        .cardPresent(
            CardPresentPayload(reader: reader.label, sealed: Secret(reader.id), card: nil, tipping: tipping))
    }

    /// Returns the tender of a sale that Stripe's SDK makes on a device.
    public static func deviceTender(named device: String) -> Tender {
        .cardPresent(CardPresentPayload(reader: device, sealed: Secret(deviceMark), card: nil))
    }

    static let deviceMark = "device"
    static let collectorKey = "till_collected_by"
    /// The value of `TillCore.CustomerAction` while a device collects.
    public static let deviceAction = "collect_on_device"
}

/// Options for payment intents at readers.
public struct StripeTerminalOptions: Hashable, Sendable {
    /// `true` to request a longer hold, if the scheme supports it.
    public var requestsExtendedAuthorization = false
    /// `true` to allow later increments of the amount.
    public var requestsIncrementalAuthorization = false
    /// The preferred network of a co-badged card: `domestic` (eftpos, Cartes Bancaires) or `international`.
    public var requestedPriority: String?

    public init() {}
}
