import HTTPTypes
import Synchronization
import Testing
import TillClient
import TillCore
import TillTestSupport

@Suite("The session of a device")
struct CounterSessionTests {
    private static let renewal = "POST /v1/keys/renew"
    private let clock = ManualClock()
    private let session = CounterSession(token: Secret(Given.key))
    private let payment = PaymentID(rawValue: "pay_1")

    private func client(_ counter: RenewingCounter) throws -> CounterClient {
        try CounterClient(
            address: CounterAddress("https://counter.example.com"), session: session, transport: counter, clock: clock)
    }

    private func error(of client: CounterClient) async -> CounterError? {
        do throws(CounterError) { _ = try await client.payment(payment) } catch { return error }
        return nil
    }

    @Test("It is renewed before the first call, and before one after half of its lifetime; each call is sent once")
    func renewed() async throws {
        let counter = RenewingCounter()
        let client = try client(counter)
        #expect(await session.standing == .unknown)
        _ = try await client.payment(payment)
        #expect(await session.standing == .valid(until: clock.now().adding(.hours(1))))
        clock.advance(by: .minutes(29))
        _ = try await client.payment(payment)
        #expect(counter.lines == [Self.renewal, FakeCounter.read, FakeCounter.read])
        clock.advance(by: .minutes(1))
        _ = try await client.payment(payment)
        #expect(counter.lines.suffix(2) == [Self.renewal, FakeCounter.read])
        // A device's clock that is set back says nothing of how long the session lives.
        clock.advance(by: .hours(-2))
        _ = try await client.payment(payment)
        #expect(counter.lines.suffix(2) == [Self.renewal, FakeCounter.read])
        #expect(counter.tokens == ["Bearer \(Given.key)"])
    }

    @Test("A renewal without an answer keeps no call back, says its error, and is tried again after a pause")
    func unanswered() async throws {
        let counter = RenewingCounter()
        counter.renewals.withLock { $0 = .failure(.unknown(reason: "cut")) }
        let client = try client(counter)
        for _ in 1...2 { _ = try await client.payment(payment) }
        #expect(await session.standing == .notRenewed(.notAnswered(.renewSession, reason: "cut")))
        #expect(counter.lines == [Self.renewal, FakeCounter.read, FakeCounter.read])
        clock.advance(by: CounterClientLimits().renewalPause)
        counter.renewals.withLock { $0 = .success((200, #"{"expires_in":60}"#)) }
        _ = try await client.payment(payment)
        #expect(await session.standing == .valid(until: clock.now().adding(.minutes(1))))
        #expect(counter.lines.suffix(2) == [Self.renewal, FakeCounter.read])
    }

    @Test(
        "A session that is revoked or over sends no call, and the error has the counter's code",
        arguments: [CounterProblemCode.keyRevoked, .keyExpired])
    func refused(_ code: CounterProblemCode) async throws {
        let counter = RenewingCounter()
        counter.renewals.withLock { $0 = .success((401, FakeCounter.problem(code.rawValue, "no"))) }
        let client = try client(counter)
        for _ in 1...2 {
            let error = await error(of: client)
            guard case .refused(let problem)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(problem.code == code && error?.moneyMoved == .no)
            #expect(await session.standing == .refused(problem))
        }
        #expect(counter.lines == [Self.renewal, Self.renewal])
    }

    @Test(
        "Another refusal of the renewal, and an answer without a time, keep no call back",
        arguments: [
            (409, "key_not_renewable"), (404, "not_found"), (403, "permission_missing"), (503, "journal_unavailable"),
        ])
    func notRenewable(_ status: Int, _ code: String) async throws {
        let counter = RenewingCounter()
        counter.renewals.withLock { $0 = .success((status, FakeCounter.problem(code, "no"))) }
        _ = try await client(counter).payment(payment)
        guard case .notRenewed(.refused(let problem)) = await session.standing else {
            Issue.record("it was renewed")
            return
        }
        #expect(problem.code.rawValue == code)
        for text in [#"{}"#, #"{"expires_in":-1}"#, #"{"expires_in":9223372036854775807}"#, #"{"expires_in":"60"}"#] {
            clock.advance(by: CounterClientLimits().renewalPause)
            counter.renewals.withLock { $0 = .success((200, text)) }
            _ = try await client(counter).payment(payment)
            guard case .notRenewed(.notAnswered(.renewSession, _)) = await session.standing else {
                Issue.record("\(text)")
                continue
            }
        }
    }

    @Test("Of many calls at once one renews it")
    func concurrent() async throws {
        let counter = RenewingCounter()
        let client = try client(counter)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 { group.addTask { _ = try await client.payment(PaymentID(rawValue: "pay_1")) } }
            try await group.waitForAll()
        }
        #expect(counter.lines.count { $0 == Self.renewal } == 1)
        #expect(counter.lines.count == 9)
    }

    @Test("A session shows its token to nobody")
    func masked() throws {
        let client = try client(RenewingCounter())
        var text = "\(client) \(session) \(String(reflecting: session))"
        dump(client, to: &text)
        dump(session, to: &text)
        #expect(!text.contains(Given.key))
    }
}

/// A counter that renews sessions and has one payment.
private final class RenewingCounter: HTTPTransport {
    private let calls = Mutex<[(line: String, token: String)]>([])
    let renewals = Mutex<Result<(Int, String), TransportFailure>>(.success((200, #"{"expires_in":3600}"#)))

    var lines: [String] { calls.withLock { $0.map(\.line) } }
    var tokens: Set<String> { calls.withLock { Set($0.map(\.token)) } }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let line = "\(request.method.rawValue) \(request.path ?? "")"
        let token = request.headerFields[.authorization] ?? ""
        calls.withLock { $0.append((line, token)) }
        guard line.hasSuffix("/renew") else { return RenewingCounter.reply(200, Given.payment()) }
        let (status, text) = try renewals.withLock { $0 }.get()
        return RenewingCounter.reply(status, text)
    }

    private static func reply(_ status: Int, _ text: String) -> HTTPReply {
        HTTPReply(response: HTTPResponse(status: .init(code: status)), body: Array(text.utf8))
    }
}
