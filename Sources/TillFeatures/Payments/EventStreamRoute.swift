import HTTPTypes
import Hummingbird
import NIOCore
package import TillCheckout
package import TillCore
import TillCounter
import TillHardware
package import TillJournal
package import TillWeb

/// `GET /v1/events`: journal events as server-sent events. An event's `id` is its position in the journal.
package struct EventStreamRoute: Sendable {
    /// The polling interval without a signal.
    package static let interval = Span.seconds(1)
    /// The number of polls without news after which a comment keeps the connection open.
    static let pollsPerHeartbeat = 15
    /// The number of events in one read.
    package static let page = 200

    package let journal: any Journal
    package let checkout: Checkout
    package let feed: EventFeed
    package let clock: any TillClock
    package let authenticator: RequestAuthenticator
    package let maximumStreams: Int
    /// The counter's account.
    package let owner: AccountID

    package init(
        journal: any Journal, checkout: Checkout, feed: EventFeed, clock: any TillClock,
        authenticator: RequestAuthenticator, maximumStreams: Int, owner: AccountID
    ) {
        self.journal = journal
        self.checkout = checkout
        self.feed = feed
        self.clock = clock
        self.authenticator = authenticator
        self.maximumStreams = maximumStreams
        self.owner = owner
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
        guard
            let listener = feed.listen(
                account, credential: incoming.credential, share: incoming.share, atMost: maximumStreams, owner: owner)
        else {
            throw Problem(
                .tooManyRequests, "too_many_streams", "Too many streams of events are open.", next: "Close another one."
            ).retrying(after: 5)
        }
        // A credential revoked during setup is not in the feed yet when its streams are ended.
        if let credential = incoming.credential, try await !authenticator.isInForce(credential) {
            feed.stop(listener.id)
            throw Problem.unauthorized
        }
        let (clock, journal, checkout) = (clock, journal, checkout)
        // Events between that position and now are reported immediately.
        listener.tick()
        let body = ResponseBody { writer in
            let ticker = Task {
                while !Task.isCancelled {
                    try await clock.sleep(for: EventStreamRoute.interval)
                    listener.tick()
                    if let session = incoming.credential?.session, await isOver(session) {
                        feed.stop(listener.id)
                        return
                    }
                    if let payment, let seen = try? await journal.payment(payment) { checkout.watched(seen) }
                }
            }
            defer {
                ticker.cancel()
                feed.stop(listener.id)
            }
            try await run(listener.signals, from: start, account, payment, &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    /// Returns `true` if a page session has ended or is locked; streams of keys are ended by `KeyWatch`. A session
    /// that cannot be checked at the moment stays open.
    private func isOver(_ session: [UInt8]) async -> Bool {
        do throws(JournalError) { return try await !authenticator.isInForce(.session(hash: session)) } catch {
            return false
        }
    }

    private func run(
        _ signals: AsyncStream<EventFeed.Signal>, from start: Int64, _ account: AccountID, _ payment: PaymentID?,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var place = start
        var quietPolls = 0
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await signal in signals {
            var text = ""
            switch signal {
            case .reader(let owner, let of, let event):
                if owner == account, payment == nil || payment == of { text = line(event, of) }
            case .poll:
                while true {
                    let events = try await events(after: place, account, payment)
                    for reading in events {
                        switch reading {
                        case .event(let event): text += line(event)
                        case .unreadable(let event): text += line(event)
                        }
                    }
                    guard let last = events.last else { break }
                    place = max(place, last.sequence)
                    if events.count < EventStreamRoute.page { break }
                    try await writer.write(ByteBuffer(string: text))
                    text = ""
                }
            }
            quietPolls = text.isEmpty ? quietPolls + 1 : 0
            if quietPolls >= EventStreamRoute.pollsPerHeartbeat {
                quietPolls = 0
                text = ": still here\n\n"
            }
            if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
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
