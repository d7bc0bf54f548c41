import Synchronization
import TillCore
import TillSandbox

/// The objects of Stripe's interface that move no money: customers, payment methods, and setup intents.
///
/// Kept in memory: a new process has none. A payment method's id says what its card does, so it is charged after that,
/// too. No card number is kept.
final class StripeObjects: Sendable {
    /// The maximum number of customers, deleted ones included.
    static let maximumCustomers = 10_000
    /// The maximum number of payment methods of one customer.
    static let maximumMethodsOfCustomer = 100
    /// The maximum number of payment methods of all customers.
    static let maximumAttached = 10_000
    /// The maximum number of remembered payment methods without a customer; the oldest is dropped first.
    static let maximumLoose = 2_000
    static let maximumSetupIntents = 10_000
    /// The maximum number of metadata entries of one object, and of characters in a key and in a value.
    static let maximumMetadata = (count: 50, key: 40, value: 500)
    /// The maximum number of characters of any other text.
    static let maximumText = 5_000

    struct State {
        var next = 0
        var customers: [String: StripeThing] = [:]
        var methods: [String: StripeThing] = [:]
        /// Payment methods in the order in which they came without a customer.
        var loose: [String] = []
        var oldestLoose = 0
        /// Payment methods that were detached and cannot be used again.
        var spent: Set<String> = []
        var setupIntents: [String: StripeThing] = [:]
    }

    let state = Mutex(State())
    /// The responses to requests with an idempotency key.
    let replies = KeptReplies()
    private let salt: String

    /// - Parameter salt: distinguishes the ids of this process from those of another over the same ledger.
    init(salt: String = "") { self.salt = salt }

    /// Responds to a request about these objects; returns `nil` for any other.
    func answer(_ request: SandboxStripe.Request, at now: Timestamp, window: Span) -> StripeAnswer? {
        guard request.path.count > 1, ["customers", "payment_methods", "setup_intents"].contains(request.path[1])
        else { return nil }
        if let kept = replies.answer(to: request, at: now, window: window) { return kept }
        let answer: StripeAnswer
        do throws(StripeRefusal) {
            try StripeObjects.check(request.form)
            answer = try route(request, at: now)
        } catch { answer = error.answer }
        replies.keep(answer, to: request, at: now)
        return answer
    }

    private func route(_ request: SandboxStripe.Request, at now: Timestamp) throws(StripeRefusal) -> StripeAnswer {
        let (path, form) = (request.path, request.form)
        switch (request.method, path[1], path.count > 3 ? path[3] : "", path.count) {
        case ("POST", "customers", "", 2): return createCustomer(request, at: now)
        case ("GET", "customers", "", 2): return try listCustomers(form)
        case ("GET", "customers", "", 3): return try customer(path[2])
        case ("POST", "customers", "", 3): return updateCustomer(path[2], form)
        case ("DELETE", "customers", "", 3): return deleteCustomer(path[2])
        case ("GET", "customers", "payment_methods", 4): return try listMethods(of: path[2], form, path)
        case ("GET", "customers", "payment_methods", 5): return try method(path[4], of: path[2])
        case ("POST", "payment_methods", "", 2): return try createMethod(request, at: now)
        case ("GET", "payment_methods", "", 2): return try listMethods(of: form["customer"], form, path)
        case ("GET", "payment_methods", "", 3): return try method(path[2], at: now)
        case ("POST", "payment_methods", "", 3): return updateMethod(path[2], form)
        case ("POST", "payment_methods", "attach", 4): return attachMethod(path[2], request, at: now)
        case ("POST", "payment_methods", "detach", 4): return detachMethod(path[2])
        case ("POST", "setup_intents", "", 2): return try createSetupIntent(request, at: now)
        case ("GET", "setup_intents", "", 2): return try listSetupIntents(form)
        case ("GET", "setup_intents", "", 3): return try readSetupIntent(path[2])
        case ("POST", "setup_intents", "", 3): return try updateSetupIntent(path[2], request, at: now)
        case ("POST", "setup_intents", "confirm", 4): return try confirmSetupIntent(path[2], request, at: now)
        case ("POST", "setup_intents", "cancel", 4): return cancelSetupIntent(path[2], form)
        default: return .unrecognized(request)
        }
    }

    // MARK: What they share

    func identifier(_ prefix: String, _ state: inout State) -> (id: String, order: Int) {
        state.next += 1
        return ("\(prefix)_\(StableHash.hex("\(salt) \(prefix) \(state.next)"))", state.next)
    }

    /// Returns what distinguishes the payment method of a request from others of the same card.
    func serial(_ request: SandboxStripe.Request) -> String {
        if let key = request.key { return StableHash.hex("\(salt) \(key)") }
        return state.withLock { state in
            state.next += 1
            return StableHash.hex("\(salt) serial \(state.next)")
        }
    }

    static let full = StripeAnswer.error(400, "invalid_request_error", "The sandbox keeps no more of these.")

    /// Refuses texts and metadata beyond their limits.
    static func check(_ form: StripeForm) throws(StripeRefusal) {
        let metadata = form.members(of: "metadata")
        let limit = maximumMetadata
        guard metadata.count <= limit.count, metadata.keys.allSatisfy({ (1...limit.key).contains($0.count) }),
            metadata.values.allSatisfy({ $0.count <= limit.value })
        else {
            throw StripeRefusal(
                answer: .invalid(
                    "metadata",
                    "Metadata has at most \(limit.count) keys of \(limit.key) characters and values of \(limit.value).")
            )
        }
        guard let long = form.fields.first(where: { $0.value.count > maximumText }) else { return }
        throw StripeRefusal(
            answer: .invalid(
                String(long.name.prefix(64)), "A text has at most \(maximumText) characters.",
                code: "parameter_invalid_string_too_long"))
    }

    /// Merges a form's metadata into an object's. Returns `false`, and changes nothing, beyond the maximum number of
    /// keys.
    static func merge(metadata form: StripeForm, into thing: inout StripeThing) -> Bool {
        var before: [String: String] = [:]
        for member in thing["metadata"]?.objectValue ?? [] { before[member.key] = member.value.stringValue }
        guard let merged = form.metadata(over: before) else { return false }
        thing["metadata"] = .map(merged)
        return true
    }

    static let tooMuchMetadata = StripeAnswer.invalid(
        "metadata", "Metadata has at most \(maximumMetadata.count) keys.")

    /// Sets the texts that a form names; an empty one becomes null.
    static func set(_ names: [String], of thing: inout StripeThing, from form: StripeForm) {
        for name in names {
            if let text = form[name] { thing[name] = text.isEmpty ? .null : .string(text) }
        }
    }

    /// Returns an address with the members that a form names in `name[…]`; `nil` if it names none.
    static func address(_ name: String, _ before: JSONValue?, _ form: StripeForm) -> JSONValue? {
        let given = form.members(of: name)
        let names = ["city", "country", "line1", "line2", "postal_code", "state"]
        guard names.contains(where: { given[$0] != nil }) else { return nil }
        return .object(
            names.map { JSONMember(key: $0, value: given[$0].map { .string($0) } ?? before?[$0] ?? .null) })
    }

    /// Returns a page of objects, newest first.
    static func page(
        _ all: [StripeThing], _ form: StripeForm, _ object: String, _ path: [String]
    ) throws(StripeRefusal) -> StripeAnswer {
        let sorted = all.filter { form.accepts(created: $0.created) }.sorted { $0.order > $1.order }
        let page = try StripePage(strictly: sorted, form, object) { $0.id }
        return StripeAnswer(
            StripeRendering.list(
                "/" + path.joined(separator: "/"), page.values.map(\.json), hasMore: page.hasMore))
    }
}

extension StripeForm {
    /// Returns an object's metadata after a change: an empty value removes its key, an empty `metadata` removes all.
    /// Returns `nil` beyond ``StripeObjects/maximumMetadata``.
    func metadata(over before: [String: String]) -> [String: String]? {
        var kept = self["metadata"] == "" ? [:] : before
        for (key, value) in members(of: "metadata") { kept[key] = value.isEmpty ? nil : value }
        return kept.count <= StripeObjects.maximumMetadata.count ? kept : nil
    }
}
