import Synchronization
import TillCore
import TillSandbox

/// Payment methods: cards by brand, last four digits and expiry. Their numbers are not kept.
extension StripeObjects {
    func createMethod(_ request: SandboxStripe.Request, at now: Timestamp) throws(StripeRefusal) -> StripeAnswer {
        let form = request.form
        guard form["type"] == "card" else {
            throw StripeRefusal(answer: .invalid("type", "The sandbox knows the type card."))
        }
        let made = try StripeObjects.card(form.members(of: "card"), serial: serial(request))
        return state.withLock { state in
            var thing = newThing(made, &state, at: now)
            thing["billing_details"] = StripeObjects.billing(thing["billing_details"], form)
            guard StripeObjects.merge(metadata: form, into: &thing) else { return StripeObjects.tooMuchMetadata }
            if state.methods[thing.id] == nil { keep(loose: thing, &state) }
            return StripeAnswer(thing.json)
        }
    }

    /// Returns the payment method of `card[…]`: typed fields, a wallet's token, or a test token.
    private static func card(
        _ fields: [String: String], serial: String
    ) throws(StripeRefusal) -> StripePaymentMethod {
        guard let name = fields["token"] else { return try StripePaymentMethod.typed(fields, serial: serial).get() }
        if let wallet = StripeWalletToken(id: name) { return StripePaymentMethod(wallet.method.card, serial: serial) }
        guard let method = StripePaymentMethod(testToken: name, serial: serial) else {
            throw StripeRefusal(answer: .missing("token", name))
        }
        return method
    }

    /// Returns billing details with the members that a form names.
    static func billing(_ before: JSONValue?, _ form: StripeForm) -> JSONValue {
        func text(_ name: String) -> JSONValue {
            guard let given = form["billing_details[\(name)]"] else { return before?[name] ?? .null }
            return given.isEmpty ? .null : .string(given)
        }
        let none = JSONValue.object(
            ["city", "country", "line1", "line2", "postal_code", "state"].map { JSONMember(key: $0, value: .null) })
        let known = before?["address"] ?? none
        return .fields([
            "address": address("billing_details[address]", known, form) ?? known, "email": text("email"),
            "name": text("name"), "phone": text("phone"), "tax_id": .null,
        ])
    }

    private func newThing(_ method: StripePaymentMethod, _ state: inout State, at now: Timestamp) -> StripeThing {
        state.next += 1
        return StripeThing(id: method.id, owner: "", order: state.next, fields: method.members(createdAt: now))
    }

    /// Remembers a payment method without a customer, and forgets the oldest such beyond the maximum.
    private func keep(loose thing: StripeThing, _ state: inout State) {
        state.methods[thing.id] = thing
        guard state.loose.count >= StripeObjects.maximumLoose else { return state.loose.append(thing.id) }
        let oldest = state.loose[state.oldestLoose]
        if oldest != thing.id, state.methods[oldest]?["customer"]?.stringValue == nil {
            state.methods[oldest] = nil
            state.spent.remove(oldest)
        }
        state.loose[state.oldestLoose] = thing.id
        state.oldestLoose = (state.oldestLoose + 1) % StripeObjects.maximumLoose
    }

    func method(_ id: String, at now: Timestamp) throws(StripeRefusal) -> StripeAnswer {
        if let known = state.withLock({ $0.methods[id] }) { return StripeAnswer(known.json) }
        guard let method = StripePaymentMethod(id: id) else {
            throw StripeRefusal(answer: .missing("PaymentMethod", id))
        }
        return StripeAnswer(.object(method.members(createdAt: now)))
    }

    /// Returns a payment method that must be a customer's.
    func method(_ id: String, of customer: String) throws(StripeRefusal) -> StripeAnswer {
        guard knows(customer: customer) else { throw StripeRefusal(answer: .missing("customer", customer)) }
        guard let known = state.withLock({ $0.methods[id] }), known["customer"]?.stringValue == customer else {
            throw StripeRefusal(answer: .missing("PaymentMethod", id))
        }
        return StripeAnswer(known.json)
    }

    /// Lists a customer's payment methods; without a customer, those of all customers.
    func listMethods(
        of customer: String?, _ form: StripeForm, _ path: [String]
    ) throws(StripeRefusal) -> StripeAnswer {
        if let customer, !knows(customer: customer) {
            throw StripeRefusal(
                answer: path[1] == "customers"
                    ? .missing("customer", customer) : .unknown("customer", "customer", customer))
        }
        let found = state.withLock { Array($0.methods.values) }.filter { method in
            guard let holder = method["customer"]?.stringValue else { return false }
            return (customer == nil || holder == customer) && (form["type"] == nil || form["type"] == "card")
        }
        return try StripeObjects.page(found, form, "PaymentMethod", path)
    }

    func updateMethod(_ id: String, _ form: StripeForm) -> StripeAnswer {
        state.withLock { state in
            guard var method = state.methods[id] else { return .missing("PaymentMethod", id) }
            guard method["customer"]?.stringValue != nil else {
                return .error(
                    400, "invalid_request_error", "A payment method is updated once it is attached to a customer.")
            }
            method["billing_details"] = StripeObjects.billing(method["billing_details"], form)
            for (name, range) in [("exp_month", 1...12), ("exp_year", 2000...9999)] as [(String, ClosedRange<Int64>)] {
                guard let text = form["card[\(name)]"] else { continue }
                guard let value = Int64(text), range.contains(value) else {
                    return .error(
                        402, "card_error", code: name == "exp_month" ? "invalid_expiry_month" : "invalid_expiry_year",
                        param: "card[\(name)]", "The expiry of the card is invalid.")
                }
                method["card"] = .object(
                    (method["card"]?.objectValue ?? []).map {
                        $0.key == name ? JSONMember(key: name, value: .int(value)) : $0
                    })
            }
            guard StripeObjects.merge(metadata: form, into: &method) else { return StripeObjects.tooMuchMetadata }
            state.methods[id] = method
            return StripeObjects.answer("payment_method.updated", method)
        }
    }

    // MARK: Attached and detached

    func attachMethod(_ id: String, _ request: SandboxStripe.Request, at now: Timestamp) -> StripeAnswer {
        guard let customer = request.form["customer"] else {
            return .invalid("customer", "A customer is needed.", code: "parameter_missing")
        }
        let serial = self.serial(request)
        return state.withLock { state in
            switch attach(id, to: customer, &state, serial: serial, at: now) {
            case .success(let method): return StripeObjects.answer("payment_method.attached", method)
            case .failure(let refusal): return refusal.answer
            }
        }
    }

    /// Attaches a payment method to a customer. A test token's name gives a payment method of its own. A declined card
    /// is not kept.
    func attach(
        _ id: String, to customer: String, _ state: inout State, serial: String, at now: Timestamp
    ) -> Result<StripeThing, StripeRefusal> {
        func refused(_ answer: StripeAnswer) -> Result<StripeThing, StripeRefusal> {
            .failure(StripeRefusal(answer: answer))
        }
        guard StripeObjects.isLive(customer, state) else {
            return refused(.unknown("customer", "customer", customer))
        }
        guard !state.spent.contains(id) else { return refused(StripeObjects.isSpent) }
        guard let named = StripePaymentMethod(id: id) else { return refused(.missing("PaymentMethod", id)) }
        let method = SandboxCard(token: id) == nil ? named : StripePaymentMethod(named.card, serial: serial)
        var thing: StripeThing
        if let known = state.methods[method.id] {
            thing = known
        } else {
            thing = newThing(method, &state, at: now)
        }
        if let holder = thing["customer"]?.stringValue {
            return holder == customer ? .success(thing) : refused(StripeObjects.isAnothers)
        }
        if let code = method.refusalOfKeeping {
            return refused(
                .error(
                    402, "card_error", code: StripeRendering(now: now).errorCode(code), decline: code,
                    "Your card was declined."))
        }
        let attached = state.methods.values.filter { $0["customer"]?.stringValue != nil }
        guard attached.count < StripeObjects.maximumAttached else { return refused(StripeObjects.full) }
        let own = attached.count(where: { $0["customer"]?.stringValue == customer })
        guard own < StripeObjects.maximumMethodsOfCustomer else {
            return refused(
                .error(
                    400, "invalid_request_error", code: "customer_max_payment_methods",
                    "A customer has at most \(StripeObjects.maximumMethodsOfCustomer) payment methods."))
        }
        thing["customer"] = .string(customer)
        state.methods[thing.id] = thing
        return .success(thing)
    }

    /// Attaches the payment method of a payment that announced its later use; a refusal changes nothing.
    func keepMethod(_ id: String, for customer: String, at now: Timestamp) {
        state.withLock { state in
            _ = attach(id, to: customer, &state, serial: StableHash.hex("\(id) \(customer)"), at: now)
        }
    }

    func detachMethod(_ id: String) -> StripeAnswer {
        state.withLock { state in
            guard let known = state.methods[id] else { return .missing("PaymentMethod", id) }
            guard known["customer"]?.stringValue != nil else {
                return .error(
                    400, "invalid_request_error", "The payment method is attached to no customer.")
            }
            release(id, &state)
            return StripeObjects.answer("payment_method.detached", state.methods[id])
        }
    }

    /// Takes a payment method from its customer, for good.
    func release(_ id: String, _ state: inout State) {
        guard var method = state.methods[id] else { return }
        if let holder = method["customer"]?.stringValue, var customer = state.customers[holder],
            customer["invoice_settings"]?["default_payment_method"]?.stringValue == id
        {
            StripeObjects.setDefault(nil, of: &customer)
            state.customers[holder] = customer
        }
        method["customer"] = .null
        state.spent.insert(id)
        keep(loose: method, &state)
    }

    /// Returns why a payment of a customer, or of none, cannot use a payment method; `nil` if it can.
    func refusal(of id: String, for customer: String?) -> String? {
        state.withLock { state in
            if state.spent.contains(id) { return StripeObjects.spentText }
            guard let holder = state.methods[id]?["customer"]?.stringValue, holder != customer else { return nil }
            return customer == nil
                ? "The payment method belongs to a customer, who must be named in the request."
                : "The payment method belongs to another customer."
        }
    }

    private static let spentText = "The payment method was detached from its customer and cannot be used again."
    static let isSpent = StripeAnswer.error(400, "invalid_request_error", param: "payment_method", spentText)
    static let isAnothers = StripeAnswer.error(
        400, "invalid_request_error", param: "payment_method",
        "The payment method is attached to another customer.")
}
