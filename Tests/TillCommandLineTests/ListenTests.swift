import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillFeatureWebhooks

@testable import TillCommandLine

/// A clock whose waits end at once, and are kept.
private final class PassingClock: TillClock {
    private let spans = Mutex<[Span]>([])
    var waits: [Span] { spans.withLock { $0 } }

    func now() -> Timestamp { Timestamp(milliseconds: 1_795_000_000_000) }
    func sleep(for span: Span) async throws {
        try Task.checkCancellation()
        spans.withLock { $0.append(span) }
    }
}

/// A program under test that answers in turn; the last answer stays.
private final class FakeProgram: WebhookTransport {
    private let answers: Mutex<[Result<WebhookAnswer, WebhookFailure>]>
    private let bodies = Mutex<[[UInt8]]>([])
    var count: Int { bodies.withLock { $0.count } }

    init(_ answers: Result<WebhookAnswer, WebhookFailure>...) { self.answers = Mutex(answers) }

    func post(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        bodies.withLock { $0.append(body) }
        let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard let answer else { throw .nameNotFound }
        return try answer.get()
    }
}

/// A counter whose streams come in turn, and its documents; the last document stays. Without further streams it is not
/// reached, or refuses the key.
private final class FakeCounter: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var body: String
        /// `true` for a connection that breaks off after the body.
        var breaks = false
    }

    private let streams: Mutex<[Answer]>
    private let documents: Mutex<[Answer]>
    /// Events for every stream that is asked for, beside those that come in turn.
    private let journal: [String]
    private let places = Mutex<[String?]>([])
    private let paths = Mutex<[String]>([])
    /// The positions after which the stream was asked for.
    var asked: [String?] { places.withLock { $0 } }
    /// The number of documents that were asked for.
    var count: Int { paths.withLock { $0.count } }

    init(_ streams: [Answer] = [], documents: [Answer] = [], journal: [String] = []) {
        self.streams = Mutex(streams)
        self.documents = Mutex(documents)
        self.journal = journal
    }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        paths.withLock { $0.append(request.path ?? "") }
        let answer = documents.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard let answer else { throw .notSent(reason: "the connection was refused") }
        return HTTPReply(response: head(answer), body: Array(answer.body.utf8))
    }

    func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        let place = HTTPField.Name("Last-Event-ID").flatMap { request.headerFields[$0] }
        places.withLock { $0.append(place) }
        var answer = streams.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if answer == nil, let after = place.flatMap(Int.init), after < journal.count {
            answer = Answer(body: "retry: 1000\n\n" + journal[after...].joined())
        } else if answer == nil, !journal.isEmpty {
            answer = FakeCounter.refusal
        }
        guard let answer else { throw .notSent(reason: "the connection was refused") }
        guard piece(Array(answer.body.utf8)), !answer.breaks else { throw .unknown(reason: "it broke off") }
        return head(answer)
    }

    static let refusal = Answer(
        status: 401,
        body: #"{"code":"unauthorized","detail":"No valid key.","next":"Send one.","money_moved":"no"}"#)

    private func head(_ answer: Answer) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: answer.status))
        if let mode = HTTPField.Name("Till-Mode") { head.headerFields[mode] = "TEST" }
        return head
    }
}

@Suite("Listening to a counter") struct ListenTests {
    private static let taken = Result<WebhookAnswer, WebhookFailure>.success(WebhookAnswer(status: 204))
    private static let down = Result<WebhookAnswer, WebhookFailure>.failure(.noAnswer("refused"))

    private func line(_ sequence: Int, _ version: Int, _ name: String) -> String {
        """
        id: \(sequence)
        event: \(name)
        data: {"sequence":\(sequence),"payment":"pay_1","version":\(version),"type":"\(name)",\
        "at":"2026-11-18T12:26:40.000Z"}\n\n
        """
    }

    private func document(captures: String = "[]", _ events: String...) -> FakeCounter.Answer {
        let list = events.map { #"{"type":"\#($0)"}"# }.joined(separator: ",")
        return FakeCounter.Answer(
            body: """
                {"id":"pay_1","order_id":"1001","order_number":"1001","status":"succeeded","amount":1250,\
                "currency":"EUR","captured":1250,"refunded":0,"test":true,"captures":\(captures),"events":[\(list)]}
                """)
    }

    private func payment(captures: String = "[]", _ events: [String]) throws -> ListenPayment {
        let list = events.map { #"{"type":"\#($0)"}"# }.joined(separator: ",")
        let json = try JSONValue(
            parsing: """
                {"id":"pay_1","order_id":"1001","order_number":"1001","status":"succeeded","amount":1250,\
                "currency":"EUR","captured":1250,"refunded":0,"test":true,"captures":\(captures),"events":[\(list)]}
                """.utf8)
        return try #require(ListenPayment(json, isTestMode: true))
    }

    private func event(_ version: Int, _ name: String) throws -> ListenEvent {
        try #require(
            ListenEvent(
                data: """
                    {"sequence":\(version),"payment":"pay_1","version":\(version),"type":"\(name)",\
                    "at":"2026-11-18T12:26:40.000Z"}
                    """))
    }

    private func follower(
        _ counter: FakeCounter, _ program: FakeProgram, _ clock: PassingClock,
        _ tell: @escaping @Sendable (ListenLine) -> Void = { _ in }
    ) throws -> ListenFollower {
        let url = try WebhookURL("http://127.0.0.1:3000/till", allowsPrivate: true)
        return ListenFollower(
            counter: try ListenCounter(address: "http://127.0.0.1:8080", key: Secret("key"), transport: counter),
            forwarder: ListenForwarder(
                url: url, secret: .random(), transport: program, clock: clock, note: { _ in }),
            types: .all, clock: clock, note: { _ in }, tell: tell)
    }

    @Test("Every type of message is made of an event, and an event that is not known makes none")
    func types() throws {
        let plain = try payment(["payment.created"])
        let made = Set(try ListenStep.allCases.compactMap { $0.type(of: try event(1, $0.rawValue), plain) })
        #expect(made == Set(WebhookType.allCases))
        for step in ListenStep.allCases where step.isOperation {
            #expect(step.type(of: try event(1, step.rawValue), plain) == nil)
        }
        #expect(ListenStep(rawValue: "payment.invented") == nil)
        #expect(PaymentEvent.canceled.name == ListenStep.canceled.rawValue)
    }

    @Test("An authorization of a scheme that takes the money at once is a capture")
    func captureAtOnce() throws {
        let events = ["payment.created", "attempt.started", "attempt.authorized"]
        let authorized = try event(3, "attempt.authorized")
        #expect(ListenStep.authorized.type(of: authorized, try payment(events)) == .authorized)
        #expect(ListenStep.authorized.type(of: authorized, try payment(captures: "[{}]", events)) == .captured)
        let later = events + ["capture.started", "capture.succeeded"]
        #expect(ListenStep.authorized.type(of: authorized, try payment(captures: "[{}]", later)) == .authorized)
    }

    @Test("A refusal is about the operation that was begun before it")
    func refusals() throws {
        for (begun, type) in [
            ("capture.started", WebhookType.captureFailed), ("refund.started", .refundFailed), ("void.started", nil),
            ("renewal.started", nil),
        ] as [(String, WebhookType?)] {
            let events = ["payment.created", "attempt.started", "attempt.authorized", begun, "operation.refused"]
            let read = try payment(events + ["refund.started"])
            #expect(ListenStep.refused.type(of: try event(5, "operation.refused"), read) == type, "\(begun)")
        }
    }

    @Test("A stream is read in pieces of any size; a reader's event is none of the journal")
    func stream() {
        let reader = #"event: reader\#ndata: {"payment":"pay_1","type":"insert"}\#n\#n"#
        let text =
            "retry: 1000\n\n" + line(7, 1, "payment.created") + ": still here\n\n" + reader
            + line(8, 2, "attempt.started").replacing("\n", with: "\r\n")
        for size in [1, 2, 7, 4_096] {
            var stream = ListenStreamReader()
            var found: [Int64] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += stream.read(Array(bytes[start..<min(start + size, bytes.count)])).map(\.sequence)
            }
            #expect(found == [7, 8] && stream.hasBegun && !stream.isTooLong, "\(size)")
        }
        var long = ListenStreamReader()
        _ = long.read([UInt8](repeating: 0x61, count: ListenLimits.lineBytes + 1))
        #expect(long.isTooLong && !long.hasBegun)
    }

    @Test("A program that is down is tried again, up to the limit; a refusal is not")
    func attempts() async throws {
        let url = try WebhookURL("http://127.0.0.1:3000/till", allowsPrivate: true)
        for (answers, attempts, isTaken) in [
            ([ListenTests.down, .success(WebhookAnswer(status: 503)), ListenTests.taken], 3, true),
            ([ListenTests.down], ListenLimits.waits.count + 1, false),
            ([.success(WebhookAnswer(status: 400)), ListenTests.taken], 1, false),
            ([.success(WebhookAnswer(status: 302)), ListenTests.taken], 1, false),
        ] {
            let program =
                answers.count == 1
                ? FakeProgram(answers[0]) : FakeProgram(answers[0], answers[1], answers.last ?? answers[1])
            let clock = PassingClock()
            let forwarder = ListenForwarder(
                url: url, secret: .random(), transport: program, clock: clock, note: { _ in })
            let outcome = await forwarder.send([1], id: .random())
            #expect(outcome.attempts == attempts && program.count == attempts && outcome.isTaken == isTaken)
            #expect(clock.waits == Array(ListenLimits.waits.prefix(attempts - 1)))
        }
    }

    @Test("A stream that breaks off goes on behind the last event; a refused key ends it with a code of its own")
    func resumption() async throws {
        let counter = FakeCounter(
            [
                .init(body: "retry: 1000\n\n" + line(7, 1, "payment.created"), breaks: true),
                .init(body: "retry: 1000\n\n" + line(8, 2, "attempt.started") + line(9, 3, "attempt.declined")),
                .init(status: 503, body: "Bad gateway"), FakeCounter.refusal,
            ], documents: [document("payment.created", "attempt.started", "attempt.declined")])
        let told = Mutex<[Int64]>([])
        let program = FakeProgram(ListenTests.taken)
        let following = try follower(counter, program, PassingClock()) { line in
            told.withLock { $0.append(line.event.sequence) }
        }
        let end = await #expect(throws: ListenEnd.self) { try await following.follow(after: 6) }
        #expect(end?.exitCode == 77 && end?.code == "unauthorized")
        #expect(told.withLock { $0 } == [7, 9] && program.count == 2)
        #expect(counter.asked == ["6", "7", "9", "9"])
    }

    @Test("A counter that dies between an event and its payment is asked for the event again")
    func death() async throws {
        let stream = FakeCounter.Answer(body: "retry: 1000\n\n" + line(7, 1, "payment.created"))
        let gone = FakeCounter.Answer(status: 502, body: "<html>")
        let counter = FakeCounter([stream, stream], documents: [gone, document("payment.created")])
        let program = FakeProgram(ListenTests.taken)
        let following = try follower(counter, program, PassingClock())
        let end = await #expect(throws: ListenEnd.self) { try await following.follow(after: 6) }
        #expect(end?.exitCode == 69 && end?.code == "counter_not_reached" && program.count == 1)
        #expect(counter.asked.prefix(3) == ["6", "6", "7"])
    }

    @Test("More events than may wait end the connection, and none is missed or comes twice")
    func overflow() async throws {
        let count = ListenLimits.waitingEvents * 2 + 100
        let counter = FakeCounter(
            documents: [document("payment.created")], journal: (1...count).map { line($0, 1, "payment.created") })
        let told = Mutex<[Int64]>([])
        let following = try follower(counter, FakeProgram(ListenTests.taken), PassingClock()) { line in
            told.withLock { $0.append(line.event.sequence) }
        }
        let end = await #expect(throws: ListenEnd.self) { try await following.follow(after: 0) }
        #expect(end?.exitCode == 77)
        #expect(told.withLock { $0 } == (1...Int64(count)).map { $0 })
        #expect(counter.asked.count > 2, "the connection ended before")
    }

    @Test("A counter that is not reached is given up after the limit")
    func unreachable() async throws {
        let counter = FakeCounter([])
        let clock = PassingClock()
        let following = try follower(counter, FakeProgram(ListenTests.taken), clock)
        let end = await #expect(throws: ListenEnd.self) { try await following.end() }
        #expect(end?.exitCode == 69 && counter.count == ListenLimits.failedConnections)
        #expect(clock.waits.count == ListenLimits.failedConnections - 1)
    }

    @Test("A server that is no counter is refused, and so is an address without TLS elsewhere")
    func otherServers() async throws {
        for body in ["hello", #"{"orders":[]}"#] {
            let following = try follower(
                FakeCounter(documents: [.init(body: body)]), FakeProgram(ListenTests.taken), PassingClock())
            let end = await #expect(throws: ListenEnd.self) { try await following.end() }
            #expect(end?.exitCode == 1 && end?.code == "no_counter")
        }
        for address in ["http://till.example", "ftp://127.0.0.1", "https://u:p@till.example", "https://till.example?a"]
        {
            #expect(throws: CommandError.self) {
                try ListenCounter(address: address, key: Secret("key"), transport: FakeCounter([]))
            }
        }
        #expect(throws: CommandError.self) {
            try ListenCounter(address: "http://127.0.0.1", key: Secret("a b"), transport: FakeCounter([]))
        }
    }
}
