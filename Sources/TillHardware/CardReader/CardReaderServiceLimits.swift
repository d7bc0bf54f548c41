public import TillCore

/// How long a service waits, for what. Every wait has a name here.
public struct CardReaderServiceLimits: Hashable, Sendable {
    /// For the app to give a connection token or a place; Stripe's own limit.
    public var connectionToken = Span.seconds(60)
    /// For readers to be found. A discovery that runs longer ends with ``UnderlyingError/discoveryTimedOut``.
    public var discovery = Span.minutes(5)
    /// For a reader to be connected, with no update.
    public var connect = Span.seconds(90)
    /// For a required update while connecting, and for one by itself.
    public var update = Span.minutes(30)
    /// For the intent to be made or read.
    public var intent = Span.seconds(30)
    /// For a card to be presented.
    public var collect = Span.seconds(120)
    /// For the shop's durable write before money is asked for.
    public var preConfirmation = Span.seconds(30)
    /// For the provider's answer about the money. After that the outcome is unknown.
    public var confirm = Span.seconds(60)
    /// For a card to be taken out of the reader.
    public var cardRemoval = Span.seconds(60)
    /// For a refund, from the card to the answer.
    public var refund = Span.seconds(180)
    /// For the driver to come back from a command that was canceled.
    public var cancel = Span.seconds(10)
    /// For a reader to be released.
    public var disconnect = Span.seconds(15)
    /// For a reader to show something.
    public var display = Span.seconds(15)
    /// For a reader that went away to come back.
    public var reconnect = Span.minutes(5)
    /// Orders whose intents a service remembers; the oldest settled one is forgotten first.
    public var rememberedOrders = 4096
    /// Readers that one discovery keeps.
    public var discoveredReaders = 256

    public init() {}
}
