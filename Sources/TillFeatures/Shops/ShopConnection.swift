package import TillCore
package import TillShop

extension ConnectedShops {
    /// A shop that was connected, and what it says of itself.
    package struct Connection: Sendable {
        package let shop: ConnectedShop
        package let standing: ShopClient.Standing
        /// `true` if the shop was told to notify the counter of changes.
        package let isNotified: Bool
    }

    /// Asks a shop whether it takes the key, connects it, and has it notify the counter of changes.
    ///
    /// Nothing is sent for a shop that would not be connected, and nothing is recorded of one that does not take the
    /// key. What follows the record is not undone: a shop that then takes no notifications is connected.
    /// - Parameter address: where the shop is to send its notifications; `nil` for a shop that is only asked.
    /// - Throws: ``ShopConnectError/notNotified(_:)`` once the shop is connected.
    package func connect(
        _ request: Request, account: AccountID, over transport: any HTTPTransport,
        notifying address: NotificationAddress?
    ) async throws(ShopConnectError) -> Connection {
        _ = try await known(request, account)
        let client = ShopClient(request.url, key: request.key, transport: transport, clock: clock)
        let standing: ShopClient.Standing
        do throws(ShopError) { standing = try await client.check() } catch { throw .shop(error) }
        let made = try await connect(request, account: account)
        if let address {
            do throws(ShopError) {
                for topic in ShopNotification.Topic.allCases {
                    try await client.subscribe(
                        to: ShopNotification(topic: topic, url: address.url(of: made.shop.id), secret: made.hookSecret))
                }
            } catch { throw .notNotified(error) }
        }
        return Connection(shop: made.shop, standing: standing, isNotified: address != nil)
    }
}

/// The counter's public address, below which shops send their notifications.
package struct NotificationAddress: Hashable, Sendable {
    /// Without a slash at its end.
    private let base: String

    /// Parses an address such as `https://till.example`; without TLS only one of this machine.
    /// - Throws: ``ShopConnectError/notifyAt``.
    package init(_ text: String) throws(ShopConnectError) {
        var base = text[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        guard base.wholeMatch(of: /https?:\/\/[A-Za-z0-9.:_\[\]-]{1,255}(\/[A-Za-z0-9._~\/-]{0,200})?/) != nil,
            base.hasPrefix("https://") || Loopback.isURL(String(base))
        else { throw .notifyAt }
        self.base = String(base)
    }

    /// Returns where a shop sends its notifications.
    func url(of shop: ConnectedShopID) -> String { "\(base)/v1/shops/\(shop.rawValue)/notifications" }
}
