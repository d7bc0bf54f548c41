public import TillCore
public import TillHardware

/// The limits of a driver for a counter's readers.
public struct CounterReaderLimits: Hashable, Sendable {
    /// The pause between two lists of the readers during a discovery.
    public var discoveryInterval = Span.seconds(2)
    /// The number of lists in a row that may fail before a discovery ends with the failure.
    public var discoveryFailures = 3
    /// The pause between two queries of a payment that is being confirmed.
    public var pollInterval = Span.seconds(1)
    /// For a confirmation, from before its first query to its end: no request of it lasts longer. Longer than a
    /// customer takes at the reader, and shorter than the service's own limit.
    public var confirmation = Span.seconds(240)
    /// The time after which a confirmation of which the counter shows no sign is sent again, beside the first: a
    /// connection can die without a word.
    public var arrival = Span.seconds(5)
    /// The most times that one confirmation is sent, always under the same key.
    public var maximumSends = 4
    /// The most connections to the event stream during one confirmation.
    public var maximumStreams = 8

    public init() {}
}

extension CardReaderServiceLimits {
    /// The limits for a service with a ``CounterReaderDriver``: its confirmation includes the wait for the card.
    public static var counter: CardReaderServiceLimits {
        var limits = CardReaderServiceLimits()
        limits.confirm = .seconds(300)
        // An answer that is lost is asked for again.
        limits.intent = .seconds(100)
        return limits
    }
}
