public import TillCore

/// The time limits and capacities of a service. Every wait has a name here.
public struct CardReaderServiceLimits: Hashable, Sendable {
    /// For the app to provide a connection token or a location; Stripe's own limit.
    public var connectionToken = Span.seconds(60)
    /// For readers to be found. A discovery that runs longer ends with ``UnderlyingError/discoveryTimedOut``.
    public var discovery = Span.minutes(5)
    /// For a reader to connect, without an update.
    public var connect = Span.seconds(90)
    /// For a required update while connecting, and for one by itself.
    public var update = Span.minutes(30)
    /// For the intent to be created or retrieved.
    public var intent = Span.seconds(30)
    /// For a card to be presented.
    public var collect = Span.seconds(120)
    /// For the shop's durable write before the confirmation.
    public var preConfirmation = Span.seconds(30)
    /// For the provider's answer to a confirmation. After that the outcome is unknown.
    public var confirm = Span.seconds(60)
    /// For a card to be taken out of the reader.
    public var cardRemoval = Span.seconds(60)
    /// For a refund, from the card to the answer.
    public var refund = Span.seconds(180)
    /// For the driver to return from a canceled command.
    public var cancel = Span.seconds(10)
    /// For a reader to be released.
    public var disconnect = Span.seconds(15)
    /// For a reader to show something.
    public var display = Span.seconds(15)
    /// For a lost reader to reconnect.
    public var reconnect = Span.minutes(5)
    /// The number of orders that a service remembers with their intents; the oldest settled one is evicted first.
    public var rememberedOrders = 4096
    /// The number of readers that one discovery keeps.
    public var discoveredReaders = 256

    public init() {}
}
