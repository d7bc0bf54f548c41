import TillCheckout
package import TillCore
package import TillCounter
import TillOrders
import TillWeb

/// The orders of a counter's account for commands on its journal, beside any running counter. Identifiers are in the
/// shop's order scope, as over HTTP. A running counter's streams show a change within a second.
package struct CounterOrders: Sendable {
    /// The maximum number of orders in a list.
    package static let maximumListed = OrderBook.maximumListed

    /// Which orders are listed.
    package enum Selection: Hashable, Sendable {
        case all
        case inState(BookedOrder.State)
        /// Neither handed over nor canceled.
        case current
    }

    /// Orders, newest first.
    package struct Listing: Sendable {
        package var entries: [OrderBook.Entry] = []
        /// Orders of which a record is damaged: the name, if it can be read, and a sentence.
        package var unreadable: [(order: OrderID?, sentence: String)] = []
        /// `true` if there are older ones.
        package var hasMore = false
    }

    private let book: OrderBook
    private let account: AccountID
    private let scope: OrderScope?

    /// Creates the orders of a counter's account.
    package init(_ counter: Counter) {
        book = OrderBook(counter.journal, checkout: counter.checkout, feed: EventFeed(), clock: counter.clock)
        (account, scope) = (counter.options.account, counter.options.orderScope)
    }

    // MARK: Reading

    /// Returns an order.
    /// - Throws: ``CheckoutError/unknownOrder(_:)``, also for a text that is no identifier.
    package func order(_ name: String) async throws -> OrderBook.Entry {
        try await book.entry(try identifier(name), of: account)
    }

    /// Lists orders, newest first.
    /// - Parameter limit: The maximum number, 1 to ``maximumListed``.
    package func list(_ selection: Selection, limit: Int) async throws -> Listing {
        let states: [BookedOrder.State?] =
            switch selection {
            case .all: [nil]
            case .inState(let state): [state]
            case .current: [.open, .ready]
            }
        var listing = Listing()
        for state in states {
            var filter = OrderBook.Filter()
            (filter.state, filter.limit) = (state, limit)
            let page = try await book.list(filter, of: account)
            listing.entries += page.entries
            listing.unreadable += page.unreadable.map { (order: $0.order, sentence: $0.sentence) }
            listing.hasMore = listing.hasMore || page.next != nil
        }
        listing.entries.sort { $0.order.createdAt > $1.order.createdAt }
        listing.hasMore = listing.hasMore || listing.entries.count > limit
        listing.entries = Array(listing.entries.prefix(limit))
        return listing
    }

    // MARK: Changing

    /// Books the order of a document, or returns the one that was booked with the same content.
    /// - Parameter bytes: The body of a booking over HTTP, or a document of WooCommerce or PayPal alone.
    package func book(_ bytes: [UInt8]) async throws -> (entry: OrderBook.Entry, isNew: Bool) {
        try await book.book(try CounterOrders.content(bytes, in: scope), of: account)
    }

    /// Moves an order to a state. One that is there already is left unchanged.
    /// - Parameter acceptsUnpaid: `true` to hand over the goods of an order that is not paid.
    package func move(
        _ name: String, to state: BookedOrder.State, acceptsUnpaid: Bool = false
    ) async throws -> OrderBook.Entry {
        try await book.move(try identifier(name), of: account, to: state, acceptsUnpaid: acceptsUnpaid)
    }

    private func identifier(_ name: String) throws -> OrderID {
        guard let id = OrderID(ifValid: name) else { throw CheckoutError.unknownOrder(OrderID(rawValue: name)) }
        return try scope.map { try OrderRequest.scoped(id, $0) } ?? id
    }

    /// Reads a document. Card numbers in it are masked, and refused in what names an order, as over HTTP.
    private static func content(_ bytes: [UInt8], in scope: OrderScope?) throws -> BookedOrder.Content {
        let document = try JSONValue(
            parsing: bytes, limits: JSONLimits(maximumBytes: Order.maximumDocumentBytes), allowsTrailingCommas: true)
        let isBooking = document["order_id"] != nil || document["order"]?.objectValue != nil
        let body = isBooking ? document : .object([JSONMember(key: "order", value: document)])
        let names = [("order_id", body["order_id"]), ("order.id", body["order"]?["id"]), ("number", body["number"])]
        for (place, name) in names {
            guard let text = name?.text, CardNumberMask.finds(in: text) else { continue }
            throw Problem.field(place, "\(IdentifierError.cardNumber)", code: "card_number_refused")
        }
        let masked = body.withoutCardNumbers()
            .withoutSplitCardNumbers(in: ["order_id", "note", "name"], keeping: ["order_id"])
        return try OrderRequest.content(masked, in: scope)
    }

    // MARK: Writing

    /// Writes an order with its payments as `GET /v1/orders/{id}` does.
    package static func json(_ entry: OrderBook.Entry) -> String {
        String(decoding: OrderJSON.whole(entry, for: [.sell]), as: UTF8.self)
    }

    /// Writes a list as `GET /v1/orders` does, with `has_more` in place of `next`.
    package static func json(_ listing: Listing) -> String {
        var writer = JSONWriter(reserving: 1_024 * (1 + listing.entries.count))
        writer.beginObject()
        writer.key("orders")
        writer.beginArray()
        for entry in listing.entries {
            OrderJSON.write(entry, withPayments: false, withContact: true, into: &writer)
        }
        writer.endArray()
        writer.key("unreadable")
        writer.beginArray()
        for damage in listing.unreadable {
            writer.beginObject()
            writer.field("id", damage.order?.rawValue)
            writer.field("unreadable", true)
            writer.field("message", damage.sentence)
            writer.endObject()
        }
        writer.endArray()
        writer.field("has_more", listing.hasMore)
        writer.endObject()
        return writer.text
    }
}
