import HTTPTypes
import Hummingbird
import Logging
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("What a key may do")
struct PermissionRouteTests {
    private func make(
        _ scopes: Set<APIScope>, in counter: RoutedCounter, life: Span? = nil
    ) async throws -> APIKeys.Made {
        try await APIKeys(counter.journal, clock: SystemClock()).create(
            account: .main, label: "test", scopes: scopes, life: life)
    }

    private func bearer(_ made: APIKeys.Made) -> [String: String] { ["Authorization": "Bearer \(made.key.reveal())"] }

    @Test("Every route but those for anybody refuses a key without its scope, and names both")
    func everyRoute() async throws {
        let counter = try await RoutedCounter()
        var refused = 0
        for permission in APIScope.allCases {
            let others = Set.all.subtracting([permission])
            let key = bearer(try await make(others, in: counter))
            for route in counter.router.routes where route.scope == permission {
                for method in route.methods {
                    let path = route.template.replacing(/\{\w+\}/, with: "x")
                    let response = try await counter.ask(method.rawValue, path, headers: key)
                    #expect(response.status == .forbidden, "\(method) \(path)")
                    guard method != .head else { continue }
                    let problem = try await RoutedCounter.document(response)
                    #expect(problem["code"]?.stringValue == "permission_missing")
                    #expect(problem["scope_needed"]?.stringValue == permission.rawValue)
                    #expect(problem["scopes"]?.arrayValue?.compactMap(\.stringValue) == others.words)
                    refused += 1
                }
            }
        }
        await counter.close()
        #expect(refused > 35)
    }

    @Test("With the scope alone a route answers, and does not ask for another")
    func scopeIsEnough() async throws {
        let counter = try await RoutedCounter()
        for permission in APIScope.allCases {
            let key = bearer(try await make([permission], in: counter))
            for route in counter.router.routes
            where route.scope == permission && !route.template.hasSuffix("/events") {
                let path = route.template.replacing(/\{\w+\}/, with: "x")
                let response = try await counter.ask(route.methods[0].rawValue, path, headers: key)
                #expect(response.status != .forbidden && response.status != .unauthorized, "\(route.template)")
            }
        }
        await counter.close()
    }

    @Test("Routes for anybody change nothing of the shop's but what a provider or a customer says")
    func openRoutes() async throws {
        let counter = try await RoutedCounter()
        let open = counter.router.routes.filter { route in
            route.scope == nil && route.methods.contains { $0 != .get && $0 != .head }
        }
        await counter.close()
        let own = Set(open.map(\.template).filter { !$0.hasPrefix("/applepay/") && !$0.hasPrefix("/shop") })
        let session = [
            "", "/enrolment", "/invitation", "/invitation/passkey", "/own", "/own/{id}", "/passkey", "/passkeys",
            "/passkeys/challenge", "/passkeys/{id}", "/password", "/person",
        ].map { "/session" + $0 }
        let others = [
            "/webhooks/{provider}", "/v1/shops/{id}/notifications", "/card/fields", "/card/pay", "/card/status",
            "/card/cancel", "/app/pay", "/app/session_result", "/app/cancel",
        ]
        #expect(own == Set(session + others))
    }

    @Test("A key gives nobody a role that may do more than the key, and touches nobody who has one")
    func roles() async throws {
        let counter = try await RoutedCounter()
        var number = 0
        func ask(_ scopes: Set<APIScope>, _ method: String, _ path: String, _ body: String) async throws -> Response {
            number += 1
            var headers = bearer(try await make(scopes, in: counter))
            headers["Idempotency-Key"] = "k-\(number)"
            return try await counter.ask(method, path, headers: headers, body)
        }
        func add(_ role: String, _ scopes: Set<APIScope>) async throws -> Response {
            try await ask(scopes, "POST", "/v1/staff", #"{"name":"Eve \#(number)","role":"\#(role)"}"#)
        }
        let seller: Set<APIScope> = [.read, .sell, .refund, .readers, .offline, .staff]
        for (role, scopes) in [("owner", [.staff]), ("cashier", [.staff]), ("manager", seller), ("owner", seller)]
            as [(String, Set<APIScope>)]
        {
            let response = try await add(role, scopes)
            #expect(response.status == .forbidden, "\(role) \(scopes)")
            let problem = try await RoutedCounter.document(response)
            #expect(problem["code"]?.stringValue == "role_exceeds_yours")
            #expect(problem["detail"]?.stringValue?.contains("lacks the scopes") == true)
        }
        #expect(try await add("cashier", seller).status == .created)
        let owner = try await RoutedCounter.document(try await add("owner", .all))
        let id = try #require(owner["id"]?.stringValue)
        let path = "/v1/staff/\(id)"
        #expect(try await ask(seller, "PATCH", path, #"{"pin":"604913"}"#).status == .forbidden)
        #expect(try await ask(seller, "POST", path + "/invitation", "{}").status == .forbidden)
        #expect(try await ask(.all, "PATCH", path, #"{"pin":"604913"}"#).status == .ok)
        await counter.close()
    }

    @Test("A refund needs its scope, also when it comes again with the key of one that was made")
    func refund() async throws {
        let counter = try await RoutedCounter()
        let (seller, refunder) = (
            bearer(try await make([.read, .sell], in: counter)), bearer(try await make([.refund], in: counter))
        )
        func ask(_ path: String, _ key: [String: String], _ name: String, _ body: String) async throws -> Response {
            try await counter.ask("POST", path, headers: key.merging(["Idempotency-Key": name]) { $1 }, body)
        }
        let created = try await ask(
            "/v1/payments", seller, "k", #"{"order_id":"o","amount":1250,"currency":"EUR"}"#)
        let id = try #require(try await RoutedCounter.document(created)["id"]?.stringValue)
        let paid = try await ask(
            "/v1/payments/\(id)/confirm", seller, "c", #"{"tender":{"type":"cash"}}"#)
        #expect(paid.status == .ok)
        #expect(try await ask("/v1/payments/\(id)/refunds", seller, "r", #"{"amount":250}"#).status == .forbidden)
        #expect(try await ask("/v1/payments/\(id)/refunds", refunder, "r", #"{"amount":250}"#).status == .created)
        let again = try await ask("/v1/payments/\(id)/refunds", seller, "r", #"{"amount":250}"#)
        #expect(again.status == .forbidden && again.headers[.idempotentReplayed] == nil)
        // Neither calling it off nor letting the rest of a hold go gives captured money back.
        let canceled = try await ask("/v1/payments/\(id)/cancel", seller, "x", "{}")
        #expect(canceled.status == .conflict)
        let read = try await counter.ask("GET", "/v1/payments/\(id)", headers: seller)
        #expect(try await RoutedCounter.document(read)["refunded"]?["amount"]?.int64Value ?? 250 == 250)
        await counter.close()
    }

    @Test("A revoked, an expired and an unknown key are told apart to who holds them, and none lets in")
    func ended() async throws {
        let counter = try await RoutedCounter()
        let keys = APIKeys(counter.journal, clock: SystemClock())
        let (revoked, short) = (
            try await make([.read], in: counter), try await make([.read], in: counter, life: .seconds(1))
        )
        #expect(try await counter.ask("GET", "/v1/payments", headers: bearer(revoked)).status == .ok)
        try await keys.revoke(revoked.record.id)
        // It is believed for a second yet, but no stream outlives it.
        let stream = try await counter.ask("GET", "/v1/events", headers: bearer(revoked))
        #expect(stream.status == .unauthorized)
        try await Task.sleep(for: .milliseconds(1_050))
        for (key, code) in [(bearer(revoked), "key_revoked"), (bearer(short), "key_expired")] {
            let response = try await counter.ask("GET", "/v1/payments", headers: key)
            #expect(response.status == .unauthorized)
            #expect(try await RoutedCounter.document(response)["code"]?.stringValue == code)
        }
        let unknown = try await counter.ask("GET", "/v1/payments", headers: ["Authorization": "Bearer till_x"])
        #expect(try await RoutedCounter.document(unknown)["code"]?.stringValue == "unauthorized")
        let figures = try await counter.ask("GET", "/metrics")
        #expect(try await RoutedCounter.text(figures).contains("\ntill_keys_refused_total 1\n"))
        await counter.close()
    }

    @Test("Revoking a key by another process ends its streams, its sessions and what is remembered of it")
    func watch() async throws {
        let counter = try await RoutedCounter()
        let keys = APIKeys(counter.journal, clock: SystemClock())
        let (made, other) = (try await make([.read], in: counter), try await make([.read], in: counter))
        let (mine, others) = (Principal.Credential.key(hash: made.record.hash), other.record.hash)
        let feed = EventFeed()
        let authenticator = authenticator(of: counter, keys, feed)
        let watch = KeyWatch(
            keys: keys, authenticator: authenticator, feed: feed, clock: SystemClock(), logger: Logger(label: "test"))
        var memory = KeyWatch.Memory()
        try await watch.poll(&memory)
        _ = try #require(try await authenticator.principal(forKey: made.key.reveal()))
        let token = try await authenticator.sessions.begin(for: .main, key: made.record.hash)
        let cookie = "\(try await authenticator.sessions.cookie(for: request([:])).name)=\(token)"
        let session = try await authenticator.principal(of: request([.cookie: cookie]), for: .read)
        #expect(session.scopes == [.read], "a session may do no more than the key that began it")
        _ = try #require(feed.listen(.main, credential: mine, atMost: 9))
        _ = try #require(feed.listen(.main, credential: session.credential, atMost: 9))
        _ = try #require(feed.listen(.main, credential: .key(hash: others), atMost: 9))
        try await watch.poll(&memory)
        #expect(feed.count == 3)
        // As the command line does it, with a store of its own.
        try await APIKeys(counter.journal, clock: SystemClock()).revoke(made.record.id)
        try await watch.poll(&memory)
        #expect(feed.count == 1)
        #expect(try await authenticator.sessions.session(of: request([.cookie: cookie])) == nil)
        await #expect(throws: Problem.self) { try await authenticator.principal(forKey: made.key.reveal()) }
        #expect(try await !authenticator.isInForce(mine))
        await counter.close()
    }

    @Test("A key is taken in every spelling of its scheme, remembered or not, and nothing else is a key")
    func schemes() async throws {
        let counter = try await RoutedCounter()
        let keys = APIKeys(counter.journal, clock: SystemClock())
        let made = try await make([.read], in: counter)
        let key = made.key.reveal()
        let authenticator = authenticator(of: counter, keys, EventFeed())
        for header in ["bearer \(key)", "Bearer \(key)", "BEARER \(key)", "Bearer \(key)"] {
            let principal = try await authenticator.principal(of: request([.authorization: header]), for: .read)
            #expect(principal.credential == .key(hash: made.record.hash))
            // A scope is asked for each time, whether the key is remembered or not.
            await #expect(throws: Problem.self) {
                try await authenticator.principal(of: request([.authorization: header]), for: .refund)
            }
        }
        for header in ["Bearer", "Bearer ", "Bearer  \(key)", "Basic \(key)", key, "Bearer \(key)x"] {
            await #expect(throws: Problem.self) {
                try await authenticator.principal(of: request([.authorization: header]), for: .read)
            }
        }
        await counter.close()
    }

    @Test("An expired key's streams end by themselves, and its last use is in the list")
    func expiry() async throws {
        let counter = try await RoutedCounter()
        let clock = ManualClock(SystemClock().now())
        let keys = APIKeys(counter.journal, clock: clock)
        let made = try await keys.create(account: .main, label: "test", scopes: [.read], life: .seconds(1))
        let feed = EventFeed()
        let authenticator = authenticator(of: counter, keys, feed, clock)
        let watch = KeyWatch(
            keys: keys, authenticator: authenticator, feed: feed, clock: clock, logger: Logger(label: "test"))
        var memory = KeyWatch.Memory()
        _ = try await authenticator.principal(forKey: made.key.reveal())
        _ = try #require(feed.listen(.main, credential: .key(hash: made.record.hash), atMost: 9))
        try await watch.poll(&memory)
        #expect(feed.count == 1)
        #expect(try await keys.lastUses()[made.record.hash] != nil)
        clock.advance(by: .seconds(2))
        try await watch.poll(&memory)
        #expect(feed.count == 0)
        #expect(try await keys.key(ofHash: made.record.hash)?.hasExpired == true)
        await counter.close()
    }

    private func authenticator(
        of counter: RoutedCounter, _ keys: APIKeys, _ feed: EventFeed, _ clock: any TillClock = SystemClock()
    ) -> RequestAuthenticator {
        RequestAuthenticator(
            keys: keys,
            sessions: PageSessions(
                counter.journal, limits: SessionLimits(), clock: MeasuringClock(clock), feed: feed),
            staff: StaffOnDuty(counter.journal, clock: clock), options: ServerOptions(), clock: clock)
    }

    private func request(_ headers: HTTPFields) -> Request {
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost:8080", path: "/", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: .init()))
    }
}
