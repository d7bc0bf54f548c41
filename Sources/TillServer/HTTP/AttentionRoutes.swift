import HTTPTypes
import Hummingbird
import TillCheckout
import TillCore
import TillJournal

/// `/v1/attention`: what of all payments a person must review, and how a person closes it; with it the open incidents.
struct AttentionRoutes: Sendable {
    /// Payments whose entries one answer lists at most.
    static let maximumListed = 500

    let payments: PaymentRoutes
    let queue: AttentionQueue
    let incidents: IncidentLog
    let clock: any TillClock

    func register(on router: CounterRouter) {
        router.get("/v1/attention", for: .read, of: .asker, needs: .review, query: ["limit"]) { try await list($0) }
        router.get("/v1/payments/{id}/attention", for: .read, of: .asker, needs: .review) {
            try await show($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/attention/{number}/resolve", for: .admin, of: .asker) {
            try await resolve($0.parameters.identifier(), $0.parameters.text("number"), $0)
        }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var limit = 100
        if let text = try incoming.query("limit") {
            guard let asked = Int(text), (1...AttentionRoutes.maximumListed).contains(asked) else {
                throw Problem.field("limit", "It must be 1 to \(AttentionRoutes.maximumListed).")
            }
            limit = asked
        }
        let found = try await queue.open(account: incoming.account, limit: limit)
        let incidents = try await incidents.open(account: incoming.account, limit: limit)
        return payments.json(AttentionJSON.write(found, incidents, at: clock.now()))
    }

    /// All of one payment, closed entries too: how they were closed, and by whom.
    private func show(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let payment = try await payments.checkout.payment(id, account: incoming.account)
        return payments.json(AttentionJSON.write(entriesOf: payment, at: clock.now()))
    }

    private func resolve(_ id: PaymentID, _ number: String, _ incoming: Incoming) async throws -> Response {
        guard let number = Int(number), number > 0 else { throw Problem.notFound }
        let checkout = payments.checkout
        return try await payments.change(
            id, incoming, "attention/\(number)/resolve", fields: ["resolution", "amount", "evidence", "actor"]
        ) { body, payment, record in
            guard let word = try body.text("resolution", atMost: 40),
                let kind = AttentionResolution.Kind(rawValue: word)
            else {
                let words = AttentionResolution.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.field("resolution", "It must be one of \(words).")
            }
            let resolution = AttentionResolution(
                kind: kind, amount: try body.amount("amount", payment.currency),
                evidence: try body.text("evidence", atMost: AttentionResolution.maximumEvidenceBytes) ?? "",
                actor: try body.text("actor", atMost: AttentionResolution.maximumActorBytes) ?? "")
            return try await checkout.resolve(
                id, account: payment.account, attention: number, resolution, idempotency: record)
        }
    }
}
