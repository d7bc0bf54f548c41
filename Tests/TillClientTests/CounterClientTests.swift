import HTTPTypes
import Synchronization
import Testing
import TillClient
import TillCore
import TillTestSupport

@Suite("Calls to a counter")
struct CounterClientTests {
    private let clock = ManualClock()
    private let key = IdempotencyKey(rawValue: "k-1")
    private var draft: CounterPaymentDraft { CounterPaymentDraft(order: Given.order, amount: Given.amount) }

    private func client(
        _ steps: ScriptedTransport.Step..., limits: CounterClientLimits = CounterClientLimits()
    ) throws -> (CounterClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (try Given.client(transport, clock, limits), transport)
    }

    private func thrown<Value>(_ body: () async throws(CounterError) -> Value) async -> CounterError? {
        do throws(CounterError) { _ = try await body() } catch { return error }
        return nil
    }

    private static func unclear(_ error: CounterError?) -> CounterUnknownOutcome? {
        guard case .outcomeUnknown(let unknown)? = error else { return nil }
        return unknown
    }

    @Test("a payment is created under its key, with the key of the counter in one field only")
    func creates() async throws {
        let fake = FakeCounter()
        let payment = try await Given.client(fake, clock).createPayment(draft, key: key)
        #expect(payment.id.rawValue == "pay_1")
        #expect(payment.amount == Given.amount)
        let call = try #require(fake.calls.first)
        #expect(call.line == "POST /v1/payments")
        #expect(call.key == "k-1")
        #expect(call.authorization == "Bearer \(Given.key)")
        #expect(call.body == #"{"order_id":"o-1","amount":1250,"currency":"EUR","capture":"automatic"}"#)
    }

    @Test("a refusal keeps everything that the counter said")
    func problems() async throws {
        let fake = FakeCounter(.refuses(409, "terminal_reader_busy"))
        let client = try Given.client(fake, clock)
        let payment = try await client.payment(PaymentID(rawValue: "pay_1"))
        let error = await thrown { () async throws(CounterError) in
            try await client.confirm(payment, .cash(nil), key: key)
        }
        #expect(
            error
                == .refused(
                    CounterProblem(
                        status: 409, code: .readerBusy, what: "It is so.", moneyMoved: .no, next: "Do it.",
                        requestID: "req-1")))
        #expect(error?.moneyMoved == .no)
        #expect(fake.calls(FakeCounter.confirm).count == 1)
    }

    @Test("what was never sent is sent again under its key, and at most as often as the limit says")
    func notSent() async throws {
        var limits = CounterClientLimits()
        limits.maximumTries = 4
        let (client, transport) = try client(limits: limits)
        let error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(error == .notSent(reason: "script is over"))
        #expect(error?.moneyMoved == .no)
        #expect(transport.calls.map(\.key) == ["k-1", "k-1", "k-1", "k-1"])
    }

    @Test("a lost answer is asked for again under the same key")
    func lostAnswer() async throws {
        let (client, transport) = try client(
            .fail(.unknown(reason: "cut")), .json(502, "<html>"), .json(201, Given.payment()))
        #expect(try await client.createPayment(draft, key: key).id.rawValue == "pay_1")
        #expect(transport.calls.map(\.key) == ["k-1", "k-1", "k-1"])
    }

    @Test("a call without any answer is unknown, with its payment and its key, and never a failure")
    func unknown() async throws {
        let lost = ScriptedTransport.Step.fail(.unknown(reason: "cut"))
        let (client, transport) = try client(.json(200, Given.payment()), lost, lost, lost)
        let payment = try await client.payment(PaymentID(rawValue: "pay_1"))
        let error = await thrown { () async throws(CounterError) in
            try await client.confirm(payment, .cash(nil), key: key)
        }
        let unknown = try #require(Self.unclear(error))
        #expect(unknown.payment == payment.id)
        #expect(unknown.key == key)
        #expect(unknown.operation == .confirm)
        #expect(error?.moneyMoved == .unknown)
        #expect(transport.calls.count == 4)
    }

    @Test(
        "a later refusal settles no earlier try",
        arguments: [
            (401, "unauthorized"), (429, "too_many"), (503, "journal_unavailable"), (404, "payment_not_found"),
            (409, "terminal_reader_busy"), (422, "idempotency_mismatch"),
        ])
    func access(_ status: Int, _ code: String) async throws {
        let refusal = ScriptedTransport.Step.json(status, FakeCounter.problem(code, "no"))
        var (client, _) = try client(.fail(.unknown(reason: "cut")), refusal, refusal)
        var error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(error)?.problem?.code.rawValue == code)
        (client, _) = try self.client(refusal, refusal, refusal)
        error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("not sent after a lost answer is unknown")
    func notSentAfterLost() async throws {
        let (client, _) = try client(.fail(.unknown(reason: "cut")))
        let error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(error)?.key == key)
    }

    @Test("a call without a key is sent once if it may have arrived")
    func withoutKey() async throws {
        let (client, transport) = try client(.fail(.unknown(reason: "cut")))
        let error = await thrown { () async throws(CounterError) in try await client.cancelReader("tmr_1") }
        #expect(Self.unclear(error)?.operation == .cancelReader)
        #expect(transport.calls.count == 1)
    }

    @Test(
        "a problem that says itself that the money is open is no refusal",
        arguments: ["unknown", "perhaps"])
    func openProblem(_ moved: String) async throws {
        let step = ScriptedTransport.Step.json(409, FakeCounter.problem("request_in_progress", moved))
        var (client, transport) = try client(step, step, step)
        let error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(error)?.problem?.code == .requestInProgress)
        #expect(transport.calls.map(\.key) == ["k-1", "k-1", "k-1"])
        // Another request with the key was at it, and is done.
        (client, transport) = try self.client(step, .json(201, Given.payment()))
        #expect(try await client.createPayment(draft, key: key).id.rawValue == "pay_1")
    }

    @Test("an answer that is too long is not read: unknown for a change, no answer for a query")
    func tooLong() async throws {
        var limits = CounterClientLimits()
        limits.answerBytes = 600
        let long = Given.payment().replacing("So it is.", with: String(repeating: "x", count: 600))
        let (client, _) = try client(.json(201, long), .json(200, long), limits: limits)
        let change = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(change)?.reason.contains("600 bytes") == true)
        let query = await thrown { () async throws(CounterError) in
            try await client.payment(PaymentID(rawValue: "pay_1"))
        }
        guard case .notAnswered(.readPayment, _) = query else {
            Issue.record("\(String(describing: query))")
            return
        }
    }

    @Test("an answer about another payment, amount or currency does not count")
    func mismatches() async throws {
        let cases: [(CounterMismatch.Part, String)] = [
            (.payment, Given.payment().replacing(#""id":"pay_1""#, with: #""id":"pay_2""#)),
            (.amount, Given.payment { $0.amount = 1251 }), (.currency, Given.payment { $0.currency = "USD" }),
        ]
        for (part, answer) in cases {
            let (client, _) = try client(.json(200, Given.payment()), .json(200, answer))
            let payment = try await client.payment(PaymentID(rawValue: "pay_1"))
            let error = await thrown { () async throws(CounterError) in
                try await client.confirm(payment, .cash(nil), key: key)
            }
            guard case .mismatch(let mismatch)? = error else {
                Issue.record("\(part): \(String(describing: error))")
                continue
            }
            #expect(mismatch.part == part)
            #expect(error?.moneyMoved == .unknown)
        }
    }

    @Test("a payment of another order is none that was created; the counter's own name for the order may have a scope")
    func orders() async throws {
        for order in ["o-2", "o-11", "/o-1", "2026/x/o-1"] {
            let (client, _) = try client(.json(201, Given.payment { $0.order = order }))
            let error = await thrown { () async throws(CounterError) in
                try await client.createPayment(draft, key: key)
            }
            guard case .mismatch(let mismatch)? = error else {
                Issue.record("\(order): \(String(describing: error))")
                continue
            }
            #expect(mismatch.part == .order)
            #expect(mismatch.answered == order)
        }
        let (client, _) = try client(.json(201, Given.payment { $0.order = "2026/o-1" }))
        #expect(try await client.createPayment(draft, key: key).order.rawValue == "2026/o-1")
    }

    @Test("an event that does not end is not read on, and nothing is handled after the end")
    func longEvents() async throws {
        let fake = FakeCounter()
        let first = "event: paid\ndata: {\"payment\":\"pay_1\"}\n\n"
        fake.books.withLock { $0.events = first + "data: " + String(repeating: "x", count: 70_000) }
        let client = try Given.client(fake, clock)
        let handled = Mutex<[CounterEvent]>([])
        let error = await thrown { () async throws(CounterError) in
            try await client.events(of: nil) { event in handled.withLock { $0.append(event) } }
        }
        guard case .notAnswered(.events, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(handled.withLock { $0 } == [.changed(PaymentID(rawValue: "pay_1"))])
    }

    @Test(
        "an answer without a field that decides about money is none",
        arguments: [
            "id", "status", "amount", "currency", "captured", "held", "capture", "attempts", "money_moved", "account",
        ])
    func missing(_ field: String) async throws {
        let answer = Given.payment().replacing("\"\(field)\":", with: "\"other\":", maxReplacements: 1)
        let (client, _) = try client(.json(201, answer))
        let error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(error)?.reason.contains(field) == true)
    }

    @Test("a page of a proxy settles nothing, and is not tried again if it may be about the request")
    func proxies() async throws {
        let (client, transport) = try client(.json(403, "<html>no</html>"))
        let error = await thrown { () async throws(CounterError) in try await client.createPayment(draft, key: key) }
        #expect(Self.unclear(error) != nil)
        #expect(transport.calls.count == 1)
    }

    @Test("a status of a newer counter is kept, and is neither paid nor failed")
    func newerStatus() async throws {
        let (client, _) = try client(.json(200, Given.payment { $0.status = "on_the_moon" }))
        let payment = try await client.payment(PaymentID(rawValue: "pay_1"))
        #expect(payment.status == .other("on_the_moon"))
    }

    @Test("a name in a path stays one segment")
    func paths() async throws {
        let (client, transport) = try client()
        _ = await thrown { () async throws(CounterError) in try await client.cancelReader("a/../b?c") }
        #expect(transport.calls.first?.line == "POST /v1/terminal/readers/a%2F%2E%2E%2Fb%3Fc/cancel")
    }

    @Test("a receipt is a page of the payment, in the copy that was asked for")
    func receipts() async throws {
        let page = PageTransport(200, "text/html; charset=utf-8", "<!doctype html><p>Paid</p>")
        let client = try Given.client(page, clock)
        let id = PaymentID(rawValue: "pay_1")
        let receipt = try await client.receipt(of: id)
        #expect(receipt == Array("<!doctype html><p>Paid</p>".utf8))
        _ = try await client.receipt(of: id, copy: .merchant)
        let path = "/v1/payments/pay_1/receipt?format=html&copy="
        #expect(page.requests.map(\.path) == [path + "customer", path + "merchant"])
        #expect(page.requests.map { $0.headerFields[.accept] } == ["text/html", "text/html"])
    }

    @Test("what is no receipt is none, and a refusal keeps the counter's word")
    func noReceipts() async throws {
        let id = PaymentID(rawValue: "pay_1")
        for (type, text) in [("application/json", "{}"), ("text/plain", "Paid"), ("text/html", "")] {
            let page = PageTransport(200, type, text)
            let client = try Given.client(page, clock)
            let error = await thrown { () async throws(CounterError) in try await client.receipt(of: id) }
            #expect(error == .notAnswered(.receipt, reason: "its answer is no receipt"))
            #expect(error?.moneyMoved == .no)
        }
        let page = PageTransport(404, "application/problem+json", FakeCounter.problem("payment_not_found", "no"))
        let client = try Given.client(page, clock)
        let error = await thrown { () async throws(CounterError) in try await client.receipt(of: id) }
        #expect(error?.code == "payment_not_found")
    }

    @Test("a token of the counter is a secret, and the next one is a fresh one")
    func tokens() async throws {
        let (client, transport) = try client(
            .json(200, #"{"secret":"pst_1","location":"tml_1"}"#), .json(200, #"{"secret":"pst_2"}"#),
            .json(200, #"{"secret":""}"#))
        let config = CounterReaderConfig(client, location: "tml_1")
        let first = try await config.connectionToken()
        #expect("\(first)" == "••••")
        #expect(first.reveal() == "pst_1")
        #expect(try await config.connectionToken().reveal() == "pst_2")
        #expect(transport.calls.first?.body == #"{"location":"tml_1"}"#)
        await #expect(throws: CounterError.self) { try await config.connectionToken() }
    }
}

/// One answer of any type, again and again.
private final class PageTransport: HTTPTransport {
    private let reply: HTTPReply
    private let sent = Mutex<[HTTPRequest]>([])

    init(_ status: Int, _ type: String, _ text: String) {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = type
        reply = HTTPReply(response: response, body: Array(text.utf8))
    }

    var requests: [HTTPRequest] { sent.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        sent.withLock { $0.append(request) }
        return reply
    }
}
