import ArgumentParser
import Foundation
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillProvider

@testable import TillCommandLine
import TillCounter
@testable import TillServer
@testable import TillWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A provider is one room and one line in a list: this one is made up here, and nothing else of the house knows it.
@Suite("A provider that a counter is given", .timeLimit(.minutes(30)))
struct MadeUpProviderTests {
    private static let environment = ["TILL_MADEUP_KEY": "mu_1", "TILL_PROVIDER": "madeup"]

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "till-made-up-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ProviderModules.$all.withValue([MadeUpModule.self]) { try await body(folder) }
    }

    private func options(_ folder: String, _ environment: [String: String] = environment) throws -> CounterOptions {
        let all = environment.merging(["TILL_JOURNAL": folder + "/journal.sqlite"]) { $1 }
        return try CounterOptions(try Settings(of: ProviderModules.all, environment: all))
    }

    /// Sends a request to a running counter.
    private func call(
        _ port: Int, _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.setValue("Bearer key", forHTTPHeaderField: "Authorization")
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return (status, (try? JSONValue(parsing: Array(data))) ?? .null)
    }

    /// Serves the counter that `till serve` would.
    private func withServer(
        scope: OrderScope? = nil, _ body: (Int, Counter) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let feed = EventFeed()
            var counterOptions = try options(folder)
            counterOptions.orderScope = scope
            let counter = try await Counter.open(counterOptions, onCommit: feed.committed)
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            var options = ServerOptions()
            options.port = 0
            // SHA-256 of "key".
            options.keys = ["2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683": .main]
            options.onListening = { port.yield($0) }
            let server = CounterServer(counter: counter, feed: feed, options: options)
            let running = Task { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            let taken = try #require(await iterator.next())
            let result: Result<Void, any Error>
            do { result = .success(try await body(taken, counter)) } catch { result = .failure(error) }
            running.cancel()
            _ = await running.result
            await counter.close()
            try result.get()
        }
    }

    private static let card = #"{"tender":{"type":"card","number":"4242424242424242","expiry":"12/39","cvc":"123"}}"#

    private func create(_ port: Int, _ key: String, _ amount: Int64 = 1250) async throws -> String {
        let made = try await call(
            port, "POST", "/v1/payments", ["Idempotency-Key": key],
            #"{"order_id":"\#(key)","amount":\#(amount),"currency":"EUR"}"#)
        return try #require(made.json["id"]?.stringValue)
    }

    private func confirm(_ port: Int, _ id: String, _ body: String) async throws -> (status: Int, json: JSONValue) {
        try await call(port, "POST", "/v1/payments/\(id)/confirm", ["Idempotency-Key": "confirm-\(id)"], body)
    }

    @Test("takes the money of a card over HTTP")
    func card() async throws {
        try await withServer { port, _ in
            let paid = try await confirm(port, try await create(port, "o1"), MadeUpProviderTests.card)
            #expect(paid.status == 200)
            #expect(paid.json["status"]?.stringValue == "succeeded")
            #expect(paid.json["provider"]?.stringValue == "madeup")
        }
    }

    @Test("serves with the order scope and receipts of the counter that it is given")
    func counterOptions() async throws {
        try await withServer(scope: OrderScope("shop-a")) { port, counter in
            let id = try await create(port, "o1")
            let payment = try #require(try await counter.journal.payment(PaymentID(rawValue: id)))
            #expect(payment.order.id.rawValue == "shop-a/o1")
        }
    }

    @Test("has its reader among those of the page, and takes a sale there")
    func reader() async throws {
        try await withServer { port, _ in
            let readers = try await call(port, "GET", "/v1/terminal/readers").json["readers"]?.arrayValue ?? []
            #expect(readers.compactMap { $0["label"]?.stringValue } == ["Desk"])
            let paid = try await confirm(
                port, try await create(port, "o1"), #"{"tender":{"type":"reader","reader":"mu-desk"}}"#)
            #expect(paid.json["status"]?.stringValue == "succeeded")
            let tip = #"{"tender":{"type":"reader","reader":"mu-desk","ask_tip":true}}"#
            #expect(try await confirm(port, try await create(port, "o2"), tip).status == 422)
            #expect(try await call(port, "POST", "/v1/terminal/connection_tokens", [:], "{}").status == 409)
        }
    }

    @Test("is heard at /webhooks/ and its name: verified, recorded once, and the payment is queried")
    func webhook() async throws {
        try await withServer { port, counter in
            let id = try await create(port, "o1", MadeUpProvider.slow)
            let open = try await confirm(port, id, MadeUpProviderTests.card)
            #expect(open.json["status"]?.stringValue == "unknown")
            let bank = try #require(counter.modules.first as? MadeUpModule).bank
            bank.decide()

            let event = #"{"id":"e1","payment":"\#(id)"}"#
            let forged = try await call(port, "POST", "/webhooks/madeup", ["Made-Up-Key": "mu_2"], event)
            #expect(forged.status == 400)
            #expect(forged.json["code"]?.stringValue == "webhook_refused")
            for _ in 0..<3 {
                let taken = try await call(port, "POST", "/webhooks/madeup", ["Made-Up-Key": "mu_1"], event)
                #expect(taken.status == 200)
                #expect(taken.json["received"]?.boolValue == true)
            }
            #expect(bank.recorded == 1)
            for _ in 0..<100 where try await counter.journal.payment(PaymentID(rawValue: id))?.status != .succeeded {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await counter.journal.payment(PaymentID(rawValue: id))?.status == .succeeded)
            #expect(try await call(port, "POST", "/webhooks/other", ["Made-Up-Key": "mu_1"], event).status == 404)
            #expect(try await call(port, "GET", "/webhooks/madeup").status == 405)
            let long = String(repeating: " ", count: 1025)
            #expect(try await call(port, "POST", "/webhooks/madeup", ["Made-Up-Key": "mu_1"], long).status == 413)
        }
    }

    @Test("what it reports about a payment that the journal does not know is kept as an incident, once")
    func unknownPayment() async throws {
        try await withServer { port, counter in
            let known = try await create(port, "o1", MadeUpProvider.slow)
            let lost = PaymentID.make(at: counter.clock.now(), random: (1, 2))
            for (event, payment) in [("e1", known), ("e2", lost.rawValue), ("e2", lost.rawValue)] {
                let body = #"{"id":"\#(event)","payment":"\#(payment)"}"#
                let taken = try await call(port, "POST", "/webhooks/madeup", ["Made-Up-Key": "mu_1"], body)
                #expect(taken.status == 200)
            }
            let incidents = try await Records<Incident>(counter.journal).list(matching: Incident.open)
            #expect(incidents.map(\.payment) == [lost] && incidents.map(\.event) == ["e2"])
            #expect(incidents.first?.document.contains(#""id":"e2""#) == true)
        }
    }

    @Test(
        "sells on the command line, with its own option",
        arguments: [["--card-number", "4242424242424242"], ["--reader", "Desk"]])
    func commandLine(tender: [String]) async throws {
        try await withFolder { folder in
            let card = tender[0] == "--card-number" ? ["--expiry", "12/39", "--cvc", "123"] : []
            let typed =
                ["sale", "--amount", "12.50", "--currency", "EUR", "--order", "o1", "--provider", "madeup"]
                + ["--madeup-key", "mu_1", "--json", "--journal", folder + "/journal.sqlite"] + tender + card
            let arguments = try ProviderArguments.rewritten(typed, for: ProviderModules.all)
            let command = try #require(try Till.parseAsRoot(arguments) as? Sale)
            try await command.run()
            let counter = try await Counter.open(try options(folder))
            let rows = try await counter.journal.payments(PaymentFilter(account: .main, limit: 10))
            #expect(rows.map(\.status) == [.succeeded])
            #expect(try await counter.journal.payment(rows[0].id)?.provider == MadeUpModule.name)
            await counter.close()
        }
    }

    @Test("has its reader in till readers; what its interface cannot do is refused by name")
    func readers() async throws {
        try await withFolder { folder in
            let counter = try await Counter.open(try options(folder))
            #expect(try await counter.readers().readers().map(\.label) == ["Desk"])
            #expect(try await counter.reader("Desk").id == "mu-desk")
            #expect(throws: CommandError.self) { try counter.readerManagement() }
            do { _ = try counter.readerManagement() } catch let error as CommandError {
                #expect(error.code == "unsupported" && error.what.contains("madeup"))
            }
            await counter.close()
            let other = try await Counter.open(try options(folder, [:]))
            do {
                _ = try other.readers()
                Issue.record("a counter without readers has some")
            } catch let error as CommandError {
                #expect(error.code == "no_readers")
            }
            await other.close()
        }
    }

    @Test("is in the table of settings and in what the doctor says, configured or not")
    func table() async throws {
        #expect(Setting.all([MadeUpModule.self]).last == MadeUpModule.key)
        try await withFolder { folder in
            let counter = try await Counter.open(try options(folder))
            #expect(counter.providerFindings == [ProviderFinding("Made-Up is configured.")])
            await counter.close()
            let other = try await Counter.open(try options(folder, [:]))
            #expect(other.providerFindings == [ProviderFinding("Made-Up is not configured. Set TILL_MADEUP_KEY.")])
            #expect(other.modules.isEmpty)
            await other.close()
        }
    }

    @Test("that cannot be used as it is set up keeps the counter from opening, with a sentence")
    func refused() async throws {
        try await withFolder { folder in
            let options = try options(folder, ["TILL_MADEUP_KEY": "sk_1"])
            do throws(CounterError) {
                let counter = try await Counter.open(options)
                await counter.close()
                Issue.record("it opened")
            } catch {
                #expect(error.code == "madeup_not_configured")
                #expect(error.what.contains("mu_") && !error.what.contains("sk_1"))
            }
        }
    }
}
