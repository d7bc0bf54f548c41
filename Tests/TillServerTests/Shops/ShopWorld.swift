import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureOrders
@testable import TillFeatureShops
import TillHTTP
import TillJournal
import TillSandbox
@testable import TillShop
import TillStandInShop
import TillTestSupport
import TillWeb

/// A transport to a shop that dies at one of its calls, with the process that has it: nothing is sent any more, and
/// the answer to that call is lost.
final class MortalTransport: HTTPTransport {
    enum Death: Hashable, Sendable {
        case never
        /// Before a call is sent.
        case before(Int)
        /// After a call was carried out.
        case after(Int)
    }

    private struct State {
        var calls = 0
        var isDead = false
    }

    private let inner: any HTTPTransport
    private let death: Death
    private let state = Mutex(State())

    init(_ inner: any HTTPTransport, dies death: Death = .never) { (self.inner, self.death) = (inner, death) }

    var isDead: Bool { state.withLock { $0.isDead } }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let number = state.withLock { state in
            state.calls += 1
            if death == .before(state.calls) { state.isDead = true }
            return state.isDead ? nil : state.calls
        }
        guard let number else { throw .notSent(reason: "the process died") }
        let reply = try await inner.send(request, body: body, deadline: deadline)
        guard death != .after(number) else {
            state.withLock { $0.isDead = true }
            throw .unknown(reason: "the process died")
        }
        return reply
    }
}

/// A shop that runs in the process, and counters on one journal in memory that are connected to it.
final class ShopWorld: Sendable {
    /// One process.
    struct Counter: Sendable {
        let journal: MemoryJournal
        let checkout: Checkout
        let book: OrderBook
        let shops: ConnectedShops
        let sync: ShopSync
    }

    // No wait ends by itself: a payment that is slow is not left half done.
    let clock = ManualClock(waits: .last)
    let port: Int
    let wire = HTTPClientTransport()
    private let server: Task<Void, any Error>
    private let storage = MemoryJournal.Storage()
    private let cards: SandboxProvider
    private let folder = FileManager.default.temporaryDirectory.path + "/till-shops-\(UUID().uuidString)"

    private init() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        cards = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        server = Task { [clock] in
            defer { found.finish() }
            try await SandboxShopServer(openOrders: 2, clock: clock).run(port: 0) { found.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        port = try #require(await iterator.next())
    }

    /// Runs a shop for the time of a body, with a counter that is connected to it.
    static func with(_ body: @escaping @Sendable (ShopWorld) async throws -> Void) async throws {
        let world = try await ShopWorld()
        do {
            _ = try await world.start().shops.connect(
                .init(url: world.url(), key: try ShopKey(key: "ck_sandbox", secret: Secret("cs_sandbox"))),
                account: .main)
            try await body(world)
        } catch {
            await world.end()
            throw error
        }
        await world.end()
    }

    private func end() async {
        server.cancel()
        _ = await server.result
        await wire.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func url() throws -> ShopURL { try ShopURL("http://127.0.0.1:\(port)") }

    /// Starts a process.
    func start(dies death: MortalTransport.Death = .never) -> Counter {
        start(over: MortalTransport(wire, dies: death))
    }

    func start(over transport: MortalTransport) -> Counter {
        let journal = MemoryJournal(storage: storage, clock: clock)
        let shops = ConnectedShops(
            journal, pepper: Pepper(besideJournal: folder + "/journal"), clock: clock, mode: .test)
        let checkout = Checkout(journal: journal, providers: [CashDrawer(), cards], clock: clock)
        let book = OrderBook(journal, checkout: checkout, feed: EventFeed(), clock: clock)
        var logger = Logger(label: "shops")
        logger.logLevel = .critical
        return Counter(
            journal: journal, checkout: checkout, book: book, shops: shops,
            sync: ShopSync(shops, book: book, checkout: checkout, scope: nil, logger: logger, transport: transport))
    }

    /// Lets a counter work until nothing waits, with pauses that end every wait after a failure.
    func settle(_ counter: Counter) async throws {
        for _ in 0..<4 {
            clock.advance(by: .hours(7))
            #expect(try await counter.sync.step())
        }
    }

    // MARK: The shop

    /// What the shop's own staff work with.
    func staff() throws -> ShopClient {
        ShopClient(
            try url(), key: try ShopKey(key: "ck_staff", secret: Secret("cs_staff")), transport: wire, clock: clock)
    }

    /// Records a refund as the shop's staff do: "Refund manually".
    func refund(_ amount: String, of order: Int64 = 101) async throws {
        _ = try await staff().change(
            .post, "orders/\(order)/refunds",
            .members(["amount": .string(amount), "reason": .string("Broken"), "api_refund": .bool(false)]))
    }

    /// Changes an order as the shop's staff do.
    func edit(_ members: KeyValuePairs<String, JSONValue?>, of order: Int64 = 101) async throws {
        _ = try await staff().change(.put, "orders/\(order)", .members(members))
    }

    func fail(_ operation: String, _ fault: String, times: Int = 1) async throws {
        try await control("faults", #"{"operation": "\#(operation)", "fault": "\#(fault)", "times": \#(times)}"#)
    }

    @discardableResult
    func control(_ path: String, _ body: String? = nil) async throws -> JSONValue {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        let request = HTTPRequest(
            method: body == nil ? .get : .post, scheme: "http", authority: "127.0.0.1:\(port)",
            path: "/_sandbox/\(path)", headerFields: fields)
        let reply = try await wire.send(request, body: Array((body ?? "").utf8), deadline: .seconds(30))
        #expect((200...299).contains(reply.response.status.code))
        return try #require(JSONValue(ifValid: reply.body))
    }

    /// Returns what the shop truly has of an order.
    func ledger(_ order: Int64 = 101) async throws -> JSONValue {
        let orders = try await control("ledger")["orders"]?.arrayValue ?? []
        return try #require(orders.first { $0["id"]?.int64Value == order })
    }
}

extension ShopWorld.Counter {
    func entry(_ order: String = "101") async throws -> OrderBook.Entry {
        try await book.entry(OrderID(rawValue: order), of: .main)
    }

    private func begin(_ order: String, _ units: Int64?) async throws -> Payment {
        let content = try await entry(order).order.content.order
        let amount = units.map { Money(minorUnits: $0, currency: content.currency) }
        return try await checkout.create(
            try await checkout.draft(account: .main, onTabOf: content, amount: amount, captureMode: .automatic))
    }

    /// Takes a card for an order, or for a part of it.
    @discardableResult
    func payByCard(_ order: String = "101", _ units: Int64? = nil) async throws -> Payment {
        let payment = try await begin(order, units)
        let payload = CardPresentPayload(
            reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil)
        return try await checkout.confirm(
            payment.id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
    }

    func payment(_ id: PaymentID) async throws -> Payment { try await checkout.payment(id, account: .main) }

    @discardableResult
    func refund(_ id: PaymentID, _ units: Int64) async throws -> Payment {
        try await checkout.refund(id, account: .main, amount: Money(minorUnits: units, currency: .eur))
    }

    /// Returns the sentences of a payment's open review items.
    func reviews(_ id: PaymentID) async throws -> [String] {
        try await payment(id).openAttention.compactMap {
            if case .shopDiffers(let sentence) = $0.attention { sentence } else { nil }
        }
    }

    /// Takes cash for an order, or for a part of it.
    @discardableResult
    func pay(_ order: String = "101", _ units: Int64? = nil) async throws -> Payment {
        let payment = try await begin(order, units)
        return try await checkout.confirm(
            payment.id, account: .main, provider: .cash, tender: .cash(tendered: payment.amount))
    }

    func link(_ number: Int64 = 101) async throws -> LinkedOrder? {
        let shop = try #require(try await shops.list(.main).first)
        return try await LinkedOrders(store: journal, clock: shops.clock).order(shop.id, number)
    }
}
