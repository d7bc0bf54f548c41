import HTTPTypes
public import TillCore

/// A shop's counter (`till serve`) for an app: its payments, its readers and its events.
///
/// ```swift
/// let counter = try CounterClient(
///     address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
/// let draft = CounterPaymentDraft(order: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .eur))
/// let payment = try await counter.createPayment(draft, key: IdempotencyKey(rawValue: "create-1001"))
/// print(payment.id, payment.status)
/// ```
///
/// A value that any number of tasks may use. Each call is limited in time and its answer in size
/// (``CounterClientLimits``). A call is repeated only under its own idempotency key, so that the counter carries it out
/// once; an answer counts only if it is about the payment, amount and currency that were asked for.
public struct CounterClient: Sendable {
    public let address: CounterAddress
    public let limits: CounterClientLimits
    let clock: any TillClock
    /// The session of the device; `nil` for a client with a key.
    let session: CounterSession?
    private let transport: any HTTPTransport
    private let key: Secret<String>

    /// Creates a client. Nothing is sent.
    /// - Parameters:
    ///   - key: an API key of the counter. It is sent to this address only.
    ///   - transport: the connection; by default a ``URLSessionTransport``.
    /// - Throws: ``CounterAddressError/invalidKey``.
    public init(
        address: CounterAddress, key: Secret<String>, limits: CounterClientLimits = CounterClientLimits(),
        transport: (any HTTPTransport)? = nil, clock: any TillClock = SystemClock()
    ) throws(CounterAddressError) {
        try self.init(address, key, session: nil, limits, transport, clock)
    }

    /// Creates a client of a device that has a session instead of a key, and renews it. Nothing is sent.
    /// - Throws: ``CounterAddressError/invalidKey`` for a token that is none.
    public init(
        address: CounterAddress, session: CounterSession, limits: CounterClientLimits = CounterClientLimits(),
        transport: (any HTTPTransport)? = nil, clock: any TillClock = SystemClock()
    ) throws(CounterAddressError) {
        try self.init(address, session.token, session: session, limits, transport, clock)
    }

    private init(
        _ address: CounterAddress, _ key: Secret<String>, session: CounterSession?, _ limits: CounterClientLimits,
        _ transport: (any HTTPTransport)?, _ clock: any TillClock
    ) throws(CounterAddressError) {
        let text = key.reveal()
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidKey }
        self.address = address
        self.key = key
        self.limits = limits
        self.clock = clock
        self.session = session
        self.transport = transport ?? URLSessionTransport(maximumBytes: limits.answerBytes)
    }

    // MARK: One call

    /// Sends a call, again under the same key where that is safe, and returns its answer. A device's session is renewed
    /// before the call, never between its tries.
    func send(_ call: CounterCall) async throws(CounterError) -> CounterAnswer {
        try await renewIfDue()
        return try await exchange(call)
    }

    /// Sends a call without a renewal before it.
    func exchange(_ call: CounterCall) async throws(CounterError) -> CounterAnswer {
        var tries = 0
        var mayHaveArrived = false
        while true {
            tries += 1
            let failure: CounterError
            let isRepeatable: Bool
            do throws(TransportFailure) {
                let reply = try await transport.send(request(call), body: call.bytes, deadline: call.deadline)
                switch judge(reply, of: call, afterUnknownTry: mayHaveArrived) {
                case .answer(let answer): return answer
                case .failed(let error, let isTemporary): (failure, isRepeatable) = (error, isTemporary)
                }
            } catch {
                switch error {
                case .notSent(let reason):
                    failure = mayHaveArrived ? call.unknown(reason) : .notSent(reason: reason)
                    isRepeatable = true
                case .unknown(let reason):
                    failure = call.unknown(reason)
                    isRepeatable = call.isSafeToRepeat
                }
            }
            if case .outcomeUnknown = failure { mayHaveArrived = true }
            guard isRepeatable, tries < call.tries,
                await clock.pause(for: .milliseconds(limits.retryPause.milliseconds * Int64(tries)))
            else { throw failure }
        }
    }

    private enum Judgment {
        case answer(CounterAnswer)
        case failed(CounterError, isTemporary: Bool)
    }

    /// Judges an answer. Whatever is neither a success nor the counter's own problem document settles nothing.
    private func judge(_ reply: HTTPReply, of call: CounterCall, afterUnknownTry: Bool) -> Judgment {
        let status = reply.response.status.code
        let requestID = reply.response.headerFields[CounterField.requestID].map { String($0.prefix(128)) }
        guard reply.body.count <= limits.answerBytes else {
            return .failed(
                call.unknown("its answer is longer than \(limits.answerBytes) bytes", requestID), isTemporary: false)
        }
        if call.operation == .receipt, status == 200 { return receipt(in: reply, of: call, requestID) }
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: reply.body, limits: JSONLimits(maximumBytes: limits.answerBytes))
        } catch {
            let isGateway = [502, 503, 504].contains(status)
            return .failed(
                call.unknown("its answer (status \(status)) cannot be read", requestID),
                isTemporary: isGateway && call.isSafeToRepeat)
        }
        if status == 200 || status == 201 { return .answer(CounterAnswer(json: json, requestID: requestID)) }
        guard let problem = CounterProblem(json, status: status, requestID: requestID) else {
            return .failed(call.unknown("its answer has the status \(status)", requestID), isTemporary: false)
        }
        // A refusal is about this try. It settles an earlier one only as the answer that is kept under the key.
        let isReplay = reply.response.headerFields[CounterField.idempotentReplayed] == "true"
        let isOpen = problem.moneyMoved == .unknown || (afterUnknownTry && !isReplay)
        guard isOpen, call.operation.changes else {
            return .failed(.refused(problem), isTemporary: problem.isTemporary && call.isSafeToRepeat)
        }
        return .failed(
            .outcomeUnknown(
                CounterUnknownOutcome(
                    operation: call.operation, payment: call.payment, key: call.key, reason: problem.code.rawValue,
                    problem: problem, requestID: requestID)), isTemporary: problem.mayEndSoon && call.isSafeToRepeat)
    }

    /// Judges an answer that is a page: it counts by its type.
    private func receipt(in reply: HTTPReply, of call: CounterCall, _ requestID: String?) -> Judgment {
        let type = reply.response.headerFields[.contentType] ?? ""
        guard type.hasPrefix(call.operation.mediaType), !reply.body.isEmpty else {
            return .failed(call.unknown("its answer is no receipt", requestID), isTemporary: false)
        }
        return .answer(CounterAnswer(json: .null, requestID: requestID, page: reply.body))
    }

    /// Reads one connection of a stream to its end.
    func receive(
        _ call: CounterCall, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(CounterError) {
        try await renewIfDue()
        let response: HTTPResponse
        do throws(TransportFailure) {
            response = try await transport.receive(
                request(call), atMost: limits.eventStreamBytes, deadline: call.deadline, piece)
        } catch {
            switch error {
            case .notSent(let reason): throw .notSent(reason: reason)
            case .unknown(let reason): throw call.unknown(reason)
            }
        }
        guard response.status.code == 200 else {
            throw call.unknown("its answer has the status \(response.status.code)")
        }
    }

    private func request(_ call: CounterCall) -> HTTPRequest {
        var request = HTTPRequest(
            method: call.method, scheme: address.scheme, authority: address.authority,
            path: address.basePath + call.path)
        request.headerFields[.authorization] = "Bearer \(key.reveal())"
        request.headerFields[.accept] = call.operation.mediaType
        if call.body != nil { request.headerFields[.contentType] = "application/json" }
        if let key = call.key { request.headerFields[CounterField.idempotencyKey] = key.rawValue }
        return request
    }
}

/// A request to the counter.
struct CounterCall: Sendable {
    var operation: CounterOperation
    var method = HTTPRequest.Method.get
    /// From `/v1` on, with its query.
    var path: String
    var body: JSONValue?
    var key: IdempotencyKey?
    var payment: PaymentID?
    var deadline: Span
    var tries: Int

    var bytes: [UInt8] { body?.bytes() ?? [] }
    /// `true` if the counter carries the call out at most once, however often it arrives.
    var isSafeToRepeat: Bool { key != nil || !operation.changes || operation.isIdempotent }

    /// Returns the error of a call that may have arrived.
    func unknown(_ reason: String, _ requestID: String? = nil) -> CounterError {
        guard operation.changes else { return .notAnswered(operation, reason: reason) }
        return .outcomeUnknown(
            CounterUnknownOutcome(
                operation: operation, payment: payment, key: key, reason: reason, requestID: requestID))
    }

    /// Returns the error of an answer about something else.
    func mismatch(
        _ part: CounterMismatch.Part, _ asked: String, _ answered: String, _ requestID: String? = nil
    ) -> CounterError {
        .mismatch(
            CounterMismatch(operation: operation, part: part, asked: asked, answered: answered, requestID: requestID))
    }
}

/// A successful answer.
struct CounterAnswer: Sendable {
    /// The document; `null` for a page.
    var json: JSONValue
    var requestID: String?
    /// The bytes of a page.
    var page: [UInt8] = []
}

enum CounterField {
    static let idempotencyKey = name("Idempotency-Key")
    static let idempotentReplayed = name("Idempotent-Replayed")
    static let requestID = name("X-Request-Id")
    static let session = name("X-Till-Session")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is not the name of a field") }
        return name
    }
}
