import TillCore
import TillStandInServing
import TillSandbox

/// Refunds and disputes.
extension SandboxStripe {
    func refund(_ request: Request) async throws -> StripeAnswer {
        let form = request.form
        guard let id = form["payment_intent"] ?? form["charge"].map(SandboxStripe.intentID(ofCharge:)) else {
            return .invalid("payment_intent", "A payment_intent is needed.", code: "parameter_missing")
        }
        guard form["amount"] == nil || form["amount"].flatMap({ Int64($0) }) != nil else {
            return .invalid("amount", "Invalid integer.", code: "parameter_invalid_integer")
        }
        let metadata = form.members(of: "metadata")
        return try await mutate(request, .refund) {
            try $0.charge(id)
        } body: { charge, now in
            // An Interac refund needs the card at a reader again.
            guard charge.card?.brand != "interac" || charge.types?.contains("interac_present") != true else {
                return .declined(
                    code: "charge_not_refundable", message: "An Interac charge is refunded at a reader, with its card.")
            }
            let asked = form["amount"].flatMap { Int64($0) }
            let amount = asked.map { SandboxStripe.minorUnits($0, charge) } ?? (charge.captured - charge.refunded)
            return charge.refund(
                amount ?? -1, name: metadata["till_refund"], key: request.key ?? "", reason: form["reason"],
                metadata: metadata, rules: ledger.rules, at: now)
        }
    }

    func listRefunds(_ request: Request) async throws -> StripeAnswer {
        var refunds: [(id: String, json: JSONValue)] = []
        let rendering = rendering
        if let id = request.form["payment_intent"] ?? request.form["charge"].map(SandboxStripe.intentID(ofCharge:)) {
            guard let charge = try await ledger.charge(ProviderReference(rawValue: id)) else {
                return .missing("payment_intent", id)
            }
            refunds = charge.refunds.map { ($0.reference, rendering.refund($0, of: charge)) }
        } else {
            for charge in try await ledger.charges() {
                refunds += charge.refunds
                    .filter {
                        request.form.accepts(created: $0.createdAt / 1000) && lateness.shows($0.createdAt, at: now)
                    }
                    .map { ($0.reference, rendering.refund($0, of: charge)) }
            }
        }
        let (page, hasMore) = page(refunds.reversed(), request.form) { $0.id }
        return StripeAnswer(StripeRendering.list("/v1/refunds", page.map(\.json), hasMore: hasMore))
    }

    func listDisputes(_ request: Request) async throws -> StripeAnswer {
        let id = request.form["payment_intent"] ?? request.form["charge"].map(SandboxStripe.intentID(ofCharge:))
        let rendering = rendering
        let charges = try await ledger.charges().filter { id == nil || $0.reference == id }
        let all = charges.flatMap { charge in
            (charge.disputes ?? []).map { (id: $0.reference, json: rendering.dispute($0, of: charge)) }
        }
        let (page, hasMore) = page(all.reversed(), request.form) { $0.id }
        return StripeAnswer(StripeRendering.list("/v1/disputes", page.map(\.json), hasMore: hasMore))
    }

    func retrieveRefund(_ id: String) async throws -> StripeAnswer {
        guard let (refund, charge) = try await refund(named: id) else { return .missing("refund", id) }
        return StripeAnswer(rendering.refund(refund, of: charge))
    }

    /// Changes a refund's metadata.
    func updateRefund(_ id: String, _ request: Request) async throws -> StripeAnswer {
        guard let (_, found) = try await refund(named: id) else { return .missing("refund", id) }
        let (form, rendering) = (request.form, rendering)
        return try await ledger.store.transaction { shelf in
            guard var charge = try shelf.charge(found.reference),
                let index = charge.refunds.firstIndex(where: { $0.reference == id })
            else { return .missing("refund", id) }
            guard let metadata = form.metadata(over: charge.refunds[index].metadata) else {
                return StripeObjects.tooMuchMetadata
            }
            charge.refunds[index].metadata = metadata
            try shelf.put(charge, keys: [])
            let object = rendering.refund(charge.refunds[index], of: charge)
            var answer = StripeAnswer(object)
            answer.event = StripeAnswer.Event(type: "refund.updated", object: object)
            return answer
        }
    }

    /// Returns a refund and its charge; `nil` if there is none.
    private func refund(named id: String) async throws -> (SandboxCharge.Refund, SandboxCharge)? {
        // re_<charge>_<number>
        let parts = id.split(separator: "_")
        guard parts.count == 3, let charge = try await ledger.charge(ProviderReference(rawValue: "pi_\(parts[1])")),
            let refund = charge.refunds.first(where: { $0.reference == id })
        else { return nil }
        return (refund, charge)
    }

    func retrieveDispute(_ id: String) async throws -> StripeAnswer {
        for charge in try await ledger.charges() {
            guard let dispute = charge.disputes?.first(where: { $0.reference == id }) else { continue }
            return StripeAnswer(rendering.dispute(dispute, of: charge))
        }
        return .missing("dispute", id)
    }
}
