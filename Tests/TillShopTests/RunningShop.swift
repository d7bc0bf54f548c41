import HTTPTypes
import Testing
import TillCore
import TillHTTP
import TillStandInShop

@testable import TillShop

/// A shop that runs in the process, and a client of it.
struct RunningShop: Sendable {
    let port: Int
    let transport: HTTPClientTransport
    let client: ShopClient

    /// Runs a shop for the time of a body.
    static func with(
        openOrders: Int = 3, deadline: Span = .seconds(30), stall: Span = .milliseconds(1),
        _ body: @escaping @Sendable (RunningShop) async throws -> Void
    ) async throws {
        let transport = HTTPClientTransport()
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let server = Task {
            defer { found.finish() }
            try await SandboxShopServer(openOrders: openOrders, stall: stall).run(port: 0) { found.yield($0) }
        }
        do {
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let client = ShopClient(
                try ShopURL("http://127.0.0.1:\(port)"),
                key: try ShopKey(key: "ck_sandbox", secret: Secret("cs_sandbox")), transport: transport,
                clock: SystemClock(), deadline: deadline)
            try await body(RunningShop(port: port, transport: transport, client: client))
        } catch {
            await end(server, transport)
            throw error
        }
        await end(server, transport)
    }

    private static func end(_ server: Task<Void, any Error>, _ transport: HTTPClientTransport) async {
        server.cancel()
        _ = await server.result
        await transport.shutdown()
    }

    /// Sends a request to the control of the stand-in.
    @discardableResult
    func control(_ path: String, _ body: String? = nil) async throws -> JSONValue {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        let request = HTTPRequest(
            method: body == nil ? .get : .post, scheme: "http", authority: "127.0.0.1:\(port)",
            path: "/_sandbox/\(path)", headerFields: fields)
        let reply = try await transport.send(request, body: Array((body ?? "").utf8), deadline: .seconds(30))
        #expect((200...299).contains(reply.response.status.code))
        return try #require(JSONValue(ifValid: reply.body))
    }

    func fail(_ operation: String, _ fault: String, milliseconds: Int = 2_000) async throws {
        try await control(
            "faults",
            """
            {"operation": "\(operation)", "fault": "\(fault)", "times": 1, "milliseconds": \(milliseconds)}
            """)
    }

    /// Returns the entry of an order in the shop's ledger.
    func ledger(_ order: Int64) async throws -> JSONValue {
        let orders = try await control("ledger")["orders"]?.arrayValue ?? []
        return try #require(orders.first { $0["id"]?.int64Value == order })
    }

    func payment(_ order: Int64 = 101, _ amount: Int64 = 1_250, transaction: String = "ord_1") -> ShopPayment {
        ShopPayment(
            order: order, transaction: transaction, amount: Money(minorUnits: amount, currency: .eur),
            title: "At the counter")
    }

    func refund(_ amount: Int64 = 500, id: String = "ref_1") -> ShopRefund {
        ShopRefund(
            order: 101, id: id, amount: Money(minorUnits: amount, currency: .eur), reason: "Returned")
    }
}
