import HTTPTypes
import Hummingbird
import NIOCore
public import TillCore
import TillHTTP
public import TillStandInServing

/// A stand-in for a shop with WooCommerce: its REST interface (v3) for orders, refunds, notes and webhooks, and the
/// endpoints of its plugins for sales at a reader. For this machine only; it moves no real money.
///
/// ```swift
/// let shop = SandboxShopServer(openOrders: 3)
/// try await shop.run(port: 12114) { port in print("http://127.0.0.1:\(port)") }
/// ```
///
/// Over plain HTTP it wants OAuth 1.0a with one leg, over TLS it takes Basic, too. Every pair of keys with the same
/// ending is accepted, such as `ck_sandbox` and `cs_sandbox`, until `POST /_sandbox/keys` with
/// `{"consumer_key":"…","consumer_secret":"…","permissions":"read"}` registers one. `POST /_sandbox/basic` with
/// `{"without_tls":true}` accepts Basic over plain HTTP, which a real shop does not.
///
/// Beyond the shop's paths it serves `GET /_sandbox/ledger`, the true state in minor units: how often each order was
/// paid, and with which transaction; `POST /_sandbox/faults` with
/// `{"operation":"update","fault":"timeoutAfterCommit","times":1}`; `POST /_sandbox/orders` with an order document,
/// which opens it; `POST /_sandbox/orders/{id}` with a status, lines or a total, which acts as an employee; `POST
/// /_sandbox/intents` with `{"order":101}`, which presents a card at a reader; and `POST /_sandbox/webhooks` with
/// `period_ms`, `lose`, `double` or `replay`. A refund through the shop's gateway succeeds for the payment method
/// `sandbox_gateway` only.
public struct SandboxShopServer: Sendable {
    /// The maximum body size, in bytes.
    static let maximumBody = 1 << 20
    /// The maximum number of open connections: those that one counter may have to a shop, and as many of others.
    static let maximumConnections = 512

    private let clock: any TillClock
    private let stall: Span
    private let openOrders: Int
    private let identity: LoopbackIdentity?

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - openOrders: the number of pending orders at the beginning.
    ///   - stall: the time that a request which "times out" is held before its 504.
    ///   - identity: the certificate of a server with TLS; without one it serves plain HTTP.
    public init(
        openOrders: Int = 3, clock: any TillClock = SystemClock(), stall: Span = .seconds(100),
        identity: LoopbackIdentity? = nil
    ) {
        self.openOrders = openOrders
        self.clock = clock
        self.stall = stall
        self.identity = identity
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    /// - Parameters:
    ///   - port: the port; zero selects a free one.
    ///   - onReady: called with the port once requests are accepted.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let transport = HTTPClientTransport()
        let webhooks = ShopWebhooks(clock: clock, transport: transport)
        let ledger = ShopLedger(clock: clock, webhooks: webhooks)
        await ledger.open(openOrders)
        let (authenticator, faults) = (ShopAuthenticator(clock: clock), ShopFaults())
        let (isSecure, clock, stall) = (identity != nil, clock, stall)
        let address = ShopAddress()
        try await LoopbackServer.run(
            port: port, identity: identity, maximumConnections: Self.maximumConnections, wire: transport,
            onReady: { actual in
                let home = "\(isSecure ? "https" : "http")://127.0.0.1:\(actual)"
                address.set(home)
                await webhooks.serve(home: home) { id in
                    await ledger.orders[id]?.document(ShopView(home: home))
                }
                await onReady(actual)
            }
        ) { request in
            let standIn = ShopStandIn(
                ledger: ledger, webhooks: webhooks, authenticator: authenticator, faults: faults, clock: clock,
                stall: stall, home: address.home)
            return await Self.respond(to: request, standIn, isSecure: isSecure)
        }
    }

    private static func respond(to request: Request, _ standIn: ShopStandIn, isSecure: Bool) async -> Response? {
        var request = request
        guard let body = await request.collectBody(ifWithin: maximumBody) else {
            return response(.error(413, "rest_upload_file_too_big", "The body is too long."))
        }
        let call = ShopCall(
            method: request.method.rawValue, path: request.uri.path,
            query: PHPParameters(query: request.uri.query ?? ""), authorization: request.headers[.authorization],
            contentType: request.headers[.contentType], isSecure: isSecure, body: Array(body.readableBytesView))
        return await standIn.answer(call).map { response($0) }
    }

    private static func response(_ answer: ShopAnswer) -> Response {
        var headers: HTTPFields = [.contentType: answer.type]
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) { headers[name] = field.value }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.bytes)))
    }
}
