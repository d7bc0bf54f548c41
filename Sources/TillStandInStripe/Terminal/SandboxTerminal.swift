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
        var cardTime = Span.milliseconds(0)
    }

    typealias Thing = StripeThing

    let ledger: SandboxLedger
    /// The setup intents, among other objects that move no money.
    let objects: StripeObjects
    let state = Mutex(State())
    let spawn: SandboxStripeTransport.Spawn
    private let emit: @Sendable (StripeAnswer.Event) -> Void

    /// - Parameters:
    ///   - objects: the setup intents that the readers process.
    ///   - emit: receives the events to deliver by webhook.
    ///   - spawn: runs work detached from the response.
    init(
        ledger: SandboxLedger, objects: StripeObjects = StripeObjects(),
        emit: @escaping @Sendable (StripeAnswer.Event) -> Void = { _ in },
        spawn: @escaping SandboxStripeTransport.Spawn = { work in Task { await work() } }
    ) {
        self.ledger = ledger
        self.objects = objects
        self.spawn = spawn
        self.emit = emit
    }

    var now: Timestamp { ledger.clock.now() }

    /// Responds to a request about readers; returns `nil` for any other.
    func answer(_ request: SandboxStripe.Request) async throws -> StripeAnswer? {
        let path = request.path
        let isHelper = path.count == 6 && path[1] == "test_helpers" && path[2] == "terminal" && path[3] == "readers"
        let isIncrement = path.count == 4 && path[1] == "payment_intents" && path[3] == "increment_authorization"
        guard path.count > 1, path[1] == "terminal" || isHelper || isIncrement else { return nil }
        if let kept = objects.replies.answer(to: request, at: now, window: ledger.rules.replayWindow) { return kept }
        let answer = try await route(request, SandboxTerminal.owner(request.authorization))
        objects.replies.keep(answer, to: request, at: now)
        return answer
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
        default: return .unrecognized(request)
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
        let page = StripePage(of: all, form) { $0.id }
        return StripeAnswer(
            StripeRendering.list(
                "/" + path.joined(separator: "/"), page.values.map(\.json), hasMore: page.hasMore))
    }

    static func deleted(_ id: String, _ object: String) -> StripeAnswer {
        StripeAnswer(.fields(["id": .string(id), "object": .string(object), "deleted": .bool(true)]))
    }
}
