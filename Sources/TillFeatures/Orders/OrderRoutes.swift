import HTTPTypes
import Hummingbird
import TillCheckout
import TillCore
import TillCounter
import TillJournal
package import TillWeb

/// `/v1/orders`: the orders of programs and shops, their payments, and how far they are.
package struct OrderRoutes: Sendable {
    private let book: OrderBook
    private let payments: PaymentRequests

    package init(book: OrderBook, payments: PaymentRequests) { (self.book, self.payments) = (book, payments) }

    private var checkout: Checkout { payments.checkout }
    private var scope: OrderScope? { payments.options.orderScope }

    package func register(on router: CounterRouter) {
        let one = "/v1/orders/{id}"
        router.get(
            "/v1/orders", for: .read, of: .caller, query: ["state", "paid", "q", "before", "limit"]
        ) { try await list($0) }
        router.post(
            "/v1/orders", for: .sell, of: .caller, maximumBodyBytes: OrderRequest.maximumBodyBytes
        ) { try await create($0) }
        router.get(one, for: .read, of: .caller) { try await show($0) }
        router.on(
            [.put], one, for: .sell, of: .caller, maximumBodyBytes: OrderRequest.maximumBodyBytes
        ) { try await replace($0) }
        router.post(one + "/payments", for: .sell, of: .caller) { try await pay($0) }
        router.post(one + "/ready", for: .sell, of: .caller) { try await move($0, to: .ready) }
        router.post(one + "/fulfil", for: .sell, of: .caller) { try await fulfil($0) }
        router.post(one + "/cancel", for: .sell, of: .caller, needs: .void) { try await move($0, to: .canceled) }
        router.post(one + "/reopen", for: .sell, of: .caller) { try await move($0, to: .open) }
    }

    /// Returns the order of the path, in the shop's scope.
    private func name(_ incoming: Incoming) throws -> OrderID {
        let id = try incoming.parameters.identifier("id", as: OrderID.self)
        guard let scope else { return id }
        return try OrderRequest.scoped(id, scope)
    }

    // MARK: Commands

    private func create(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document(identifiers: OrderRequest.identifiers)
        let content = try OrderRequest.content(body, in: scope)
        let (entry, isNew) = try await book.book(content, of: incoming.account)
        var response = Response.json(OrderJSON.whole(entry, for: incoming.scopes), status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = "/v1/orders/\(OrderRoutes.pathComponent(entry.order.id))" }
        return response
    }

    /// Returns an identifier as a component of a path, percent-encoded but for letters, digits and `-._~`.
    private static func pathComponent(_ order: OrderID) -> String {
        var bytes: [UInt8] = []
        for byte in order.rawValue.utf8 {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isLetter || isDigit || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += Array("%\(Hex.text([byte]))".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func replace(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document(identifiers: OrderRequest.identifiers)
        let content = try OrderRequest.content(body, of: try name(incoming), in: scope)
        let entry = try await book.replace(content, of: incoming.account)
        return .json(OrderJSON.whole(entry, for: incoming.scopes))
    }

    private func move(_ incoming: Incoming, to state: BookedOrder.State) async throws -> Response {
        try (try await incoming.document()).allow([])
        let entry = try await book.move(try name(incoming), of: incoming.account, to: state, by: incoming.person)
        return .json(OrderJSON.whole(entry, for: incoming.scopes))
    }

    private func fulfil(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["accept_unpaid"])
        let word = body["accept_unpaid"]
        guard let accepts = word == nil ? false : word?.boolValue else {
            throw Problem.field("accept_unpaid", "It must be true or false.")
        }
        let entry = try await book.move(
            try name(incoming), of: incoming.account, to: .fulfilled, acceptsUnpaid: accepts, by: incoming.person)
        return .json(OrderJSON.whole(entry, for: incoming.scopes))
    }

    /// Begins a payment of the order, or of a part of what is open.
    private func pay(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        guard body["discount"] == nil else { throw DiscountError.priceIsOrders }
        try body.allow(["amount", "capture", "accept_paid_order", "accepted_by"])
        let name = try name(incoming)
        let mode = try payments.captureMode(in: body, incoming)
        let acceptedBy = try payments.acceptance(of: body, incoming.actor)
        let scope = IdempotencyScope(
            account: incoming.account, operation: "POST /v1/orders/\(name)/payments", key: key)
        let request = payments.keyed.record(scope, body, .inFlight(payment: nil, operation: nil))
        // As for every creation the write itself refuses a known key. Were the key looked up first, the same request at
        // another counter could be written between that and the order's balance, which its own payment then exceeds.
        return try await payments.keyed.answer(request, status: .created, queriesFirst: false) { _ in
            for tries in 1... {
                let order = try await book.entry(name, of: scope.account).order.content.order
                do {
                    let draft = try await checkout.draft(
                        account: scope.account, onTabOf: order, amount: try body.amount("amount", order.currency),
                        captureMode: mode, acceptedBy: acceptedBy)
                    var record = request
                    record.state = .finished(
                        status: 201, body: PaymentJSON.write(draft.payment), payment: draft.payment.id)
                    let kept = record
                    _ = try await withPaymentSpan("create", draft.payment.id) {
                        try await checkout.create(draft, idempotency: kept)
                    }
                    payments.metrics.created()
                    return record
                } catch CheckoutError.orderChanged where tries < Checkout.maximumConflicts {}
            }
            throw CheckoutError.orderChanged(name)
        }
    }

    // MARK: Reading

    private func show(_ incoming: Incoming) async throws -> Response {
        let entry = try await book.entry(try name(incoming), of: incoming.account)
        return .json(OrderJSON.whole(entry, for: incoming.scopes))
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        let seesContact = OrderJSON.seesContact(incoming.scopes)
        var filter = OrderBook.Filter()
        // Who does not see a telephone number cannot try it out either.
        filter.findsContact = seesContact
        if let text = try incoming.query("limit") {
            guard let limit = Int(text), (1...OrderBook.maximumListed).contains(limit) else {
                throw Problem.field("limit", "It must be 1 to \(OrderBook.maximumListed).")
            }
            filter.limit = limit
        }
        if let text = try incoming.query("state") {
            guard let state = BookedOrder.State(rawValue: text) else {
                let known = BookedOrder.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.field("state", "It must be one of \(known).")
            }
            filter.state = state
        }
        switch try incoming.query("paid") {
        case nil: break
        case "true": filter.isPaid = true
        case "false": filter.isPaid = false
        default: throw Problem.field("paid", "It must be true or false.")
        }
        if let text = try incoming.query("before") {
            guard let id = OrderID(ifValid: text) else { throw Problem.field("before", "There is no such order.") }
            filter.before = try scope.map { try OrderRequest.scoped(id, $0) } ?? id
        }
        let page: OrderBook.Page
        // Read first: what changes meanwhile is then both in the list and behind the position.
        let end = try await book.end(of: incoming.account)
        if let text = try incoming.query("q") {
            guard (1...OrderRequest.maximumLabelBytes).contains(text.utf8.count) else {
                throw Problem.field("q", "It must have 1 to \(OrderRequest.maximumLabelBytes) bytes.")
            }
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw Problem.field("q", "It must have no control characters.")
            }
            guard filter.before == nil else { throw Problem.field("before", "It does not go with q.") }
            page = try await book.search(text, filter, of: incoming.account)
        } else {
            page = try await book.list(filter, of: incoming.account)
        }
        var writer = JSONWriter(reserving: 1_024 * (1 + page.entries.count))
        writer.beginObject()
        writer.key("orders")
        writer.beginArray()
        for entry in page.entries {
            OrderJSON.write(entry, withPayments: false, withContact: seesContact, into: &writer)
        }
        writer.endArray()
        if !page.unreadable.isEmpty {
            writer.key("unreadable")
            writer.beginArray()
            for damage in page.unreadable { damage.write(into: &writer) }
            writer.endArray()
        }
        writer.field("next", page.next?.rawValue)
        writer.field("cursor", end.text)
        writer.endObject()
        return .json(writer.bytes)
    }
}
