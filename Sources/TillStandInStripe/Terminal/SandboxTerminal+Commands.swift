import Synchronization
import TillCore
import TillSandbox

/// The commands of a reader.
extension SandboxTerminal {
    private static let commands: Set<String> = [
        "process_payment_intent", "collect_payment_method", "confirm_payment_intent", "process_setup_intent",
        "refund_payment", "set_reader_display", "collect_inputs", "cancel_action",
    ]

    func command(_ verb: String, at id: String, _ form: StripeForm, _ owner: String) async throws -> StripeAnswer {
        guard SandboxTerminal.commands.contains(verb) else {
            return .error(404, "invalid_request_error", "Unrecognized request URL (\(verb.prefix(40))).")
        }
        sweep()
        // A reader's fault applies to one command only.
        let found: (reader: SandboxReader, fault: SandboxReader.Fault?)? = state.withLock { state in
            guard let reader = state.readers[id], reader.owner == owner else { return nil }
            if verb != "cancel_action" { state.readers[id]?.fault = nil }
            return (reader, verb == "cancel_action" ? nil : reader.fault)
        }
        guard let found else { return .missing("reader", id) }
        guard found.reader.isReachable(at: now) else {
            return SandboxTerminal.refuse("terminal_reader_offline", "Reader is currently offline.")
        }
        if found.reader.action?.isWorking == true {
            return SandboxTerminal.refuse(
                "terminal_reader_busy", "Reader is currently busy processing another request.")
        }
        let late = SandboxTerminal.refuse(
            "terminal_reader_timeout", "There was a timeout when sending this command to the reader.")
        switch found.fault {
        case .timeoutBefore: return late
        case .hardware:
            return SandboxTerminal.refuse("terminal_reader_hardware_fault", "The reader has a hardware fault.")
        case .timeoutAfter, .lost, nil: break
        }
        if verb == "cancel_action" { return cancel(id) }
        let answer: StripeAnswer
        switch await build(verb, found.reader, form) {
        case .failure(let refusal): return refusal.answer
        case .success(let action):
            answer = found.fault == .lost ? lose(id, action) : try await put(action, into: id, form)
        }
        return found.fault == .timeoutAfter ? late : answer
    }

    static func refuse(_ code: String, _ message: String) -> StripeAnswer {
        .error(400, "invalid_request_error", code: code, message)
    }

    /// Cancels an action that awaits the customer. Having nothing to cancel is not an error.
    private func cancel(_ id: String) -> StripeAnswer {
        let reader = state.withLock { state -> SandboxReader? in
            guard var reader = state.readers[id] else { return nil }
            reader.action = nil
            state.readers[id] = reader
            return reader
        }
        return reader.map { StripeAnswer($0.json(at: now)) } ?? .missing("reader", id)
    }

    /// Accepts a command that never shows at the reader.
    private func lose(_ id: String, _ action: SandboxAction) -> StripeAnswer {
        guard var reader = state.withLock({ $0.readers[id] }) else { return .missing("reader", id) }
        reader.action = action
        return StripeAnswer(reader.json(at: now))
    }

    /// Makes a command the reader's current action, replacing any that was waiting.
    private func put(_ action: SandboxAction, into id: String, _ form: StripeForm) async throws -> StripeAnswer {
        let reader = state.withLock { state -> SandboxReader? in
            guard var reader = state.readers[id], reader.action?.isWorking != true else { return nil }
            reader.action = action
            state.readers[id] = reader
            return reader
        }
        guard let reader else {
            return SandboxTerminal.refuse(
                "terminal_reader_busy", "Reader is currently busy processing another request.")
        }
        switch action.type {
        case "confirm_payment_intent":
            try await charge(id, action.number)
        case "set_reader_display":
            tell("terminal.reader.action_succeeded", reader)
        default: break
        }
        return StripeAnswer((state.withLock { $0.readers[id] } ?? reader).json(at: now))
    }

    // MARK: Commands

    private func build(
        _ verb: String, _ reader: SandboxReader, _ form: StripeForm
    ) async -> Result<SandboxAction, StripeRefusal> {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        func action(_ details: JSONValue, _ stage: SandboxAction.Stage) -> SandboxAction {
            SandboxAction(number: number, type: verb, details: details, stage: stage, startedAt: now)
        }
        switch verb {
        case "set_reader_display":
            guard form["type"] == "cart", let total = form["cart[total]"].flatMap({ Int64($0) }),
                let currency = form["cart[currency]"], Currency(ifValid: currency.uppercased()) != nil
            else { return .failure(StripeRefusal(answer: .invalid("cart", "The cart is not complete."))) }
            var shown = action(SandboxTerminal.cart(form, currency, total), .over)
            shown.status = "succeeded"
            return .success(shown)
        case "collect_inputs":
            let inputs = SandboxTerminal.inputs(form)
            guard (1...5).contains(inputs.count) else {
                return .failure(StripeRefusal(answer: .invalid("inputs", "A form has one to five inputs.")))
            }
            return .success(
                action(
                    .fields(["inputs": .array(inputs), "metadata": .map(form.members(of: "metadata"))]),
                    .waitingForInput))
        case "process_setup_intent": return setup(form, action(.object([]), .waitingForCard))
        case "refund_payment": return await refund(form, reader, action(.object([]), .waitingForCard))
        default: return await collection(verb, form, reader, action(.object([]), .waitingForCard))
        }
    }

    /// Handles `process_payment_intent`, `collect_payment_method` and `confirm_payment_intent`.
    private func collection(
        _ verb: String, _ form: StripeForm, _ reader: SandboxReader, _ template: SandboxAction
    ) async -> Result<SandboxAction, StripeRefusal> {
        func no(_ answer: StripeAnswer) -> Result<SandboxAction, StripeRefusal> {
            .failure(StripeRefusal(answer: answer))
        }
        guard let id = form["payment_intent"] else {
            return no(.invalid("payment_intent", "Missing required param: payment_intent.", code: "parameter_missing"))
        }
        guard let charge = try? await ledger.charge(ProviderReference(rawValue: id)),
            charge.owner == nil || charge.owner == reader.owner
        else { return no(.missing("payment_intent", id)) }
        let status = StripeRendering(now: now).status(charge)
        let isConfirming = verb == "confirm_payment_intent"
        let allowed = isConfirming ? ["requires_confirmation"] : ["requires_payment_method", "requires_confirmation"]
        guard allowed.contains(status) else {
            return no(
                SandboxTerminal.refuse(
                    "intent_invalid_state", "This PaymentIntent has status \(status) and cannot be used here."))
        }
        guard charge.types?.contains("card_present") == true || charge.types?.contains("interac_present") == true
        else {
            return no(
                .invalid(
                    "payment_intent", "The PaymentIntent must include card_present in payment_method_types.",
                    code: "payment_intent_incompatible_payment_method"))
        }
        if let refusal = place(of: reader, refuses: charge.currency) { return no(refusal) }
        let config = ["process": "process_config", "collect": "collect_config", "confirm": "confirm_config"]
        let name = config[String(verb.prefix { $0 != "_" })] ?? "process_config"
        var action = template
        action.intent = id
        action.skipsTipping = form["\(name)[skip_tipping]"] == "true"
        action.customerCancels = form["\(name)[enable_customer_cancellation]"] == "true"
        var members: [JSONMember] = [
            JSONMember(key: "payment_intent", value: .string(id)),
            JSONMember(key: name, value: SandboxTerminal.settings(form, name)),
        ]
        if verb == "collect_payment_method" { members.append(JSONMember(key: "payment_method", value: .null)) }
        action.details = .object(members)
        if isConfirming, let card = charge.paymentMethod.flatMap({ StripePaymentMethod(id: $0) })?.card {
            action.stage = .working(SandboxPresentation(card: card))
        }
        return .success(action)
    }

    /// Returns the refusal of a currency that readers in this reader's country do not accept; `nil` if it is accepted.
    private func place(of reader: SandboxReader, refuses currency: String) -> StripeAnswer? {
        guard let location = reader.location,
            let country = state.withLock({ $0.locations[location]?["address"]?["country"]?.stringValue }),
            let taken = SandboxTestCard.currencies[country.uppercased()], !taken.contains(currency)
        else { return nil }
        return SandboxTerminal.refuse(
            "terminal_reader_invalid_location_for_payment",
            "Readers in \(country) do not take payments in \(currency).")
    }

    private func setup(_ form: StripeForm, _ template: SandboxAction) -> Result<SandboxAction, StripeRefusal> {
        guard let id = form["setup_intent"], let intent = objects.setupIntent(id) else {
            return .failure(StripeRefusal(answer: .missing("setup_intent", form["setup_intent"] ?? "")))
        }
        guard ["always", "limited", "unspecified"].contains(form["allow_redisplay"] ?? "") else {
            return .failure(
                StripeRefusal(
                    answer: .invalid("allow_redisplay", "Missing required param.", code: "parameter_missing")))
        }
        guard intent["status"]?.stringValue == "requires_payment_method" else {
            return .failure(
                StripeRefusal(answer: SandboxTerminal.refuse("intent_invalid_state", "The SetupIntent is over.")))
        }
        var action = template
        action.intent = id
        action.customerCancels = form["process_config[enable_customer_cancellation]"] == "true"
        action.details = .fields([
            "setup_intent": .string(id), "generated_card": .null,
            "process_config": SandboxTerminal.settings(form, "process_config"),
        ])
        return .success(action)
    }

    private func refund(
        _ form: StripeForm, _ reader: SandboxReader, _ template: SandboxAction
    ) async -> Result<SandboxAction, StripeRefusal> {
        let named = form["payment_intent"] ?? form["charge"].map { "pi_" + $0.dropFirst(3) }
        guard let id = named else {
            return .failure(
                StripeRefusal(
                    answer: .invalid(
                        "payment_intent", "One of payment_intent and charge is needed.", code: "parameter_missing")))
        }
        guard let charge = try? await ledger.charge(ProviderReference(rawValue: id)),
            charge.owner == nil || charge.owner == reader.owner
        else { return .failure(StripeRefusal(answer: .missing("payment_intent", id))) }
        let left = charge.captured - charge.refunded
        let asked = form["amount"].map { Int64($0).flatMap { SandboxTerminal.minorUnits($0, charge) } } ?? left
        guard let amount = asked, amount > 0, amount <= left else {
            let isDone = charge.captured > 0 && left <= 0
            return .failure(
                StripeRefusal(
                    answer: .invalid(
                        "amount", "At most \(left) can be refunded.",
                        code: isDone ? "charge_already_refunded" : "amount_too_large")))
        }
        var action = template
        action.intent = id
        action.refundAmount = amount
        action.refundMetadata = form.members(of: "metadata")
        action.customerCancels = form["refund_payment_config[enable_customer_cancellation]"] == "true"
        action.details = .fields([
            "amount": StripeRendering(now: now).wireUnits(charge, amount),
            "charge": .string("ch_" + id.dropFirst(3)), "metadata": .map(action.refundMetadata),
            "payment_intent": .string(id), "reason": .null, "refund": .null,
            "refund_payment_config": SandboxTerminal.settings(form, "refund_payment_config"),
        ])
        return .success(action)
    }

    // MARK: Details

    static func minorUnits(_ wire: Int64, _ charge: SandboxCharge) -> Int64? {
        guard let currency = Currency(ifValid: charge.currency) else { return nil }
        return StripeWireAmount.minorUnits(wire, currency)
    }

    /// Returns the settings as rendered in responses, with flags as Booleans.
    private static func settings(_ form: StripeForm, _ name: String) -> JSONValue {
        var members: [JSONMember] = []
        for (key, value) in form.members(of: name).sorted(by: { $0.key < $1.key }) where !key.contains("[") {
            let isFlag = value == "true" || value == "false"
            members.append(JSONMember(key: key, value: isFlag ? .bool(value == "true") : .string(value)))
        }
        if let eligible = form["\(name)[tipping][amount_eligible]"].flatMap({ Int64($0) }) {
            members.append(JSONMember(key: "tipping", value: .fields(["amount_eligible": .int(eligible)])))
        }
        return .object(members)
    }

    private static func cart(_ form: StripeForm, _ currency: String, _ total: Int64) -> JSONValue {
        var lines: [JSONValue] = []
        for index in 0..<100 {
            let name = "cart[line_items][\(index)]"
            guard let text = form["\(name)[description]"], let amount = form["\(name)[amount]"].flatMap({ Int64($0) })
            else { break }
            let quantity = form["\(name)[quantity]"].flatMap { Int64($0) } ?? 1
            lines.append(
                .fields(["amount": .int(amount), "description": .string(text), "quantity": .int(quantity)]))
        }
        return .fields([
            "type": .string("cart"),
            "cart": .fields([
                "currency": .string(currency), "line_items": .array(lines),
                "tax": form["cart[tax]"].flatMap { Int64($0) }.map { .int($0) } ?? .null, "total": .int(total),
            ]),
        ])
    }

    private static func inputs(_ form: StripeForm) -> [JSONValue] {
        var inputs: [JSONValue] = []
        for index in 0..<6 {
            let name = "inputs[\(index)]"
            guard let type = form["\(name)[type]"], let title = form["\(name)[custom_text][title]"] else { break }
            let toggles = (0..<6).prefix { number in
                form.fields.contains { $0.name.hasPrefix("\(name)[toggles][\(number)]") }
            }.map { number -> JSONValue in
                let toggle = "\(name)[toggles][\(number)]"
                return .fields([
                    "title": .text(form["\(toggle)[title]"]), "description": .text(form["\(toggle)[description]"]),
                    "default_value": .text(form["\(toggle)[default_value]"]), "value": .null,
                ])
            }
            let choices = (0..<20).prefix { form["\(name)[selection][choices][\($0)][id]"] != nil }
                .map { number -> JSONValue in
                    let choice = "\(name)[selection][choices][\(number)]"
                    return .fields([
                        "id": .text(form["\(choice)[id]"]), "style": .text(form["\(choice)[style]"]),
                        "text": .text(form["\(choice)[text]"]),
                    ])
                }
            var members: [JSONMember] = [
                JSONMember(key: "type", value: .string(type)),
                JSONMember(key: "required", value: .bool(form["\(name)[required]"] == "true")),
                JSONMember(key: "skipped", value: .bool(false)), JSONMember(key: "toggles", value: .array(toggles)),
                JSONMember(
                    key: "custom_text",
                    value: .fields([
                        "title": .string(title), "description": .text(form["\(name)[custom_text][description]"]),
                        "skip_button": .text(form["\(name)[custom_text][skip_button]"]),
                        "submit_button": .text(form["\(name)[custom_text][submit_button]"]),
                    ])),
            ]
            members.append(
                JSONMember(
                    key: type,
                    value: type == "selection"
                        ? .fields(["choices": .array(choices), "id": .null, "text": .null]) : .fields(["value": .null]))
            )
            inputs.append(.object(members))
        }
        return inputs
    }
}
