import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillCounter
import TillFeatureWebhooks
import TillJournal
import TillShop
package import TillWeb

/// `/v1/shops`: the connected shops, connecting and disconnecting one, and where they send their notifications.
///
/// Whoever names an address has the counter reach it, so connecting one requires the permission to manage settings, and
/// the address is checked with each request, then and later: addresses of the counter's machine and network are for
/// accounts with its hardware, where `shops.private` allows them; link-local ones are for nobody. On the counter's own
/// machine `till shop connect` takes any. The key's secret is in no answer, no error and no log.
package struct ShopRoutes: Sendable {
    /// The maximum size of a request body, in bytes: the longest values fit, however they are escaped.
    package static let maximumBodyBytes = 16_384

    private let shops: ConnectedShops
    private let scope: OrderScope?
    private let reachesInside: @Sendable (AccountID) -> Bool
    private let places: AccountPlaces
    /// The transports to the Internet, and to the counter's own network, too.
    private let far = CheckedTransport(allowsPrivate: false)
    private let near = CheckedTransport(allowsPrivate: true)

    /// - Parameter options: with the scope of order numbers on the counter, for shops without one of their own.
    package init(shops: ConnectedShops, options: ServerOptions) {
        self.shops = shops
        scope = options.orderScope
        reachesInside = options.reachesPrivateShops
        places = AccountPlaces(AccountShares(all: ShopSyncLimits.trialsAtOnce, owner: options.account))
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/shops", for: .admin, of: .caller, needs: .settings) { try await list($0) }
        router.post(
            "/v1/shops", for: .admin, of: .caller, needs: .settings, maximumBodyBytes: ShopRoutes.maximumBodyBytes
        ) { try await connect($0) }
        router.get("/v1/shops/{id}", for: .admin, of: .caller, needs: .settings) { incoming in
            let shop = try await shops.shop(incoming.parameters.identifier(), of: incoming.account)
            var writer = JSONWriter(reserving: 512)
            try await write(shop, into: &writer)
            return .json(writer.bytes)
        }
        router.on([.delete], "/v1/shops/{id}", for: .admin, of: .caller, needs: .settings) { incoming in
            try await shops.disconnect(incoming.parameters.identifier(), of: incoming.account)
            return Response(status: .noContent)
        }
        router.open([.post], "/v1/shops/{id}/notifications", for: .provider) { request, parameters in
            try await receive(request, of: parameters.identifier())
        }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.key("shops")
        writer.beginArray()
        for shop in try await shops.list(incoming.account) { try await write(shop, into: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func write(_ shop: ConnectedShop, into writer: inout JSONWriter) async throws {
        let standing = try await shops.standing(of: shop)
        ShopJSON.write(shop, orders: standing.orders, troubles: standing.troubles, into: &writer)
    }

    // MARK: Connecting

    private static let members: Set<String> = ["url", "key", "secret", "scope", "test_shop", "notify_at"]

    private func connect(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document(secrets: ["key", "secret"])
        try body.allow(ShopRoutes.members)
        let request = try ShopRoutes.request(in: body)
        let address = try body.text("notify_at").map { try NotificationAddress($0) }
        let wire = reachesInside(incoming.account) ? near : far
        let made = try await places.withPlace(of: incoming.account, else: ShopRoutes.full) {
            // Before its name is looked for anywhere.
            _ = try await shops.known(request, incoming.account)
            guard await wire.mayReach(request.url.host) else { throw ShopConnectError.inside }
            return try await shops.connect(
                request, account: incoming.account, over: TrialTransport(wire, within: ShopSyncLimits.trial),
                notifying: address)
        }
        var writer = JSONWriter(reserving: 512)
        try await write(made.shop, into: &writer)
        return .json(writer.bytes, status: .created)
    }

    /// Reads the shop to connect. No error repeats a half of the key.
    private static func request(in body: JSONValue) throws -> ConnectedShops.Request {
        func required(_ name: String, atMost limit: Int) throws -> String {
            guard let text = try body.text(name, atMost: limit) else { throw Problem.field(name, "It is missing.") }
            return text
        }
        let address = try required("url", atMost: ShopLimits.urlBytes)
        let name = try required("key", atMost: ShopLimits.keyBytes)
        let secret = Secret(try required("secret", atMost: ShopLimits.keyBytes))
        var request: ConnectedShops.Request
        do throws(ShopError) {
            request = .init(url: try ShopURL(address), key: try ShopKey(key: name, secret: secret))
        } catch { throw ShopConnectError.shop(error) }
        request.scope = try orderScope(in: body)
        if let flag = body["test_shop"], !flag.isNull {
            guard let isTest = flag.boolValue else { throw Problem.field("test_shop", "It must be true or false.") }
            request.isTestShop = isTest
        }
        (request.replaces, request.isGuarded) = (false, true)
        return request
    }

    private static func orderScope(in body: JSONValue) throws -> OrderScope? {
        guard let text = try body.text("scope", atMost: OrderScope.maximumBytes) else { return nil }
        guard let scope = OrderScope(text) else { throw ShopConnectError.scope }
        return scope
    }

    private static let full = Problem(
        .tooManyRequests, "too_many_shops_asked",
        "Too many shops are being asked whether they take a key at the same time. This one was not connected.",
        next: "Wait until some have answered."
    ).retrying(after: 10)

    // MARK: Notifications

    private static let signature = HTTPField.Name("X-WC-Webhook-Signature")

    /// Takes a notification. It says that an order changed, and nothing it says is believed beyond that: the order is
    /// read in the shop.
    private func receive(_ request: Request, of id: ConnectedShopID) async throws -> Response {
        let incoming = Incoming(
            request: request, account: .main, maximumBodyBytes: ShopSyncLimits.notificationBytes)
        let body = Array(try await incoming.bytes().readableBytesView)
        let given = ShopRoutes.signature.flatMap { request.headers[$0] }
        // The form by which a shop tries an address; it is not signed, and nothing is done.
        let start = String(decoding: body.prefix(64), as: UTF8.self)
        if given == nil, start.wholeMatch(of: /webhook_id=[0-9]{1,20}/) != nil {
            return Response(status: .ok)
        }
        guard let shop = try await shops.shop(id), let given, let code = Data(base64Encoded: given),
            let secret = try? shop.openedHookSecret(by: shops.pepper),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data(body), using: SymmetricKey(data: Data(secret.reveal().utf8)))
        else {
            // The same for a shop that is not connected.
            throw Problem(
                .unauthorized, "shop_signature", "The notification is not signed by a connected shop.",
                next: "Connect the shop again with --notify-at, which gives it a new secret.")
        }
        guard let document = JSONValue(ifValid: body), let number = document["id"]?.int64Value, number > 0 else {
            throw Problem.field("id", "It is missing, or no number of an order.")
        }
        let name = try OrderID(validating: String(number))
        let order = try (shop.scope ?? scope)?.id(of: name) ?? name
        try await Attribution.of(.shops) {
            try await LinkedOrders(store: shops.store, clock: shops.clock).mark(number, of: shop, as: order)
        }
        return Response(status: .ok)
    }
}
