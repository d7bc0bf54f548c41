import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// `/v1/audit`: the counter's audit log, in pages, oldest or newest first. It belongs to the counter's account: keys of
/// other accounts see nothing.
package struct AuditRoutes: Sendable {
    package let journal: any CounterStore

    package init(journal: any CounterStore) {
        self.journal = journal
    }

    /// The maximum length of an actor filter, in characters.
    private static let maximumActorLength = 128
    /// The largest integer that JSON readers of any language represent exactly.
    private static let largestSequence: Int64 = 9_007_199_254_740_991

    package func register(on router: CounterRouter) {
        router.get(
            "/v1/audit", for: .admin, of: .counter, needs: .review,
            query: ["after", "before", "since", "actor", "limit"]
        ) {
            try await list($0)
        }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var query = AuditQuery(namesUnreadable: true)
        if let place = try AuditRoutes.place("after", of: incoming) { query.after = place }
        query.before = try AuditRoutes.place("before", of: incoming)
        if let text = try incoming.query("since") {
            guard let moment = Timestamp(internetTime: text) else {
                throw Problem.field("since", "It must be a time such as 2026-11-21T09:30:00Z.")
            }
            query.since = moment
        }
        if let text = try incoming.query("actor") {
            guard (1...AuditRoutes.maximumActorLength).contains(text.unicodeScalars.count) else {
                throw Problem.field("actor", "It must be the kind, the identifier or the name of an actor.")
            }
            query.actor = text
        }
        if let text = try incoming.query("limit") {
            guard let limit = Int(text), (1...AuditLimits.maximumPage).contains(limit) else {
                throw Problem.field("limit", "It is 1 to \(AuditLimits.maximumPage).")
            }
            query.limit = limit
        }
        let standing = try await journal.auditStanding()
        return .json(AuditJSON.write(try await journal.auditEntries(query), standing))
    }

    /// Returns a place in the log that a query parameter names; `nil` if it is not given.
    private static func place(_ name: String, of incoming: Incoming) throws -> Int64? {
        guard let text = try incoming.query(name) else { return nil }
        guard let place = Int64(text), (0...largestSequence).contains(place) else {
            throw Problem.field(name, "It must be the sequence of an entry.")
        }
        return place
    }
}
