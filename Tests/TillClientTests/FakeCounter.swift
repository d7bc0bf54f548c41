import HTTPTypes
import Synchronization
import TillClient
import TillCore
import TillTestSupport

/// A counter with one payment and one reader, in memory: it answers as `till serve` does, and loses what a test wants.
final class FakeCounter: HTTPTransport {
    struct Call: Sendable {
        var line: String
        var key: String?
        var authorization: String?
        var body: String
        var deadline: Span
    }

    /// The fate of a confirmation.
    enum Confirmation: Sendable {
        case pays
        case declines(String)
        /// It arrives, and its attempt ends so that the same request begins another.
        case endsUnsent
        case endsVoided
        /// It arrives and is charged, and the answer is lost.
        case paysUnheard
        /// It arrives, and the charge lasts for some queries.
        case paysAfter(queries: Int)
        case neverArrives
        case notSent
        case refuses(Int, String)
        /// Its connection stays open for some queries, then it is refused.
        case refusesAfter(queries: Int, String)
        /// It arrives, and lasts until its task is canceled.
        case lasts
        /// Another request with its key is being worked on.
        case inProgress
        /// It never arrives, and nobody says so.
        case hangs
    }

    struct Books: Sendable {
        var status = "requires_payment_method"
        var attempts: [(status: String, reason: String?)] = []
        /// The open void of the last attempt.
        var void: String?
        var order = "o-1"
        var capture = "manual"
        var amount: Int64 = 1250
        var tip: Int64 = 0
        /// What was captured and is held; by the status if it is `nil`.
        var captured: Int64?
        var held: Int64?
        var refunded: Int64 = 0
        /// The refusal of a creation.
        var refusesCreation: String?
        var currency = "EUR"
        var account = "main"
        var confirmations: [Confirmation] = []
        var calls: [Call] = []
        var queriesUntilPaid = 0
        /// How it ends then.
        var endsAs = (status: "succeeded", attempt: "authorized")
        /// The refusal with which the last request ends once there were that many queries.
        var late: (queries: Int, code: String)?
        var readsFail = false
        var events = ""
        var busy = false
        /// Set after a disconnection.
        var isEnded = false
        /// The number of confirmations that left after that, as if nothing had ended them.
        var lateConfirmations = 0
    }

    let books = Mutex(Books())

    init(_ confirmations: Confirmation...) { books.withLock { $0.confirmations = confirmations } }

    var calls: [Call] { books.withLock { $0.calls } }
    func calls(_ line: String) -> [Call] { calls.filter { $0.line == line } }
    static let confirm = "POST /v1/payments/pay_1/confirm"
    static let read = "GET /v1/payments/pay_1"

    func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let call = FakeCounter.call(request, body, deadline)
        let (reply, late) = books.withLock { books in
            books.calls.append(call)
            if books.isEnded, call.line == FakeCounter.confirm, !Task.isCancelled { books.lateConfirmations += 1 }
            books.late = nil
            let reply = FakeCounter.answer(call, &books)
            return (reply, books.late)
        }
        let answer: (Int, String)
        if let reply { answer = try reply.get() } else { answer = try await lateAnswer(late) }
        let (status, text) = answer
        var response = HTTPResponse(status: .init(code: status))
        if let name = HTTPField.Name("X-Request-Id") { response.headerFields[name] = "req-1" }
        return HTTPReply(response: response, body: Array(text.utf8))
    }

    private func lateAnswer(
        _ late: (queries: Int, code: String)?
    ) async throws(TransportFailure) -> (Int, String) {
        while !Task.isCancelled {
            if let late, calls(FakeCounter.read).count >= late.queries {
                return (409, FakeCounter.problem(late.code, "no"))
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
        throw .unknown(reason: "canceled")
    }

    func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        let call = FakeCounter.call(request, [], deadline)
        let text = books.withLock { books in
            books.calls.append(call)
            return books.events
        }
        // One byte at a time: a piece is not an event.
        for byte in text.utf8 where !piece([byte]) { throw .unknown(reason: "the answer was not read to its end") }
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        throw .unknown(reason: "canceled")
    }

    private static func call(_ request: HTTPRequest, _ body: [UInt8], _ deadline: Span) -> Call {
        Call(
            line: "\(request.method.rawValue) \(request.path ?? "")",
            key: HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] },
            authorization: request.headerFields[.authorization], body: String(decoding: body, as: UTF8.self),
            deadline: deadline)
    }

    /// `nil`: no answer until the task is canceled.
    private static func answer(_ call: Call, _ books: inout Books) -> Result<(Int, String), TransportFailure>? {
        switch call.line {
        case "GET /v1/terminal/readers":
            return .success((200, #"{"readers":[\#(reader(books))],"complete":true}"#))
        case "POST /v1/terminal/readers/tmr_1/cancel": return .success((200, reader(books)))
        // The answer that is kept under the key: the payment as it was created.
        case "POST /v1/payments":
            if let code = books.refusesCreation { return .success((409, problem(code, "no"))) }
            return .success((201, payment(books, status: "requires_payment_method", attempts: [])))
        case read:
            guard !books.readsFail else { return .failure(.unknown(reason: "lost")) }
            if books.queriesUntilPaid > 0 {
                books.queriesUntilPaid -= 1
                if books.queriesUntilPaid == 0 { end(&books, books.endsAs.status, (books.endsAs.attempt, nil)) }
            }
            return .success((200, payment(books)))
        case "POST /v1/payments/pay_1/cancel":
            books.status = "canceled"
            return .success((200, payment(books)))
        case confirm: return confirmation(&books)
        default: return .success((404, problem("not_found", "no")))
        }
    }

    private static func confirmation(_ books: inout Books) -> Result<(Int, String), TransportFailure>? {
        guard !books.confirmations.isEmpty else { return .success((500, "")) }
        switch books.confirmations.removeFirst() {
        case .pays:
            end(&books, "succeeded", ("authorized", nil))
            return .success((200, payment(books)))
        case .declines(let reason):
            end(&books, "declined", ("declined", reason))
            return .success((200, payment(books)))
        case .endsUnsent:
            end(&books, "requires_payment_method", ("not_sent", nil))
            return .success((200, payment(books)))
        case .endsVoided:
            end(&books, "requires_payment_method", ("voided", nil))
            return .success((200, payment(books)))
        case .paysUnheard:
            end(&books, "succeeded", ("authorized", nil))
            return .failure(.unknown(reason: "cut"))
        case .paysAfter(let queries):
            books.status = "processing"
            books.attempts.append(("in_flight", nil))
            books.queriesUntilPaid = queries
            return .failure(.unknown(reason: "cut"))
        case .neverArrives: return .failure(.unknown(reason: "cut"))
        case .notSent: return .failure(.notSent(reason: "refused"))
        case .refuses(let status, let code): return .success((status, problem(code, "no")))
        case .refusesAfter(let queries, let code):
            books.late = (books.calls.count { $0.line == read } + queries, code)
            return nil
        case .lasts:
            books.status = "processing"
            books.attempts.append(("in_flight", nil))
            return nil
        case .inProgress: return .success((409, problem("request_in_progress", "unknown")))
        case .hangs: return nil
        }
    }

    private static func end(_ books: inout Books, _ status: String, _ attempt: (String, String?)) {
        books.status = status
        if ["in_flight", "authorized"].contains(books.attempts.last?.status) { books.attempts.removeLast() }
        books.attempts.append((attempt.0, attempt.1))
        books.void = nil
    }

    static func problem(_ code: String, _ moved: String) -> String {
        #"{"status":409,"detail":"It is so.","code":"\#(code)","money_moved":"\#(moved)","next":"Do it."}"#
    }

    private static func reader(_ books: Books) -> String {
        #"{"id":"tmr_1","label":"Front","device_type":"simulated_wisepos_e","status":"online","location":"tml_1","#
            + #""simulated":true,"busy":\#(books.busy)}"#
    }

    static func payment(_ books: Books, status: String? = nil, attempts: [(String, String?)]? = nil) -> String {
        let attempts = attempts ?? books.attempts.map { ($0.status, $0.reason) }
        let all = attempts.enumerated().map { index, attempt in
            let isLast = index == attempts.count - 1
            let void = (isLast ? books.void : nil).map { "\"\($0)\"" } ?? "null"
            let decline = attempt.1.map { #"{"reason":"\#($0)","code":null,"request_id":null}"# } ?? "null"
            return #"{"id":"pay_1-a\#(index + 1)","status":"\#(attempt.0)","amount":\#(books.amount),"#
                + #""reference":null,"void":\#(void),"decline":\#(decline)}"#
        }
        let status = status ?? books.status
        let total = books.amount + books.tip
        let captured = books.captured ?? (["succeeded", "refunded"].contains(status) ? total : 0)
        let held = books.held ?? (status == "requires_capture" ? total : 0)
        return #"{"id":"pay_1","account":"\#(books.account)","order_id":"\#(books.order)","status":"\#(status)","#
            + #""test":true,"amount":\#(books.amount),"currency":"\#(books.currency)","tip":\#(books.tip),"#
            + #""captured":\#(captured),"refunded":\#(books.refunded),"held":\#(held),"capture":"\#(books.capture)","#
            + #""tender":{"brand":"visa","last_four":"4242"},"attempts":[\#(all.joined(separator: ","))],"#
            + #""money_moved":"\#(captured > books.refunded ? "yes" : "no")","message":"So it is."}"#
    }
}

enum Given {
    static let key = "till_live_example_key"
    static let amount = Money(minorUnits: 1250, currency: .eur)
    static let order = OrderID(rawValue: "o-1")

    static func client(
        _ transport: any HTTPTransport, _ clock: any TillClock, _ limits: CounterClientLimits = CounterClientLimits()
    ) throws -> CounterClient {
        try CounterClient(
            address: CounterAddress("https://counter.example.com"), key: Secret(key), limits: limits,
            transport: transport, clock: clock)
    }

    static func payment(_ change: (inout FakeCounter.Books) -> Void = { _ in }) -> String {
        var books = FakeCounter.Books()
        change(&books)
        return FakeCounter.payment(books)
    }
}

extension Given {
    /// A confirmation lasts for as long as a test needs.
    static let limits: CounterReaderLimits = {
        var limits = CounterReaderLimits()
        limits.confirmation = .hours(2)
        return limits
    }()
}

/// A clock on which every wait is a millisecond, and no time passes.
struct QuickClock: TillClock {
    func now() -> Timestamp { ManualClock.start }
    func sleep(for span: Span) async throws { try await Task.sleep(for: .milliseconds(1)) }
}
