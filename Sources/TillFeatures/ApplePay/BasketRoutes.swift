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
        /// All that its payment took was given back. The order can have another basket.
        case refunded
        /// The shop closed it or canceled its payment, or it expired. It cannot be paid.
        case closed

        /// The state of a basket whose sheet was told that the order is placed.
        init(of payment: Payment?) {
            guard let payment, !payment.isLive else {
                self = .paid
                return
            }
            self = payment.status == .refunded ? .refunded : .closed
        }

        /// `true` if money moved, also if it was given back later.
        var moneyMoved: MoneyMoved {
            switch self {
            case .open, .closed: .no
            case .pending: .unknown
            case .paid, .refunded: .yes
            }
        }
    }

    /// A basket as it stands.
    private struct Standing {
        var entry: ApplePayBaskets.Entry
        var state: State
        /// The payment that paid it.
        var payment: Payment?

        /// The payment that pays or paid it.
        var paymentID: PaymentID? { payment?.id ?? entry.attempt?.payment }
    }

    /// The maximum number of attempts at opening the basket of an order whose baskets end at the same time.
    private static let maximumOpenings = 4

    let routes: ApplePayRoutes
    /// The scope of the shop's order numbers.
    let orderScope: OrderScope?

    private var baskets: ApplePayBaskets { routes.baskets }

    // MARK: Commands

    func open(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        guard routes.isOffered else { throw Problem.applePayNotOffered }
        let request = try await request(in: incoming)
        guard let number = request.order else { throw Problem.field("order_id", "It is missing.") }
        let (basket, terms) = try request.basket(BasketRoutes.newID(), of: number, as: try scoped(number))
        try await checkQuote(of: terms)
        try await checkFree(terms.order, besides: try await paying(terms.order))
        var ended: String?
        for _ in 1...BasketRoutes.maximumOpenings {
            switch try await baskets.open(basket, on: terms, account: request.customer, succeeding: ended) {
            case .opened(let entry):
                var response = try answer(Standing(entry: entry, state: .open), incoming, status: .created)
                response.headers[.location] = "/v1/applepay/baskets/\(entry.basket.id)"
                return response
            case .existing(let existing):
                guard let found = try await found(existing.basket.id) else { continue }
                switch found.state {
                case .open, .pending, .paid: return try repeated(found, terms, incoming)
                // The order is free again, so it gets another basket.
                case .refunded, .closed: ended = existing.basket.id
                }
            }
        }
        throw Problem.basketContended(ended ?? basket.id)
    }

    /// Returns the basket that a request has opened before.
    private func repeated(_ found: Standing, _ terms: BasketTerms, _ incoming: Incoming) throws -> Response {
        guard found.entry.terms?.fingerprint == terms.fingerprint else {
            try check(found)
            throw Problem.basketExists(found.entry.basket.id, of: terms.order)
        }
        return try answer(found, incoming)
    }

    func show(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        return try answer(try await standing(try incoming.parameters.text("id")), incoming)
    }

    func replace(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let request = try await request(in: incoming)
        let found = try await standing(try incoming.parameters.text("id"))
        let entry = found.entry
        let id = entry.basket.id
        guard let former = entry.terms else { throw Problem.basketWithoutOrder(id) }
        let number = request.order ?? OrderID(rawValue: former.number)
        guard try scoped(number) == entry.order else {
            throw Problem.field(
                "order_id", "The basket is of order \(entry.order). It is unchanged.", code: "order_mismatch")
        }
        let (basket, terms) = try request.basket(id, of: number, as: entry.order)
        try check(found)
        try await checkQuote(of: terms)
        try await checkFree(entry.order)
        guard let replaced = try await baskets.replace(id, with: basket, on: terms, account: request.customer) else {
            try await refuse(id)
        }
        return try answer(Standing(entry: replaced, state: .open), incoming)
    }

    func close(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        var found = try await standing(try incoming.parameters.text("id"))
        let id = found.entry.basket.id
        switch found.state {
        case .open: guard try await baskets.close(id) else { try await refuse(id) }
        case .closed: break
        case .pending, .paid, .refunded: try check(found)
        }
        found.state = .closed
        return try answer(found, incoming)
    }

    /// Exchanges the token of a new guest, which the sheet's answer gave to the shop's page, for the guest's customer
    /// identifier.
    func redeem(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let body = try await incoming.document()
        try body.allow(["token"])
        guard let token = try body.text("token", atMost: 128) else { throw Problem.field("token", "It is missing.") }
        guard let guest = try await routes.customers.redeemed(token) else { throw Problem.guestTokenUnknown }
        return ApplePayRoutes.json(.members(["customer": .string(guest.id), "basket": guest.basket.json]))
    }

    /// Erases the account of a guest. A repetition erases nothing more.
    func eraseGuest(_ incoming: Incoming) async throws -> Response {
        try checkCaller(incoming)
        let guest = try incoming.parameters.text("id")
        guard guest.utf8.count <= 256 else { throw Problem.guestTooLong }
        let contacts = WalletContacts(baskets.journal, pepper: nil, clock: routes.clock)
        let isErased = try await contacts.eraseGuest(guest, account: incoming.account)
        let isLogEmptied = try await contacts.eraseTraces()
        return ApplePayRoutes.json(
            .members([
                "customer": .string(guest), "erased": .bool(isErased), "log_emptied": .bool(isLogEmptied),
            ]))
    }

    // MARK: Checks

    private func request(in incoming: Incoming) async throws -> BasketRequest {
        let body = try await incoming.document(identifiers: BasketRequest.identifiers)
        let options = routes.options
        return try BasketRequest(
            body, currencies: options.currencies, hasPlaces: !options.places.isEmpty, now: routes.clock.now())
    }

    /// Baskets belong to the counter's account. Other accounts find nothing, also those that share its readers.
    private func checkCaller(_ incoming: Incoming) throws {
        guard incoming.account == routes.account else { throw Problem.notFound }
    }

    /// Refuses a basket whose price no shop could be asked for.
    private func checkQuote(of terms: BasketTerms) async throws {
        guard let quote = terms.quote else { return }
        guard let quotes = routes.checkout.quotes else {
            throw Problem.field("quote", "This counter asks no shop for prices.")
        }
        try await quotes.check(quote)
    }

    /// Refuses a change to a basket that is not open.
    private func check(_ found: Standing) throws {
        let id = found.entry.basket.id
        switch found.state {
        case .open: return
        case .pending: throw Problem.basketInPayment(id)
        case .paid: throw Problem.basketPaid(id, by: found.paymentID)
        case .refunded: throw Problem.basketRefunded(id, by: found.paymentID)
        case .closed: throw Problem.basketClosed
        }
    }

    /// Refuses the change that another request, such as a sheet's payment, came before.
    private func refuse(_ id: String) async throws -> Never {
        try check(try await standing(id))
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

    private func standing(_ id: String) async throws -> Standing {
        guard let found = try await found(id) else { throw Problem.notFound }
        return found
    }

    /// Returns a basket with its state; `nil` if there is none. A payment that a process left without an outcome is
    /// resolved from the journal.
    private func found(_ id: String) async throws -> Standing? {
        guard let found = try await baskets.entry(id) else { return nil }
        guard found.attempt != nil else { return unpaid(found) }
        let told = try await routes.checkout.status(id, showsToken: false)
        guard let entry = try await baskets.entry(id) else { return nil }
        switch SheetAnswerStatus(of: told) {
        case .placed:
            let number = entry.attempt?.payment ?? told["paymentId"]?.stringValue.map { PaymentID(rawValue: $0) }
            var payment: Payment?
            if let number { payment = try await baskets.journal.payment(number) }
            return Standing(entry: entry, state: State(of: payment), payment: payment)
        case .pending: return Standing(entry: entry, state: .pending)
        case .open, .declined, .closed:
            return entry.attempt == nil ? unpaid(entry) : Standing(entry: entry, state: .pending)
        }
    }

    private func unpaid(_ entry: ApplePayBaskets.Entry) -> Standing {
        Standing(entry: entry, state: entry.isOpen(at: routes.clock.now()) ? .open : .closed)
    }

    /// Returns the answer with a basket. The customer, what the customer wrote and the contact are for whoever takes
    /// payments, not for every reader.
    private func answer(
        _ found: Standing, _ incoming: Incoming, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let (entry, state) = (found.entry, found.state)
        let (basket, terms) = (entry.basket, entry.terms)
        let seesCustomer = incoming.scopes.contains(.sell)
        let contact = seesCustomer && state.moneyMoved == .yes ? entry.attempt?.fullContact : nil
        // The order may have been paid by the payment of another sheet, which showed other goods.
        let amount = try found.payment?.amount ?? basket.total()
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("id", basket.id)
        writer.field("order_id", entry.order.rawValue)
        writer.field("order_number", terms?.number ?? basket.id)
        writer.field("state", state.rawValue)
        writer.field("money_moved", state.moneyMoved.rawValue)
        writer.field("version", basket.version)
        writer.field("amount", amount.minorUnits)
        writer.field("currency", amount.currency.code)
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
        writer.field("coupon", basket.coupon?.code)
        writer.field("agreement", basket.agreement.map { BasketRequest.AgreementKind($0.terms).rawValue })
        writer.key("quote")
        if let quote = terms?.quote {
            writer.beginObject()
            writer.field("webhook_endpoint", quote.endpoint)
            writer.field("coupons", quote.takesCoupons)
            writer.field("priced", !basket.awaitsPrice)
            writer.field("count", entry.quotes.count)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.field("customer", seesCustomer ? entry.account : nil)
        writer.field("note", seesCustomer ? terms?.note : nil)
        writer.field("requested_for", seesCustomer ? terms?.requestedFor : nil)
        writer.field("customer_note", seesCustomer ? terms?.customerNote : nil)
        writer.field("customer_requested_for", seesCustomer ? terms?.customerTime : nil)
        writer.field("payment_id", found.paymentID?.rawValue)
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
    var apiDocument: JSONValue {
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
