import HTTPTypes
import Hummingbird
import TillCheckout
import TillCore
package import TillCounter
import TillJournal
package import TillWeb

/// `/v1/orders/{id}/contact`: the customer of an order, booked here or paid by Apple Pay, to be read and erased.
package struct OrderContactRoutes: Sendable {
    private let book: OrderBook
    private let paid: any OrderContacts
    private let options: ServerOptions

    /// - Parameter paid: the contacts of orders that were paid by Apple Pay.
    package init(book: OrderBook, paid: any OrderContacts, options: ServerOptions) {
        (self.book, self.paid, self.options) = (book, paid, options)
    }

    package func register(on router: CounterRouter) {
        let path = "/v1/orders/{id}/contact"
        router.get(path, for: .sell, of: .caller) { try await show($0) }
        router.on([.delete], path, for: .sell, of: .caller) { try await erase($0) }
    }

    /// Returns the order of the path, in the shop's scope.
    private func name(_ incoming: Incoming) throws -> OrderID {
        let id = try incoming.parameters.identifier("id", as: OrderID.self)
        guard let scope = options.orderScope else { return id }
        return try OrderRequest.scoped(id, scope)
    }

    private func show(_ incoming: Incoming) async throws -> Response {
        let id = try name(incoming)
        let order = try await book.order(id, of: incoming.account)
        let baskets = try await paid.contacts(of: id, account: incoming.account)
        guard order != nil || !baskets.isEmpty else { throw CheckoutError.unknownOrder(id) }
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("order_id", id.rawValue)
        writer.field("booked", order != nil)
        writer.key("customer")
        if let contact = order?.content.contact { writer.value(contact.json) } else { writer.null() }
        writer.field("note", order?.content.note)
        writer.key("baskets")
        writer.beginArray()
        for basket in baskets {
            writer.beginObject()
            writer.field("basket_id", basket.basket)
            writer.field("payment_id", basket.payment?.rawValue)
            writer.field("contact", basket.contact ?? JSONValue.null)
            writer.field("note", basket.note)
            writer.field("customer_note", basket.customerNote)
            writer.endObject()
        }
        writer.endArray()
        writer.key("retention_days")
        if let span = options.contactRetention { writer.int(days(span)) } else { writer.null() }
        writer.field("basket_retention_days", days(options.contactRetention ?? CounterOptions.usualContactRetention))
        writer.endObject()
        return .json(writer.bytes)
    }

    private func days(_ span: Span) -> Int64 { span.milliseconds / Span.days(1).milliseconds }

    /// Erases the customer. A repetition erases nothing more, and finishes what an interrupted request began.
    private func erase(_ incoming: Incoming) async throws -> Response {
        let id = try name(incoming)
        // First, because it is refused while the order is being paid: nothing is erased then.
        let erased = try await paid.eraseContacts(of: id, account: incoming.account)
        var entry: OrderBook.Entry?
        var isErased = false
        do {
            let changed = try await book.eraseContact(id, of: incoming.account)
            entry = changed.entry
            isErased = changed.isErased
        } catch CheckoutError.unknownOrder where erased != nil {}
        var isLogEmptied = false
        if let files = book.journal as? any TraceErasing { isLogEmptied = try await files.eraseTraces() }
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("order_id", id.rawValue)
        writer.key("erased")
        writer.beginObject()
        writer.field("order", isErased)
        for (key, names) in [("baskets", erased?.baskets ?? []), ("guests", erased?.guests ?? [])] {
            writer.key(key)
            writer.value(.array(names.map { .string($0) }))
        }
        writer.endObject()
        writer.field("log_emptied", isLogEmptied)
        writer.key("order")
        if let entry {
            writer.raw(bytes: OrderJSON.whole(entry, for: incoming.scopes))
        } else {
            writer.null()
        }
        writer.endObject()
        return .json(writer.bytes)
    }
}
