import HTTPTypes
import Hummingbird
package import TillCheckout
package import TillCore
package import TillCounter
package import TillJournal
package import TillWeb

/// `/v1/attention`: the operators' queue of payments to review, its resolution, the open incidents, and what staff must
/// mend of the counter's setup.
package struct AttentionRoutes: Sendable {
    /// The maximum number of payments in one response.
    package static let maximumListed = 500

    package let payments: PaymentRequests
    let queue: AttentionQueue
    package let incidents: IncidentLog
    let assignments: Assignments
    package let clock: any TillClock
    private let notices: @Sendable () -> [SetupNotice]

    /// - Parameter notices: returns what staff must mend of the counter's features.
    package init(
        payments: PaymentRequests, queue: AttentionQueue, incidents: IncidentLog, assignments: Assignments,
        clock: any TillClock, notices: @escaping @Sendable () -> [SetupNotice] = { [] }
    ) {
        self.payments = payments
        self.queue = queue
        self.incidents = incidents
        self.assignments = assignments
        self.clock = clock
        self.notices = notices
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/attention", for: .read, of: .caller, needs: .review, query: ["limit"]) { try await list($0) }
        router.get("/v1/payments/{id}/attention", for: .read, of: .caller, needs: .review) {
            try await show($0.parameters.identifier(), $0)
        }
        router.post("/v1/payments/{id}/attention/{number}/resolve", for: .admin, of: .caller, needs: .review) {
            try await resolve($0.parameters.identifier(), $0.parameters.text("number"), $0)
        }
        router.post("/v1/payments/{id}/attention/{number}/assign", for: .admin, of: .caller, needs: .review) {
            try await assign($0.parameters.identifier(), $0.parameters.text("number"), $0)
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
        let assigned = try await AttentionJSON.assigned(found, incidents.first, in: assignments)
        // The setup is the counter's own: another account's shop has no part in it.
        let setup = incoming.account == payments.options.account ? notices() : []
        return .json(AttentionJSON.write(found, incidents, assigned, setup: setup, at: clock.now()))
    }

    /// Returns all entries of one payment, closed ones with their resolution and actor.
    private func show(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let payment = try await payments.checkout.payment(id, account: incoming.account)
        return try await answer(payment)
    }

    private func answer(_ payment: Payment) async throws -> Response {
        let subjects = payment.attentionItems.map { Assignment.Subject.entry(payment.id, number: $0.number) }
        let assigned = try await AttentionJSON.assigned(subjects, in: assignments)
        return .json(AttentionJSON.write(entriesOf: payment, assigned, at: clock.now()))
    }

    private func assign(_ id: PaymentID, _ number: String, _ incoming: Incoming) async throws -> Response {
        let payment = try await payments.checkout.payment(id, account: incoming.account)
        guard let number = Int(number), payment.openAttention.contains(where: { $0.number == number }) else {
            throw Problem.notFound
        }
        let name = try await AttentionRoutes.assignee(incoming)
        _ = try await assignments.assign(.entry(id, number: number), to: name, account: incoming.account)
        return try await answer(payment)
    }

    /// Returns the requested assignee; `nil` to unassign.
    static func assignee(_ incoming: Incoming) async throws -> String? {
        let body = try await incoming.document()
        try body.allow(["assignee"])
        guard let given = body["assignee"] else { throw Problem.field("assignee", "It is missing.") }
        if given == .null { return nil }
        guard let name = try body.text("assignee", atMost: Assignment.maximumNameBytes), !name.isEmpty,
            name.isOneLine
        else {
            throw Problem.field(
                "assignee", "It must be null, or one line of 1 to \(Assignment.maximumNameBytes) bytes.")
        }
        return name
    }

    private func resolve(_ id: PaymentID, _ number: String, _ incoming: Incoming) async throws -> Response {
        guard let number = Int(number), number > 0 else { throw Problem.notFound }
        let checkout = payments.checkout
        return try await payments.change(
            id, incoming, .resolve(attention: number), fields: ["resolution", "amount", "evidence", "actor"]
        ) { body, payment, record, answer in
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
                id, account: payment.account, attention: number, resolution, idempotency: record, keyedAnswer: answer)
        }
    }
}
