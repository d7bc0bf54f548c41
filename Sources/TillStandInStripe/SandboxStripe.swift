import TillCore
import TillSandbox
import TillStandInServing

/// The sandbox's ledger behind Stripe's API: maps a request to a response. No network.
struct SandboxStripe: Sendable {
    let ledger: SandboxLedger
    let faults: SandboxFaults
    /// The simulated readers, if any.
    var terminal: SandboxTerminal?
    /// The lag of lists behind the ledger.
    var lateness = ListLateness()
    /// The account that every test key belongs to.
    var account = "acct_sandbox"
    /// Payouts, and planted faults in the statements.
    var statements = SandboxStripeStatements()
    /// The address at which the stand-in is reached.
    var address = ServedAddress()
    /// The events that webhooks are sent from.
    var events = StripeEventLog()
    /// The objects without money, unless there are readers, which have theirs.
    var ownObjects = StripeObjects()

    struct Request: Sendable {
        var method: String
        var path: [String]
        var form: StripeForm
        var key: String?
        var authorization: String?
    }

    var now: Timestamp { ledger.clock.now() }
    var rendering: StripeRendering { StripeRendering(now: now, address: address.url) }
    /// The customers, payment methods and setup intents.
    var objects: StripeObjects { terminal?.objects ?? ownObjects }

    /// Responds to one request.
    /// - Throws: only if the ledger cannot be read or written.
    func answer(_ request: Request) async throws -> StripeAnswer {
        guard request.authorization.map(SandboxStripe.isTestKey) == true else {
            return .error(401, "invalid_request_error", "The sandbox takes keys that begin with sk_test_ only.")
        }
        if let terminal, let answer = try await terminal.answer(request) { return answer }
        if let answer = objects.answer(request, at: now, window: ledger.rules.replayWindow) { return answer }
        let path = request.path
        switch (request.method, path.count > 1 ? path[1] : "", path.count) {
        case ("GET", "account", 2):
            return StripeAnswer(
                .object([
                    JSONMember(key: "id", value: .string(account)),
                    JSONMember(key: "object", value: .string("account")),
                ]))
        case ("POST", "tokens", 2): return token(request)
        case ("POST", "payment_intents", 2): return keepingMethod(try await create(request))
        case ("GET", "payment_intents", 2): return try await listIntents(request)
        case ("GET", "payment_intents", 3): return try await retrieve(path[2], request)
        case ("POST", "payment_intents", 3): return try await update(path[2], request)
        case ("POST", "payment_intents", 4) where path[3] == "confirm":
            return keepingMethod(try await confirm(path[2], request))
        case ("POST", "payment_intents", 4) where path[3] == "capture": return try await capture(path[2], request)
        case ("POST", "payment_intents", 4) where path[3] == "cancel": return try await cancel(path[2], request)
        case ("GET", "charges", 2): return try await listCharges(request)
        case ("GET", "charges", 3): return try await retrieveCharge(path[2])
        case ("POST", "charges", 3): return try await once(request) { try await updateCharge(path[2], request) }
        case ("POST", "charges", 4) where path[3] == "capture": return try await captureCharge(path[2], request)
        case ("POST", "refunds", 2): return try await refund(request)
        case ("GET", "refunds", 2): return try await listRefunds(request)
        case ("GET", "refunds", 3): return try await retrieveRefund(path[2])
        case ("POST", "refunds", 3): return try await once(request) { try await updateRefund(path[2], request) }
        case ("GET", "disputes", 2): return try await listDisputes(request)
        case ("GET", "disputes", 3): return try await retrieveDispute(path[2])
        case ("GET", "events", 2): return listEvents(request)
        case ("GET", "events", 3): return retrieveEvent(path[2])
        case ("GET", "balance_transactions", 2):
            let all = try await statements.transactions(of: ledger, rendering)
            return list("/v1/balance_transactions", try statements.matching(all, request.form), request.form)
        case ("GET", "balance_transactions", 3):
            let all = try await statements.transactions(of: ledger, rendering)
            let found = all.filter { $0["id"]?.stringValue == path[2] }
            return try statements.matching(found, request.form).first.map { StripeAnswer($0) }
                ?? .missing("balance_transaction", path[2])
        case ("GET", "payouts", 2): return list("/v1/payouts", statements.payoutObjects(), request.form)
        default: return .unrecognized(request)
        }
    }

    /// Returns the operation of a request and the reference needed to find its fault.
    func operation(of request: Request) -> (operation: SandboxOperation, reference: String?)? {
        let path = request.path
        guard request.method == "POST" else {
            return path.count > 1 && path[0] == "v1" && path[1] != "account" ? (.query, nil) : nil
        }
        switch (path.count > 1 ? path[1] : "", path.count, path.last ?? "") {
        case ("payment_intents", 2, _): return (request.form.bool("confirm") ? .authorize : .prepare, nil)
        case ("payment_intents", 4, "confirm"): return (.authorize, path[2])
        case ("payment_intents", 4, "capture"): return (.capture, path[2])
        case ("payment_intents", 4, "cancel"): return (.void, path[2])
        case ("charges", 4, "capture"): return (.capture, SandboxStripe.intentID(ofCharge: path[2]))
        case ("refunds", 2, _): return (.refund, request.form["payment_intent"])
        case ("terminal", 5, "process_payment_intent"), ("terminal", 5, "confirm_payment_intent"):
            return (.authorize, request.form["payment_intent"])
        case ("terminal", 5, "refund_payment"): return (.refund, request.form["payment_intent"])
        default: return nil
        }
    }

    /// Returns the fault of a request, if it has one.
    func fault(of request: Request) async throws -> SandboxFault? {
        guard let (operation, reference) = operation(of: request) else { return nil }
        var charge: SandboxCharge?
        if let reference { charge = try await ledger.charge(ProviderReference(rawValue: reference)) }
        let named = ["amount_to_capture", "amount"].lazy.compactMap { request.form[$0].flatMap { Int64($0) } }.first
        let method = request.form["payment_method"] ?? charge?.paymentMethod
        let card = operation == .authorize ? method.flatMap { StripePaymentMethod(id: $0) }?.card.fault : nil
        return faults.next(
            operation, key: request.key ?? "", amount: named ?? charge?.amount, card: card, at: now)
    }

    private static func isTestKey(_ header: String) -> Bool {
        if header.hasPrefix("Bearer ") {
            return header.hasPrefix("Bearer sk_test_") || header.hasPrefix("Bearer rk_test_")
        }
        // "sk_test_" and "rk_test_" in Base64, as far as whole groups extend.
        return header.hasPrefix("Basic c2tfdGVzd") || header.hasPrefix("Basic cmtfdGVzd")
    }

    // MARK: Payment methods and intents

    private func token(_ request: Request) -> StripeAnswer {
        switch StripeWalletToken.made(of: request.form) {
        case .success(let token): return StripeAnswer(token.json(createdAt: now))
        case .failure(let refusal): return refusal.answer
        }
    }

    /// Returns the payment method that a form names or describes.
    private func method(in form: StripeForm) -> Result<StripePaymentMethod?, StripeRefusal> {
        if let id = form["payment_method"] {
            guard let method = StripePaymentMethod(id: id) else {
                return .failure(StripeRefusal(answer: .missing("PaymentMethod", id)))
            }
            return .success(method)
        }
        let card = Dictionary(
            uniqueKeysWithValues: ["number", "exp_month", "exp_year", "cvc"].compactMap { name in
                form["payment_method_data[card][\(name)]"].map { (name, $0) }
            })
        guard !card.isEmpty else { return .success(nil) }
        return StripePaymentMethod.typed(card).map { $0 }
    }

    /// Keeps the payment method of a payment that succeeded, if its later use was announced.
    private func keepingMethod(_ answer: StripeAnswer) -> StripeAnswer {
        if !answer.isReplay, let intent = answer.event?.object { keepMethod(of: intent) }
        return answer
    }

    private func keepMethod(of intent: JSONValue) {
        guard intent["setup_future_usage"]?.stringValue != nil, let status = intent["status"]?.stringValue,
            ["succeeded", "requires_capture"].contains(status), let customer = intent["customer"]?.stringValue,
            let method = intent["payment_method"]?.stringValue
        else { return }
        objects.keepMethod(method, for: customer, at: now)
    }

    private func create(_ request: Request) async throws -> StripeAnswer {
        let form = request.form
        guard let code = form["currency"], let currency = Currency(ifValid: code.uppercased()) else {
            return .invalid("currency", "Invalid or missing currency.", code: "parameter_missing")
        }
        guard let wire = form["amount"].flatMap({ Int64($0) }), wire > 0, wire <= 99_999_999,
            let minorUnits = StripeWireAmount.minorUnits(wire, currency)
        else { return .invalid("amount", "Invalid amount.", code: "parameter_invalid_integer") }
        let amount = Money(minorUnits: minorUnits, currency: currency)
        let types = form.members(of: "payment_method_types").sorted { $0.key < $1.key }.map(\.value)
        if types.contains("card_present"), amount.minorUnits < StripeWireAmount.least(currency).minorUnits {
            return .error(
                400, "invalid_request_error", code: "amount_too_small", param: "amount",
                "Amount must be at least \(StripeWireAmount.least(currency)).")
        }
        let card: StripePaymentMethod?
        switch method(in: form) {
        case .success(let found): card = found
        case .failure(let refusal): return refusal.answer
        }
        if let customer = form["customer"], !objects.knows(customer: customer) {
            return .unknown("customer", "customer", customer)
        }
        if let card, let text = objects.refusal(of: card.id, for: form["customer"]) {
            return .error(400, "invalid_request_error", param: "payment_method", text)
        }
        let isConfirmed = form.bool("confirm")
        guard !isConfirmed || card != nil else {
            return .invalid("payment_method", "A payment method is needed to confirm.", code: "parameter_missing")
        }
        let metadata = form.members(of: "metadata")
        let key = request.key ?? "auto-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"
        let draft = SandboxLedger.Draft(
            account: metadata["till_account"], order: metadata["till_order"] ?? metadata["order_id"],
            payment: metadata["till_payment"], attempt: metadata["till_attempt"], amount: amount.minorUnits,
            currency: currency.code, capturesAtOnce: form["capture_method"]?.hasPrefix("manual") != true,
            text: form["description"],
            metadata: metadata, paymentMethod: card?.id)
        let owner = SandboxTerminal.owner(request.authorization)
        let options = "payment_method_options[card_present]"
        let extends = form.bool("\(options)[request_extended_authorization]")
        let increments = form.bool("\(options)[request_incremental_authorization_support]")
        let priority = form["\(options)[routing][requested_priority]"]
        return try await mutate(request, isConfirmed ? .authorize : .prepare, key: key) { shelf in
            var charge = try ledger.fresh(shelf, draft, key: key)
            charge.types = types.isEmpty ? nil : types
            charge.owner = owner
            charge.extendsHold = extends ? true : nil
            charge.allowsIncrement = increments ? true : nil
            charge.requestedPriority = priority
            charge.customer = form["customer"]
            charge.futureUsage = form["setup_future_usage"]
            return charge
        } body: { charge, now in
            guard isConfirmed, let card else { return .approved(reference: charge.reference) }
            return charge.authorize(with: card.card, rules: ledger.rules, at: now)
        }
    }

    private func update(_ id: String, _ request: Request) async throws -> StripeAnswer {
        let card: StripePaymentMethod?
        switch method(in: request.form) {
        case .success(let found): card = found
        case .failure(let refusal): return refusal.answer
        }
        return try await mutate(request, .prepare) {
            try $0.charge(id)
        } body: { charge, _ in
            guard charge.state == .unconfirmed || charge.state == .declined || card == nil else {
                return SandboxStripe.unexpected(charge)
            }
            let customer = request.form["customer"]
            if let customer, !objects.knows(customer: customer) { return SandboxStripe.noCustomer }
            if let card, let text = objects.refusal(of: card.id, for: customer ?? charge.customer) {
                return SandboxStripe.unusable(text)
            }
            if let customer { charge.customer = customer }
            if let usage = request.form["setup_future_usage"] { charge.futureUsage = usage }
            if let card {
                charge.paymentMethod = card.id
                charge.state = .unconfirmed
            }
            charge.metadata.merge(request.form.members(of: "metadata")) { $1 }
            if let text = request.form["description"] { charge.text = text }
            return .approved(reference: charge.reference)
        }
    }

    private func confirm(_ id: String, _ request: Request) async throws -> StripeAnswer {
        let given: StripePaymentMethod?
        switch method(in: request.form) {
        case .success(let found): given = found
        case .failure(let refusal): return refusal.answer
        }
        let back = request.form["return_url"]
        guard back.map({ $0.hasPrefix("https://") || $0.hasPrefix("http://") }) ?? true else {
            return .invalid("return_url", "Not a valid URL.", code: "url_invalid")
        }
        return try await mutate(request, .authorize) {
            try $0.charge(id)
        } body: { charge, now in
            guard charge.state != .voided, charge.state != .authorized,
                let card = given ?? charge.paymentMethod.flatMap({ StripePaymentMethod(id: $0) })
            else { return SandboxStripe.unexpected(charge) }
            if let text = objects.refusal(of: card.id, for: charge.customer) { return SandboxStripe.unusable(text) }
            charge.paymentMethod = card.id
            if let back { charge.returnURL = back }
            if let usage = request.form["setup_future_usage"] { charge.futureUsage = usage }
            return charge.authorize(with: card.card, rules: ledger.rules, at: now)
        }
    }

    func capture(
        _ id: String, _ request: Request, param: String = "amount_to_capture"
    ) async throws -> StripeAnswer {
        let form = request.form
        let asked = form[param]
        guard asked == nil || asked.flatMap({ Int64($0) }) != nil else {
            return .invalid(param, "Invalid integer.", code: "parameter_invalid_integer")
        }
        return try await mutate(request, .capture) {
            try $0.charge(id)
        } body: { charge, now in
            guard charge.state == .authorized, charge.captures.isEmpty else { return SandboxStripe.unexpected(charge) }
            let amount = asked.flatMap { Int64($0) }.map { SandboxStripe.minorUnits($0, charge) } ?? charge.authorized
            return charge.capture(
                amount ?? -1, isFinal: form["final_capture"] != "false", key: request.key ?? "", rules: ledger.rules,
                at: now)
        }
    }

    private func cancel(_ id: String, _ request: Request) async throws -> StripeAnswer {
        try await mutate(request, .void) {
            try $0.charge(id)
        } body: { charge, _ in
            guard charge.state != .voided, charge.captures.isEmpty, charge.isBeingCharged != true else {
                return SandboxStripe.unexpected(charge)
            }
            return charge.void()
        }
    }

    private func retrieve(_ id: String, _ request: Request) async throws -> StripeAnswer {
        guard let charge = try await ledger.charge(ProviderReference(rawValue: id)) else {
            return .missing("payment_intent", id)
        }
        return StripeAnswer(rendering.intent(charge, expanded: request.form.expands("latest_charge")))
    }

    private func listIntents(_ request: Request) async throws -> StripeAnswer {
        let customer = request.form["customer"]
        let charges = try await ledger.charges().reversed().filter {
            request.form.accepts(created: $0.createdAt / 1000) && lateness.shows($0.createdAt, at: now)
                && (customer == nil || $0.customer == customer)
        }
        let expanded = request.form.expands("latest_charge")
        let (page, hasMore) = page(charges, request.form) { $0.reference }
        return StripeAnswer(
            StripeRendering.list(
                "/v1/payment_intents", page.map { rendering.intent($0, expanded: expanded) }, hasMore: hasMore))
    }

    // MARK: What they share

    func page<Value>(
        _ all: some Sequence<Value>, _ form: StripeForm, id: (Value) -> String
    ) -> (page: [Value], hasMore: Bool) {
        let page = StripePage(of: all, form, id: id)
        return (page.values, page.hasMore)
    }

    func list(_ url: String, _ all: [JSONValue], _ form: StripeForm) -> StripeAnswer {
        let (page, hasMore) = page(all, form) { $0["id"]?.stringValue ?? "" }
        return StripeAnswer(StripeRendering.list(url, page, hasMore: hasMore))
    }

    static func minorUnits(_ wire: Int64, _ charge: SandboxCharge) -> Int64? {
        guard let currency = Currency(ifValid: charge.currency) else { return nil }
        return StripeWireAmount.minorUnits(wire, currency)
    }

    /// Returns the payment intent's id of a charge's id.
    static func intentID(ofCharge id: String) -> String { "pi_" + id.dropFirst(3) }

    private static let noCustomerCode = "resource_missing"
    private static let noCustomer = SandboxOutcome.declined(code: noCustomerCode, message: "No such customer.")

    /// The code with which a payment method is refused that the customer may not use.
    private static let unusableCode = "payment_method_unexpected_state"

    private static func unusable(_ text: String) -> SandboxOutcome { .declined(code: unusableCode, message: text) }

    private static func unexpected(_ charge: SandboxCharge) -> SandboxOutcome {
        .declined(code: "unexpected_state", message: "The payment intent's status does not allow this.")
    }

    /// Performs a mutating request in one transaction: replays the stored response of its key, or applies the change
    /// and stores the response.
    func mutate(
        _ request: Request, _ operation: SandboxOperation, key: String? = nil,
        find: @escaping @Sendable (any SandboxShelf) throws -> SandboxCharge?,
        body: @escaping @Sendable (inout SandboxCharge, Timestamp) -> SandboxOutcome
    ) async throws -> StripeAnswer {
        let key = key ?? request.key ?? "auto-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"
        let fingerprint = "/\(request.path.joined(separator: "/")) \(request.form.fingerprint)"
        let expanded = request.form.expands("latest_charge")
        let asCharge = request.path.contains("charges")
        let rendering = rendering
        return try await ledger.store.transaction { shelf in
            if let effect = try ledger.replay(shelf, key: key, fingerprint: fingerprint) {
                guard effect.isReplay, let kept = effect.response, let answer = StripeAnswer(kept: kept) else {
                    return .error(
                        400, "idempotency_error",
                        "Keys for idempotent requests can only be used with the same parameters they were first used"
                            + " with.")
                }
                return answer
            }
            guard let charge = try find(shelf) else {
                return .missing(
                    request.path[1] == "charges" ? "charge" : "payment_intent",
                    request.path.count > 2 ? request.path[2] : "")
            }
            var answer = StripeAnswer(status: 500, body: "{}")
            _ = try ledger.change(
                shelf, charge, operation, key: key, fingerprint: fingerprint,
                respond: { charge, outcome in
                    answer = SandboxStripe.answer(
                        outcome, charge, operation, rendering, expanded: expanded, asCharge: asCharge)
                    return answer.kept
                }, body)
            return answer
        }
    }

    private static func answer(
        _ outcome: SandboxOutcome, _ charge: SandboxCharge, _ operation: SandboxOperation,
        _ rendering: StripeRendering, expanded: Bool, asCharge: Bool
    ) -> StripeAnswer {
        let intent = rendering.intent(charge, expanded: expanded)
        switch outcome {
        case .approved, .pending, .requiresAction:
            var answer = StripeAnswer(intent)
            if operation == .refund, let refund = charge.refunds.last {
                answer = StripeAnswer(rendering.refund(refund, of: charge))
                answer.event = StripeAnswer.Event(type: "refund.created", object: rendering.refund(refund, of: charge))
            } else {
                if asCharge { answer = StripeAnswer(rendering.charge(charge)) }
                answer.event = event(of: intent, operation)
            }
            return answer
        case .declined(let code, let message):
            if code == unusableCode || code == noCustomerCode {
                let param = code == unusableCode ? "payment_method" : "customer"
                return .error(400, "invalid_request_error", code: code, param: param, message)
            }
            if operation == .authorize, charge.state == .declined {
                var answer = StripeAnswer.error(
                    402, "card_error", code: rendering.errorCode(code), decline: code, message, intent: intent)
                answer.event = StripeAnswer.Event(type: "payment_intent.payment_failed", object: intent)
                return answer
            }
            if operation == .refund {
                let isDone = charge.captured > 0 && charge.refunded >= charge.captured
                return .error(
                    400, "invalid_request_error", code: isDone ? "charge_already_refunded" : nil, param: "amount",
                    message)
            }
            let isState = code == "unexpected_state" || code == "already_captured" || code == "authorization_expired"
            return .error(
                400, "invalid_request_error", code: isState ? "payment_intent_unexpected_state" : code, message,
                intent: intent)
        }
    }

    /// Returns the event of a payment intent whose challenge the customer has answered at the bank.
    func answeredChallenge(_ id: String) async -> StripeAnswer.Event? {
        guard let charge = try? await ledger.charges().first(where: { $0.reference == id }) else { return nil }
        let intent = rendering.intent(charge)
        guard charge.state != .declined else {
            return StripeAnswer.Event(type: "payment_intent.payment_failed", object: intent)
        }
        keepMethod(of: intent)
        return SandboxStripe.event(of: intent, .authorize)
    }

    private static func event(of intent: JSONValue, _ operation: SandboxOperation) -> StripeAnswer.Event? {
        let type: String? =
            switch intent["status"]?.stringValue {
            case "requires_payment_method" where operation == .prepare: "payment_intent.created"
            case "requires_capture": "payment_intent.amount_capturable_updated"
            case "requires_action": "payment_intent.requires_action"
            case "succeeded": "payment_intent.succeeded"
            case "canceled": "payment_intent.canceled"
            default: nil
            }
        return type.map { StripeAnswer.Event(type: $0, object: intent) }
    }
}
