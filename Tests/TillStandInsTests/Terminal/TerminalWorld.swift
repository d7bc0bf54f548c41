import HTTPTypes
import Synchronization
import Testing
import TillCheckout
import TillCore
import TillProvider
import TillSandbox
import TillJournal
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// A shop with a reader: the engine, Stripe's client, and the sandbox behind it, in one process. The clock moves only
/// by sleeping, so that a test takes no time.
final class TerminalWorld: Sendable {
    static let key = "sk_test_world"

    let clock = ManualClock(waits: .moveTime(upTo: .seconds(5)))
    let stripe: SandboxStripe
    let wire: WireToSandbox
    let terminal: StripeTerminalProvider
    let journal: MemoryJournal
    let checkout: Checkout

    init(key: String = TerminalWorld.key) throws {
        let ledger = SandboxLedger(
            store: SandboxMemoryStore(), clock: clock, rules: SandboxRules(prefix: "pi_"))
        let told = Mutex<[String]>([])
        stripe = SandboxStripe(
            ledger: ledger, faults: SandboxFaults(),
            terminal: SandboxTerminal(ledger: ledger) { event in told.withLock { $0.append(event.type) } })
        wire = WireToSandbox(stripe)
        let online = try StripeProvider(secretKey: Secret(key), transport: wire, clock: clock)
        terminal = StripeTerminalProvider(online)
        journal = MemoryJournal()
        checkout = Checkout(journal: journal, providers: [online, terminal, CashDrawer()], clock: clock)
    }

    var readers: StripeTerminal { terminal.terminal }

    func key(_ text: String) -> IdempotencyKey { IdempotencyKey(rawValue: text) }

    func register(_ label: String = "Front", code: String = "simulated-wpe", country: String? = nil) async throws
        -> TerminalReader
    {
        var place: String?
        if let country {
            place = try await readers.createLocation(
                TerminalLocationDraft(
                    displayName: label, address: TerminalAddress(line1: "1", country: country)),
                key: key("place-\(label)")
            ).id
        }
        return try await readers.register(code: code, label: label, location: place, key: key("register-\(label)"))
    }

    func order(_ id: String = "o-1", _ minorUnits: Int64 = 1250, _ currency: Currency = .eur) throws -> Order {
        try Order(
            id: OrderID(rawValue: id), amount: Money(minorUnits: minorUnits, currency: currency), description: nil)
    }

    func payment(_ order: Order, _ mode: CaptureMode = .automatic) async throws -> Payment {
        try await checkout.create(checkout.draft(account: .main, order: order, captureMode: mode))
    }

    func sell(_ payment: Payment, at reader: TerminalReader) async throws -> Payment {
        try await checkout.confirm(
            payment.id, account: .main, provider: StripeTerminalProvider.name,
            tender: StripeTerminalProvider.tender(reader: reader))
    }

    /// What the world does at the reader, as `POST /_sandbox/readers`.
    @discardableResult
    func act(_ word: String, _ reader: TerminalReader, _ more: [JSONMember] = []) throws -> StripeAnswer {
        let terminal = try #require(stripe.terminal)
        return terminal.act(
            .object(
                [
                    JSONMember(key: "reader", value: .string(reader.id)), JSONMember(key: "do", value: .string(word)),
                ] + more))
    }

    /// Somebody holds a card to the reader once the shop has looked so often.
    func customer(presents card: TerminalTestCard, at reader: TerminalReader, afterQueries looks: Int = 2) {
        customer(afterQueries: looks) { world in
            _ = try? await world.readers.present(
                card, at: reader.id, key: world.key("present-\(UInt64.random(in: .min ... .max))"))
        }
    }

    /// Somebody does something once the shop has looked at its readers so often.
    func customer(afterQueries looks: Int = 2, _ act: @escaping @Sendable (TerminalWorld) async -> Void) {
        wire.plan.withLock { plan in
            plan.looks = 0
            plan.after = looks
            plan.act = { [weak self] in
                guard let self else { return }
                await act(self)
            }
        }
    }

    /// What the ledger has of an order.
    func charges(_ order: String = "o-1") async throws -> [SandboxCharge] {
        try await stripe.ledger.charges().filter { $0.order == order }
    }
}

/// Carries requests to the sandbox; loses what it is told to lose.
final class WireToSandbox: HTTPTransport {
    struct Plan {
        var looks = 0
        var after = Int.max
        var act: (@Sendable () async -> Void)?
        /// Paths whose next answer is lost, after the request was done or before.
        var loseAnswer: [String] = []
        var loseRequest: [String] = []
        /// Paths whose next request fails, and under its key fails for ever; and those keys.
        var failForGood: [String] = []
        var failed: Set<String> = []
        /// Paths for which the secret key has no right.
        var reject: [String] = []
        /// Nothing goes through any more.
        var isCut = false
    }

    /// What is told of a reader's action that is not so.
    struct Gossip {
        /// This status; `nil` tells what the action was before the lies began.
        var status: String?
        var skip: Int
        var times: Int
        var before: JSONValue?
    }

    let plan = Mutex(Plan())
    let gossip = Mutex<Gossip?>(nil)
    let lines = Mutex<[String]>([])
    private let stripe: SandboxStripe

    init(_ stripe: SandboxStripe) { self.stripe = stripe }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let path = request.path ?? ""
        let halves = path.split(separator: "?", maxSplits: 1).map(String.init)
        let parts = (halves.first ?? "").split(separator: "/").map(String.init)
        let line = "\(request.method.rawValue) \(halves.first ?? "")"
        lines.withLock { $0.append(line) }
        let isQuery = request.method == .get && parts.count == 4 && parts[2] == "readers"
        let act = plan.withLock { plan -> (@Sendable () async -> Void)? in
            guard isQuery else { return nil }
            plan.looks += 1
            guard plan.looks == plan.after else { return nil }
            defer { plan.act = nil }
            return plan.act
        }
        if let act { await act() }
        let (isCut, dropsBefore, dropsAfter) = plan.withLock { plan -> (Bool, Bool, Bool) in
            func take(_ list: inout [String]) -> Bool {
                guard let index = list.firstIndex(where: { line.hasSuffix($0) }) else { return false }
                list.remove(at: index)
                return true
            }
            return (plan.isCut, take(&plan.loseRequest), take(&plan.loseAnswer))
        }
        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headerFields[$0] } }
        if plan.withLock({ $0.reject.contains { line.hasSuffix($0) } }) {
            return WireToSandbox.failure(.forbidden, "invalid_request_error")
        }
        let isReplay = plan.withLock { plan -> Bool? in
            guard let key = header("Idempotency-Key") else { return nil }
            if plan.failed.contains(key) { return true }
            guard let index = plan.failForGood.firstIndex(where: { line.hasSuffix($0) }) else { return nil }
            plan.failForGood.remove(at: index)
            plan.failed.insert(key)
            return false
        }
        if let isReplay { return WireToSandbox.failure(.internalServerError, "api_error", isReplay: isReplay) }
        if isCut { throw .unknown(reason: "the line is cut") }
        if dropsBefore { throw .unknown(reason: "lost on the way") }
        let isPost = request.method == .post
        let call = SandboxStripe.Request(
            method: request.method.rawValue, path: parts,
            form: StripeForm(isPost ? String(decoding: body, as: UTF8.self) : (halves.count > 1 ? halves[1] : "")),
            key: header("Idempotency-Key"), authorization: header("Authorization"))
        guard let answer = try? await stripe.answer(call) else { throw .unknown(reason: "the ledger is closed") }
        if dropsAfter { throw .unknown(reason: "lost on the way back") }
        var reply = Array(answer.body.utf8)
        if isQuery { reply = told(reply) }
        return HTTPReply(
            response: HTTPResponse(status: HTTPResponse.Status(code: answer.status)), body: reply)
    }

    private static func failure(
        _ status: HTTPResponse.Status, _ type: String, isReplay: Bool = false
    ) -> HTTPReply {
        var response = HTTPResponse(status: status)
        if isReplay, let name = HTTPField.Name("Idempotent-Replayed") { response.headerFields[name] = "true" }
        return HTTPReply(response: response, body: Array(#"{"error":{"type":"\#(type)","message":"No."}}"#.utf8))
    }

    private func told(_ body: [UInt8]) -> [UInt8] {
        guard let json = try? JSONValue(parsing: body), let action = json["action"], action.objectValue != nil else {
            return body
        }
        return gossip.withLock { gossip in
            guard var now = gossip else { return body }
            defer { gossip = now }
            if now.before == nil { now.before = action }
            guard now.skip <= 0 else {
                now.skip -= 1
                return body
            }
            guard now.times > 0 else { return body }
            now.times -= 1
            let lie = now.status.map { set("failure_code", "card_declined", in: set("status", $0, in: action)) }
            return Array(put("action", lie ?? now.before ?? action, in: json).text.utf8)
        }
    }

    private func set(_ key: String, _ value: String, in json: JSONValue) -> JSONValue {
        put(key, .string(value), in: json)
    }

    private func put(_ key: String, _ value: JSONValue, in json: JSONValue) -> JSONValue {
        .object((json.objectValue ?? []).map { $0.key == key ? JSONMember(key: key, value: value) : $0 })
    }
}
