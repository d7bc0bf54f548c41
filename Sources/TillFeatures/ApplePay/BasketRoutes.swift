import HTTPTypes
import Hummingbird
import TillApplePay
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillWeb

/// The routes by which the shop's own server opens, reads, replaces and closes the baskets of payment sheets. Prices
/// come from there, never from a page.
///
/// A basket is the order's: opening it again with the same content returns it, so a request whose answer was lost is
/// repeated without a key of its own.
struct BasketRoutes: Sendable {
    /// The state of a basket.
    enum State: String {
        /// It can be paid, replaced and closed.
        case open
        /// Its payment has no outcome yet.
        case pending
        case paid
        /// The shop closed it, or it expired. It cannot be paid.
        case closed

        var moneyMoved: MoneyMoved {
            switch self {
            case .open, .closed: .no
            case .pending: .unknown
            case .paid: .yes
            }
        }
    }

    let routes: ApplePayRoutes
    /// The scope of the shop's order numbers.
    let orderScope: OrderScope?

    private var baskets: ApplePayBaskets { routes.baskets }

    // MARK: Commands

    func open(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        guard routes.providerTakesTokens else { throw Problem.applePayOff }
        let request = try BasketRequest(try await incoming.document(), currency: routes.options.currency)
        guard let number = request.order else { throw Problem.field("order_id", "It is missing.") }
        let (basket, terms) = try request.basket(BasketRoutes.newID(), of: number, as: try scoped(number))
        try await checkFree(terms.order, besides: try await paying(terms.order))
        switch try await baskets.open(basket, on: terms, account: request.customer) {
        case .opened(let entry):
            var response = try answer(entry, .open, incoming, status: .created)
            response.headers[.location] = "/v1/applepay/baskets/\(entry.basket.id)"
            return response
        case .existing(let existing):
            let (entry, state) = try await standing(existing.basket.id)
            guard entry.terms?.fingerprint == terms.fingerprint else {
                try check(entry, state)
                throw Problem.basketExists(entry.basket.id, of: terms.order)
            }
            return try answer(entry, state, incoming)
        }
    }

    func show(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let (entry, state) = try await standing(try incoming.parameters.text("id"))
        return try answer(entry, state, incoming)
    }

    func replace(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let request = try BasketRequest(try await incoming.document(), currency: routes.options.currency)
        let (entry, state) = try await standing(try incoming.parameters.text("id"))
        let id = entry.basket.id
        let number = request.order ?? OrderID(rawValue: entry.terms?.number ?? id)
        guard try scoped(number) == entry.order else {
            throw Problem.field(
                "order_id", "The basket is of order \(entry.order). It is unchanged.", code: "order_mismatch")
        }
        let (basket, terms) = try request.basket(id, of: number, as: entry.order)
        try check(entry, state)
        try await checkFree(entry.order)
        guard let replaced = try await baskets.replace(id, with: basket, on: terms, account: request.customer) else {
            try await refuse(id)
        }
        return try answer(replaced, .open, incoming)
    }

    func close(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let (entry, state) = try await standing(try incoming.parameters.text("id"))
        switch state {
        case .open: guard try await baskets.close(entry.basket.id) else { try await refuse(entry.basket.id) }
        case .closed: break
        case .pending, .paid: try check(entry, state)
        }
        return try answer(entry, .closed, incoming)
    }

    // MARK: Checks

    /// Baskets belong to the counter's account. Other accounts find nothing, also those that share its readers.
    private func checkCaller(_ incoming: Incoming) throws {
        guard incoming.account == routes.account else { throw Problem.notFound }
    }

    /// Refuses a change to a basket that is not open.
    private func check(_ entry: ApplePayBaskets.Entry, _ state: State) throws {
        switch state {
        case .open: return
        case .pending: throw Problem.basketInPayment(entry.basket.id)
        case .paid: throw Problem.basketPaid(entry.basket.id, by: entry.attempt?.payment)
        case .closed: throw Problem.basketClosed
        }
    }

    /// Refuses the change that another request, such as a sheet's payment, came before.
    private func refuse(_ id: String) async throws -> Never {
        let (entry, state) = try await standing(id)
        try check(entry, state)
        throw Problem.basketContended(id)
    }

    /// Refuses an order that is paid, or may be paid, by another payment: one order is paid once. An unpaid payment of
    /// the order is replaced when the sheet is paid.
    /// - Parameter own: the payment of the order's own basket.
    private func checkFree(_ order: OrderID, besides own: PaymentID? = nil) async throws {
        guard let payment = try await baskets.journal.livePayment(account: routes.account, order: order),
            payment.id != own
        else { return }
        switch payment.status {
        case .requiresPaymentMethod, .declined: return
        case .requiresAction, .stored, .processing, .unknown, .requiresCapture, .succeeded, .partiallyCaptured,
            .partiallyRefunded, .refunded, .canceled, .expired, .captureFailed:
            throw CheckoutError.orderOccupied(order, by: payment.id, payment.status)
        }
    }

    /// Returns the payment of the order's own basket, if it has one.
    private func paying(_ order: OrderID) async throws -> PaymentID? {
        let records = Records<OrderBasket>(baskets.journal)
        guard let id = try await records.document(OrderBasket.id(routes.account, order).key)?.basket else { return nil }
        return try await baskets.entry(id)?.attempt?.payment
    }

    private func scoped(_ number: OrderID) throws -> OrderID {
        guard let orderScope else { return number }
        do throws(IdentifierError) { return try orderScope.id(of: number) } catch {
            throw Problem.field("order_id", "It cannot be used in the scope \(orderScope.rawValue). \(error)")
        }
    }

    /// Returns an identifier that cannot be guessed: 28 letters, 131 bits. It has no digits, which could be masked as
    /// those of a card.
    private static func newID() -> String {
        let letters = (0..<28).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        return "basket-" + String(decoding: letters, as: UTF8.self)
    }

    // MARK: Answers

    /// Returns a basket with its state. A payment that a process left without an outcome is resolved from the journal.
    private func standing(_ id: String) async throws -> (ApplePayBaskets.Entry, State) {
        guard let found = try await baskets.entry(id) else { throw Problem.notFound }
        guard found.attempt != nil else { return (found, unpaid(found)) }
        let status = SheetAnswerStatus(of: try await routes.checkout.status(id, showsToken: false))
        guard let entry = try await baskets.entry(id) else { throw Problem.notFound }
        switch status {
        case .placed: return (entry, .paid)
        case .pending: return (entry, .pending)
        case .open, .declined: return (entry, entry.attempt == nil ? unpaid(entry) : .pending)
        }
    }

    private func unpaid(_ entry: ApplePayBaskets.Entry) -> State {
        entry.isOpen(at: routes.clock.now()) ? .open : .closed
    }

    /// Returns the answer with a basket. The contact of a paid one is for whoever takes payments, not for every reader.
    private func answer(
        _ entry: ApplePayBaskets.Entry, _ state: State, _ incoming: Incoming, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let (basket, terms) = (entry.basket, entry.terms)
        var contact: FullContact?
        if state == .paid, incoming.scopes.contains(.sell) { contact = entry.attempt?.fullContact }
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("id", basket.id)
        writer.field("order_id", entry.order.rawValue)
        writer.field("order_number", terms?.number ?? basket.id)
        writer.field("state", state.rawValue)
        writer.field("money_moved", state.moneyMoved.rawValue)
        writer.field("version", basket.version)
        writer.field("amount", try basket.total().minorUnits)
        writer.field("currency", basket.currency.code)
        writer.key("lines")
        writer.beginArray()
        for line in try basket.summaryItems() {
            writer.beginObject()
            writer.field("label", line.label)
            writer.field("amount", line.amount.minorUnits)
            writer.endObject()
        }
        writer.endArray()
        writer.field("service", BasketService(basket.service).rawValue)
        writer.field("shipping_method", basket.shippingMethod?.identifier)
        writer.field("customer", entry.account)
        writer.field("note", terms?.note)
        writer.field("requested_for", terms?.requestedFor)
        writer.field("payment_id", entry.attempt?.payment?.rawValue)
        writer.field("contact", contact?.apiDocument ?? JSONValue.null)
        writer.field("opened_at", entry.openedAt.description)
        writer.field("expires_at", entry.attempt == nil ? entry.expiresAt.description : nil)
        writer.field("basket_path", "/applepay/basket/\(basket.id)")
        writer.field("status_path", "/applepay/payment/\(basket.id)")
        writer.field("script_path", "/applepay/client.js")
        writer.endObject()
        return .json(writer.bytes, status: status)
    }
}

extension FullContact {
    /// The contact in the API's terms.
    fileprivate var apiDocument: JSONValue {
        let place = address.map { address in
            JSONValue.members([
                "lines": .array(address.lines.map { .string($0) }), "city": .string(address.locality),
                "region": .string(address.administrativeArea), "postal_code": .string(address.postalCode),
                "country": .string(address.countryCode),
            ])
        }
        return .members([
            "name": .string(name), "email": .string(emailAddress), "phone": .string(phoneNumber),
            "address": place ?? JSONValue.null,
        ])
    }
}
