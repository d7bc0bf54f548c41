public import TillCore

/// How long each step at a PC/SC reader may take. Every wait of ``PCSCChannel`` has one of these names.
public struct PCSCLimits: Hashable, Sendable {
    /// Until a card is in the field. Then `CardChannelError.noCard`.
    public var card: Span
    /// One command and its answer. Then `CardChannelError.silence`; a card has half a second for a whole tap, and
    /// readers have limits of their own below this one.
    public var command: Span
    /// Opening the service, listing readers, powering a card. Then an error with the step's name.
    public var service: Span
    /// The longest single call while waiting for a card: a cancellation that comes between two calls is seen after it.
    public var slice: Span
    /// After a command that failed: how long a reader may take to notice that its card has left.
    public var removal: Span

    /// Limits for readers on a counter, unless others are given.
    public init(
        card: Span = .seconds(60), command: Span = .seconds(5), service: Span = .seconds(10),
        slice: Span = .milliseconds(250), removal: Span = .milliseconds(1200)
    ) {
        (self.card, self.command, self.service) = (card, command, service)
        (self.slice, self.removal) = (slice, removal)
    }
}
