import HTTPTypes
import Hummingbird
import NIOCore
import TillCards
import TillCheckout
import TillCore
import TillCounter
import TillProvider
package import TillWeb

/// The card fields of customers' pages: a session that the shop's server opens, a frame with the fields on the
/// counter's own origin, and the payment that the frame makes with it. The shop's page sees no part of the card. Where
/// the provider's own fields are configured, the frame shows those, and the counter sees no part of it either.
package struct CardFieldRoutes: Sendable {
    /// The maximum size of a request from the frame.
    private static let maximumBodyBytes = 4_096
    /// The size of the nonce with which a provider's script marks what it writes into the frame.
    private static let nonceBytes = 16

    private let sessions: PaymentSessions
    private let payments: PaymentRequests
    private let fields: OfferedCardFields

    package init(sessions: PaymentSessions, payments: PaymentRequests, fields: OfferedCardFields) {
        self.sessions = sessions
        self.payments = payments
        self.fields = fields
    }

    private var checkout: Checkout { payments.checkout }
    private var options: ServerOptions { payments.options }
    private var clock: any TillClock { payments.clock }

    package func register(on router: CounterRouter) {
        router.post("/v1/payments/{id}/card_session", for: .sell, of: .caller) {
            try await open($0.parameters.identifier(), $0)
        }
        router.open([.get, .head], "/card/frame/{id}", for: .customer, query: ["lang"]) { request, parameters in
            try await frame(parameters.text("id"), in: language(of: request))
        }
        router.open([.post], "/card/fields", for: .customer) { request, _ in try await showFields(request) }
        router.open([.post], "/card/pay", for: .customer) { request, _ in try await pay(request) }
        router.open([.post], "/card/status", for: .customer) { request, _ in try await status(request) }
        router.open([.post], "/card/cancel", for: .customer) { request, _ in try await cancel(request) }
        for (path, asset) in PageAsset.ofCardFields {
            router.open([.get, .head], path, for: asset.reader) { request, _ in
                var response = asset.response(to: request)
                // A module of another origin is read with CORS. It is the same for everybody.
                if asset.audience == .anyOrigin { response.headers[.accessControlAllowOrigin] = "*" }
                return response
            }
        }
    }

    // MARK: The shop's server

    private func open(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["origin"])
        // A policy names no host by its IPv6 address.
        guard let origin = try body.text("origin", atMost: 253), WebOrigin.isSafe(origin), !origin.contains("[") else {
            throw Problem.field(
                "origin", "It must be the origin of the shop's page, such as https://shop.example, with TLS.")
        }
        let own = incoming.request.head.authority ?? ""
        guard origin != "https://\(own)", origin != "http://\(own)" else {
            throw Problem.field("origin", "It must not be the counter's own, whose pages could read the card.")
        }
        try StandInRefusal.check(options.defaultProvider, in: options.mode)
        guard takesCards else { throw Problem.noTypedCards(options.defaultProvider) }
        let payment = try await checkout.payment(id, account: incoming.account)
        guard !CustomerPaymentState(payment).isOver else { throw Problem.cardFieldsTooLate(payment) }
        guard payment.attempts.count < PaymentSession.maximumAttempts else { throw Problem.cardSessionUsedUp }
        let (session, text) = try await sessions.open(id, of: incoming.account, at: .page(origin: origin))
        let document = JSONValue.members([
            "session": .string(text.reveal()), "payment_id": .string(id.rawValue), "origin": .string(origin),
            "expires_at": .string(session.expiresAt.description), "script_path": .string(PageAsset.cardClientPath),
            "script_integrity": .string(PageAsset.cardClientIntegrity),
        ])
        return .json(document.bytes(), status: .created)
    }

    /// `true` if the provider takes what the frame pays with.
    private var takesCards: Bool {
        let provider = options.defaultProvider
        guard let own = fields.fields, own.sources != nil else { return checkout.takesCards(provider) }
        switch own.reference {
        case .token: return checkout.takesTokens(provider)
        case .order: return checkout.takesPayPalCards(provider)
        case .session: return checkout.takesAdyenSessions(provider)
        }
    }

    // MARK: The frame

    private func language(of request: Request) -> CardFrameLanguage {
        .chosen(
            asked: request.uri.queryParameters.first { $0.key == "lang" }.map { String($0.value) },
            accepted: request.headers[.acceptLanguage])
    }

    private func frame(_ id: String, in language: CardFrameLanguage) async throws -> Response {
        // Also when its time is over: the fields then say how the payment stands.
        guard let origin = try await sessions.session(id)?.place.origin else { throw Problem.cardSessionUnknown }
        // The origin has passed `WebOrigin.isSafe`, so it has no character of markup or of a policy.
        let own = PackageResources.card_frame_html
        let markup = fields.sources == nil ? own : PackageResources.card_provider_frame_html
        let nonce =
            fields.sources?.usesNonce == true
            ? Hex.lowercase((0..<CardFieldRoutes.nonceBytes).map { _ in UInt8.random(in: .min ... .max) }) : nil
        let page = String(decoding: markup, as: UTF8.self)
            .replacing("{lang}", with: language.tag, maxReplacements: 1)
            .replacing("{dir}", with: language.isRightToLeft ? "rtl" : "ltr", maxReplacements: 1)
            .replacing("{origin}", with: origin, maxReplacements: 1)
            .replacing("{provider}", with: fields.provider.rawValue, maxReplacements: 1)
            .replacing("{nonce}", with: nonce ?? "", maxReplacements: 1)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .vary: "Accept-Language",
                .contentSecurityPolicy: CardFramePolicy.text(
                    around: origin, sources: fields.sources, mode: options.mode, nonce: nonce),
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    /// Answers with the key of the provider's fields, which the frame draws.
    private func showFields(_ request: Request) async throws -> Response {
        let (body, session) = try await session(request)
        try body.allow(["session"])
        guard fields.sources != nil else { throw Problem.noCardFields(fields.provider) }
        guard session.isOpen(at: clock.now()) else { throw Problem.cardSessionOver }
        let payment = try await checkout.payment(session.payment, account: session.account)
        guard !CustomerPaymentState(payment).isOver else { throw Problem.cardFieldsTooLate(payment) }
        return .json(try await fields.document(for: session, payment).bytes())
    }

    /// Returns the body and the session of a request from the frame.
    private func session(_ request: Request) async throws -> (body: JSONValue, session: PaymentSession) {
        let body = try await Incoming(
            request: request, account: options.account, maximumBodyBytes: CardFieldRoutes.maximumBodyBytes
        ).document()
        guard let text = try body.text("session", atMost: 128), let session = try await sessions.session(of: text),
            session.place != .app
        else { throw Problem.cardSessionUnknown }
        return (body, session)
    }

    private func pay(_ request: Request) async throws -> Response {
        let (body, session) = try await session(request)
        try body.allow(["session", "tender"])
        // Where the provider has fields of its own here, no number comes to the counter, not even by mistake.
        let kind = fields.tenderType
        guard body["tender"]?["type"] == .string(kind) else {
            throw Problem.field("tender.type", "It must be \(kind).")
        }
        let before = try await checkout.payment(session.payment, account: session.account)
        switch CustomerPaymentState(before) {
        case .open, .declined: break
        // Another card is not asked for while the outcome of one is open, and not after one has paid.
        case .action, .pending, .paid, .refunded, .closed: return answer(before)
        }
        guard session.isOpen(at: clock.now()) else { throw Problem.cardSessionOver }
        guard before.attempts.count < PaymentSession.maximumAttempts else { throw Problem.cardSessionUsedUp }
        let tender = try self.tender(of: body, currency: before.currency)
        try StandInRefusal.check(options.defaultProvider, in: options.mode)
        guard try await sessions.countTry(session) else { throw Problem.cardSessionUsedUp }
        let after: Payment
        do throws(CheckoutError) {
            after = try await checkout.confirm(
                session.payment, account: session.account, provider: options.defaultProvider, tender: tender)
        } catch {
            // The payment of another window, or of a request that may have been sent, is what the customer is told.
            let now = try await checkout.payment(session.payment, account: session.account)
            switch CustomerPaymentState(now) {
            case .open, .declined: throw error
            case .action, .pending, .paid, .refunded, .closed: return answer(now)
            }
        }
        payments.metrics.outcome(after.status)
        // The provider was not reached: nothing of the card was sent.
        guard CustomerPaymentState(after) != .open else { throw Problem.cardNotSent }
        return answer(after)
    }

    /// Returns what a request from the frame pays with.
    private func tender(of body: JSONValue, currency: Currency) throws -> Tender {
        switch try TenderRequest(body, currency: currency, now: clock.now()).kind {
        case .token(let token): return .token(token)
        case .payPalCard: return .payPalCard
        case .card(let card):
            do throws(ExpiryError) { try card.expiry.check(at: clock.now()) } catch {
                throw Problem.field(
                    "tender.expiry", "\(error)", code: error == .expired ? "card_expired" : "invalid_card")
            }
            return .card(card.details)
        case .payPal, .adyenSession, .reader, .cash:
            throw Problem.field("tender.type", "It must be card, token or paypal_card.")
        }
    }

    private func status(_ request: Request) async throws -> Response {
        let (body, session) = try await session(request)
        try body.allow(["session"])
        let payment = try await checkout.payment(session.payment, account: session.account)
        checkout.watched(payment)
        return answer(payment)
    }

    /// Ends an order to which no card was attached, so that the customer can pay in another way. Also after the
    /// session's time: it charges nothing but an approved order. The answer tells how the payment stands; while that is
    /// `action` or `pending`, the order is not ended.
    private func cancel(_ request: Request) async throws -> Response {
        let (body, session) = try await session(request)
        try body.allow(["session"])
        return answer(
            try await checkout.endUnapproved(
                session.payment, account: session.account, ifNotWithin: Checkout.firstWatchedInterval))
    }

    private func answer(_ payment: Payment) -> Response {
        .json(JSONValue.object(CustomerPaymentState(payment).members(of: payment)).bytes())
    }
}
