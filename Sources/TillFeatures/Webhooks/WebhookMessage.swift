package import TillCore
package import TillJournal

/// A message to an endpoint: written before it is sent, and kept for a while after that.
package struct WebhookMessage: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// Waits for its next attempt, or for the earlier messages of its payment.
        case pending
        case delivered
        /// Given up.
        case failed
    }

    /// The occasion of a message that is not sent as its payment's next one.
    package enum Occasion: String, Hashable, Sendable {
        case event
        case test
        /// An ended message that the owner sends again, once.
        case resend
    }

    /// All messages of an endpoint.
    package static func match(_ endpoint: WebhookEndpointID) -> RecordMatch {
        RecordMatch("endpoint", endpoint.rawValue)
    }
    /// Those that wait.
    static func pending(_ endpoint: WebhookEndpointID) -> RecordMatch { RecordMatch("pending", endpoint.rawValue) }
    /// Those that have ended so. What failed is kept apart: however much is delivered, it is not forgotten for that.
    static func ended(_ endpoint: WebhookEndpointID, _ state: State) -> RecordMatch {
        RecordMatch(state == .failed ? "failed" : "delivered", endpoint.rawValue)
    }
    /// Those that wait in a line.
    static func match(line: String) -> RecordMatch { RecordMatch("line", line) }

    package let id: WebhookMessageID
    package let endpoint: WebhookEndpointID
    /// The payment; `nil` for a test message.
    package let payment: PaymentID?
    /// The event's position in the journal; zero for a test message.
    package let sequence: Int64
    package let type: String
    /// The bytes that are signed and sent, the same at every attempt.
    package let body: String
    package internal(set) var occasion = Occasion.event
    package internal(set) var state = State.pending
    /// The attempts so far.
    package internal(set) var attempts = 0
    /// The time of the last attempt.
    package internal(set) var attemptedAt: Timestamp?
    /// The time of the next attempt, if one has failed.
    package internal(set) var nextAt: Timestamp?
    /// The HTTP status of the last answer; `nil` without one.
    package internal(set) var status: Int?
    /// The beginning of the last answer, or the reason that there was none; one line without card numbers.
    package internal(set) var note = ""

    /// The line: messages of one line are sent one after the other. Messages on demand are in lines of their own.
    var line: String {
        switch occasion {
        case .event: WebhookLine.key(endpoint, payment?.rawValue ?? id.rawValue)
        case .test, .resend: WebhookLine.key(endpoint, id.rawValue)
        }
    }
}

extension WebhookMessage: RecordDocument {
    package static let collection: RecordCollection = "webhook_message"

    package var record: Record {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("endpoint", endpoint.rawValue)
        if let payment { writer.field("payment", payment.rawValue) }
        writer.field("sequence", sequence)
        writer.field("type", type)
        writer.field("body", body)
        writer.field("occasion", occasion.rawValue)
        writer.field("state", state.rawValue)
        writer.field("attempts", attempts)
        if let attemptedAt { writer.field("attempted_at", attemptedAt.milliseconds) }
        if let nextAt { writer.field("next_at", nextAt.milliseconds) }
        if let status { writer.field("status", status) }
        writer.field("note", note)
        writer.endObject()
        let matches =
            [WebhookMessage.match(endpoint)]
            + (state == .pending
                ? [WebhookMessage.pending(endpoint), WebhookMessage.match(line: line)]
                : [WebhookMessage.ended(endpoint, state)])
        return Record(
            RecordID(WebhookMessage.collection, id.rawValue), body: writer.bytes,
            fields: Dictionary(uniqueKeysWithValues: matches.map { ($0.field, $0.value) }))
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: WebhookMessageID(rawValue: stored.id.key),
            endpoint: WebhookEndpointID(rawValue: try body.text("endpoint")),
            payment: body.optionalText("payment").map { PaymentID(rawValue: $0) }, sequence: try body.int("sequence"),
            type: try body.text("type"), body: try body.text("body"))
        guard let occasion = Occasion(rawValue: try body.text("occasion")) else { throw body.damaged("occasion") }
        guard let state = State(rawValue: try body.text("state")) else { throw body.damaged("state") }
        (self.occasion, self.state) = (occasion, state)
        attempts = Int(clamping: try body.int("attempts"))
        attemptedAt = body.optionalInt("attempted_at").map { Timestamp(milliseconds: $0) }
        nextAt = body.optionalInt("next_at").map { Timestamp(milliseconds: $0) }
        status = body.optionalInt("status").map { Int(clamping: $0) }
        note = try body.text("note")
    }
}

/// The line of a payment's messages to an endpoint, due when its first message is. Whoever adds a message or takes one
/// away writes the line, so that neither overlooks the other.
struct WebhookLine: Hashable, Sendable {
    static let collection: RecordCollection = "webhook_line"

    static func key(_ endpoint: WebhookEndpointID, _ name: String) -> String { "\(endpoint)/\(name)" }
    static func match(_ endpoint: WebhookEndpointID) -> RecordMatch { RecordMatch("endpoint", endpoint.rawValue) }

    let key: String
    let endpoint: WebhookEndpointID

    var id: RecordID { RecordID(WebhookLine.collection, key) }

    func record(due: Timestamp) -> Record {
        let match = WebhookLine.match(endpoint)
        return Record(id, body: Array("{}".utf8), fields: [match.field: match.value], due: due)
    }
}
