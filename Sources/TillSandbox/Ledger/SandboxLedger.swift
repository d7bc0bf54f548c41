public import TillCore

/// The provider's own state: its ledger, its rules, and its idempotency keys.
///
/// Each call is one transaction. A key seen within ``SandboxRules/replayWindow`` gets its first response again; after
/// that the operation is repeated. A void of an unknown key blocks that key permanently.
public struct SandboxLedger: Sendable {
    /// The ledger's store.
    public let store: any SandboxStore
    public let clock: any TillClock
    /// The rules that the sandbox enforces.
    public let rules: SandboxRules

    public init(store: any SandboxStore, clock: any TillClock = SystemClock(), rules: SandboxRules = SandboxRules()) {
        self.store = store
        self.clock = clock
        self.rules = rules
    }

    /// The outcome of an operation.
    package struct Effect: Sendable {
        package var charge: SandboxCharge
        package var outcome: SandboxOutcome
        /// `true` if the response is a replay.
        package var isReplay: Bool
        /// The whole stored response, if it was kept.
        package var response: String?
    }

    /// A charge to create.
    package struct Draft: Sendable {
        package var key: String?
        package var account: String?
        package var order: String?
        package var payment: String?
        package var attempt: String?
        package var amount: Int64
        package var currency: String
        package var capturesAtOnce = false
        package var text: String?
        package var metadata: [String: String] = [:]
        package var paymentMethod: String?

        package init(
            key: String? = nil, account: String?, order: String?, payment: String?, attempt: String?, amount: Int64,
            currency: String, capturesAtOnce: Bool = false, text: String? = nil, metadata: [String: String] = [:],
            paymentMethod: String? = nil
        ) {
            self.key = key
            self.account = account
            self.order = order
            self.payment = payment
            self.attempt = attempt
            self.amount = amount
            self.currency = currency
            self.capturesAtOnce = capturesAtOnce
            self.text = text
            self.metadata = metadata
            self.paymentMethod = paymentMethod
        }
    }

    /// Returns all charges, oldest first, without records that only block a key.
    public func charges() async throws -> [SandboxCharge] {
        try await store.transaction { try $0.allCharges().filter { !$0.isTombstone } }
    }

    public func charge(_ reference: ProviderReference) async throws -> SandboxCharge? {
        try await store.transaction { try $0.charge(SandboxCharge.reference(ofHold: reference.rawValue)) }
    }

    /// Completes or fails the customer action that a charge awaits. Returns `nil` if there is no such charge.
    @discardableResult
    public func completeAction(_ reference: ProviderReference, succeeds: Bool) async throws -> SandboxOutcome? {
        let (rules, now) = (rules, clock.now())
        return try await store.transaction { shelf in
            guard var charge = try shelf.charge(reference.rawValue) else { return nil }
            let outcome = charge.completeAction(succeeds: succeeds, rules: rules, at: now)
            try shelf.put(charge, keys: [])
            return outcome
        }
    }

    /// Settles the pending refunds of a charge.
    public func settleRefunds(of reference: ProviderReference, succeed: Bool) async throws {
        let now = clock.now()
        try await store.transaction { shelf in
            guard var charge = try shelf.charge(SandboxCharge.reference(ofHold: reference.rawValue)) else { return }
            for index in charge.refunds.indices where charge.refunds[index].status == .pending {
                charge.refunds[index].status = succeed ? .succeeded : .failed
                if succeed { charge.refunds[index].paidAt = now.milliseconds }
            }
            try shelf.put(charge, keys: [])
        }
    }

    /// Returns the stored response of a key, if within the replay window.
    package func replay(_ shelf: any SandboxShelf, key: String, fingerprint: String) throws -> Effect? {
        try replay(by: shelf.charge(forKey: key), key: key, fingerprint: fingerprint)
    }

    /// Returns the same from the charge last requested under the key; `nil` for a key that was never used.
    private func replay(by owner: SandboxCharge?, key: String, fingerprint: String) -> Effect? {
        guard let owner, let reply = owner.replies[key],
            clock.now().since(Timestamp(milliseconds: reply.at)) < rules.replayWindow
        else { return nil }
        guard reply.fingerprint == fingerprint else {
            let outcome = SandboxOutcome.declined(
                code: "idempotency_error", message: "The key was used with other parameters before.")
            return Effect(charge: owner, outcome: outcome, isReplay: false, response: nil)
        }
        return Effect(charge: owner, outcome: reply.outcome, isReplay: true, response: reply.response)
    }

    /// Changes a charge and stores the response.
    package func change(
        _ shelf: any SandboxShelf, _ charge: SandboxCharge, _ operation: SandboxOperation, key: String,
        fingerprint: String, also keys: [String] = [], respond: ((SandboxCharge, SandboxOutcome) -> String)? = nil,
        _ body: (inout SandboxCharge, Timestamp) -> SandboxOutcome
    ) throws -> Effect {
        let now = clock.now()
        var charge = charge
        let outcome = body(&charge, now)
        let response = respond?(charge, outcome)
        charge.replies[key] = SandboxCharge.Reply(
            operation: operation, at: now.milliseconds, fingerprint: fingerprint, outcome: outcome,
            response: response)
        try shelf.put(charge, keys: [key] + keys)
        return Effect(charge: charge, outcome: outcome, isReplay: false, response: response)
    }

    /// Returns a new charge with a reference derived from its key, so that a seeded run is reproducible.
    package func fresh(_ shelf: any SandboxShelf, _ draft: Draft, key: String) throws -> SandboxCharge {
        var round = 0
        var reference = rules.prefix + StableHash.hex(key) + StableHash.hex(key, seed: 1).prefix(8)
        while try shelf.charge(reference) != nil {
            round += 1
            let name = "\(key)#\(round)"
            reference = rules.prefix + StableHash.hex(name) + StableHash.hex(name, seed: 1).prefix(8)
        }
        var charge = SandboxCharge(
            reference: reference, key: draft.key, account: draft.account, order: draft.order,
            payment: draft.payment, attempt: draft.attempt, amount: draft.amount, currency: draft.currency,
            createdAt: clock.now().milliseconds)
        charge.capturesAtOnce = draft.capturesAtOnce
        charge.text = draft.text
        charge.metadata = draft.metadata
        charge.paymentMethod = draft.paymentMethod
        return charge
    }

    /// Returns the charge of a request: by reference, else by the authorization's key, else by the attempt.
    package func find(_ shelf: any SandboxShelf, reference: String?, key: String?, attempt: String?) throws
        -> SandboxCharge?
    {
        if let reference, let charge = try shelf.charge(SandboxCharge.reference(ofHold: reference)) { return charge }
        if let key, let charge = try shelf.charge(forKey: key) { return charge }
        guard let attempt else { return nil }
        return try shelf.charges(forAttempt: attempt).last { !$0.isTombstone }
    }

    /// Creates an unconfirmed charge.
    func prepare(_ draft: Draft, key: String, fingerprint: String) async throws -> Effect {
        try await store.transaction { shelf in
            if let effect = try replay(shelf, key: key, fingerprint: fingerprint) { return effect }
            let charge = try fresh(shelf, draft, key: key)
            let authorizationKey = try draft.key.flatMap { try shelf.charge(forKey: $0) == nil ? $0 : nil }
            return try change(
                shelf, charge, .prepare, key: key, fingerprint: fingerprint, also: authorizationKey.map { [$0] } ?? []
            ) { charge, _ in .approved(reference: charge.reference) }
        }
    }

    /// Requests the authorization. A charge that is already authorized, under a forgotten key, is charged again: a
    /// second hold under a new reference.
    func authorize(
        _ draft: Draft, reference: String?, key: String, fingerprint: String, card: SandboxCard
    ) async throws -> Effect {
        try await store.transaction { [rules] shelf in
            // The charge of the key is nearly always the one that is named, too, and is read once.
            var found = try shelf.charge(forKey: key)
            if let effect = replay(by: found, key: key, fingerprint: fingerprint) { return effect }
            let name = reference.map { SandboxCharge.reference(ofHold: $0) }
            if let name, found?.state != .voided, found?.reference != name {
                found = try shelf.charge(name) ?? found
            }
            var charge: SandboxCharge
            if let found {
                charge = found.state == .authorized ? try fresh(shelf, draft, key: key) : found
            } else {
                charge = try fresh(shelf, draft, key: key)
            }
            charge.key = key
            return try change(shelf, charge, .authorize, key: key, fingerprint: fingerprint) { charge, now in
                guard charge.isTombstone || (charge.amount == draft.amount && charge.currency == draft.currency)
                else {
                    return .declined(code: "amount_mismatch", message: "The charge was prepared for another amount.")
                }
                return charge.authorize(with: card, rules: rules, at: now)
            }
        }
    }

    /// Requests the authorization after the customer's action. Returns `nil` if there is no such charge. A request with
    /// another key creates a second charge, so that an engine that relies on more than keys is exposed.
    func continueAfterAction(_ draft: Draft, reference: String?, key: String) async throws -> Effect? {
        try await store.transaction { [rules] shelf in
            if let effect = try replay(shelf, key: key, fingerprint: "continue") { return effect }
            guard let found = try find(shelf, reference: reference, key: nil, attempt: draft.attempt) else {
                return nil
            }
            var charge = found
            if found.state == .authorized {
                charge = try fresh(shelf, draft, key: key)
                charge.card = found.card
                charge.state = .actionDone
            }
            return try change(shelf, charge, .authorize, key: key, fingerprint: "continue") { charge, now in
                charge.continueAfterAction(rules: rules, at: now)
            }
        }
    }

    /// Captures. Returns `nil` if there is no such charge.
    func capture(
        reference: String?, attempt: String?, amount: Money, isFinal: Bool, key: String
    ) async throws -> Effect? {
        let fingerprint = "capture \(amount) \(isFinal)"
        return try await store.transaction { [rules] shelf in
            if let effect = try replay(shelf, key: key, fingerprint: fingerprint) { return effect }
            guard let charge = try find(shelf, reference: reference, key: nil, attempt: attempt) else { return nil }
            return try change(shelf, charge, .capture, key: key, fingerprint: fingerprint) { charge, now in
                guard charge.currency == amount.currency.code else { return SandboxLedger.wrongCurrency }
                // The bank honors the newest hold only.
                guard reference == nil || reference == charge.holdName else { return SandboxLedger.replacedHold }
                return charge.capture(amount.minorUnits, isFinal: isFinal, key: key, rules: rules, at: now)
            }
        }
    }

    /// Renews a hold. Returns `nil` if there is no such charge.
    func renew(reference: String?, attempt: String?, amount: Money, key: String) async throws -> Effect? {
        let fingerprint = "renew \(amount)"
        return try await store.transaction { [rules] shelf in
            if let effect = try replay(shelf, key: key, fingerprint: fingerprint) { return effect }
            guard let charge = try find(shelf, reference: reference, key: nil, attempt: attempt) else { return nil }
            return try change(shelf, charge, .renew, key: key, fingerprint: fingerprint) { charge, now in
                guard charge.currency == amount.currency.code else { return SandboxLedger.wrongCurrency }
                return charge.renew(amount.minorUnits, key: key, rules: rules, at: now)
            }
        }
    }

    /// Voids a charge. An unknown key is blocked.
    func void(
        reference: String?, authorizationKey: String, draft: Draft, key: String
    ) async throws -> Effect {
        let fingerprint = "void \(authorizationKey)"
        return try await store.transaction { shelf in
            if let effect = try replay(shelf, key: key, fingerprint: fingerprint) { return effect }
            if let charge = try find(
                shelf, reference: reference, key: authorizationKey, attempt: draft.attempt)
            {
                return try change(shelf, charge, .void, key: key, fingerprint: fingerprint, also: [authorizationKey]) {
                    charge, _ in charge.void()
                }
            }
            var tombstone = try fresh(shelf, draft, key: authorizationKey)
            tombstone.isTombstone = true
            return try change(
                shelf, tombstone, .void, key: key, fingerprint: fingerprint, also: [authorizationKey]
            ) { charge, _ in charge.void() }
        }
    }

    /// Refunds. Returns `nil` if there is no such charge.
    func refund(
        reference: String?, attempt: String?, name: String?, amount: Money, reason: String?, key: String
    ) async throws -> Effect? {
        let fingerprint = "refund \(amount)"
        return try await store.transaction { [rules] shelf in
            if let effect = try replay(shelf, key: key, fingerprint: fingerprint) { return effect }
            guard let charge = try find(shelf, reference: reference, key: nil, attempt: attempt) else { return nil }
            return try change(shelf, charge, .refund, key: key, fingerprint: fingerprint) { charge, now in
                guard charge.currency == amount.currency.code else { return SandboxLedger.wrongCurrency }
                return charge.refund(
                    amount.minorUnits, name: name, key: key, reason: reason, metadata: [:], rules: rules, at: now)
            }
        }
    }

    static let wrongCurrency = SandboxOutcome.declined(
        code: "currency_mismatch", message: "The charge is in another currency.")
    static let replacedHold = SandboxOutcome.declined(
        code: "authorization_replaced", message: "The hold was renewed; the renewed one is captured.")
}
