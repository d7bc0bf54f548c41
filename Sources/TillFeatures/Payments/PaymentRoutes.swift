import HTTPTypes
import Hummingbird
import TillCards
import TillCheckout
import TillCore
import TillCounter
import TillHardware
package import TillJournal
import TillOrders
import TillProvider
package import TillWeb

/// `/v1/payments`: creating, confirming, changing and reading payments.
package struct PaymentRoutes: Sendable {
    package let requests: PaymentRequests
    package let journal: any Journal & RecordStore
    package let feed: EventFeed
    package let readCard: CardCollector
    package let terminal: TerminalService?
    package let approvals: Approvals
    package let notes: PaymentNotes

    package init(
        requests: PaymentRequests, journal: any Journal & RecordStore, feed: EventFeed,
        readCard: @escaping CardCollector, terminal: TerminalService?, approvals: Approvals, notes: PaymentNotes
    ) {
        self.requests = requests
        self.journal = journal
        self.feed = feed
        self.readCard = readCard
        self.terminal = terminal
        self.approvals = approvals
        self.notes = notes
    }

    private var checkout: Checkout { requests.checkout }
    private var keyed: IdempotentRequests { requests.keyed }
    private var metrics: ServerMetrics { requests.metrics }
    private var options: ServerOptions { requests.options }
    private var clock: any TillClock { requests.clock }

    package func register(on router: CounterRouter) {
        router.post("/v1/payments", for: .sell, of: .caller) { try await create($0) }
        router.get("/v1/payments/{id}", for: .read, of: .caller, query: ["request"]) {
            try await show($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/confirm", for: .sell, of: .caller) {
            try await confirm($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/capture", for: .sell, of: .caller, needs: .hold) {
            try await capture($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/cancel", for: .sell, of: .caller) {
            try await cancel($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/session_result", for: .sell, of: .caller) {
            try await finish($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/refunds", for: .refund, of: .caller) {
            try await refund($0.parameters.identifier(), $0)
        }
    }

    // MARK: Commands

    private func create(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        let scope = IdempotencyScope(account: incoming.account, operation: "POST /v1/payments", key: key)
        let request = keyed.record(scope, body, .inFlight(payment: nil, operation: nil))
        // With a discount an approval may be consumed, and a repeated request must not need another.
        let queriesFirst = body["discount"] != nil
        return try await keyed.answer(request, status: .created, queriesFirst: queriesFirst) { _ in
            let order = try order(in: body, scope: scope)
            let mode = try requests.captureMode(in: body, incoming)
            let acceptedBy = try requests.acceptance(of: body, incoming.actor)
            let discount = try body.discount(beside: order.total)
            let authority = try await authority(for: discount, in: body, charging: order.total, incoming)
            var by = Attribution.current
            if let authority, authority.id != incoming.person?.id {
                by = by ?? Attribution(ofRequestBy: incoming.actor)
                by?.approvedBy = authority.actor
            }
            return try await Attribution.$current.withValue(by) {
                let draft = checkout.draft(
                    account: scope.account, order: order, captureMode: mode, acceptedBy: acceptedBy,
                    discount: discount)
                var record = request
                record.state = .finished(
                    status: 201, body: PaymentJSON.write(draft.payment), payment: draft.payment.id)
                let kept = record
                _ = try await withPaymentSpan("create", draft.payment.id) {
                    try await checkout.create(draft, idempotency: kept)
                }
                metrics.created()
                return record
            }
        }
    }

    /// Returns the staff member with the applicable discount limit: the caller, or the approver; `nil` without a
    /// discount, for a key, and without staff.
    private func authority(
        for discount: Discount?, in body: JSONValue, charging amount: Money, _ incoming: Incoming
    ) async throws -> StaffGrant? {
        let approval = try body.text("approval", atMost: 64)
        guard let discount else {
            guard approval == nil else { throw Problem.field("approval", "It goes with a discount.") }
            return nil
        }
        guard let person = incoming.person else { return nil }
        guard !person.covers(discount) else { return person }
        let asked = ApprovableDiscount(discount, charging: amount)
        guard let approval else { throw asked.problem(for: person) }
        return try await approvals.use(
            approval, for: .discount(asked), person, incoming, key: try incoming.idempotencyKey()
        ) { $0.covers(discount) }
    }

    private func order(in body: JSONValue, scope: IdempotencyScope) throws -> Order {
        let named: OrderID? = try body.text("order_id", atMost: 128).map { text in
            do { return try OrderID(selling: text) } catch { throw Problem.field("order_id", "\(error)") }
        }
        if let document = body["order"] {
            guard body["discount"] == nil else { throw DiscountError.priceIsOrders }
            try body.allow(["order", "order_id", "capture", "accept_paid_order", "accepted_by", "metadata"])
            var order = try Order(document: document)
            order.metadata = try body.metadata() ?? .none
            let scoped = try order.scoped(options.orderScope)
            if let named, named != order.id, named != scoped.id {
                throw Problem.field("order_id", "The order document is of order \(order.id).")
            }
            return scoped
        }
        try body.allow(
            ["order_id", "amount", "currency", "description", "capture", "metadata", "discount", "approval"])
        let amount = try body.saleAmount()
        // Without a name the key determines it, so that a retry names the same order in every process.
        let description = try body.text("description")
        var order = try Order(
            id: named ?? PaymentRoutes.orderID(for: scope), amount: amount, description: description)
        order.metadata = try body.metadata() ?? .none
        return named == nil ? order : try order.scoped(options.orderScope)
    }

    private static func orderID(for scope: IdempotencyScope) -> OrderID {
        let name = Hex.lowercase(digest("\(scope.account)\u{0}\(scope.key)".utf8).prefix(12))
        return OrderID(rawValue: OrderID.generatedPrefix + name)
    }

    private func confirm(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["tender", "provider"])
        let payment = try await checkout.payment(id, account: incoming.account)
        let tender = try TenderRequest(body, currency: payment.currency, now: clock.now())
        let scope = IdempotencyScope(
            account: incoming.account, operation: "POST /v1/payments/\(id)/confirm", key: key)
        let request = keyed.record(
            scope, TenderRequest.redacted(body), .inFlight(payment: id, operation: KeyedOperation.confirm.rawValue))
        // Without an attempt no confirmation is recorded. Nobody is asked for a card before the key is known, though.
        var queriesFirst = !payment.attempts.isEmpty
        if case .reader(let reader, _, _) = tender.kind {
            try checkReader(reader, of: scope.account)
            queriesFirst = true
        }
        return try await keyed.answer(request, status: .ok, queriesFirst: queriesFirst) { record in
            let asked = try tender.provider
            let fleet = await terminal?.fleet(of: tender, asked: asked)
            let provider = fleet?.provider ?? asked ?? (tender.isCash ? .cash : options.defaultProvider)
            try StandInRefusal.check(provider, in: options.mode)
            let credential = try await self.credential(tender, for: payment, provider: provider, at: fleet)
            let answer = keyed.keyedAnswer(to: request, status: 200)
            // A customer may take minutes at a reader: the payment is then read anew.
            let seen: Payment? = if case .reader = tender.kind { nil } else { payment }
            let drawer = tender.isCash ? tender.drawer ?? Attribution.current?.drawer : nil
            try await check(drawer, of: scope.account, in: "tender.")
            let after = try await withPaymentSpan("confirm", id) {
                try await Attribution.at(drawer) {
                    try await checkout.confirm(
                        id, account: scope.account, provider: provider, tender: credential, idempotency: record,
                        keyedAnswer: answer, seen: seen)
                }
            }
            metrics.outcome(after.status)
            return await keyed.finish(request, status: 200, payment: after, keyedAnswer: answer)
        }
    }

    /// Refuses a drawer that the account does not have.
    private func check(_ drawer: DrawerName?, of account: AccountID, in place: String = "") async throws {
        guard let drawer else { return }
        do { try await KnownDrawers(journal).check(drawer, of: account) } catch let refusal as UnknownDrawer {
            throw Problem.field(place + "drawer", refusal.what, code: refusal.code)
        }
    }

    /// Hides the counter's readers from other accounts, which serve other customers.
    private func checkReader(_ reader: String, of account: AccountID) throws(Problem) {
        guard !options.hasHardware(account) else { return }
        throw Problem(
            .notFound, "reader_not_found",
            "There is no reader \(reader.prefix(40)). Nothing was charged or refunded.",
            next: "Take the payment in another way.")
    }

    private func credential(
        _ request: TenderRequest, for payment: Payment, provider: ProviderName, at fleet: (any ReaderFleet)?
    ) async throws -> Tender {
        switch request.kind {
        case .card(let card):
            do throws(ExpiryError) { try card.expiry.check(at: clock.now()) } catch {
                throw Problem.field(
                    "tender.expiry", "\(error)", code: error == .expired ? "card_expired" : "invalid_card")
            }
            return .card(card.details)
        case .token(let token): return .token(token)
        case .payPal: return .payPal
        case .payPalCard: return .payPalCard
        case .adyenSession: return .adyenSession
        case .cash(let tendered, let tip):
            do throws(CashRefusal) {
                try CashDrawer.check(
                    tendered: tendered, tip: tip, due: payment.amount, captureMode: payment.captureMode)
            } catch {
                let field =
                    switch error {
                    case .heldForLater: "tender.type"
                    case .tenderedLess: "tender.tendered"
                    case .tipNotTaken: "tender.tip"
                    }
                throw Problem.field(field, error.what, code: error.code)
            }
            return .cash(tendered: tendered, tip: tip)
        case .reader(let reader, let card, let tipping):
            // Refused before the customer is asked for a card.
            let current =
                payment.currentAttempt?.awaitsCard == true
                ? try await checkout.endUnapproved(payment.id, account: payment.account) : payment
            do {
                _ = try current.decide(
                    .attempt(provider: provider, tender: TenderSummary(kind: .reader)), at: clock.now())
            } catch { throw CheckoutError.refused(error) }
            guard checkout.providerNames.contains(provider) else {
                throw CheckoutError.unknownProvider(provider, known: checkout.providerNames)
            }
            if let fleet {
                guard card == nil else {
                    throw Problem.field("tender.card", "Only the simulated reader takes a card from the request.")
                }
                return try await TerminalService.tender(at: reader, of: fleet, for: payment, tipping: tipping)
            }
            // A reader of no provider is simulated.
            try StandInRefusal.check(reader: reader, in: options.mode)
            var parameters = PaymentIntentParameters(
                amount: payment.amount, order: payment.order.id, description: "Order \(payment.order.number)")
            parameters.account = payment.account
            let feed = feed
            return .cardPresent(
                try await readCard(reader, card, parameters) { event in
                    feed.report(event, account: payment.account, payment: payment.id)
                })
        }
    }

    private func capture(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await requests.change(id, incoming, .capture, fields: ["amount", "final"]) {
            body, payment, record, answer in
            let isFinal = body["final"]
            if let isFinal, isFinal.boolValue == nil { throw Problem.field("final", "It must be true or false.") }
            return try await checkout.capture(
                id, account: payment.account, amount: try body.amount("amount", payment.currency),
                isFinal: isFinal?.boolValue ?? true, idempotency: record, keyedAnswer: answer, seen: payment)
        }
    }

    /// Takes the result of a customer's session from the shop's server. It proves nothing, and the provider is asked.
    private func finish(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let result = try await incoming.document().sessionResult()
        let after = try await checkout.finishSession(
            id, account: incoming.account, result: result, ifNotWithin: Checkout.sessionResultInterval)
        checkout.watched(after)
        return .json(PaymentJSON.write(after))
    }

    private func cancel(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await requests.change(id, incoming, .cancel, fields: ["reason", "only_if_unpaid"]) {
            body, payment, record, answer in
            let flag = body["only_if_unpaid"]
            if let flag, flag.boolValue == nil { throw Problem.field("only_if_unpaid", "It must be true or false.") }
            var onlyIfUnpaid = flag?.boolValue ?? false
            // Any clerk may drop an unpaid sale, and nothing else, also where it is paid at this moment.
            if let person = incoming.person, (try? person.require(.void)) == nil {
                switch payment.status {
                case .requiresPaymentMethod, .declined: onlyIfUnpaid = true
                default: try person.require(.void)
                }
            }
            return try await checkout.cancel(
                id, account: payment.account, reason: try body.text("reason") ?? "requested_by_customer",
                onlyIfUnpaid: onlyIfUnpaid, idempotency: record, keyedAnswer: answer, seen: payment)
        }
    }

    private func refund(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await requests.change(
            id, incoming, .refund, status: .created, fields: ["amount", "reason", "reader", "approval", "drawer"]
        ) {
            body, payment, record, answer in
            let (named, isCash) = (try body.drawer(), payment.tender?.kind == .cash)
            guard named == nil || isCash else {
                throw Problem.field("drawer", "It goes with a payment in cash only.")
            }
            let drawer = isCash ? named ?? PaymentRoutes.drawer(here: incoming, refunding: payment) : nil
            try await check(drawer, of: payment.account)
            let authority = try await authority(for: body, payment, incoming)
            if let reader = try body.text("reader", atMost: 128) {
                try checkReader(reader, of: payment.account)
                guard let terminal else { throw Problem.field("reader", "This counter has no card readers.") }
                try await terminal.use(reader, forRefundOf: payment)
            }
            var by = Attribution.current ?? Attribution(ofRequestBy: incoming.actor)
            if let authority, authority.id != incoming.person?.id { by.approvedBy = authority.actor }
            if let drawer { by.drawer = drawer }
            return try await Attribution.$current.withValue(by) {
                try await checkout.refund(
                    id, account: payment.account, amount: try body.amount("amount", payment.currency),
                    reason: try body.text("reason"), total: authority?.refundLimit(in: payment.currency),
                    idempotency: record, keyedAnswer: answer, seen: payment)
            }
        }
    }

    /// Returns the drawer of the page's device, for the cash that it hands out: ``DrawerName/main`` if it has chosen
    /// none, also for what another till sold. `nil` for a key, and where that is the drawer of the sale anyway.
    private static func drawer(here incoming: Incoming, refunding payment: Payment) -> DrawerName? {
        if let chosen = Attribution.current?.drawer { return chosen }
        let sold = (payment.currentAttempt ?? payment.attempts.last)?.drawer ?? DrawerName.main
        return incoming.credential?.session == nil || sold == DrawerName.main ? nil : DrawerName.main
    }

    /// Returns the staff member with the applicable refund limit: the caller, or the approver; `nil` for a key, and
    /// without staff.
    private func authority(
        for body: JSONValue, _ payment: Payment, _ incoming: Incoming
    ) async throws -> StaffGrant? {
        let approval = try body.text("approval", atMost: 64)
        guard let person = incoming.person else { return nil }
        let amount = try body.amount("amount", payment.currency) ?? payment.refundable
        guard !person.covers(refundOf: amount, of: payment) else { return person }
        let refund = ApprovableRefund(payment: payment.id, amount: amount)
        guard let approval else { throw refund.problem(for: person) }
        return try await approvals.use(
            approval, for: Approvable.refund(refund), person, incoming, key: try incoming.idempotencyKey()
        ) { $0.covers(refundOf: amount, of: payment) }
    }

    // MARK: Reading

    private func show(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let payment = try await checkout.payment(id, account: incoming.account)
        checkout.watched(payment)
        let events = try await journal.events(of: id)
        return .json(
            PaymentJSON.write(
                payment, events: events, approvals: try await approvals.used(for: id),
                notes: try await notes.notes(on: id), request: try await standing(on: id, incoming)))
    }

    /// Returns what is known of the capture, cancellation or refund whose key the query names; `nil` without one.
    private func standing(on id: PaymentID, _ incoming: Incoming) async throws -> IdempotentRequests.Standing? {
        guard let named = try incoming.query("request") else { return nil }
        let key = try Incoming.checked(idempotencyKey: named)
        for operation in [KeyedOperation.capture, .cancel, .refund] {
            let scope = IdempotencyScope(
                account: incoming.account, operation: "POST /v1/payments/\(id)/\(operation.rawValue)", key: key)
            let standing = try await keyed.standing(scope)
            if standing != .unknown { return standing }
        }
        return .unknown
    }
}
