import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import TillCore
import TillCounter
import TillJournal
package import TillWeb

/// `/v1/shops`: the connected shops, and where they send their notifications. Shops are connected by `till shop`, on
/// the counter's own machine: whoever names an address has the counter reach it. Disconnecting one reaches no address.
package struct ShopRoutes: Sendable {
    private let shops: ConnectedShops
    private let scope: OrderScope?

    /// - Parameter scope: The scope of order numbers on the counter, for shops without one of their own.
    package init(shops: ConnectedShops, scope: OrderScope?) { (self.shops, self.scope) = (shops, scope) }

    package func register(on router: CounterRouter) {
        router.get("/v1/shops", for: .admin, of: .caller, needs: .settings) { try await list($0) }
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
