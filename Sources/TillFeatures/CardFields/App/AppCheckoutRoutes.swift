import HTTPTypes
package import Hummingbird
import TillCheckout
package import TillCore
import TillCounter
import TillJournal
import TillProvider
package import TillWeb

/// The checkout of the shop's app: a session that the shop's server opens, and the payment that the app makes with it.
/// The app has no key; the text of its session, in the header `X-Till-Session`, is all that it may do.
package struct AppCheckoutRoutes: Sendable {
    /// The maximum size of a request from the app.
    private static let maximumBodyBytes = 4_096
    /// The maximum size of a request with a session's result.
    private static let maximumResultBytes = 2 * SessionResult.maximumBytes
    private static let sessionHeader = HTTPField.Name.literal("X-Till-Session")

    private let sessions: PaymentSessions
    private let payments: PaymentRequests
    private let fields: OfferedCardFields
    private let guesses: GuessLimiter
    private let receipt: @Sendable (Payment) async throws -> Response

    /// - Parameters:
    ///   - fields: The provider's card fields, which an app's SDK draws.
    ///   - guesses: The limit of wrong sessions from one address.
    ///   - receipt: Returns the customer's copy of a receipt as a page.
    package init(
        sessions: PaymentSessions, payments: PaymentRequests, fields: OfferedCardFields, guesses: GuessLimiter,
        receipt: @escaping @Sendable (Payment) async throws -> Response
    ) {
        self.sessions = sessions
        self.guesses = guesses
        self.payments = payments
        self.fields = fields
        self.receipt = receipt
    }

    private var checkout: Checkout { payments.checkout }
    private var options: ServerOptions { payments.options }
    private var clock: any TillClock { payments.clock }

    package func register(on router: CounterRouter) {
        router.post("/v1/payments/{id}/app_session", for: .sell, of: .caller) {
            try await open($0.parameters.identifier(), $0)
        }
        router.open([.get], "/app/payment", for: .customer) { request, _ in try await show(request) }
        router.open([.get], "/app/card_fields", for: .customer) { request, _ in try await showFields(request) }
        router.open([.post], "/app/pay", for: .customer) { request, _ in try await pay(request) }
        router.open([.post], "/app/session_result", for: .customer) { request, _ in try await finish(request) }
        router.open([.post], "/app/cancel", for: .customer) { request, _ in try await cancel(request) }
        router.open([.get], "/app/receipt", for: .customer) { request, _ in try await showReceipt(request) }
    }

    // MARK: The shop's server

    private func open(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        try await incoming.document().allow([])
        try StandInRefusal.check(options.defaultProvider, in: options.mode)
        let provider = options.defaultProvider
        guard
            checkout.takesTokens(provider) || checkout.takesPayPal(provider) || checkout.takesPayPalCards(provider)
                || checkout.takesAdyenSessions(provider)
        else { throw Problem.noTokens(provider) }
        let payment = try await checkout.payment(id, account: incoming.account)
        guard !CustomerPaymentState(payment).isOver else { throw Problem.appTooLate(payment) }
        guard payment.attempts.count < PaymentSession.maximumAttempts else { throw usedUp(payment) }
        let (session, text) = try await sessions.open(id, of: incoming.account, at: .app)
        let document = JSONValue.members([
            "session": .string(text.reveal()), "payment_id": .string(id.rawValue),
            "amount": .number(String(payment.amount.minorUnits)), "currency": .string(payment.currency.code),
            "expires_at": .string(session.expiresAt.description),
        ])
        return .json(document.bytes(), status: .created)
    }

    // MARK: The app

    /// Returns the session of a request.
    private func session(_ request: Request) async throws -> PaymentSession {
        guard let text = request.headers[AppCheckoutRoutes.sessionHeader],
            let session = try await sessions.session(of: text), session.place == .app
        else {
            try await guesses.refuse(from: RequestOrigin.current.bucket)
            throw Problem.appSessionUnknown
        }
        return session
    }

    private func incoming(
        _ request: Request, _ session: PaymentSession, atMost bytes: Int = AppCheckoutRoutes.maximumBodyBytes
    ) -> Incoming {
        Incoming(request: request, account: session.account, maximumBodyBytes: bytes)
    }

    private func payment(of session: PaymentSession) async throws -> Payment {
        try await checkout.payment(session.payment, account: session.account)
    }

    private func show(_ request: Request) async throws -> Response {
        let payment = try await payment(of: try await session(request))
        checkout.watched(payment)
        return answer(payment, CustomerPaymentState(payment))
    }

    /// Answers with the key with which the provider's SDK in the app makes references.
    private func showFields(_ request: Request) async throws -> Response {
        let session = try await session(request)
        let payment = try await payment(of: session)
        guard !CustomerPaymentState(payment).isOver else { throw Problem.appTooLate(payment) }
        guard session.isOpen(at: clock.now()) else {
            throw Problem.appSessionOver(payment, "This card was not charged.")
        }
        return .json(try await fields.document(for: session, payment).bytes())
    }

    /// Pays with a reference, once for each key. The answer tells how the payment stands now; `begun` is `true` if
    /// that is the outcome of this request, and `false` if another one decides the payment.
    private func pay(_ request: Request) async throws -> Response {
        let session = try await session(request)
        let incoming = incoming(request, session)
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["tender"])
        let before = try await payment(of: session)
        let tender = try TenderRequest(body, currency: before.currency, now: clock.now())
        let credential: Tender
        switch tender.kind {
        case .token(let token): credential = .token(token)
        case .payPal: credential = .payPal
        case .payPalCard: credential = .payPalCard
        case .adyenSession: credential = .adyenSession
        case .card, .reader, .cash:
            throw Problem.field("tender.type", "It must be token, paypal, paypal_card or adyen_session.")
        }
        let state = CustomerPaymentState(before)
        guard !state.isOver else { return answer(before, state, begun: false) }
        let scope = IdempotencyScope(
            account: session.account, operation: "POST /app/pay/\(session.payment)", key: key)
        let press = payments.keyed.record(
            scope, TenderRequest.redacted(body),
            .inFlight(payment: session.payment, operation: KeyedOperation.confirm.rawValue))
        let settled: IdempotentRequests.Settled
        do {
            settled = try await payments.keyed.settle(press, status: .ok) { record in
                try await confirm(session, credential, press, record)
            }
        } catch {
            // What decides the payment is what the customer is told: another window, or this request in a copy.
            let now = try await payment(of: session)
            switch CustomerPaymentState(now) {
            case .open, .declined: throw error
            case .action, .pending, .paid, .refunded, .closed:
                checkout.watched(now)
                return answer(now, CustomerPaymentState(now), begun: false)
            }
        }
        let after = try await payment(of: session)
        let (outcome, isOwn) = AppCheckoutRoutes.outcome(of: settled, in: after)
        // The provider was not reached: nothing of the reference was sent.
        guard outcome != .open else { throw Problem.tokenNotSent }
        checkout.watched(after)
        return answer(after, outcome, begun: isOwn)
    }

    /// Executes a press for the first time, or again after it certainly moved nothing.
    private func confirm(
        _ session: PaymentSession, _ credential: Tender, _ press: IdempotencyRecord, _ record: IdempotencyRecord?
    ) async throws -> IdempotencyRecord {
        guard session.isOpen(at: clock.now()) else {
            throw Problem.appSessionOver(try await payment(of: session), "This card was not charged.")
        }
        try StandInRefusal.check(options.defaultProvider, in: options.mode)
        let before = try await payment(of: session)
        // While another press decides the payment, this one is none of the session's tries.
        switch CustomerPaymentState(before) {
        case .open, .declined: break
        case .action, .pending, .paid, .refunded, .closed: throw Problem.otherPress
        }
        guard before.attempts.count < PaymentSession.maximumAttempts, try await sessions.countTry(session) else {
            throw usedUp(before)
        }
        let answer = payments.keyed.keyedAnswer(to: press, status: HTTPResponse.Status.ok.code)
        let after = try await withPaymentSpan("confirm", session.payment) {
            try await checkout.confirm(
                session.payment, account: session.account, provider: options.defaultProvider, tender: credential,
                idempotency: record, keyedAnswer: answer)
        }
        payments.metrics.outcome(after.status)
        return await payments.keyed.finish(
            press, status: HTTPResponse.Status.ok.code, payment: after, keyedAnswer: answer)
    }

    /// Returns the state of a payment as the outcome of one press, and `true` if the press's own attempt decides it.
    /// While any attempt is open, or one has paid, that is what the customer is told; otherwise the press's own attempt
    /// is, whatever another one ended with.
    private static func outcome(
        of settled: IdempotentRequests.Settled, in payment: Payment
    ) -> (state: CustomerPaymentState, isOwn: Bool) {
        let now = CustomerPaymentState(payment)
        guard let own = settled.attempt ?? attempt(answeredBy: settled.record) else { return (now, true) }
        switch now {
        case .action, .pending, .paid, .refunded, .closed: return (now, payment.attempts.last?.id == own)
        case .open, .declined: break
        }
        switch payment.attempts.first(where: { $0.id == own })?.state {
        case .declined(let decline): return (.declined(decline.reason), true)
        case .notSent, nil: return (.open, true)
        // It reached the provider, and ended without a charge: the customer left the bank's page, say.
        case .voided, .expired, .inFlight, .requiresAction, .stored, .unknown, .authorized:
            return (.declined(.authorizationExpired), true)
        }
    }

    /// Returns the attempt of a stored answer: the last one when it was written.
    private static func attempt(answeredBy record: IdempotencyRecord) -> AttemptID? {
        guard case .finished(_, let body, _) = record.state else { return nil }
        return JSONValue(ifValid: body)?["attempts"]?.arrayValue?.last?["id"]?.stringValue
            .map { AttemptID(rawValue: $0) }
    }

    /// Takes the result of the provider's session from the app. It proves nothing, and the provider is asked; without
    /// it the provider's webhook pays alone.
    private func finish(_ request: Request) async throws -> Response {
        let session = try await session(request)
        let body = try await incoming(request, session, atMost: AppCheckoutRoutes.maximumResultBytes).document()
        let result = try body.sessionResult()
        let before = try await payment(of: session)
        let state = CustomerPaymentState(before)
        // Also of a payment that is being canceled: whether it was paid decides how that ends.
        guard let action = before.currentAttempt?.awaitedAction, action.session != nil, !action.isFinished else {
            return answer(before, state)
        }
        // Each one costs the provider a call. Without one the provider's webhook tells of the payment all the same.
        guard try await sessions.countTry(session) else { return answer(before, state) }
        let now = try await checkout.finishSession(session.payment, account: session.account, result: result)
        checkout.watched(now)
        return answer(now, CustomerPaymentState(now))
    }

    /// Cancels the payment if no money is held or taken, nor may be. Anything else stays as it is, and is the answer.
    private func cancel(_ request: Request) async throws -> Response {
        let session = try await session(request)
        try await incoming(request, session).document().allow([])
        guard session.isOpen(at: clock.now()) else {
            throw Problem.appSessionOver(try await payment(of: session), "Nothing was canceled.")
        }
        let now: Payment
        do throws(CheckoutError) {
            now = try await checkout.cancel(
                session.payment, account: session.account, reason: "requested_by_customer", onlyIfUnpaid: true)
        } catch {
            let kept = try await payment(of: session)
            switch CustomerPaymentState(kept) {
            case .open, .declined: throw error
            case .action, .pending, .paid, .refunded, .closed:
                checkout.watched(kept)
                return answer(kept, CustomerPaymentState(kept))
            }
        }
        return answer(now, CustomerPaymentState(now))
    }

    private func showReceipt(_ request: Request) async throws -> Response {
        let payment = try await payment(of: try await session(request))
        let state = CustomerPaymentState(payment)
        switch state {
        case .paid, .refunded:
            do { return try await receipt(payment) } catch let problem as Problem {
                // That there is no receipt says nothing about the money.
                throw problem.moved(state.moneyMoved)
            }
        case .open, .declined, .action, .pending, .closed: throw Problem.noReceiptYet(state)
        }
    }

    private func usedUp(_ payment: Payment) -> Problem {
        Problem.appSessionUsedUp(CustomerPaymentState(payment))
    }

    private func answer(_ payment: Payment, _ state: CustomerPaymentState, begun: Bool? = nil) -> Response {
        var members = [JSONMember(key: "payment_id", value: .string(payment.id.rawValue))]
        members += state.members(of: payment)
        if let begun { members.append(JSONMember(key: "begun", value: .bool(begun))) }
        return .json(JSONValue.object(members).bytes())
    }
}
