import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
package import TillCheckout
import TillCore
import TillCounter
import TillHardware
package import TillJournal
package import TillWeb

/// `GET /v1/events`: journal events as server-sent events. An event's `id` is its position in the journal.
package struct EventStreamRoute: Sendable {
    /// The number of events in one read.
    package static let page = 200

    private let journal: any Journal
    private let checkout: Checkout
    private let streams: EventStreams

    package init(journal: any Journal, checkout: Checkout, streams: EventStreams) {
        (self.journal, self.checkout, self.streams) = (journal, checkout, streams)
    }

    /// Registers without `HEAD`, which would open a stream without a reader.
    package func register(on router: CounterRouter) {
        router.on([.get], "/v1/events", for: .read, of: .caller, query: ["payment"]) { try await stream($0) }
    }

    private func stream(_ incoming: Incoming) async throws -> Response {
        let account = incoming.account
        let payment: PaymentID?
        do { payment = try incoming.query("payment").map { try PaymentID(validating: $0) } } catch let error
            as IdentifierError
        { throw Problem.field("payment", error.description) }
        if let payment {
            guard let found = try await journal.payment(payment), found.account == account else {
                throw Problem(
                    .notFound, "payment_not_found", "There is no payment \(payment).", next: "Check the identifier.")
            }
        }
        let start: Int64
        if let text = incoming.request.headers[HTTPField.Name.literal("Last-Event-ID")] {
            guard let place = Int64(text), place >= 0 else {
                throw Problem(.badRequest, "invalid_request", "Last-Event-ID must be a number.", next: "Leave it out.")
            }
            // A position past the end belongs to another journal: no event would ever follow it.
            start = min(place, try await journal.lastSequence())
        } else if let payment {
            start = try await journal.events(of: payment).last?.sequence ?? 0
        } else {
            start = try await journal.lastSequence()
        }
        let place = Mutex(start)
        return try await streams.response(to: incoming) {
            if let payment, let seen = try? await journal.payment(payment) { checkout.watched(seen) }
        } news: { signal, writer in
            switch signal {
            case .reader(let owner, let of, let event):
                return owner == account && (payment == nil || payment == of) ? line(event, of) : ""
            case .poll:
                var text = ""
                while true {
                    let events = try await events(after: place.withLock { $0 }, account, payment)
                    for reading in events {
                        switch reading {
                        case .event(let event): text += line(event)
                        case .unreadable(let event): text += line(event)
                        }
                    }
                    guard let last = events.last else { return text }
                    place.withLock { $0 = max($0, last.sequence) }
                    if events.count < EventStreamRoute.page { return text }
                    try await writer.write(ByteBuffer(string: text))
                    text = ""
                }
            }
        }
    }

    private func events(
        after place: Int64, _ account: AccountID, _ payment: PaymentID?
    ) async throws -> [EventReading] {
        guard let payment else {
            return try await journal.readings(after: place, account: account, limit: EventStreamRoute.page)
        }
        return try await journal.events(of: payment).lazy.filter { $0.sequence > place }
            .prefix(EventStreamRoute.page).map { .event($0) }
    }

    /// Formats an unreadable event, without its content.
    private func line(_ event: UnreadableEvent) -> String {
        line(event.sequence, event.payment, event.version, "unreadable", event.at)
    }

    private func line(_ event: StoredEvent) -> String {
        line(
            event.sequence, event.payment, event.version, event.record.event.name, event.record.at,
            by: event.record.by)
    }

    private func line(
        _ sequence: Int64, _ payment: PaymentID, _ version: Int, _ type: String, _ at: Timestamp,
        by attribution: Attribution? = nil
    ) -> String {
        var writer = JSONWriter(reserving: 192)
        writer.beginObject()
        writer.field("sequence", sequence)
        writer.field("payment", payment.rawValue)
        writer.field("version", version)
        writer.field("type", type)
        writer.field("at", at.description)
        if let attribution {
            writer.key("by")
            PaymentJSON.write(attribution, into: &writer)
        }
        writer.endObject()
        return "id: \(sequence)\nevent: \(type)\ndata: \(writer.text)\n\n"
    }

    private func line(_ event: CardReaderEvent, _ payment: PaymentID) -> String {
        var writer = JSONWriter(reserving: 128)
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        writer.field("type", event.type.rawValue)
        writer.field("message", event.message ?? event.type.rawValue.replacing("_", with: " "))
        if let input = event.input {
            writer.key("input")
            writer.beginArray()
            for name in input.names { writer.string(name) }
            writer.endArray()
        }
        if let percent = event.percent { writer.field("percent", percent) }
        writer.endObject()
        return "event: reader\ndata: \(writer.text)\n\n"
    }
}
