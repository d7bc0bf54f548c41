import Foundation
import Synchronization
import TillCore
import TillSandbox

/// Stripe Terminal in the sandbox: locations, readers, configurations, and readers that execute commands as real ones
/// do, with a customer that tests can simulate. Money is recorded in the ledger, which is authoritative.
///
/// Kept in memory: a new process has no readers.
final class SandboxTerminal: Sendable {
    /// The maximum number of objects of each kind.
    static let maximumThings = 10_000
    /// The maximum number of remembered responses; the oldest is dropped first.
    static let maximumReplies = 100_000
    /// The time after which a prompt without a card is abandoned.
    static let collectionTime = Span.seconds(120)
    /// The duration of a restart.
    static let restartTime = Span.seconds(5)
    /// The hold period of a card-present authorization; and with extended authorization.
    static let holdTime = Span.days(2)
    static let extendedHoldTime = Span.days(30)

    struct State {
        var next = 0
        var readers: [String: SandboxReader] = [:]
        var locations: [String: Thing] = [:]
        var configurations: [String: Thing] = [:]
        var setupIntents: [String: Thing] = [:]
        var replies: [String: Reply] = [:]
        var replyOrder: [String] = []
        var oldestReply = 0
        var cardTime = Span.milliseconds(0)
    }

    /// An object that consists of its fields only.
    struct Thing: Sendable {
        let id: String
        let owner: String
        let order: Int
        var fields: [JSONMember]

        var json: JSONValue { .object(fields) }

        subscript(name: String) -> JSONValue? {
            get { fields.first { $0.key == name }?.value }
            set {
                if let index = fields.firstIndex(where: { $0.key == name }) {
                    fields[index].value = newValue ?? .null
                } else {
                    fields.append(JSONMember(key: name, value: newValue ?? .null))
                }
            }
        }
    }

    struct Reply: Sendable {
        var fingerprint: String
        var kept: String
        var at: Timestamp
    }

    let ledger: SandboxLedger
    let state = Mutex(State())
    let spawn: SandboxStripeTransport.Spawn
    private let emit: @Sendable (StripeAnswer.Event) -> Void

    /// - Parameters:
    ///   - emit: receives the events to deliver by webhook.
    ///   - spawn: runs work detached from the response.
    init(
        ledger: SandboxLedger, emit: @escaping @Sendable (StripeAnswer.Event) -> Void = { _ in },
        spawn: @escaping SandboxStripeTransport.Spawn = { work in Task { await work() } }
    ) {
        self.ledger = ledger
        self.spawn = spawn
        self.emit = emit
    }

    var now: Timestamp { ledger.clock.now() }

    /// Responds to a request about readers; returns `nil` for any other.
    func answer(_ request: SandboxStripe.Request) async throws -> StripeAnswer? {
        let path = request.path
        let isHelper = path.count == 6 && path[1] == "test_helpers" && path[2] == "terminal" && path[3] == "readers"
        let isIncrement = path.count == 4 && path[1] == "payment_intents" && path[3] == "increment_authorization"
        guard path.count > 1, path[1] == "terminal" || isHelper || isIncrement || path[1] == "setup_intents" else {
            return nil
        }
        let owner = SandboxTerminal.owner(request.authorization)
        guard request.method == "POST", let key = request.key else {
            return try await route(request, owner)
        }
        // An idempotency key is scoped to its account.
        let place = "\(owner) \(key)"
        let fingerprint = "/\(path.joined(separator: "/")) \(request.form.fingerprint)"
        if let known = state.withLock({ $0.replies[place] }), now.since(known.at) < ledger.rules.replayWindow {
            guard known.fingerprint == fingerprint, let answer = StripeAnswer(kept: known.kept) else {
                return .error(
                    400, "idempotency_error",
                    "Keys for idempotent requests can only be used with the same parameters they were first used with.")
            }
            return answer
        }
        let answer = try await route(request, owner)
        remember(place, Reply(fingerprint: fingerprint, kept: answer.kept, at: now))
        return answer
    }

    private func remember(_ place: String, _ reply: Reply) {
        state.withLock { state in
            guard state.replies.updateValue(reply, forKey: place) == nil else { return }
            if state.replyOrder.count < SandboxTerminal.maximumReplies {
                state.replyOrder.append(place)
            } else {
                state.replies[state.replyOrder[state.oldestReply]] = nil
                state.replyOrder[state.oldestReply] = place
                state.oldestReply = (state.oldestReply + 1) % SandboxTerminal.maximumReplies
            }
        }
    }

    private func route(_ request: SandboxStripe.Request, _ owner: String) async throws -> StripeAnswer {
        let path = request.path
        let isPost = request.method == "POST"
        switch (path[1], path.count > 2 ? path[2] : "", path.count) {
        case ("terminal", "readers", 3):
            return isPost ? register(request.form, owner) : listReaders(request.form, owner)
        case ("terminal", "readers", 4): return oneReader(path[3], request, owner)
        case ("terminal", "readers", 5) where isPost:
            return try await command(path[4], at: path[3], request.form, owner)
        case ("test_helpers", _, 6) where isPost: return try await help(path[5], at: path[4], request.form, owner)
        case ("terminal", "locations", 3):
            return isPost ? createLocation(request.form, owner) : list(\.locations, request.form, owner, path)
        case ("terminal", "locations", 4): return location(path[3], request, owner)
        case ("terminal", "configurations", 3):
            return isPost ? createConfiguration(request.form, owner) : listConfigurations(request.form, owner, path)
        case ("terminal", "configurations", 4): return configuration(path[3], request, owner)
        case ("terminal", "connection_tokens", 3) where isPost: return token(request.form, owner)
        case ("payment_intents", _, 4) where isPost: return try await increment(path[2], request.form)
        case ("setup_intents", "", 2) where isPost: return createSetupIntent(request.form, owner)
        case ("setup_intents", _, 3) where request.method == "GET":
            return state.withLock { $0.setupIntents[path[2]] }.map { StripeAnswer($0.json) }
                ?? .missing("setup_intent", path[2])
        default:
            let asked = path.joined(separator: "/").prefix(100)
            return .error(404, "invalid_request_error", "Unrecognized request URL (\(request.method) /\(asked)).")
        }
    }

    /// Returns an owner identifier for an API key, without storing the key.
    static func owner(_ authorization: String?) -> String {
        guard let authorization else { return "" }
        var key = authorization.dropFirst(7)
        if authorization.hasPrefix("Basic "), let data = Data(base64Encoded: String(authorization.dropFirst(6))) {
            key = Substring(String(decoding: data, as: UTF8.self).split(separator: ":").first ?? "")
        }
        return StableHash.hex(String(key))
    }

    /// Returns a new identifier, deterministic across runs with the same operations.
    static func identifier(_ prefix: String, _ state: inout State) -> (id: String, order: Int) {
        state.next += 1
        return ("\(prefix)_\(StableHash.hex("\(prefix) \(state.next)"))", state.next)
    }

    static let full = StripeAnswer.error(400, "invalid_request_error", "The sandbox keeps no more of these.")

    /// Reports an event of a reader.
    func tell(_ type: String, _ reader: SandboxReader) {
        emit(StripeAnswer.Event(type: type, object: reader.json(at: now)))
    }

    func tell(_ event: StripeAnswer.Event) { emit(event) }

    /// Returns a page of an account's objects, newest first.
    func list(
        _ kind: KeyPath<State, [String: Thing]>, _ form: StripeForm, _ owner: String, _ path: [String],
        where fits: (Thing) -> Bool = { _ in true }
    ) -> StripeAnswer {
        let all = state.withLock { $0[keyPath: kind].values.filter { $0.owner == owner } }
            .filter(fits).sorted { $0.order > $1.order }
        return page(all.map { ($0.id, $0.json) }, form, path)
    }

    func page(_ all: [(id: String, json: JSONValue)], _ form: StripeForm, _ path: [String]) -> StripeAnswer {
        let limit = max(1, min(100, form["limit"].flatMap { Int($0) } ?? 10))
        var rest = all[...]
        if let after = form["starting_after"] { rest = rest.drop { $0.id != after }.dropFirst() }
        return StripeAnswer(
            StripeRendering.list(
                "/" + path.joined(separator: "/"), rest.prefix(limit).map(\.json), hasMore: rest.count > limit))
    }

    static func deleted(_ id: String, _ object: String) -> StripeAnswer {
        StripeAnswer(.fields(["id": .string(id), "object": .string(object), "deleted": .bool(true)]))
    }
}
