import Synchronization
import TillCore
import TillSandbox

/// Setup intents: a card is kept for later, without a charge.
extension StripeObjects {
    /// Returns a setup intent; `nil` if there is none.
    func setupIntent(_ id: String) -> StripeThing? { state.withLock { $0.setupIntents[id] } }

    func createSetupIntent(
        _ request: SandboxStripe.Request, at now: Timestamp
    ) throws(StripeRefusal) -> StripeAnswer {
        let (form, serial) = (request.form, self.serial(request))
        let given = try StripeObjects.card(in: form, serial: serial)
        let types = form.members(of: "payment_method_types").sorted { $0.key < $1.key }.map(\.value)
        return state.withLock { state in
            guard state.setupIntents.count < StripeObjects.maximumSetupIntents else { return StripeObjects.full }
            let (id, order) = identifier("seti", &state)
            var intent = StripeThing(
                id: id, owner: "", order: order,
                fields: StripeObjects.setupMembers(id, types.isEmpty ? ["card"] : types, createdAt: now))
            if let refusal = StripeObjects.fill(&intent, form, state) { return refusal }
            if let given {
                intent["payment_method"] = .string(given.id)
                intent["status"] = .string("requires_confirmation")
            }
            guard form.bool("confirm") else {
                state.setupIntents[id] = intent
                return StripeObjects.answer("setup_intent.created", intent)
            }
            guard given != nil else { return StripeObjects.needsMethod }
            let answer = confirm(&intent, &state, serial: serial, at: now)
            if answer.status != 400 { state.setupIntents[id] = intent }
            return answer
        }
    }

    private static func setupMembers(_ id: String, _ types: [String], createdAt now: Timestamp) -> [JSONMember] {
        [
            JSONMember(key: "id", value: .string(id)), JSONMember(key: "object", value: .string("setup_intent")),
            JSONMember(key: "cancellation_reason", value: .null),
            JSONMember(key: "client_secret", value: .string("\(id)_secret_sandbox")),
            JSONMember(key: "created", value: .int(now.milliseconds / 1000)),
            JSONMember(key: "customer", value: .null), JSONMember(key: "description", value: .null),
            JSONMember(key: "last_setup_error", value: .null), JSONMember(key: "latest_attempt", value: .null),
            JSONMember(key: "livemode", value: .bool(false)), JSONMember(key: "metadata", value: .object([])),
            JSONMember(key: "next_action", value: .null), JSONMember(key: "payment_method", value: .null),
            JSONMember(key: "payment_method_types", value: .array(types.map { .string($0) })),
            JSONMember(key: "status", value: .string("requires_payment_method")),
            JSONMember(key: "usage", value: .string("off_session")),
        ]
    }

    /// Returns the payment method that a form names or describes.
    private static func card(in form: StripeForm, serial: String) throws(StripeRefusal) -> StripePaymentMethod? {
        if let id = form["payment_method"] {
            guard let method = StripePaymentMethod(id: id) else {
                throw StripeRefusal(answer: .missing("PaymentMethod", id))
            }
            return method
        }
        let fields = form.members(of: "payment_method_data[card]")
        guard !fields.isEmpty else { return nil }
        return try StripePaymentMethod.typed(fields, serial: serial).get()
    }

    /// Applies a form to a setup intent; returns its refusal, in which case nothing changes.
    private static func fill(_ intent: inout StripeThing, _ form: StripeForm, _ state: State) -> StripeAnswer? {
        var changed = intent
        set(["description"], of: &changed, from: form)
        if let customer = form["customer"] {
            guard isLive(customer, state) else { return .unknown("customer", "customer", customer) }
            changed["customer"] = .string(customer)
        }
        if let usage = form["usage"] {
            guard ["off_session", "on_session"].contains(usage) else {
                return .invalid("usage", "The usage is off_session or on_session.")
            }
            changed["usage"] = .string(usage)
        }
        guard merge(metadata: form, into: &changed) else { return tooMuchMetadata }
        intent = changed
        return nil
    }

    func listSetupIntents(_ form: StripeForm) throws(StripeRefusal) -> StripeAnswer {
        let found = state.withLock { Array($0.setupIntents.values) }.filter { intent in
            ["customer", "payment_method"].allSatisfy { name in
                form[name] == nil || intent[name]?.stringValue == form[name]
            }
        }
        return try StripeObjects.page(found, form, "setup_intent", ["v1", "setup_intents"])
    }

    func readSetupIntent(_ id: String) throws(StripeRefusal) -> StripeAnswer {
        guard let intent = setupIntent(id) else { throw StripeRefusal(answer: .missing("setup_intent", id)) }
        return StripeAnswer(intent.json)
    }

    func updateSetupIntent(
        _ id: String, _ request: SandboxStripe.Request, at now: Timestamp
    ) throws(StripeRefusal) -> StripeAnswer {
        let given = try StripeObjects.card(in: request.form, serial: serial(request))
        return state.withLock { state in
            guard var intent = state.setupIntents[id] else { return .missing("setup_intent", id) }
            guard StripeObjects.isOpen(intent) else { return StripeObjects.isOver(intent) }
            if let refusal = StripeObjects.fill(&intent, request.form, state) { return refusal }
            if let given {
                intent["payment_method"] = .string(given.id)
                intent["status"] = .string("requires_confirmation")
            }
            state.setupIntents[id] = intent
            return StripeAnswer(intent.json)
        }
    }

    func confirmSetupIntent(
        _ id: String, _ request: SandboxStripe.Request, at now: Timestamp
    ) throws(StripeRefusal) -> StripeAnswer {
        let serial = self.serial(request)
        let given = try StripeObjects.card(in: request.form, serial: serial)
        return state.withLock { state in
            guard var intent = state.setupIntents[id] else { return .missing("setup_intent", id) }
            guard StripeObjects.isOpen(intent) else { return StripeObjects.isOver(intent) }
            if let given { intent["payment_method"] = .string(given.id) }
            let answer = confirm(&intent, &state, serial: serial, at: now)
            if answer.status != 400 { state.setupIntents[id] = intent }
            return answer
        }
    }

    func cancelSetupIntent(_ id: String, _ form: StripeForm) -> StripeAnswer {
        state.withLock { state in
            guard var intent = state.setupIntents[id] else { return .missing("setup_intent", id) }
            guard StripeObjects.isOpen(intent) || StripeObjects.status(intent) == "requires_action" else {
                return StripeObjects.isOver(intent)
            }
            intent["status"] = .string("canceled")
            intent["cancellation_reason"] = .text(form["cancellation_reason"])
            intent["next_action"] = .null
            state.setupIntents[id] = intent
            return StripeObjects.answer("setup_intent.canceled", intent)
        }
    }

    /// Ends a setup intent that waits for its customer; returns the event, or `nil` if it does not wait.
    func completeSetup(_ id: String, succeeds: Bool, at now: Timestamp) -> StripeAnswer.Event? {
        state.withLock { state in
            guard var intent = state.setupIntents[id], StripeObjects.status(intent) == "requires_action",
                let method = intent["payment_method"]?.stringValue
            else { return nil }
            intent["next_action"] = .null
            let answer =
                succeeds
                ? finish(&intent, method, &state, serial: StableHash.hex(id), at: now)
                : StripeObjects.fail(&intent, "authentication_required", at: now)
            // A refusal, such as a card that was detached meanwhile, leaves the setup intent as it was.
            guard answer.event != nil else { return nil }
            state.setupIntents[id] = intent
            return answer.event
        }
    }

    /// Ends a setup intent at a reader; returns the event, or `nil` if it is over already.
    func finishSetup(_ id: String, with method: String, at now: Timestamp) -> StripeAnswer.Event? {
        state.withLock { state in
            guard var intent = state.setupIntents[id], StripeObjects.isOpen(intent) else { return nil }
            let answer = finish(&intent, method, &state, serial: StableHash.hex(id), at: now)
            state.setupIntents[id] = intent
            return answer.event
        }
    }

    // MARK: Outcomes

    private func confirm(
        _ intent: inout StripeThing, _ state: inout State, serial: String, at now: Timestamp
    ) -> StripeAnswer {
        guard let id = intent["payment_method"]?.stringValue, let method = StripePaymentMethod(id: id) else {
            return StripeObjects.needsMethod
        }
        guard !state.spent.contains(id) else { return StripeObjects.isSpent }
        if let holder = state.methods[id]?["customer"]?.stringValue, holder != intent["customer"]?.stringValue {
            return StripeObjects.isAnothers
        }
        if let code = method.refusalOfKeeping { return StripeObjects.fail(&intent, code, at: now) }
        guard method.card.behavior != .requiresAction else {
            intent["status"] = .string("requires_action")
            intent["next_action"] = .fields(["type": .string("use_stripe_sdk"), "use_stripe_sdk": .object([])])
            return StripeObjects.answer("setup_intent.requires_action", intent)
        }
        return finish(&intent, id, &state, serial: serial, at: now)
    }

    /// Keeps the card: the payment method becomes the customer's, if the setup intent has one.
    private func finish(
        _ intent: inout StripeThing, _ method: String, _ state: inout State, serial: String, at now: Timestamp
    ) -> StripeAnswer {
        var kept = method
        if let customer = intent["customer"]?.stringValue {
            switch attach(method, to: customer, &state, serial: serial, at: now) {
            case .success(let thing): kept = thing.id
            case .failure(let refusal): return refusal.answer
            }
        }
        intent["payment_method"] = .string(kept)
        intent["last_setup_error"] = .null
        intent["status"] = .string("succeeded")
        return StripeObjects.answer("setup_intent.succeeded", intent)
    }

    private static func fail(_ intent: inout StripeThing, _ decline: String, at now: Timestamp) -> StripeAnswer {
        let isUnauthenticated = decline == "authentication_required"
        let code =
            isUnauthenticated ? "setup_intent_authentication_failure" : StripeRendering(now: now).errorCode(decline)
        intent["last_setup_error"] = .fields([
            "type": .string("card_error"), "code": .string(code), "decline_code": .string(decline),
            "message": .string("Your card was declined."),
        ])
        intent["payment_method"] = .null
        intent["status"] = .string("requires_payment_method")
        var answer = StripeAnswer.error(
            402, "card_error", code: code, decline: decline, "Your card was declined.", setupIntent: intent.json)
        answer.event = StripeAnswer.Event(type: "setup_intent.setup_failed", object: intent.json)
        return answer
    }

    private static func status(_ intent: StripeThing) -> String { intent["status"]?.stringValue ?? "" }

    private static func isOpen(_ intent: StripeThing) -> Bool {
        ["requires_payment_method", "requires_confirmation"].contains(status(intent))
    }

    private static func isOver(_ intent: StripeThing) -> StripeAnswer {
        .error(
            400, "invalid_request_error", code: "setup_intent_unexpected_state",
            "The setup intent's status, \(status(intent)), does not allow this.", setupIntent: intent.json)
    }

    private static let needsMethod = StripeAnswer.invalid(
        "payment_method", "A payment method is needed to confirm.", code: "parameter_missing")
}
