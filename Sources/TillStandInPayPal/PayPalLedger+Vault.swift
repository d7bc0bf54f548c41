import TillCore

extension PayPalLedger {
    /// The lifetime of a setup token that has not been exchanged for a payment token.
    static let setupLife: Span = .days(3)

    func createSetupToken(_ body: JSONValue, key: String?) -> PayPalAnswer {
        guard let key, !key.isEmpty else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "PayPal-Request-Id", location: nil)])
        }
        if case .token(let id) = done(key, "/v3/vault/setup-tokens", within: PayPalMemory.vault) {
            return PayPalAnswer(200, cards[id].map(render))
        }
        guard let source = body["payment_source"] else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "/payment_source")])
        }
        guard let card = source["card"] else {
            return .refused("PAYMENT_SOURCE_NOT_SUPPORTED", "/payment_source", note: "the stand-in stores cards only")
        }
        var rules = PayPalRequestRules()
        rules.card(card, "/payment_source/card", now: now)
        if let refusal = rules.refusal { return refusal }
        let stored = StoredCard(
            id: newID(), isSetup: true, card: card, customer: body.at("customer", "id")?.stringValue ?? newID(),
            status: "APPROVED", created: now)
        cards[stored.id] = stored
        remember(key, "/v3/vault/setup-tokens", .token(stored.id))
        return PayPalAnswer(201, render(stored))
    }

    func createPaymentToken(_ body: JSONValue, key: String?) -> PayPalAnswer {
        guard let key, !key.isEmpty else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "PayPal-Request-Id", location: nil)])
        }
        if case .token(let id) = done(key, "/v3/vault/payment-tokens", within: PayPalMemory.vault) {
            return PayPalAnswer(200, cards[id].map(render))
        }
        guard let source = body["payment_source"] else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "/payment_source")])
        }
        var customer = body.at("customer", "id")?.stringValue
        let card: JSONValue
        if let token = source["token"] {
            guard let setup = token["id"]?.stringValue.flatMap({ cards[$0] }), setup.isSetup,
                now.since(setup.created) < PayPalLedger.setupLife
            else { return .missing() }
            card = setup.card
            customer = customer ?? setup.customer
            cards[setup.id] = nil
        } else if let given = source["card"] {
            var rules = PayPalRequestRules()
            rules.card(given, "/payment_source/card", now: now)
            if let refusal = rules.refusal { return refusal }
            card = given
        } else {
            return .refused("PAYMENT_SOURCE_NOT_SUPPORTED", "/payment_source")
        }
        let stored = StoredCard(
            id: newID(), isSetup: false, card: card, customer: customer ?? newID(), status: "VAULTED", created: now)
        cards[stored.id] = stored
        remember(key, "/v3/vault/payment-tokens", .token(stored.id))
        return PayPalAnswer(201, render(stored))
    }

    func getToken(_ id: String, isSetup: Bool) -> PayPalAnswer {
        guard let stored = cards[id], stored.isSetup == isSetup else { return .missing() }
        return PayPalAnswer(200, render(stored))
    }

    func deleteToken(_ id: String) -> PayPalAnswer {
        if cards[id]?.isSetup == false { cards[id] = nil }
        return PayPalAnswer(204)
    }

    func listTokens(customer: String) -> PayPalAnswer {
        guard (1...22).contains(customer.utf8.count) else {
            return .badRequest([.init("INVALID_STRING_LENGTH", "customer_id", location: "query")])
        }
        let found = cards.values.filter { !$0.isSetup && $0.customer == customer }.sorted { $0.created < $1.created }
        return PayPalAnswer(
            200,
            .members([
                "customer": .members(["id": .string(customer)]), "payment_tokens": .array(found.prefix(20).map(render)),
                "total_items": found.isEmpty ? nil : .number(String(min(50, found.count))),
                "total_pages": .number("1"),
                "links": .array([link("self", "/v3/vault/payment-tokens")]),
            ]))
    }

    private func render(_ stored: StoredCard) -> JSONValue {
        let kind = stored.isSetup ? "setup-tokens" : "payment-tokens"
        return .members([
            "id": .string(stored.id), "customer": .members(["id": .string(stored.customer)]),
            "status": stored.isSetup ? .string(stored.status) : nil,
            "payment_source": .members(["card": PayPalLedger.shown(stored.card)]),
            "links": .array([link("self", "/v3/vault/\(kind)/\(stored.id)")]),
        ])
    }
}
