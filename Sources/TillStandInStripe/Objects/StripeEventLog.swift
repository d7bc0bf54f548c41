import Synchronization
import TillCore
import TillSandbox

/// An event: what webhooks deliver, and what `/v1/events` reads.
struct StripeEvent: Hashable, Sendable {
    let id: String
    let type: String
    /// The object as it was when the event happened.
    let object: JSONValue
    let createdAt: Timestamp

    /// Renders the event in Stripe's format.
    var json: JSONValue {
        .fields([
            "id": .string(id), "object": .string("event"), "type": .string(type),
            "created": .int(createdAt.milliseconds / 1000), "livemode": .bool(false),
            "api_version": .string("2025-01-01"), "data": .fields(["object": object]), "pending_webhooks": .int(0),
            "request": .fields(["id": .null, "idempotency_key": .null]),
        ])
    }
}

/// The events of the stand-in, in memory; the oldest is dropped first.
final class StripeEventLog: Sendable {
    /// The maximum number of remembered events.
    static let maximum = 2_000

    private struct State {
        var number: UInt64 = 0
        var events: [StripeEvent] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private let salt: String

    /// - Parameter salt: distinguishes the ids of this process from those of another over the same ledger.
    init(salt: String = "") { self.salt = salt }

    /// Records what happened, under an id of its own.
    func record(_ event: StripeAnswer.Event, at now: Timestamp) -> StripeEvent {
        state.withLock { state in
            state.number &+= 1
            let id = "evt_" + StableHash.hex("\(salt) event \(state.number)")
            let recorded = StripeEvent(id: id, type: event.type, object: event.object, createdAt: now)
            if state.events.count < StripeEventLog.maximum {
                state.events.append(recorded)
            } else {
                state.events[state.oldest] = recorded
                state.oldest = (state.oldest + 1) % StripeEventLog.maximum
            }
            return recorded
        }
    }

    /// Returns the event with an id; `nil` if it is not remembered.
    func event(_ id: String) -> StripeEvent? {
        state.withLock { state in state.events.first { $0.id == id } }
    }

    /// Returns the remembered events, newest first.
    func all() -> [StripeEvent] {
        state.withLock { state in
            Array((state.events[state.oldest...] + state.events[..<state.oldest]).reversed())
        }
    }

    /// Responds to `GET /v1/events`, by type and time.
    func list(_ form: StripeForm) throws(StripeRefusal) -> StripeAnswer {
        let types = Set(form.members(of: "types").values)
        let found = all().filter { event in
            StripeEventLog.matches(event.type, form["type"]) && (types.isEmpty || types.contains(event.type))
                && form.accepts(created: event.createdAt.milliseconds / 1000)
        }
        let page = try StripePage(strictly: found, form, "event") { $0.id }
        return StripeAnswer(StripeRendering.list("/v1/events", page.values.map(\.json), hasMore: page.hasMore))
    }

    /// Compares a type with one asked for, which may end in `*`.
    private static func matches(_ type: String, _ asked: String?) -> Bool {
        guard let asked else { return true }
        return asked.hasSuffix("*") ? type.hasPrefix(asked.dropLast()) : type == asked
    }
}
