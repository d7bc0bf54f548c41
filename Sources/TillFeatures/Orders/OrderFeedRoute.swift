import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import Synchronization
import TillCore
import TillCounter
import TillJournal
package import TillWeb

/// `GET /v1/orders/events`: the account's orders as server-sent events, each as it is after a change of its own or of
/// one of its payments. An event's `id` is the position behind it, with which a broken stream is resumed.
package struct OrderFeedRoute: Sendable {
    private let book: OrderBook
    private let streams: EventStreams
    private let logger: Logger

    package init(book: OrderBook, streams: EventStreams, logger: Logger = Logger(label: "till")) {
        (self.book, self.streams, self.logger) = (book, streams, logger)
    }

    /// Registers without `HEAD`, which would open a stream without a reader.
    package func register(on router: CounterRouter) {
        router.on([.get], "/v1/orders/events", for: .read, of: .caller, query: ["after"]) { try await stream($0) }
    }

    private func stream(_ incoming: Incoming) async throws -> Response {
        let account = incoming.account
        let end = try await book.end(of: account)
        var start = end
        let header = incoming.request.headers[HTTPField.Name.literal("Last-Event-ID")]
        if let text = try header ?? incoming.query("after") {
            guard let place = OrderCursor(text) else {
                throw Problem.field(
                    "after", "It must be the cursor of a list of orders, or the id of an event of this stream.")
            }
            // A position past the end belongs to another journal: no event would ever follow it.
            start = OrderCursor(change: min(place.change, end.change), event: min(place.event, end.event))
        }
        let seesContact = OrderJSON.seesContact(incoming.scopes)
        let place = Mutex(start)
        return try await streams.response(to: incoming) { signal, writer in
            guard case .poll = signal else { return "" }
            var text = ""
            while true {
                let reading = try await book.changes(after: place.withLock { $0 }, of: account)
                place.withLock { $0 = reading.next }
                for (number, news) in reading.news.enumerated() {
                    // Only the last of a read has its position: a stream that breaks before gets all of them again.
                    text += line(news, number == reading.news.count - 1 ? reading.next : nil, seesContact)
                }
                if reading.isEnd { return text }
                try await writer.write(ByteBuffer(string: text))
                text = ""
            }
        }
    }

    private func line(_ news: OrderBook.News, _ cursor: OrderCursor?, _ seesContact: Bool) -> String {
        var writer = JSONWriter(reserving: 1_024)
        let event: String
        switch news {
        case .order(let entry):
            event = "order"
            OrderJSON.write(entry, withPayments: false, withContact: seesContact, into: &writer)
        case .unreadable(let damage):
            event = "unreadable"
            logger.error("\(damage.sentence)")
            damage.write(into: &writer)
        }
        return (cursor.map { "id: \($0.text)\n" } ?? "") + "event: \(event)\ndata: \(writer.text)\n\n"
    }
}
