import Synchronization
import TillCore
import TillSandbox

/// The customer at the reader: presents cards and answers prompts.
extension SandboxTerminal {
    func help(_ verb: String, at id: String, _ form: StripeForm, _ owner: String) async throws -> StripeAnswer {
        sweep()
        guard let reader = state.withLock({ $0.readers[id] }), reader.owner == owner else {
            return .missing("reader", id)
        }
        guard reader.isReachable(at: now) else {
            return SandboxTerminal.refuse("terminal_reader_offline", "Reader is currently offline.")
        }
        switch verb {
        case "present_payment_method": return try await present(reader, form)
        case "succeed_input_collection":
            return answerInputs(reader, skipping: form["skip_non_required_inputs"] == "all")
        case "timeout_input_collection": return timeOutInputs(reader)
        default: return .error(404, "invalid_request_error", "Unrecognized request URL (\(verb.prefix(40))).")
        }
    }

    // MARK: Cards

    func wantsCard(at id: String) -> Bool {
        guard let reader = state.withLock({ $0.readers[id] }), reader.isReachable(at: now),
            let action = reader.action, action.isRunning, case .waitingForCard = action.stage
        else { return false }
        return true
    }

    private func present(_ reader: SandboxReader, _ form: StripeForm) async throws -> StripeAnswer {
        guard let action = reader.action, case .waitingForCard = action.stage, action.isRunning else {
            return SandboxTerminal.refuse("terminal_reader_busy", "The reader does not wait for a card.")
        }
        let charge =
            try await action.intent.asyncMap { try await ledger.charge(ProviderReference(rawValue: $0)) } ?? nil
        let card: SandboxCard
        switch SandboxTerminal.card(form, charge) {
        case .success(let found): card = found
        case .failure(let refusal): return refusal.answer
        }
        var presentation = SandboxPresentation(card: card)
        if let tip = form["amount_tip"] {
            guard let wire = Int64(tip), wire >= 0, let charge, !action.skipsTipping,
                ["process_payment_intent", "collect_payment_method"].contains(action.type),
                let units = SandboxTerminal.minorUnits(wire, charge)
            else { return .invalid("amount_tip", "No tip is asked for.") }
            presentation.tip = units
        }
        let taken = state.withLock { state -> Bool in
            guard var now = state.readers[reader.id]?.action, now.number == action.number,
                case .waitingForCard = now.stage
            else { return false }
            now.stage = .working(presentation)
            state.readers[reader.id]?.action = now
            return true
        }
        guard taken else {
            return SandboxTerminal.refuse("terminal_reader_busy", "The reader does not wait for a card.")
        }
        try await self.charge(reader.id, action.number)
        return StripeAnswer((state.withLock { $0.readers[reader.id] } ?? reader).json(at: now))
    }

    /// Returns the card that a request names.
    private static func card(_ form: StripeForm, _ charge: SandboxCharge?) -> Result<SandboxCard, StripeRefusal> {
        let type = form["type"] ?? "card_present"
        guard ["card_present", "interac_present"].contains(type) else {
            return .failure(StripeRefusal(answer: .invalid("type", "The sandbox presents cards that are there.")))
        }
        if let types = charge?.types, !types.contains(type) {
            return .failure(
                StripeRefusal(
                    answer: .invalid("type", "The PaymentIntent does not take \(type).")))
        }
        guard let number = form["\(type)[number]"] ?? (type == "interac_present" ? "4506445006931933" : nil) else {
            let wire = charge.flatMap {
                StripeRendering(now: Timestamp(milliseconds: 0)).wireUnits($0, $0.amount).int64Value
            }
            return .success(SandboxTestCard.physical(wireAmount: wire ?? 0))
        }
        guard let card = SandboxTestCard.card(number: number) else {
            return .failure(
                StripeRefusal(
                    answer: .error(
                        402, "card_error", code: "incorrect_number", param: "\(type)[number]",
                        "The number is not one of a test card.")))
        }
        guard (card.brand == "interac") == (type == "interac_present") else {
            return .failure(
                StripeRefusal(answer: .invalid("\(type)[number]", "The card is not one of \(type).")))
        }
        return .success(card)
    }

    /// Completes the issuer's response after the card time has passed.
    func charge(_ id: String, _ number: Int) async throws {
        let span = state.withLock { $0.cardTime }
        guard span.milliseconds > 0 else { return try await settle(id, number) }
        try await mark(id, number, isBeingCharged: true)
        spawn { [self] in
            await ledger.clock.pause(for: span)
            try? await settle(id, number)
        }
    }

    /// Completes the issuer's response before the card time has passed.
    func respond(_ id: String, _ number: Int) {
        spawn { [self] in try? await settle(id, number) }
    }

    private func mark(_ id: String, _ number: Int, isBeingCharged: Bool) async throws {
        guard let action = state.withLock({ $0.readers[id]?.action }), action.number == number,
            ["process_payment_intent", "confirm_payment_intent"].contains(action.type), let intent = action.intent
        else { return }
        try await ledger.store.transaction { shelf in
            guard var charge = try shelf.charge(intent), charge.state != .voided, charge.state != .authorized else {
                return
            }
            charge.isBeingCharged = isBeingCharged ? true : nil
            try shelf.put(charge, keys: [])
        }
    }

    /// Applies the outcome of a presented card. The outcome of an older command changes nothing.
    private func settle(_ id: String, _ number: Int) async throws {
        guard let reader = state.withLock({ $0.readers[id] }), var action = reader.action, action.number == number,
            case .working(let presentation) = action.stage
        else { return }
        var event: StripeAnswer.Event?
        switch action.type {
        case "process_payment_intent", "confirm_payment_intent":
            event = try await pay(&action, presentation, reader)
        case "collect_payment_method": try await collect(&action, presentation)
        case "process_setup_intent": save(&action, presentation)
        case "refund_payment": event = try await giveBack(&action, presentation)
        default: action.succeed()
        }
        let after = state.withLock { [action] state -> SandboxReader? in
            guard state.readers[id]?.action?.number == number else { return nil }
            state.readers[id]?.action = action
            return state.readers[id]
        }
        if let event { tell(event) }
        if let after {
            tell("terminal.reader.action_\(action.status == "succeeded" ? "succeeded" : "failed")", after)
        }
    }

    private func pay(
        _ action: inout SandboxAction, _ presentation: SandboxPresentation, _ reader: SandboxReader
    ) async throws -> StripeAnswer.Event? {
        guard let id = action.intent else { return nil }
        let (rules, now) = (ledger.rules, now)
        let result = try await ledger.store.transaction { shelf -> (SandboxCharge, SandboxOutcome)? in
            guard var charge = try shelf.charge(id) else { return nil }
            charge.isBeingCharged = nil
            guard charge.state != .authorized else {
                return (charge, .declined(code: "intent_invalid_state", message: ""))
            }
            charge.take(tip: presentation.tip)
            charge.reader = reader.id
            charge.location = reader.location
            charge.paymentMethod = StripePaymentMethod(presentation.card).id
            let outcome = charge.authorize(with: presentation.card, rules: rules, at: now)
            if charge.state == .authorized, charge.captures.isEmpty {
                let hold = charge.extendsHold == true ? SandboxTerminal.extendedHoldTime : SandboxTerminal.holdTime
                charge.holdEndsAt = now.adding(hold).milliseconds
            }
            try shelf.put(charge, keys: [])
            return (charge, outcome)
        }
        guard let (charge, outcome) = result else {
            action.fail("intent_invalid_state", "The PaymentIntent is gone.")
            return nil
        }
        let intent = StripeRendering(now: now).intent(charge)
        switch outcome {
        case .approved, .pending, .requiresAction:
            action.succeed()
            let isTaken = intent["status"]?.stringValue == "succeeded"
            return StripeAnswer.Event(
                type: isTaken ? "payment_intent.succeeded" : "payment_intent.amount_capturable_updated", object: intent)
        case .declined(let code, let message):
            guard charge.state == .declined else {
                action.fail("intent_invalid_state", "The PaymentIntent cannot be charged any more.")
                return nil
            }
            action.fail(
                "card_declined", message, error: StripeRendering(now: now).errorCode(code), decline: code)
            return StripeAnswer.Event(type: "payment_intent.payment_failed", object: intent)
        }
    }

    private func collect(_ action: inout SandboxAction, _ presentation: SandboxPresentation) async throws {
        guard let id = action.intent else { return }
        let method = StripePaymentMethod(presentation.card)
        let isUsable = try await ledger.store.transaction { shelf -> Bool in
            guard var charge = try shelf.charge(id), charge.state == .unconfirmed || charge.state == .declined else {
                return false
            }
            charge.take(tip: presentation.tip)
            charge.paymentMethod = method.id
            charge.state = .unconfirmed
            try shelf.put(charge, keys: [])
            return true
        }
        guard isUsable else {
            return action.fail("intent_invalid_state", "The PaymentIntent cannot be used any more.")
        }
        action.set("payment_method", method.presentJSON(createdAt: now))
        action.succeed()
    }

    private func save(_ action: inout SandboxAction, _ presentation: SandboxPresentation) {
        guard let id = action.intent else { return }
        if case .decline(let code) = presentation.card.behavior {
            return action.fail("card_declined", "Your card was declined.", error: "card_declined", decline: code)
        }
        let method = StripePaymentMethod(
            SandboxCard(
                behavior: .approve, brand: presentation.card.brand, lastFour: presentation.card.lastFour,
                entryMode: nil),
            serial: StableHash.hex(id))
        guard let event = objects.finishSetup(id, with: method.id, at: now) else {
            return action.fail("intent_invalid_state", "The SetupIntent is over.")
        }
        action.set("generated_card", .string(method.id))
        action.succeed()
        tell(event)
    }

    private func giveBack(
        _ action: inout SandboxAction, _ presentation: SandboxPresentation
    ) async throws -> StripeAnswer.Event? {
        guard let id = action.intent, let amount = action.refundAmount else { return nil }
        let (rules, now, metadata, key) = (ledger.rules, now, action.refundMetadata, "terminal-\(action.number)")
        let result = try await ledger.store.transaction { shelf -> (SandboxCharge, SandboxOutcome)? in
            guard var charge = try shelf.charge(id) else { return nil }
            guard charge.card?.lastFour == presentation.card.lastFour, charge.card?.brand == presentation.card.brand
            else { return (charge, .declined(code: "wrong_card", message: "Another card paid.")) }
            let outcome = charge.refund(
                amount, name: metadata["till_refund"], key: key, reason: nil, metadata: metadata, rules: rules, at: now)
            try shelf.put(charge, keys: [])
            return (charge, outcome)
        }
        guard let (charge, outcome) = result else { return nil }
        switch outcome {
        case .approved(let reference), .pending(let reference):
            action.set("refund", .string(reference))
            action.succeed()
            return charge.refunds.last.map {
                StripeAnswer.Event(type: "refund.created", object: StripeRendering(now: now).refund($0, of: charge))
            }
        case .declined(let code, let message):
            action.fail(code == "wrong_card" ? "card_not_supported" : "charge_not_refundable", message)
        case .requiresAction: action.fail("charge_not_refundable", "The charge waits for the customer.")
        }
        return nil
    }

    // MARK: Questions

    private func answerInputs(_ reader: SandboxReader, skipping: Bool) -> StripeAnswer {
        let done = state.withLock { state -> SandboxReader? in
            guard var action = state.readers[reader.id]?.action, action.isRunning, case .waitingForInput = action.stage
            else { return nil }
            let inputs = (action.details["inputs"]?.arrayValue ?? []).map {
                SandboxTerminal.answered($0, skipping: skipping)
            }
            action.set("inputs", .array(inputs))
            action.succeed()
            state.readers[reader.id]?.action = action
            return state.readers[reader.id]
        }
        guard let done else {
            return SandboxTerminal.refuse("terminal_reader_busy", "The reader asks nothing.")
        }
        tell("terminal.reader.action_succeeded", done)
        return StripeAnswer(done.json(at: now))
    }

    private static func answered(_ input: JSONValue, skipping: Bool) -> JSONValue {
        guard case .object(var members) = input, let type = input["type"]?.stringValue else { return input }
        func set(_ name: String, _ value: JSONValue) {
            if let index = members.firstIndex(where: { $0.key == name }) { members[index].value = value }
        }
        if skipping, input["required"]?.boolValue != true {
            set("skipped", .bool(true))
            return .object(members)
        }
        switch type {
        case "selection":
            let choices = input[type]?["choices"] ?? .array([])
            let first = choices.arrayValue?.first
            set(type, .fields(["choices": choices, "id": first?["id"] ?? .null, "text": first?["text"] ?? .null]))
        case "email": set(type, .fields(["value": .string("customer@example.com")]))
        case "phone": set(type, .fields(["value": .string("+15555550100")]))
        case "numeric": set(type, .fields(["value": .string("1234")]))
        case "signature": set(type, .fields(["value": .string("file_sandbox_signature")]))
        default: set(type, .fields(["value": .string("Sandbox")]))
        }
        let toggles = (input["toggles"]?.arrayValue ?? []).map { toggle -> JSONValue in
            guard case .object(var parts) = toggle else { return toggle }
            if let index = parts.firstIndex(where: { $0.key == "value" }) {
                parts[index].value = toggle["default_value"] ?? .string("disabled")
            }
            return .object(parts)
        }
        set("toggles", .array(toggles))
        return .object(members)
    }

    private func timeOutInputs(_ reader: SandboxReader) -> StripeAnswer {
        let done = state.withLock { state -> SandboxReader? in
            guard var action = state.readers[reader.id]?.action, action.isRunning, case .waitingForInput = action.stage
            else { return nil }
            action.fail("terminal_reader_timeout", "Nobody answered in time.")
            state.readers[reader.id]?.action = action
            return state.readers[reader.id]
        }
        guard let done else {
            return SandboxTerminal.refuse("terminal_reader_busy", "The reader asks nothing.")
        }
        tell("terminal.reader.action_failed", done)
        return StripeAnswer(done.json(at: now))
    }
}

extension SandboxCharge {
    /// Adds a tip to the amount, replacing an earlier one. Confirming a collected card neither adds nor removes a tip.
    fileprivate mutating func take(tip new: Int64) {
        guard new > 0 else { return }
        let (whole, overflow) = (amount - (tip ?? 0)).addingReportingOverflow(new)
        guard !overflow else { return }
        amount = whole
        tip = new
    }
}

extension StripePaymentMethod {
    /// Renders a payment method collected at a reader in Stripe's format.
    func presentJSON(createdAt: Timestamp) -> JSONValue {
        let type = card.brand == "interac" ? "interac_present" : "card_present"
        return .object([
            JSONMember(key: "id", value: .string(id)), JSONMember(key: "object", value: .string("payment_method")),
            JSONMember(key: "type", value: .string(type)),
            JSONMember(key: "created", value: .int(createdAt.milliseconds / 1000)),
            JSONMember(key: "livemode", value: .bool(false)), JSONMember(key: "metadata", value: .object([])),
            JSONMember(
                key: type,
                value: .fields([
                    "brand": .string(card.brand), "last4": .string(card.lastFour), "exp_month": .int(12),
                    "exp_year": .int(2034), "funding": .string("credit"), "country": .string("US"),
                    "read_method": .text(card.entryMode), "fingerprint": .string(StableHash.hex(id)),
                ])),
        ])
    }
}

extension Optional {
    /// `map` with an asynchronous closure.
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}
