public import TillCore

/// Time limits for each step at a PC/SC reader. Every wait of ``PCSCChannel`` has one of these names.
public struct PCSCLimits: Hashable, Sendable {
    /// Until a card is in the field. Then `CardChannelError.noCard`.
    public var card: Span
    /// One command and its answer. Then `CardChannelError.silence`; a card has half a second for a whole tap, and
    /// readers have limits of their own below this one.
    public var command: Span
    /// Opening the service, listing readers, powering a card. Then an error with the step's name.
    public var service: Span
    /// The longest single call while waiting for a card: a cancellation that arrives between two calls takes effect
    /// after it.
    public var slice: Span
    /// The time a reader has, after a failed command, to detect that its card has left.
    public var removal: Span

    /// Creates limits; the defaults suit readers on a counter.
    public init(
        card: Span = .seconds(60), command: Span = .seconds(5), service: Span = .seconds(10),
        slice: Span = .milliseconds(250), removal: Span = .milliseconds(1200)
    ) {
        (self.card, self.command, self.service) = (card, command, service)
        (self.slice, self.removal) = (slice, removal)
    }
}
