import HTTPTypes
import Hummingbird
import TillBooks
import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// `/v1/incidents/{id}`: reports and findings that no payment accounts for, and their resolution by an operator.
package struct IncidentRoutes: Sendable {
    package let payments: PaymentRequests
    package let journal: any CounterStore
    package let clock: any TillClock

    package init(payments: PaymentRequests, journal: any CounterStore, clock: any TillClock) {
        (self.payments, self.journal, self.clock) = (payments, journal, clock)
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/incidents/{id}", for: .read, of: .caller, needs: .review) {
            try await show($0.parameters.literal(), $0)
        }
        router.post("/v1/incidents/{id}/resolve", for: .admin, of: .caller, needs: .review) {
            try await resolve($0.parameters.literal(), $0)
        }
        router.post("/v1/incidents/{id}/assign", for: .admin, of: .caller, needs: .review) {
            try await assign($0.parameters.literal(), $0)
        }
    }

    private var audience: IncidentAudience { IncidentAudience(journal: journal, own: payments.options.account) }

    private func show(_ id: String, _ incoming: Incoming) async throws -> Response {
        try await answer(try await incident(id, incoming))
    }

    private func answer(_ incident: Incident) async throws -> Response {
        let assigned = try await AttentionJSON.assigned([.incident(incident.id)], in: assignments)
        return .json(AttentionJSON.write(incident, assigned, at: clock.now()))
    }

    private var assignments: Assignments { Assignments(journal, clock: clock) }

    private func assign(_ id: String, _ incoming: Incoming) async throws -> Response {
        let incident = try await incident(id, incoming)
        guard incident.isOpen else { throw IncidentRefusal.resolvedBefore(incident) }
        let name = try await AttentionRoutes.assignee(incoming)
        _ = try await assignments.assign(.incident(id), to: name, account: incoming.account)
        return try await answer(incident)
    }

    /// Returns an incident visible to the shop; another account's is not found.
    private func incident(_ id: String, _ incoming: Incoming) async throws -> Incident {
        guard let found = try await Records<Incident>(journal).document(id),
            try await audience.concerns(found, incoming.account)
        else { throw Problem.notFound }
        return found
    }

    /// Resolves an incident. The resolution and the response under the key are one commit. Of concurrent resolutions
    /// the first is recorded; the second is refused with the first one's actor.
    private func resolve(_ id: String, _ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["evidence", "actor", "outcome", "order_id"])
        let said = try resolution(body, of: try await incident(id, incoming), incoming)
        let scope = IdempotencyScope(
            account: incoming.account, operation: "POST /v1/incidents/\(id)/resolve", key: key)
        let request = payments.keyed.record(scope, body, .inFlight(payment: nil, operation: nil))
        return try await payments.keyed.answer(request, status: .ok) { _ in
            guard let known = try await Records<Incident>(journal).document(id) else { throw Problem.notFound }
            try known.check(said)
            // A recovered amount was written off before.
            let isFirstWord = said.outcome != .recovered
            if isFirstWord, !known.isOpen { throw IncidentRefusal.resolvedBefore(known) }
            let writeOff = WriteOff(journal, clock: clock)
            try await writeOff.check(said, of: known)
            // A single moment, so that the stored response equals the one sent now.
            let now = clock.now()
            let answered: @Sendable (Incident) -> IdempotencyRecord = { incident in
                var finished = request
                finished.state = .finished(
                    status: 200, body: AttentionJSON.write(incident, at: now), payment: nil)
                return finished
            }
            let done = try await IncidentLog(journal).resolve(id, said, isFirstWord: isFirstWord) {
                (changes, incident) throws(JournalError) in
                let posted = try await writeOff.changes(resolving: incident)
                try await journal.write(
                    JournalWrite(
                        idempotency: answered(incident), records: changes + posted,
                        audit: [AuditNote(resolved: incident)]))
            }
            guard let done else { throw Problem.notFound }
            guard done.isChanged else { throw IncidentRefusal.resolvedBefore(done.incident) }
            return answered(done.incident)
        }
    }

    private func resolution(
        _ body: JSONValue, of incident: Incident, _ incoming: Incoming
    ) throws -> IncidentResolution {
        var said = IncidentResolution(
            note: try IncidentRoutes.needed("evidence", of: body, atMost: IncidentResolution.maximumNoteBytes),
            actor: try IncidentRoutes.needed("actor", of: body, atMost: IncidentResolution.maximumActorBytes),
            at: clock.now())
        if let word = try body.text("outcome", atMost: 40) {
            guard let outcome = Incident.Outcome(rawValue: word) else {
                let words = Incident.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.field("outcome", "It must be one of \(words).")
            }
            said.outcome = outcome
        }
        if let text = try body.text("order_id", atMost: 128) {
            guard said.outcome != nil else { throw Problem.field("order_id", "It goes with outcome.") }
            do throws(IdentifierError) {
                let order = try OrderID(selling: text)
                said.order = Incident.Owner(
                    account: incident.owner?.account ?? incoming.account,
                    // The hold must be on the order as sold here.
                    order: try payments.options.orderScope?.id(of: order) ?? order)
            } catch { throw Problem.field("order_id", "\(error)") }
        }
        return said
    }

    private static func needed(_ name: String, of body: JSONValue, atMost limit: Int) throws -> String {
        guard let text = try body.text(name, atMost: limit), text.contains(where: { !$0.isWhitespace }) else {
            throw Problem.field(name, "It must be said in 1 to \(limit) bytes.", code: "invalid_evidence")
        }
        return text
    }
}
