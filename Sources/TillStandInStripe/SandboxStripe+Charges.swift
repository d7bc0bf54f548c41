import TillCore
import TillStandInServing
import TillSandbox

/// Charges, which come from payment intents: each has the charge of its last attempt.
extension SandboxStripe {
    func listCharges(_ request: Request) async throws -> StripeAnswer {
        let (form, rendering) = (request.form, rendering)
        let found = try await ledger.charges().reversed().filter { charge in
            guard rendering.existingChargeID(charge) != nil, lateness.shows(charge.createdAt, at: now) else {
                return false
            }
            if let intent = form["payment_intent"], intent != charge.reference { return false }
            if let customer = form["customer"], customer != charge.customer { return false }
            return form.accepts(created: (charge.authorizedAt ?? charge.createdAt) / 1000)
        }
        let page: StripePage<SandboxCharge>
        do throws(StripeRefusal) {
            page = try StripePage(strictly: found, form, "charge") { rendering.existingChargeID($0) ?? "" }
        } catch { return error.answer }
        return StripeAnswer(
            StripeRendering.list("/v1/charges", page.values.map { rendering.charge($0) }, hasMore: page.hasMore))
    }

    func retrieveCharge(_ id: String) async throws -> StripeAnswer {
        guard let charge = try await charge(named: id) else { return .missing("charge", id) }
        return StripeAnswer(rendering.charge(charge))
    }

    /// Changes a charge's description and metadata, which are those of its payment intent, too.
    func updateCharge(_ id: String, _ request: Request) async throws -> StripeAnswer {
        guard let found = try await charge(named: id) else { return .missing("charge", id) }
        let (form, rendering) = (request.form, rendering)
        return try await ledger.store.transaction { shelf in
            guard var charge = try shelf.charge(found.reference) else { return .missing("charge", id) }
            guard let metadata = form.metadata(over: charge.metadata) else { return StripeObjects.tooMuchMetadata }
            charge.metadata = metadata
            if let text = form["description"] { charge.text = text.isEmpty ? nil : text }
            try shelf.put(charge, keys: [])
            let object = rendering.charge(charge)
            var answer = StripeAnswer(object)
            answer.event = StripeAnswer.Event(type: "charge.updated", object: object)
            return answer
        }
    }

    func captureCharge(_ id: String, _ request: Request) async throws -> StripeAnswer {
        guard let charge = try await charge(named: id) else { return .missing("charge", id) }
        return try await capture(charge.reference, request, param: "amount")
    }

    /// Returns the charge with an id; `nil` if there is none, or if a later attempt has replaced it.
    private func charge(named id: String) async throws -> SandboxCharge? {
        guard id.hasPrefix("ch_") else { return nil }
        let name = id.dropFirst(3)
        // A declined attempt has its number behind the name.
        let ends = [name.endIndex] + (name.lastIndex(of: "d").map { [$0] } ?? [])
        for end in ends {
            let reference = ProviderReference(rawValue: "pi_" + name[..<end])
            if let charge = try await ledger.charge(reference), rendering.existingChargeID(charge) == id {
                return charge
            }
        }
        return nil
    }

    // MARK: Events

    func listEvents(_ request: Request) -> StripeAnswer {
        do throws(StripeRefusal) { return try events.list(request.form) } catch { return error.answer }
    }

    func retrieveEvent(_ id: String) -> StripeAnswer {
        events.event(id).map { StripeAnswer($0.json) } ?? .missing("event", id)
    }

    // MARK: What they share

    /// Performs a change that the ledger keeps no response of: replays the stored response of its key, or stores it.
    func once(_ request: Request, _ body: () async throws -> StripeAnswer) async throws -> StripeAnswer {
        let window = ledger.rules.replayWindow
        if let kept = objects.replies.answer(to: request, at: now, window: window) { return kept }
        do throws(StripeRefusal) { try StripeObjects.check(request.form) } catch { return error.answer }
        let answer = try await body()
        objects.replies.keep(answer, to: request, at: now)
        return answer
    }
}
