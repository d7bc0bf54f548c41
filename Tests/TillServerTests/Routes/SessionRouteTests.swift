import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Signing in over HTTP")
struct SessionRouteTests {
    private func counter(_ body: (RoutedCounter) async throws -> Void) async throws {
        let counter = try await RoutedCounter()
        do { try await body(counter) } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    }

    private func signIn(_ counter: RoutedCounter, _ body: String) async throws -> Response {
        try await counter.ask("POST", "/session", isStranger: true, headers: ["X-Till-Page": "1"], body)
    }

    private func code(_ counter: RoutedCounter) async throws -> String {
        try await StartCodes(counter.journal, clock: MeasuringClock(SystemClock())).make(for: .main)
    }

    private func cookie(_ response: Response) throws -> String {
        String(try #require(response.headers[.setCookie]).prefix { $0 != ";" })
    }

    private func problem(_ response: Response) async throws -> String? {
        try await RoutedCounter.document(response)["code"]?.stringValue
    }

    @Test("A start code lets in once; what it let in can do everything of its account, until it signs out")
    func startCode() async throws {
        try await counter { counter in
            let body = #"{"start_code":"\#(try await code(counter))"}"#
            let first = try await signIn(counter, body)
            #expect(first.status == .noContent)
            let again = try await signIn(counter, body)
            #expect(again.status == .unauthorized && again.headers[.setCookie] == nil)
            #expect(try await problem(again) == "start_code_spent")
            let headers = ["Cookie": try cookie(first), "X-Till-Page": "1"]
            for path in ["/v1/payments", "/metrics"] {
                #expect(try await counter.ask("GET", path, isStranger: true, headers: headers).status == .ok)
                #expect(try await counter.ask("GET", path, isStranger: true).status == .unauthorized)
            }
            let form = try await counter.ask(
                "DELETE", "/session", isStranger: true, headers: ["Cookie": try cookie(first)])
            #expect(form.status == .forbidden)
            let end = try await counter.ask("DELETE", "/session", isStranger: true, headers: headers)
            #expect(end.status == .noContent)
            #expect(end.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(
                try await counter.ask("GET", "/v1/payments", isStranger: true, headers: headers).status
                    == .unauthorized)
            let repeated = try await counter.ask("DELETE", "/session", isStranger: true, headers: headers)
            #expect(repeated.status == .noContent)
        }
    }

    @Test("Whoever guesses at invitations is not listened to for a while")
    func invitations() async throws {
        try await counter { counter in
            var codes: [String?] = []
            for number in 0..<8 {
                let response = try await counter.ask(
                    "POST", "/session/invitation", isStranger: true, headers: ["X-Till-Page": "1"],
                    #"{"invitation":"staff_\#(number).wrong"}"#)
                codes.append(try await problem(response))
            }
            #expect(codes.prefix(5) == Array(repeating: "invitation_spent", count: 5)[...])
            #expect(codes.dropFirst(5).allSatisfy { $0 == "too_many_sign_ins" })
        }
    }

    @Test("A session that was begun with a key is of its account, and ends with it")
    func key() async throws {
        try await counter { counter in
            let keys = APIKeys(counter.journal, clock: SystemClock())
            let hash = digest("shop".utf8)
            try await keys.add(hash: hash, account: AccountID(rawValue: "north"), label: "test")
            let begun = try await signIn(counter, #"{"key":"shop"}"#)
            #expect(begun.status == .noContent)
            let headers = ["Cookie": try cookie(begun)]
            #expect(try await counter.ask("GET", "/v1/payments", isStranger: true, headers: headers).status == .ok)
            _ = try await keys.revoke(hash: hash)
            var status = HTTPResponse.Status.ok
            for _ in 0..<60 where status == .ok {
                try await Task.sleep(for: .milliseconds(100))
                status = try await counter.ask("GET", "/v1/payments", isStranger: true, headers: headers).status
            }
            #expect(status == .unauthorized)
            #expect(try await Records<PageSessionRecord>(counter.journal).count() == 0)
        }
    }

    @Test("Bodies with both, none or something else are refused")
    func bodies() async throws {
        try await counter { counter in
            for body in [#"{}"#, #"{"key":"key","start_code":"x"}"#, #"{"key":"key","as":"x"}"#, #"{"key":1}"#] {
                let answer = try await signIn(counter, body)
                #expect(answer.status == .unprocessableContent, "\(body)")
            }
        }
    }

    @Test("Who guesses is not listened to for a while; a right key and the owner's start code are taken all the same")
    func guessing() async throws {
        try await counter { counter in
            var answer = try await signIn(counter, #"{"key":"wrong"}"#)
            for _ in 0..<200 where answer.status == .unauthorized {
                answer = try await signIn(counter, #"{"key":"wrong"}"#)
            }
            #expect(answer.status == .tooManyRequests)
            #expect(answer.headers[.retryAfter] != nil)
            #expect(try await problem(answer) == "too_many_sign_ins")
            #expect(try await signIn(counter, #"{"key":"key"}"#).status == .noContent)
            // On a busy machine the first waits are over before the next request: each wrong one makes them longer.
            // A name is another one each time, so that no name's own limit holds anything up.
            func isHeldUp(_ body: (Int) -> String) async throws -> Bool {
                for number in 0..<20 {
                    _ = try await signIn(counter, #"{"key":"wrong"}"#)
                    let answer = try await signIn(counter, body(number))
                    if answer.status == .tooManyRequests { return try await problem(answer) == "too_many_sign_ins" }
                }
                return false
            }
            #expect(try await isHeldUp { _ in #"{"key":"wrong"}"# })
            #expect(try await isHeldUp { _ in #"{"start_code":"wrong"}"# })
            #expect(try await isHeldUp { #"{"name":"Ann \#($0)","password":"wrong","code":"000000"}"# })
            let owner = try await signIn(counter, #"{"start_code":"\#(try await code(counter))"}"#)
            let words = try await RoutedCounter.text(owner)
            #expect(owner.status == .noContent, "\(words)")
            let figures = try await RoutedCounter.text(try await counter.ask("GET", "/metrics"))
            let count = try #require(figures.firstMatch(of: /(?m)^till_sign_in_refused_total (\d+)$/)).1
            #expect(Int(count) ?? 0 >= SignInThrottle.ofAddress.free + 4)
        }
    }

    @Test("The page is taken from its own origin, and from the one of the shop's address behind a proxy")
    func origins() async throws {
        let place = try SessionPlace()
        var options = ServerOptions()
        options.receipts.url = "https://Till.example/counter"
        let authenticator = RequestAuthenticator(
            keys: APIKeys(place.store, clock: place.clock), sessions: place.sessions(),
            staff: StaffOnDuty(place.store, clock: place.clock), options: options, clock: place.clock)
        func isTaken(_ origin: String?) -> Bool {
            var headers = HTTPFields()
            headers[.origin] = origin
            do {
                try authenticator.checkPage(SessionPlace.request(headers: headers))
                return true
            } catch { return false }
        }
        for origin in [nil, "http://127.0.0.1:8080", "https://till.example"] {
            #expect(isTaken(origin), "\(origin ?? "none")")
        }
        let foreign = [
            "https://evil.example", "http://till.example", "https://till.example:8443", "null", "",
            "https://till.example.evil.example", "http://127.0.0.1:8081",
        ]
        for origin in foreign { #expect(!isTaken(origin), "\(origin)") }
        #expect(CounterAddress.origin(of: "https://a.example:443/x") == "https://a.example")
        #expect(CounterAddress.origin(of: "http://a.example:8080") == "http://a.example:8080")
        #expect(CounterAddress.origin(of: "ftp://a.example") == nil)
    }
}
