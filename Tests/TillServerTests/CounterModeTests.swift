import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import TillAdyen
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureTap
import TillJournal
import TillJournalSQLite
import TillProvider
import TillStripe

@testable import TillServer
@testable import TillWeb

@Suite("The mode of a counter") struct CounterModeTests {
    private static let liveStripe = ["TILL_STRIPE_KEY": "sk_live_marked"]
    private static let testStripe = ["TILL_STRIPE_KEY": "sk_test_marked"]
    private static let testAdyen = ["TILL_ADYEN_MERCHANT_ACCOUNT": "shop", "TILL_ADYEN_KEY": "key"]
    private static let liveAdyen = testAdyen.merging(
        ["TILL_ADYEN_URL": "https://abc-checkout-live.adyenpayments.com/checkout"]) { $1 }

    private let folder = NSTemporaryDirectory() + "till-mode-\(UUID().uuidString)"
    private var path: String { folder + "/journal.sqlite" }

    private func open(_ environment: [String: String], at path: String? = nil) async throws(CounterError) -> Counter {
        let path = path ?? self.path
        let modules: [any ProviderModule.Type] = [StripeModule.self, AdyenModule.self]
        var options = CounterOptions(journal: path)
        options.modules = modules
        let journal: SQLiteJournal
        do {
            let settings = try Settings(of: modules, environment: environment)
            options.settings = settings
            options.mode = settings.text(.mode).flatMap { PaymentMode(rawValue: $0) }
            options.chosenProvider = settings.text(.provider).map { ProviderName(rawValue: $0) }
            journal = try SQLiteJournal.open(at: path)
        } catch { throw .journal(path, .corrupted("\(error)")) }
        do throws(CounterError) { return try await Counter.open(options, journal: journal) } catch {
            try? await journal.close()
            throw error
        }
    }

    private func refusal(_ environment: [String: String]) async -> String? {
        do throws(CounterError) {
            await (try await open(environment)).close()
            return nil
        } catch { return error.code }
    }

    /// A sale in cash, so that the journal has something in it.
    private func sell(_ counter: Counter) async throws -> Payment {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let draft = counter.checkout.draft(account: .main, order: order, captureMode: .automatic)
        let payment = try await counter.checkout.create(draft)
        return try await counter.checkout.confirm(
            payment.id, account: .main, provider: .cash, tender: .cash(tendered: nil))
    }

    @Test("a live key without a chosen provider goes to that provider, and there is no stand-in") func live()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let counter = try await open(Self.liveStripe)
        #expect(counter.mode == .live && counter.options.provider == StripeModule.name)
        #expect(Set(counter.checkout.providerNames).isDisjoint(with: StandInRefusal.providers))
        #expect(VirtualTapService(sandboxOf: counter) == nil)
        #expect(try await CounterMode.of(counter.journal) == .live)
        #expect(try await sell(counter).isTest == false)
        await counter.close()
    }

    @Test("test keys, and no keys at all, are test mode") func test() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for environment in [[:], Self.testStripe, Self.testAdyen] {
            let counter = try await open(environment)
            #expect(counter.mode == .test && counter.options.provider == .sandbox)
            await counter.close()
        }
        let counter = try await open([:])
        let payment = try await sell(counter)
        #expect(payment.isTest)
        await counter.close()
    }

    @Test("a publishable key of the other mode, or one that is none, refuses to start")
    func publishableKeys() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name = "TILL_STRIPE_PUBLISHABLE_KEY"
        for (secret, key) in [
            (Self.testStripe, "pk_live_marked"), (Self.liveStripe, "pk_test_marked"),
            (Self.testStripe, "sk_test_marked"), (Self.testStripe, "pk_test_a b"), (Self.testStripe, "pk_test_'"),
            (Self.testStripe, "pk_marked"),
        ] {
            #expect(await refusal(secret.merging([name: key]) { $1 }) == "stripe_not_configured", "\(key)")
        }
        let counter = try await open(Self.testStripe.merging([name: "pk_test_marked"]) { $1 })
        let fields = try #require(counter.module(StripeModule.name)?.cardFields)
        guard case .publishable("pk_test_marked") = await fields.key(for: .eur) else {
            Issue.record("no key")
            return
        }
        #expect(fields.sources?.scripts.first == "https://js.stripe.com")
        await counter.close()
    }

    @Test("a live and a test key together, a stand-in chosen beside a live key, and two live keys refuse to start")
    func refused() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(await refusal(Self.liveStripe.merging(Self.testAdyen) { $1 }) == "mixed_modes")
        #expect(await refusal(Self.testStripe.merging(Self.liveAdyen) { $1 }) == "mixed_modes")
        for name in ["sandbox", "offline"] {
            let code = await refusal(Self.liveStripe.merging(["TILL_PROVIDER": name]) { $1 })
            #expect(code == "stand_in_in_live_mode", "\(name)")
        }
        #expect(await refusal(Self.liveStripe.merging(Self.liveAdyen) { $1 }) == "no_provider_chosen")
        #expect(await refusal(Self.liveStripe.merging(["TILL_MODE": "test"]) { $1 }) == "mode_contradicted")
        #expect(await refusal(Self.testStripe.merging(["TILL_MODE": "live"]) { $1 }) == "mode_contradicted")
        let both = Self.liveStripe.merging(Self.liveAdyen) { $1 }.merging(["TILL_PROVIDER": "adyen"]) { $1 }
        #expect(await refusal(both) == nil)
    }

    @Test("a journal of one mode is not opened in the other until somebody says so") func journal() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let counter = try await open(Self.testStripe)
        _ = try await sell(counter)
        await counter.close()
        #expect(await refusal(Self.liveStripe) == "journal_of_other_mode")
        #expect(await refusal(["TILL_MODE": "live"]) == "journal_of_other_mode")
        #expect(await refusal([:]) == nil)
        let journal = try SQLiteJournal.open(at: path)
        try await CounterMode.set(.live, of: journal)
        try await journal.close()
        #expect(await refusal(Self.liveStripe) == nil)
        #expect(await refusal(Self.testStripe) == "journal_of_other_mode")
        // Who only reads needs no keys, and is in the journal's mode.
        let reader = try await open([:])
        #expect(reader.mode == .live && reader.options.provider == .cash)
        await reader.close()
    }

    @Test("a journal without payments takes the mode of the first keys") func fresh() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(await refusal([:]) == nil)
        #expect(await refusal(Self.liveStripe) == nil)
        let journal = try SQLiteJournal.open(at: path)
        #expect(try await CounterMode.of(journal) == .live)
        try await journal.close()
    }

    @Test("in live mode a request for the sandbox or a simulated reader is refused and moves nothing") func requests()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let counter = try await open(["TILL_MODE": "live"])
        var options = ServerOptions()
        options.keys = ["2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683": .main]
        let server = CounterServer(counter: counter, feed: EventFeed(), options: options)
        #expect(server.options.mode == .live)
        let responder = server.responder(server.authenticator())
        func ask(_ path: String, key: String, _ body: String) async throws -> (HTTPResponse.Status, JSONValue) {
            let head = HTTPRequest(
                method: .post, scheme: "http", authority: "localhost:8080", path: path,
                headerFields: [
                    .authorization: "Bearer key", .contentType: "application/json",
                    HTTPField.Name.literal("Idempotency-Key"): key,
                ])
            let response = await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body))))
            return (response.status, try await RoutedCounter.document(response))
        }
        let (_, made) = try await ask("/v1/payments", key: "k-1", #"{"order_id":"o-1","amount":100,"currency":"EUR"}"#)
        let id = try #require(made["id"]?.stringValue)
        let bodies = [
            #"{"provider":"sandbox","tender":{"type":"reader","reader":"simulated"}}"#,
            #"{"tender":{"type":"reader","reader":"simulated","card":"visa"}}"#,
            #"{"provider":"offline","tender":{"type":"reader","reader":"simulated"}}"#,
        ]
        for (number, body) in bodies.enumerated() {
            let (status, said) = try await ask("/v1/payments/\(id)/confirm", key: "c-\(number)", body)
            #expect(status == .unprocessableContent && said["code"]?.stringValue == "stand_in_in_live_mode", "\(body)")
            #expect(said["money_moved"]?.stringValue == "no")
        }
        let payment = try await counter.checkout.payment(PaymentID(rawValue: id), account: .main)
        #expect(payment.attempts.isEmpty)
        await counter.close()
    }
}
