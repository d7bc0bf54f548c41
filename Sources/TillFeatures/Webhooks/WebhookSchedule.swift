package import TillCore

/// The times of a message's attempts. The schedule is the example of Standard Webhooks 1.0.0, a little over three days;
/// each wait is lengthened by up to a tenth, so that the messages of one outage do not all return at once.
package struct WebhookSchedule: Sendable {
    /// The waits before each attempt; the first one is immediate.
    package static let waits: [Span] = [
        .seconds(0), .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14), .hours(20),
        .hours(24),
    ]
    /// The divisor of a wait that gives the maximum of its addition.
    private static let jitterPart: Int64 = 10

    /// Returns a number from zero to the given one.
    private let random: @Sendable (Int64) -> Int64

    package init(random: @escaping @Sendable (Int64) -> Int64 = { Int64.random(in: 0...max(0, $0)) }) {
        self.random = random
    }

    /// Returns the wait after a number of failed attempts; `nil` if there is no further attempt.
    /// - Parameter retryAfter: The wait that the endpoint asked for: the wait is at least that long, within
    ///   ``WebhookLimits/retryAfter``.
    func wait(afterAttempts count: Int, retryAfter: Span? = nil) -> Span? {
        guard WebhookSchedule.waits.indices.contains(count) else { return nil }
        let planned = WebhookSchedule.waits[count].milliseconds
        let lengthened = planned + random(planned / WebhookSchedule.jitterPart)
        let asked = min(retryAfter ?? .seconds(0), WebhookLimits.retryAfter)
        return Span(milliseconds: max(lengthened, asked.milliseconds))
    }
}
