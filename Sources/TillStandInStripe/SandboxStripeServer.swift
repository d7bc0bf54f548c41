import HTTPTypes
import Hummingbird
public import TillCore
public import TillSandbox
import TillStandInServing

/// The sandbox's ledger over HTTP in Stripe's wire format, for any Stripe client. For this machine only.
///
/// ```swift
/// import TillSandbox
///
/// let server = SandboxStripeServer(store: SandboxMemoryStore())
/// server.faults.fail(.capture, with: .timeoutAfterCommit)
/// try await server.run(port: 12111) { port in print("http://127.0.0.1:\(port)") }
/// ```
///
/// Beyond Stripe's paths it serves `GET /_sandbox/ledger`, the true state in minor units; `POST /_sandbox/faults` with
/// `{"operation":"capture","fault":"timeoutAfterCommit","times":1}` (`slow` also takes `seconds`); and `POST
/// /_sandbox/action` with `{"reference":"pi_…","succeeds":true}`, or with a setup intent, which acts as the customer,
/// as does the bank's page at `/_sandbox/challenge/pi_…`. `POST /_sandbox/readers` controls a card reader; `POST
/// /_sandbox/lists` with `{"late_seconds":60}` hides newer entries from lists; `POST /_sandbox/statements` pays out and
/// plants faults in statements; `POST /_sandbox/aftersale` applies changes after the sale; `POST /_sandbox/webhooks`
/// sets webhook endpoints and delivery faults; `POST /_sandbox/rights` with `{"disputes":false}` revokes the key's
/// permission to read disputes.
public struct SandboxStripeServer: Sendable {
    public let ledger: SandboxLedger
    public let faults: SandboxFaults
    private let stripe: SandboxStripe
    private let report: @Sendable (StripeAnswer.Event) -> Void
    private let terminal: SandboxTerminal
    private let plan: SandboxWebhookPlan
    private let failures: KeptFailures
    private let clock: any TillClock
    private let stall: Span

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - rules: the sandbox rules; their prefix is overridden with `pi_`.
    ///   - stall: the time that a request which "times out" is held before its 504.
    public init(
        store: any SandboxStore, clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(),
        rules: SandboxRules = SandboxRules(), webhook: SandboxWebhook? = nil, stall: Span = .seconds(100)
    ) {
        var rules = rules
        rules.prefix = "pi_"
        ledger = SandboxLedger(store: store, clock: clock, rules: rules)
        self.faults = faults
        let plan = SandboxWebhookPlan(clock: clock)
        let salt = String(UInt64.random(in: .min ... .max), radix: 16)
        let events = StripeEventLog(salt: salt)
        // Records an event before it is delivered. Not awaited: a webhook never delays the response.
        let report: @Sendable (StripeAnswer.Event) -> Void = { event in
            let recorded = events.record(event, at: clock.now())
            plan.send(recorded)
            guard let webhook else { return }
            Task { await webhook.deliver(recorded, clock: clock) }
        }
        self.plan = plan
        self.report = report
        terminal = SandboxTerminal(ledger: ledger, objects: StripeObjects(salt: salt), emit: report)
        stripe = SandboxStripe(ledger: ledger, faults: faults, terminal: terminal, events: events)
        failures = KeptFailures(clock: clock)
        self.clock = clock
        self.stall = stall
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    /// - Parameters:
    ///   - port: the port; zero selects a free one.
    ///   - ledgerFile: an SQLite file for the ledger; in memory without one.
    ///   - cardTime: the time from presenting a card to the issuer's response.
    ///   - onReady: called with the port once requests are accepted.
    public static func run(
        port: Int, ledgerFile: String?, faults: SandboxFaults = SandboxFaults(), webhook: SandboxWebhook? = nil,
        cardTime: Span = .milliseconds(0), onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let store: any SandboxStore =
            if let ledgerFile { SandboxFileStore(path: ledgerFile) } else { SandboxMemoryStore() }
        let server = SandboxStripeServer(store: store, faults: faults, webhook: webhook)
        server.terminal.setCardTime(cardTime)
        try await server.run(port: port, onReady: onReady)
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let address = stripe.address
        try await LoopbackServer.run(
            port: port,
            onReady: { port in
                address.set(port: port)
                await onReady(port)
            }
        ) { request in await respond(to: request) }
    }

    private func respond(to request: Request) async -> Response {
        var request = request
        let path = request.uri.path.split(separator: "/").map(String.init)
        guard let body = await request.collectBody(ifWithin: 1 << 20) else {
            return response(.error(413, "invalid_request_error", "The body is too long."))
        }
        let bytes = Array(body.readableBytesView)
        if path.count == 3, path.prefix(2) == ["_sandbox", "challenge"] {
            let page = StripeChallengePage(ledger: ledger) { await reportChallenge(of: path[2]) }
            return await page.answer(request.method, path[2], bytes)
        }
        if path.first == "_sandbox" {
            return response(await control(request.method, path.dropFirst().first ?? "", bytes))
        }
        let key = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
        if let key, key.isEmpty || key.utf8.count > 255 {
            return response(.error(400, "invalid_request_error", "An idempotency key has 1 to 255 characters."))
        }
        let isPost = request.method == .post
        let call = SandboxStripe.Request(
            method: request.method.rawValue, path: path,
            form: StripeForm(isPost ? String(decoding: bytes, as: UTF8.self) : request.uri.query ?? ""),
            key: isPost ? key : nil, authorization: request.headers[.authorization])
        guard path.first == "v1" else { return response(.missing("path", request.uri.path)) }
        do {
            return response(try await perform(call))
        } catch {
            return response(SandboxStripeServer.ledgerFailure)
        }
    }

    private func perform(_ call: SandboxStripe.Request) async throws -> StripeAnswer {
        if let kept = call.key.flatMap({ failures.answer(to: $0) }) { return kept }
        if call.path.prefix(2) == ["v1", "disputes"], !faults.mayReadDisputes {
            return .error(403, "invalid_request_error", "The provided key has no right to read disputes.")
        }
        let fault = try await stripe.fault(of: call)
        let timeout = StripeAnswer.error(504, "api_error", "timed out")
        switch fault {
        case .timeoutBeforeCommit:
            await clock.pause(for: stall)
            return timeout
        case .conflict:
            return .error(
                409, "idempotency_error", code: "idempotency_key_in_use",
                "There is currently another in-progress request using this key.")
        case .stickyServerError:
            let failure = StripeAnswer.error(500, "api_error", "The sandbox plays a failure that it keeps.")
            if let key = call.key { failures.keep(failure, for: key) }
            return failure
        case .outage, .notSent: return .error(503, "api_error", "The sandbox plays an outage.")
        case .slow(let span): await clock.pause(for: span)
        case .duplicateDelivery: _ = try await stripe.answer(call)
        case .timeoutAfterCommit, .serverErrorAfterSuccess, nil: break
        }
        let answer = try await stripe.answer(call)
        if let event = answer.event, !answer.isReplay { report(event) }
        switch fault {
        case .timeoutAfterCommit:
            await clock.pause(for: stall)
            return timeout
        case .serverErrorAfterSuccess: return .error(500, "api_error", "The sandbox plays a failure.")
        case .timeoutBeforeCommit, .stickyServerError, .conflict, .outage, .notSent, .slow, .duplicateDelivery, nil:
            return answer
        }
    }

    private func response(_ answer: StripeAnswer) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "application/json"
        if let name = HTTPField.Name("Request-Id") {
            headers[name] = "req_" + StableHash.hex("\(UInt64.random(in: .min ... .max))")
        }
        if answer.isReplay, let name = HTTPField.Name("Idempotent-Replayed") { headers[name] = "true" }
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }

    private static let ledgerFailure = StripeAnswer.error(
        500, "api_error", "The sandbox's ledger could not be read or written.")

    private func control(_ method: HTTPRequest.Method, _ name: String, _ body: [UInt8]) async -> StripeAnswer {
        switch (method, name) {
        case (.get, "ledger"):
            do {
                let charges = try await ledger.charges()
                return StripeAnswer(.fields(["charges": .array(charges.map(SandboxStripeServer.ledgerEntry))]))
            } catch { return SandboxStripeServer.ledgerFailure }
        case (.post, "faults"):
            guard let json = JSONValue(ifValid: body),
                let operation = json["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) }),
                let fault = json["fault"]?.stringValue.flatMap({ name in
                    SandboxFault(name: name, span: .seconds(min(max(json["seconds"]?.int64Value ?? 2, 0), 60)))
                })
            else { return .invalid("fault", "Wanted: operation, fault and, if not once, times; seconds of slow.") }
            let times = json["times"]?.int64Value ?? 1
            faults.fail(operation, with: fault, times: Int(clamping: times))
            return StripeAnswer(.fields(["ok": .bool(true)]))
        case (.post, "rights"):
            guard let may = JSONValue(ifValid: body)?["disputes"]?.boolValue else {
                return .invalid("disputes", "Wanted: disputes, true or false.")
            }
            faults.mayReadDisputes(may)
            return StripeAnswer(.fields(["ok": .bool(true)]))
        case (.post, "lists"):
            guard let seconds = JSONValue(ifValid: body)?["late_seconds"]?.int64Value,
                (0...86_400).contains(seconds)
            else { return .invalid("late_seconds", "Wanted: late_seconds, 0 to 86400.") }
            stripe.lateness.set(.seconds(seconds))
            return StripeAnswer(.fields(["ok": .bool(true)]))
        case (.post, "aftersale"):
            guard let json = JSONValue(ifValid: body) else { return .invalid("body", "It must be JSON.") }
            do {
                let (answer, events) = try await stripe.play(json)
                for event in events { report(event) }
                return answer
            } catch { return SandboxStripeServer.ledgerFailure }
        case (.post, "statements"):
            guard let json = JSONValue(ifValid: body) else { return .invalid("body", "It must be JSON.") }
            do { return try await stripe.playStatement(json) } catch { return SandboxStripeServer.ledgerFailure }
        case (.post, "readers"), (.post, "webhooks"):
            guard let json = JSONValue(ifValid: body) else { return .invalid("body", "It must be JSON.") }
            return name == "readers" ? terminal.act(json) : plan.configure(json)
        case (.post, "action"):
            guard let json = JSONValue(ifValid: body), let id = json["reference"]?.stringValue,
                let succeeds = json["succeeds"]?.boolValue
            else { return .invalid("reference", "Wanted: reference and succeeds.") }
            if id.hasPrefix("seti_") {
                guard let event = stripe.objects.completeSetup(id, succeeds: succeeds, at: clock.now()) else {
                    return .missing("setup_intent", id)
                }
                report(event)
                return StripeAnswer(.fields(["ok": .bool(true)]))
            }
            let reference = ProviderReference(rawValue: id)
            guard (try? await ledger.completeAction(reference, succeeds: succeeds)) != nil else {
                return .missing("payment_intent", id)
            }
            await reportChallenge(of: id)
            return StripeAnswer(.fields(["ok": .bool(true)]))
        default: return .missing("path", name)
        }
    }

    private func reportChallenge(of id: String) async {
        if let event = await stripe.answeredChallenge(id) { report(event) }
    }

    /// Returns a charge's ledger entry, with amounts in minor units.
    static func ledgerEntry(_ charge: SandboxCharge) -> JSONValue {
        .fields([
            "reference": .string(charge.reference), "order": .text(charge.order), "payment": .text(charge.payment),
            "attempt": .text(charge.attempt), "metadata": .map(charge.metadata), "amount": .int(charge.amount),
            "currency": .string(charge.currency), "state": .string(charge.state.rawValue),
            "authorized": .int(charge.authorized), "captured": .int(charge.captured),
            "refunded": .int(charge.refunded), "canceled": .bool(charge.state == .voided),
        ])
    }
}
