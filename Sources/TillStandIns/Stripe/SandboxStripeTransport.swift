public import HTTPTypes
public import TillCore
public import TillSandbox

/// The Stripe stand-in without a network, readers included: a transport whose other end is the stand-in itself. For
/// tests, simulations and examples.
public struct SandboxStripeTransport: HTTPTransport {
    public let ledger: SandboxLedger
    private let stripe: SandboxStripe
    private let terminal: SandboxTerminal
    private let notify: @Sendable (SandboxNotification) -> Void

    /// Starts work that nobody waits for.
    public typealias Spawn = @Sendable (@escaping @Sendable () async -> Void) -> Void

    /// Makes one over a ledger, whose references it begins with `pi_`.
    /// - Parameters:
    ///   - account: whose ledger it is.
    ///   - cardTime: how long a card is in a reader before the issuer has answered.
    ///   - spawn: runs what happens after an answer, such as the end of a charge.
    ///   - notify: receives what webhooks are to report.
    public init(
        ledger: SandboxLedger, account: String = "acct_sandbox", cardTime: Span = .milliseconds(0),
        spawn: @escaping Spawn = { work in Task { await work() } },
        notify: @escaping @Sendable (SandboxNotification) -> Void = { _ in }
    ) {
        var rules = ledger.rules
        rules.prefix = "pi_"
        self.ledger = SandboxLedger(store: ledger.store, clock: ledger.clock, rules: rules)
        self.notify = notify
        terminal = SandboxTerminal(ledger: self.ledger, emit: { notify(SandboxNotification($0)) }, spawn: spawn)
        terminal.setCardTime(cardTime)
        stripe = SandboxStripe(
            ledger: self.ledger, faults: SandboxFaults(followsTables: false), terminal: terminal,
            account: account)
    }

    /// Hands the request to the stand-in.
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
        if let event = answer.event, !answer.isReplay { notify(SandboxNotification(event)) }
        var response = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: Array(answer.body.utf8))
    }

    /// Lets happen what happens after a sale: what `POST /_sandbox/aftersale` takes. `false` if it cannot happen.
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
        for event in events { notify(SandboxNotification(event)) }
        return true
    }

    /// Pays out, or makes statements say what is not so: what `POST /_sandbox/statements` takes. `false` if it cannot
    /// be.
    @discardableResult
    public func playStatement(_ members: [JSONMember]) async throws -> Bool {
        try await stripe.playStatement(.object(members)).status == 200
    }

    /// Whether a reader waits for a card right now, as the person in front of it sees.
    public func wantsCard(at reader: String) -> Bool { terminal.wantsCard(at: reader) }

    /// Acts on a reader as the world would: what `POST /_sandbox/readers` takes. `false` if the reader does
    /// not allow it now.
    @discardableResult
    public func act(_ word: String, at reader: String, fault: String? = nil) -> Bool {
        let answer = terminal.act(
            .fields(["reader": .string(reader), "do": .string(word), "fault": .text(fault)]))
        return answer.status == 200
    }
}

/// One thing that a webhook would tell.
public struct SandboxNotification: Hashable, Sendable {
    /// Its type, in Stripe's words.
    public let type: String
    /// The object that it is about.
    public let object: JSONValue

    init(_ event: StripeAnswer.Event) {
        type = event.type
        object = event.object
    }
}
