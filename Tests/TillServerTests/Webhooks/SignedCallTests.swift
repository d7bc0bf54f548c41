import Foundation
import Synchronization
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks
import TillJournal
import TillTestSupport

/// A shop's program that is asked: keeps the questions, and answers what a test says.
final class AskedShop: CallTransport {
    struct Question: Sendable {
        var url: String
        var fields: [String: String]
        var body: [UInt8]
        var allowsPrivate: Bool

        var data: JSONValue? { JSONValue(ifValid: body)?["data"] }
    }

    typealias Answer = @Sendable (Question) -> Result<WebhookAnswer, WebhookFailure>

    private struct State {
        var questions: [Question] = []
        var answer: Answer = { _ in .success(WebhookAnswer(status: 200)) }
    }

    private let state = Mutex(State())

    var questions: [Question] { state.withLock { $0.questions } }

    /// Answers like this from now on.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func answer(_ text: String, status: Int = 200) {
        answer { _ in .success(WebhookAnswer(status: status, body: Array(text.utf8))) }
    }

    func ask(
        _ body: [UInt8], at url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, within: Span,
        atMost limit: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        let question = Question(
            url: url.text, fields: fields.reduce(into: [:]) { $0[$1.name] = $1.value }, body: body,
            allowsPrivate: allowsPrivate)
        let answer = state.withLock { state in
            state.questions.append(question)
            return state.answer
        }
        return try answer(question).get()
    }
}

/// A folder for a test, which goes with it.
final class TestFolder: Sendable {
    let path = NSTemporaryDirectory() + "till-calls-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("Signed calls to shops")
struct SignedCallTests {
    private static let limits = SignedCalls.Limits(time: .seconds(1), answerBytes: 1_000)

    private let clock = ManualClock()
    private let shop = AskedShop()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func endpoints() -> WebhookEndpoints {
        WebhookEndpoints(
            MemoryJournal(storage: MemoryJournal.Storage(), clock: clock),
            pepper: Pepper(besideJournal: folder.path + "/journal"), clock: clock, mode: .test,
            reachesInside: { _ in false })
    }

    private func world() async throws -> (SignedCalls, WebhookEndpoints, WebhookEndpoint, WebhookSecret) {
        let endpoints = endpoints()
        let (endpoint, secret) = try await endpoints.create(
            account: .main, url: "https://shop.example/till", types: nil, allowsPrivate: false, key: "k")
        return (SignedCalls(endpoints, transport: shop), endpoints, endpoint, secret)
    }

    @Test("A call is signed with the secret of its endpoint")
    func signed() async throws {
        let (calls, _, endpoint, secret) = try await world()
        shop.answer("yes")
        let answer = try await calls.call(
            "https://shop.example/quote?a=b", of: endpoint.id, account: .main, body: Array("{}".utf8),
            limits: Self.limits)
        #expect(answer.status == 200 && answer.body == Array("yes".utf8))
        let question = try #require(shop.questions.first)
        #expect(question.url == "https://shop.example/quote?a=b" && !question.allowsPrivate)
        let id = try #require(question.fields["webhook-id"])
        let time = try #require(question.fields["webhook-timestamp"].flatMap { Int64($0) })
        #expect(time == clock.now().milliseconds / 1_000)
        #expect(
            question.fields["webhook-signature"] == secret.signature(id: id, timestamp: time, body: question.body))
    }

    @Test(
        "Another scheme, host or port than the endpoint's is not called",
        arguments: [
            "https://other.example/quote", "https://shop.example:8443/quote", "https://shop.example.evil.example/",
            "https://www.shop.example/quote",
        ])
    func origin(_ url: String) async throws {
        let (calls, _, endpoint, _) = try await world()
        await #expect(throws: SignedCallError.otherOrigin) {
            try await calls.check(url, of: endpoint.id, account: .main)
        }
        await #expect(throws: SignedCallError.otherOrigin) {
            _ = try await calls.call(url, of: endpoint.id, account: .main, body: [], limits: Self.limits)
        }
        #expect(shop.questions.isEmpty)
        try await calls.check("https://shop.example:443/x", of: endpoint.id, account: .main)
    }

    @Test("An endpoint of another account, a disabled one and an internal address are not called")
    func refused() async throws {
        let (calls, endpoints, endpoint, _) = try await world()
        let url = "https://shop.example/quote"
        await #expect(throws: SignedCallError.endpoint(.unknownEndpoint)) {
            try await calls.check(url, of: endpoint.id, account: AccountID(rawValue: "other"))
        }
        await #expect(throws: SignedCallError.endpoint(.url(.inside("127.0.0.1")))) {
            try await calls.check("https://127.0.0.1/quote", of: endpoint.id, account: .main)
        }
        var change = WebhookEndpoints.Change()
        change.isEnabled = false
        _ = try await endpoints.change(endpoint.id, of: .main, change)
        await #expect(throws: SignedCallError.endpoint(.disabled)) {
            _ = try await calls.call(url, of: endpoint.id, account: .main, body: [], limits: Self.limits)
        }
        #expect(shop.questions.isEmpty)
    }
}
