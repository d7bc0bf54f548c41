import Foundation
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillJournalSQLite
@testable import TillServer
@testable import TillWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The counter as programs meet it, over a real socket.
@Suite struct CounterServerTests {
    struct Answer {
        var status: Int
        var headers: [String: String]
        var json: JSONValue
    }

    /// A client of one running counter.
    struct Client {
        let port: Int

        func callAsFunction(
            _ method: String, _ path: String, key: String? = nil, bearer: String? = "key", _ body: String? = nil
        ) async throws -> Answer {
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
            request.httpMethod = method
            if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
            if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
            if let body {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(body.utf8)
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            let http = try #require(response as? HTTPURLResponse)
            var headers: [String: String] = [:]
            for (name, value) in http.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
            return Answer(
                status: http.statusCode, headers: headers, json: (try? JSONValue(parsing: Array(data))) ?? .null)
        }
    }

    /// Runs a counter on a free port in a folder of its own, and ends it.
    func withCounter(_ body: (Client, String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "till-server-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let feed = EventFeed()
        let settings = CounterOptions(journal: folder + "/journal.sqlite")
        let journal = try SQLiteJournal.open(at: settings.journal) { feed.committed($0) }
        let counter = try await Counter.open(settings, journal: journal)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var options = ServerOptions()
        options.port = 0
        // SHA-256 of "key" and of "other".
        options.keys = [
            "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683": .main,
            "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa": AccountID(rawValue: "other"),
        ]
        options.onListening = { port.yield($0) }
        let server = CounterServer(
            journal: counter.journal, checkout: counter.checkout, feed: feed,
            readCard: SimulatedReaders.collector(), options: options)
        let running = Task { try await server.run() }
        var iterator = ports.makeAsyncIterator()
        let taken = try #require(await iterator.next())
        do { try await body(Client(port: taken), folder) } catch {
            running.cancel()
            _ = await running.result
            throw error
        }
        running.cancel()
        _ = await running.result
        await counter.close()
    }

    @Test func aSaleFromCreationToRefund() async throws {
        try await withCounter { call, folder in
            let sale = #"{"order_id":"o1","amount":1250,"currency":"EUR"}"#
            let created = try await call("POST", "/v1/payments", key: "k1", sale)
            #expect(created.status == 201)
            let id = try #require(created.json["id"]?.stringValue)

            let again = try await call("POST", "/v1/payments", key: "k1", sale)
            #expect(again.status == 201)
            #expect(again.headers["idempotent-replayed"] == "true")
            #expect(again.json == created.json)

            let other = try await call(
                "POST", "/v1/payments", key: "k1", #"{"order_id":"o1","amount":1251,"currency":"EUR"}"#)
            #expect(other.status == 422)
            #expect(other.json["code"]?.stringValue == "idempotency_mismatch")
            #expect(other.json["differences"] == .array([.string("/amount")]))

            let card = #"{"tender":{"type":"card","number":"4242424242424242","expiry":"12/39","cvc":"123"}}"#
            let paid = try await call("POST", "/v1/payments/\(id)/confirm", key: "c1", card)
            #expect(paid.status == 200)
            #expect(paid.json["status"]?.stringValue == "succeeded")
            #expect(paid.json["captured"]?.int64Value == 1250)
            let repeated = try await call("POST", "/v1/payments/\(id)/confirm", key: "c1", card)
            #expect(repeated.json == paid.json)
            let second = try await call("POST", "/v1/payments/\(id)/confirm", key: "c2", card)
            #expect(second.status == 409)
            #expect(second.json["code"]?.stringValue == "order_already_paid")

            let tooMuch = try await call("POST", "/v1/payments/\(id)/refunds", key: "r0", #"{"amount":1251}"#)
            #expect(tooMuch.status == 422)
            let refund = try await call("POST", "/v1/payments/\(id)/refunds", key: "r1", #"{"amount":500}"#)
            #expect(refund.status == 201)
            #expect(refund.json["refunded"]?.int64Value == 500)

            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                #expect(bytes.range(of: Data("4242424242424242".utf8)) == nil, "a card number in \(file)")
            }
        }
    }

    @Test func whatIsNotTaken() async throws {
        try await withCounter { call, _ in
            let sale = #"{"amount":100,"currency":"EUR"}"#
            #expect(try await call("POST", "/v1/payments", key: "k", bearer: nil, sale).status == 401)
            #expect(try await call("POST", "/v1/payments", key: "k", bearer: "wrong", sale).status == 401)
            #expect(try await call("POST", "/v1/payments", sale).status == 400)
            #expect(try await call("POST", "/v1/payments", key: "k", "{").status == 400)
            #expect(try await call("POST", "/v1/payments", key: "k", #"{"amount":1.5,"currency":"EUR"}"#).status == 422)
            #expect(try await call("DELETE", "/v1/payments").status == 405)
            #expect(try await call("GET", "/v1/nothing").status == 404)
            let created = try await call("POST", "/v1/payments", key: "k", sale)
            let id = try #require(created.json["id"]?.stringValue)
            let foreign = try await call("GET", "/v1/payments/\(id)", bearer: "other")
            #expect(foreign.status == 404)
            #expect(foreign.json["code"]?.stringValue == "payment_not_found")
        }
    }

    @Test func twentyConfirmationsTakeTheMoneyOnce() async throws {
        try await withCounter { call, _ in
            let created = try await call(
                "POST", "/v1/payments", key: "k", #"{"order_id":"o","amount":100,"currency":"EUR"}"#)
            let id = try #require(created.json["id"]?.stringValue)
            let tender = #"{"tender":{"type":"reader","reader":"simulated","card":"visa"}}"#
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        try await call("POST", "/v1/payments/\(id)/confirm", key: "c\(index % 10)", tender).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 409 })
            let after = try await call("GET", "/v1/payments/\(id)")
            #expect(after.json["captured"]?.int64Value == 100)
            #expect(after.json["attempts"]?.arrayValue?.count == 1)
        }
    }
}
