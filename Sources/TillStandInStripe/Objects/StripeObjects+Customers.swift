import Synchronization
import TillCore
import TillSandbox

/// Customers: who a shop's payment methods belong to.
extension StripeObjects {
    func createCustomer(_ request: SandboxStripe.Request, at now: Timestamp) -> StripeAnswer {
        let (form, serial) = (request.form, self.serial(request))
        return state.withLock { state in
            guard state.customers.count < StripeObjects.maximumCustomers else { return StripeObjects.full }
            let (id, order) = identifier("cus", &state)
            state.customers[id] = StripeThing(
                id: id, owner: "", order: order, fields: StripeObjects.customerMembers(id, createdAt: now))
            if let method = form["payment_method"] {
                if case .failure(let refusal) = attach(method, to: id, &state, serial: serial, at: now) {
                    state.customers[id] = nil
                    return refusal.answer
                }
            }
            if let refusal = StripeObjects.fill(id, form, &state) {
                state.customers[id] = nil
                for var method in state.methods.values where method["customer"]?.stringValue == id {
                    method["customer"] = .null
                    state.methods[method.id] = state.loose.contains(method.id) ? method : nil
                }
                return refusal
            }
            return StripeObjects.answer("customer.created", state.customers[id])
        }
    }

    private static func customerMembers(_ id: String, createdAt now: Timestamp) -> [JSONMember] {
        [
            JSONMember(key: "id", value: .string(id)), JSONMember(key: "object", value: .string("customer")),
            JSONMember(key: "address", value: .null), JSONMember(key: "balance", value: .int(0)),
            JSONMember(key: "created", value: .int(now.milliseconds / 1000)),
            JSONMember(key: "currency", value: .null), JSONMember(key: "default_source", value: .null),
            JSONMember(key: "delinquent", value: .bool(false)), JSONMember(key: "description", value: .null),
            JSONMember(key: "discount", value: .null), JSONMember(key: "email", value: .null),
            JSONMember(
                key: "invoice_settings",
                value: .fields([
                    "custom_fields": .null, "default_payment_method": .null, "footer": .null,
                    "rendering_options": .null,
                ])),
            JSONMember(key: "livemode", value: .bool(false)), JSONMember(key: "metadata", value: .object([])),
            JSONMember(key: "name", value: .null), JSONMember(key: "phone", value: .null),
            JSONMember(key: "preferred_locales", value: .array([])), JSONMember(key: "shipping", value: .null),
            JSONMember(key: "tax_exempt", value: .string("none")), JSONMember(key: "test_clock", value: .null),
        ]
    }

    /// Applies a form to a customer; returns its refusal, in which case nothing changes.
    private static func fill(_ id: String, _ form: StripeForm, _ state: inout State) -> StripeAnswer? {
        guard var customer = state.customers[id] else { return .missing("customer", id) }
        set(["description", "email", "name", "phone"], of: &customer, from: form)
        if let exempt = form["tax_exempt"], !exempt.isEmpty {
            guard ["none", "exempt", "reverse"].contains(exempt) else {
                return .invalid("tax_exempt", "The exemption is none, exempt or reverse.")
            }
            customer["tax_exempt"] = .string(exempt)
        }
        if form["address"] == "" { customer["address"] = .null }
        if let address = address("address", customer["address"], form) { customer["address"] = address }
        if form["shipping"] == "" { customer["shipping"] = .null }
        if form["shipping[name]"] != nil || form["shipping[address][line1]"] != nil {
            let before = customer["shipping"]
            let known = before?["address"] ?? .null
            let place: JSONValue = address("shipping[address]", known, form) ?? known
            let name: JSONValue = form["shipping[name]"].map { .string($0) } ?? before?["name"] ?? .null
            let phone: JSONValue = form["shipping[phone]"].map { .string($0) } ?? before?["phone"] ?? .null
            customer["shipping"] = .fields(["address": place, "name": name, "phone": phone])
        }
        let param = "invoice_settings[default_payment_method]"
        if let method = form[param] {
            guard method.isEmpty || state.methods[method]?["customer"]?.stringValue == id else {
                return .error(
                    400, "invalid_request_error", code: "resource_missing", param: param,
                    "The default payment method must be attached to the customer first.")
            }
            setDefault(method.isEmpty ? nil : method, of: &customer)
        }
        guard merge(metadata: form, into: &customer) else { return tooMuchMetadata }
        state.customers[id] = customer
        return nil
    }

    /// Sets the payment method of a customer's invoices.
    static func setDefault(_ method: String?, of customer: inout StripeThing) {
        customer["invoice_settings"] = .object(
            (customer["invoice_settings"]?.objectValue ?? []).map {
                $0.key == "default_payment_method" ? JSONMember(key: $0.key, value: .text(method)) : $0
            })
    }

    func customer(_ id: String) throws(StripeRefusal) -> StripeAnswer {
        guard let found = state.withLock({ $0.customers[id] }) else {
            throw StripeRefusal(answer: .missing("customer", id))
        }
        return StripeAnswer(found.json)
    }

    func updateCustomer(_ id: String, _ form: StripeForm) -> StripeAnswer {
        state.withLock { state in
            guard StripeObjects.isLive(id, state) else { return .missing("customer", id) }
            if let refusal = StripeObjects.fill(id, form, &state) { return refusal }
            return StripeObjects.answer("customer.updated", state.customers[id])
        }
    }

    /// Deletes a customer, whose payment methods cannot be used again. The id goes on naming a deleted customer.
    func deleteCustomer(_ id: String) -> StripeAnswer {
        state.withLock { state in
            guard StripeObjects.isLive(id, state), let before = state.customers[id] else {
                return .missing("customer", id)
            }
            for method in state.methods.values where method["customer"]?.stringValue == id {
                release(method.id, &state)
            }
            let fields = [
                JSONMember(key: "id", value: .string(id)), JSONMember(key: "object", value: .string("customer")),
                JSONMember(key: "deleted", value: .bool(true)),
            ]
            state.customers[id]?.fields = fields
            var answer = StripeAnswer(.object(fields))
            answer.event = StripeAnswer.Event(type: "customer.deleted", object: before.json)
            return answer
        }
    }

    func listCustomers(_ form: StripeForm) throws(StripeRefusal) -> StripeAnswer {
        let email = form["email"]
        let found = state.withLock { Array($0.customers.values) }.filter {
            $0["deleted"] == nil && (email == nil || $0["email"]?.stringValue == email)
        }
        return try StripeObjects.page(found, form, "customer", ["v1", "customers"])
    }

    static func isLive(_ customer: String, _ state: State) -> Bool {
        state.customers[customer].map { $0["deleted"] == nil } ?? false
    }

    /// Returns `true` for a customer that exists and is not deleted.
    func knows(customer id: String) -> Bool {
        state.withLock { StripeObjects.isLive(id, $0) }
    }

    /// Returns the response with an object, and the event that reports it.
    static func answer(_ event: String, _ thing: StripeThing?) -> StripeAnswer {
        guard let thing else { return full }
        var answer = StripeAnswer(thing.json)
        answer.event = StripeAnswer.Event(type: event, object: thing.json)
        return answer
    }
}
