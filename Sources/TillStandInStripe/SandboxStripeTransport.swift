public import HTTPTypes
public import TillCore
public import TillSandbox

/// A transport that passes requests to the Stripe stand-in, readers included, without a network. For tests, simulations
/// and examples.
///
/// ```swift
/// import TillSandbox
/// import TillStripe
///
/// let transport = SandboxStripeTransport(ledger: SandboxLedger(store: SandboxMemoryStore()))
/// let stripe = try StripeProvider(secretKey: Secret("sk_test_example"), transport: transport, clock: SystemClock())
/// let identity = await stripe.identity()
/// ```
public struct SandboxStripeTransport: HTTPTransport {
    public let ledger: SandboxLedger
    private let stripe: SandboxStripe
    private let terminal: SandboxTerminal
    private let report: @Sendable (StripeAnswer.Event) -> Void

    /// Starts work that runs detached from the response.
    public typealias Spawn = @Sendable (@escaping @Sendable () async -> Void) -> Void

    /// Creates a transport over a ledger, and sets its reference prefix to `pi_`.
    /// - Parameters:
    ///   - account: the account that owns the ledger.
    ///   - cardTime: the time from presenting a card to the issuer's response.
    ///   - spawn: runs work that follows a response, such as the end of a charge.
    ///   - notify: receives the events to deliver by webhook.
    public init(
        ledger: SandboxLedger, account: String = "acct_sandbox", cardTime: Span = .milliseconds(0),
        spawn: @escaping Spawn = { work in Task { await work() } },
        notify: @escaping @Sendable (SandboxNotification) -> Void = { _ in }
    ) {
        var rules = ledger.rules
        rules.prefix = "pi_"
        self.ledger = SandboxLedger(store: ledger.store, clock: ledger.clock, rules: rules)
        let (clock, events) = (ledger.clock, StripeEventLog())
        let report: @Sendable (StripeAnswer.Event) -> Void = { event in
            _ = events.record(event, at: clock.now())
            notify(SandboxNotification(event))
        }
        self.report = report
        terminal = SandboxTerminal(ledger: self.ledger, emit: report, spawn: spawn)
        terminal.setCardTime(cardTime)
        stripe = SandboxStripe(
            ledger: self.ledger, faults: SandboxFaults(followsTables: false), terminal: terminal,
            account: account, events: events)
    }

    /// Passes a request to the stand-in.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headerFields[$0] } }
        let halves = (request.path ?? "/").split(separator: "?", maxSplits: 1)
        let isPost = request.method == .post
        let call = SandboxStripe.Request(
            method: request.method.rawValue, path: (halves.first ?? "").split(separator: "/").map(String.init),
            form: StripeForm(
                isPost ? String(decoding: body, as: UTF8.self) : halves.count > 1 ? String(halves[1]) : ""),
            key: isPost ? field("Idempotency-Key") : nil, authorization: field("Authorization"))
        let answer: StripeAnswer
        do { answer = try await stripe.answer(call) } catch { throw .unknown(reason: "the ledger is closed: \(error)") }
        if let event = answer.event, !answer.isReplay { report(event) }
        var response = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: Array(answer.body.utf8))
    }

    /// Applies a change after the sale: an action of `POST /_sandbox/aftersale`. Returns `false` if it is not possible.
    @discardableResult
    public func play(_ word: String, on reference: ProviderReference, amount: Int64? = nil) async -> Bool {
        var members = [
            JSONMember(key: "reference", value: .string(reference.rawValue)),
            JSONMember(key: "do", value: .string(word)),
        ]
        if let amount { members.append(JSONMember(key: "amount", value: .int(amount))) }
        guard let (answer, events) = try? await stripe.play(.object(members)), answer.status == 200 else {
            return false
        }
        for event in events { report(event) }
        return true
    }

    /// Pays out or plants a fault in statements: an action of `POST /_sandbox/statements`. Returns `false` if it is not
    /// possible.
    @discardableResult
    public func playStatement(_ members: [JSONMember]) async throws -> Bool {
        try await stripe.playStatement(.object(members)).status == 200
    }

    /// Returns `true` while a reader prompts for a card.
    public func wantsCard(at reader: String) -> Bool { terminal.wantsCard(at: reader) }

    /// Controls a reader: an action of `POST /_sandbox/readers`. Returns `false` if the reader does not allow it in its
    /// current state.
    @discardableResult
    public func act(_ word: String, at reader: String, fault: String? = nil) -> Bool {
        let answer = terminal.act(
            .fields(["reader": .string(reader), "do": .string(word), "fault": .text(fault)]))
        return answer.status == 200
    }
}

/// An event to deliver by webhook.
public struct SandboxNotification: Hashable, Sendable {
    /// The event type, in Stripe's terms.
    public let type: String
    /// The object of the event.
    public let object: JSONValue

    init(_ event: StripeAnswer.Event) {
        type = event.type
        object = event.object
    }
}
