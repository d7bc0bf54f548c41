import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillProvider

@testable import TillServer
@testable import TillWeb

/// What an account finds of another's. `Tests/Peers/test_attack_isolation.py` asks every described route of the binary.
@Suite("What belongs to an account")
struct AccountIsolationTests {
    /// SHA-256 of this is a key of the account `other`.
    private static let stranger = ["Authorization": "Bearer other"]

    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, _ body: String = "", key: String = "k"
    ) async throws -> (status: HTTPResponse.Status, code: String?) {
        let headers = Self.stranger.merging(["Idempotency-Key": key]) { $1 }
        let response = try await counter.ask(method, path, headers: headers, body)
        return (response.status, try await RoutedCounter.document(response)["code"]?.stringValue)
    }

    @Test("The counter's readers, taps, printers and stored cards are not there for another account")
    func hardware() async throws {
        let counter = try await RoutedCounter()
        let routes = counter.router.routes.filter { $0.scope != nil && $0.owner == .counter }
        #expect(
            Set(routes.map(\.template)) == [
                "/metrics", "/v1/applepay/baskets", "/v1/applepay/baskets/{id}", "/v1/applepay/guests/redeem",
                "/v1/applepay/guests/{id}", "/v1/audit", "/v1/offline", "/v1/printers", "/v1/printers/{name}",
                "/v1/printers/{name}/drawer",
                "/v1/printers/{name}/test", "/v1/settings", "/v1/settings/backups", "/v1/settings/health",
                "/v1/settings/providers", "/v1/settings/receipts", "/v1/settings/receipts/preview", "/v1/tap",
                "/v1/tap/card", "/v1/tap/cancel",
                "/v1/tap/story", "/v1/terminal/connection_tokens", "/v1/terminal/payments",
                "/v1/terminal/payments/{id}/settle", "/v1/terminal/readers", "/v1/terminal/readers/{id}",
                "/v1/terminal/readers/{id}/answers",
                "/v1/terminal/readers/{id}/cancel", "/v1/terminal/readers/{id}/card",
                "/v1/terminal/readers/{id}/inputs",
            ])
        for route in routes {
            let path = route.template.replacing(/\{\w+\}/, with: "x")
            let found = try await ask(counter, route.methods[0].rawValue, path)
            #expect(found.status == .notFound && found.code == "not_found", "\(route.template)")
        }
        await counter.close()
    }

    @Test("A payment of another account is not made or given back at the counter's readers, nor put on its paper")
    func borrowed() async throws {
        let counter = try await RoutedCounter()
        let headers = Self.stranger.merging(["Idempotency-Key": "k"]) { $1 }
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: headers, #"{"order_id":"o","amount":1250,"currency":"EUR"}"#)
        let id = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        for reader in ["simulated", "tap", "tmr_1"] {
            let found = try await ask(
                counter, "POST", "/v1/payments/\(id)/confirm", #"{"tender":{"type":"reader","reader":"\#(reader)"}}"#)
            #expect(found.status == .notFound && found.code == "reader_not_found", "\(reader)")
        }
        let paid = try await ask(counter, "POST", "/v1/payments/\(id)/confirm", #"{"tender":{"type":"cash"}}"#)
        #expect(paid.status == .ok, "it sells all the same")
        let back = try await ask(counter, "POST", "/v1/payments/\(id)/refunds", #"{"reader":"tmr_1"}"#)
        #expect(back.status == .notFound && back.code == "reader_not_found")
        try await PrinterRegistry(counter.journal).keep(
            KnownPrinter(name: "bar", address: "socket://127.0.0.1:9", profile: "80"))
        let printed = try await ask(
            counter, "POST", "/v1/payments/\(id)/receipt/print", #"{"printer":"bar"}"#)
        let unknown = try await ask(
            counter, "POST", "/v1/payments/\(id)/receipt/print", #"{"printer":"nowhere"}"#)
        #expect(printed.status == .unprocessableContent && printed == unknown)
        #expect(try await PrintJobs(counter.journal).jobs(of: nil).isEmpty)
        await counter.close()
    }

    @Test("What an account may use that is not its own is set")
    func shared() throws {
        var options = ServerOptions()
        options.account = AccountID(rawValue: "shop")
        options.hardwareAccounts = [AccountID(rawValue: "bar")]
        #expect(options.hasHardware(AccountID(rawValue: "shop")) && options.hasHardware(AccountID(rawValue: "bar")))
        #expect(!options.hasHardware(.main))
        let given = try Settings(environment: ["TILL_HARDWARE_ACCOUNTS": "bar, cellar"])
        #expect(try given.accounts(.hardwareAccounts).map(\.rawValue).sorted() == ["bar", "cellar"])
        #expect(try Settings(environment: [:]).accounts(.hardwareAccounts) == [])
        #expect(throws: SettingsError.self) {
            try Settings(environment: ["TILL_HARDWARE_ACCOUNTS": "bär"]).accounts(.hardwareAccounts)
        }
    }

    @Test("No account takes all the places, and the counter's own always finds some")
    func shares() {
        let (mine, bar) = (AccountID.main, AccountID(rawValue: "bar"))
        let shares = AccountShares(all: 16, owner: mine)
        #expect(shares.allow(bar, taken: [bar: 3]) && !shares.allow(bar, taken: [bar: 4]))
        let others = Dictionary(uniqueKeysWithValues: (0..<8).map { (AccountID(rawValue: "a\($0)"), 1) })
        #expect(!shares.allow(bar, taken: others))
        #expect(shares.allow(mine, taken: others.merging([mine: 7]) { $1 }))
        #expect(!shares.allow(mine, taken: others.merging([mine: 8]) { $1 }))
        #expect(!AccountShares(all: 1, owner: mine).allow(bar, taken: [:]))
    }

    @Test("Streams of other accounts leave the counter's own its places")
    func streams() throws {
        let (feed, bar) = (EventFeed(), AccountID(rawValue: "bar"))
        let taken = (0..<16).compactMap { _ in feed.listen(bar, atMost: 16, owner: .main) }
        #expect(taken.count == 4)
        #expect((0..<16).compactMap { _ in feed.listen(.main, atMost: 16, owner: .main) }.count == 12)
        #expect(feed.listen(.main, atMost: 16, owner: .main) == nil)
        feed.stop(taken[0].id)
        #expect(feed.listen(bar, atMost: 16, owner: .main) != nil)
    }

    @Test("Work beyond an account's places is refused, and its places come back")
    func places() async throws {
        let places = AccountPlaces(AccountShares(all: 4, owner: .main))
        let full = Problem(.tooManyRequests, "full", "Full.", next: "Wait.")
        let bar = AccountID(rawValue: "bar")
        try await places.withPlace(of: bar, else: full) {
            await #expect(throws: Problem.self) {
                try await places.withPlace(of: bar, else: full) { Issue.record("it had a place") }
            }
            try await places.withPlace(of: .main, else: full) {}
        }
        #expect(try await places.withPlace(of: bar, else: full) { 7 } == 7)
    }
}
