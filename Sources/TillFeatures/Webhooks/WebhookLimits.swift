package import TillCore

/// The limits of outgoing webhooks.
package enum WebhookLimits {
    /// The maximum number of an account's endpoints.
    package static let endpointsPerAccount = 16
    /// The maximum number of entries in an endpoint's list of types.
    package static let typesPerEndpoint = 32
    /// The maximum size of an endpoint's URL, in bytes.
    package static let urlBytes = 2_048
    /// The maximum number of an endpoint's messages that wait. Then its cursor stays where it is: the journal keeps the
    /// events.
    package static let pendingPerEndpoint = 5_000
    /// The number of failures without a success between that count as an outage of the endpoint.
    package static let outage = 3
    /// The number of lines that are read at a time to be brought forward once an endpoint takes messages again.
    package static let wokenAtOnce = 100
    /// The number of an endpoint's ended messages that are kept, newest first.
    package static let endedKept = 500
    /// The maximum number of messages in a page of deliveries.
    package static let deliveriesPage = 100
    /// The length of a secret in bytes (Standard Webhooks allows 24 to 64).
    package static let secretBytes = 32
    /// The maximum number of secrets that sign at the same time: each is a signature in every message.
    package static let secretsPerEndpoint = 3
    /// The time for which a replaced secret still signs.
    package static let rotationGrace = Span.hours(24)
    /// The time limit of one attempt, from the resolution of the name to the head of the answer.
    package static let attempt = Span.seconds(15)
    /// The time limit of the resolution of a name; a part of ``attempt``.
    package static let resolution = Span.seconds(5)
    /// The maximum number of addresses of a name that are considered.
    package static let addressesPerName = 16
    /// The maximum size of the part of an answer's body that is read, in bytes.
    package static let answerBytes = 1_024
    /// The maximum size of the part of an answer's body that is kept, in bytes.
    package static let excerptBytes = 256
    /// The maximum size of a message's body, in bytes (Standard Webhooks: about 20 kB).
    package static let bodyBytes = 20_000
    /// The maximum number of calls whose answers are waited for at the same time, in all.
    package static let callsInAll = 32
    /// The maximum number of them at one endpoint.
    package static let callsPerEndpoint = 4
    /// The maximum number of messages that are being sent to one endpoint.
    package static let sendsPerEndpoint = 4
    /// The maximum number of messages that are being sent in all.
    package static let sendsInAll = 32
    /// The maximum number of messages that are being sent for one account, so that others have places left.
    package static let sendsPerAccount = 8
    /// The number of names that are resolved at the same time: more than one account's sends.
    package static let resolvers = 16
    /// The rest of a line after an error of the journal.
    package static let rest = Span.minutes(1)
    /// The maximum number of lines that rest.
    package static let restingLines = 1_000
    /// The maximum number of errors that are remembered, so that each is reported once.
    package static let reportedTroubles = 1_000
    /// The farthest time at which a line can be due. One that is due later was written by a clock that was wrong.
    package static let farthest = Span.hours(27)
    /// The number of turns after which lines are looked for that are due too late: about an hour.
    package static let turnsPerReview = 3_600
    /// The number of events in one read of the journal.
    package static let eventsPerPage = 200
    /// The maximum number of pages that one endpoint reads before it is another one's turn.
    package static let pagesPerTurn = 5
    /// The maximum wait that an endpoint may ask for with `Retry-After`.
    package static let retryAfter = Span.hours(24)
    /// The pause after an attempt that could not be made because the secret cannot be opened here. It is not counted.
    package static let unsigned = Span.minutes(1)
    /// The polling interval of the sending process.
    package static let pace = Span.seconds(1)
    /// The polling interval of a process that would take over.
    package static let standbyPace = Span.seconds(3)
}
