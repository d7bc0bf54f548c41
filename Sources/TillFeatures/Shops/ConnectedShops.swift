package import TillCore
package import TillCounter
package import TillJournal
package import TillShop

/// The connected shops of a journal. Every change is durable when its method returns, and in the audit log.
package struct ConnectedShops: Sendable {
    package typealias Store = any Journal & RecordStore

    let store: Store
    let pepper: Pepper
    let clock: any TillClock
    let mode: PaymentMode

    package init(_ store: Store, pepper: Pepper, clock: any TillClock, mode: PaymentMode) {
        (self.store, self.pepper, self.clock, self.mode) = (store, pepper, clock, mode)
    }

    private var records: Records<ConnectedShop> { Records(store) }

    /// Returns an account's shops, oldest first.
    package func list(_ account: AccountID) async throws(ShopConnectError) -> [ConnectedShop] {
        do throws(JournalError) {
            return try await records.list(
                matching: ConnectedShop.match(account), limit: ShopSyncLimits.shopsPerAccount)
        } catch { throw .journal(error) }
    }

    /// Returns an account's shop.
    package func shop(_ id: ConnectedShopID, of account: AccountID) async throws(ShopConnectError) -> ConnectedShop {
        let found: ConnectedShop?
        do throws(JournalError) { found = try await records.document(id.rawValue) } catch { throw .journal(error) }
        guard let found, found.account == account else { throw .unknownShop }
        return found
    }

    /// Returns a shop by its identifier alone, for its own notifications.
    func shop(_ id: ConnectedShopID) async throws(JournalError) -> ConnectedShop? {
        try await records.document(id.rawValue)
    }

    /// A shop to connect.
    package struct Request: Sendable {
        package var url: ShopURL
        package var key: ShopKey
        package var scope: OrderScope?
        /// `true` for a shop that sells nothing real.
        package var isTestShop: Bool
        /// `true` to give a connected shop another key; otherwise it is refused.
        package var replaces = true
        /// `true` if the address was named over HTTP, `false` to reach the shop at any address from then on; `nil` to
        /// leave a connected shop as it is, and to reach a new one at any address.
        package var isGuarded: Bool?

        package init(url: ShopURL, key: ShopKey, scope: OrderScope? = nil, isTestShop: Bool = false) {
            (self.url, self.key, self.scope, self.isTestShop) = (url, key, scope, isTestShop)
        }
    }

    /// Returns what is known of the shop of a request, and the scope in which its orders are to be sold.
    /// - Throws: if the shop must not be connected so.
    func known(
        _ request: Request, _ account: AccountID
    ) async throws(ShopConnectError) -> (shop: ConnectedShop?, scope: OrderScope?) {
        guard mode == .live || request.isTestShop || Loopback.isURL(request.url.text) else { throw .testMode }
        let id = ConnectedShopID.of(account, request.url)
        let all = try await list(account)
        let known = all.first { $0.id == id }
        if let known, !request.replaces { throw .connected(known.url.text, as: known.id.rawValue) }
        guard known != nil || all.count < ShopSyncLimits.shopsPerAccount else { throw .tooManyShops }
        let scope = request.scope ?? known?.scope
        guard known == nil || scope == known?.scope else { throw .scopeChanged }
        if let other = all.first(where: { $0.id != id && $0.scope == scope }) { throw .sameScope(other.url.text) }
        return (known, scope)
    }

    /// Connects a shop, or gives a connected one another key. Its payments count from then on. The caller has checked
    /// the key at the shop. Of calls for one account, in any process, each sees what the one before it has connected:
    /// no two shops have the same scope, and a shop whose key is not to be replaced keeps it.
    /// - Returns: the shop, and the secret by which it is to sign its notifications.
    package func connect(
        _ request: Request, account: AccountID
    ) async throws(ShopConnectError) -> (shop: ConnectedShop, hookSecret: Secret<String>) {
        let id = ConnectedShopID.of(account, request.url)
        var tries = 0
        while true {
            tries += 1
            let turn: KeptRecord?
            let stored: KeptRecord?
            do throws(JournalError) {
                // Before the account's shops are read: whatever connects one after that is a conflict.
                turn = try await store.record(ConnectedShops.turn(account))
                stored = try await store.record(RecordID(ConnectedShop.collection, id.rawValue))
            } catch { throw .journal(error) }
            let (known, scope) = try await known(request, account)
            var shop: ConnectedShop
            let hookSecret: Secret<String>
            do throws(StaffError) {
                // The shop goes on signing with the secret that it has, unless that cannot be opened any more.
                hookSecret = (try? known?.openedHookSecret(by: pepper)) ?? ConnectedShops.randomSecret()
                shop = ConnectedShop(
                    id: id, account: account, url: request.url, key: request.key.key,
                    sealedSecret: try ConnectedShop.sealed(request.key.secret, id, by: pepper),
                    sealedHookSecret: try ConnectedShop.sealed(hookSecret, id, by: pepper), scope: scope,
                    isGuarded: request.isGuarded ?? known?.isGuarded ?? false, cursor: 0,
                    createdAt: known?.createdAt ?? clock.now())
            } catch { throw .sealing(error) }
            shop.seenUntil = known?.seenUntil
            do throws(JournalError) {
                if let known { shop.cursor = known.cursor } else { shop.cursor = try await store.lastSequence() }
                let note = AuditNote(
                    .shopConnected, account: account, subject: id.rawValue,
                    changes: [
                        AuditChange("url", to: shop.url.text), AuditChange("key", to: shop.keyEnding),
                        AuditChange("guarded", from: known.map { String($0.isGuarded) }, to: String(shop.isGuarded)),
                    ])
                let next = Record(ConnectedShops.turn(account), body: Array("{}".utf8))
                try await store.change([.put(shop.record, over: stored), .put(next, over: turn)], noting: [note])
                return (shop, hookSecret)
            } catch {
                guard case .recordConflict = error, tries < ShopSyncLimits.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    /// The record that each connection of an account's shop writes, so that of two at the same time one is decided on
    /// what the other has changed.
    private static func turn(_ account: AccountID) -> RecordID { RecordID("shop_turn", account.rawValue) }

    /// Disconnects a shop. Its orders stay on the counter, and the shop hears no more of them.
    package func disconnect(_ id: ConnectedShopID, of account: AccountID) async throws(ShopConnectError) {
        var tries = 0
        while true {
            tries += 1
            let shop = try await shop(id, of: account)
            let known: KeptRecord?
            do throws(JournalError) { known = try await store.record(shop.record.id) } catch { throw .journal(error) }
            guard let known else { throw .unknownShop }
            let note = AuditNote(
                .shopDisconnected, account: account, subject: id.rawValue,
                changes: [AuditChange("url", from: shop.url.text, to: nil)])
            do throws(JournalError) {
                return try await store.change([.delete(known.id, from: known.version)], noting: [note])
            } catch {
                guard case .recordConflict = error, tries < ShopSyncLimits.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    /// The number of a shop's orders that are not in step with the counter, and one of their troubles.
    package func standing(
        of shop: ConnectedShop
    ) async throws(ShopConnectError) -> (orders: Int, troubles: [(order: OrderID, trouble: ShopTrouble)]) {
        do throws(JournalError) {
            let orders = try await store.count(LinkedOrder.collection, matching: LinkedOrder.match(shop.id))
            let waiting = try await store.records(
                RecordQuery(
                    LinkedOrder.collection, matching: LinkedOrder.match(shop.id),
                    .due(by: Timestamp(milliseconds: .max)), limit: ConnectedShops.listedTroubles))
            var troubles: [(order: OrderID, trouble: ShopTrouble)] = []
            for kept in waiting {
                let link = try LinkedOrder(kept)
                if let trouble = link.trouble { troubles.append((link.order, trouble)) }
            }
            return (orders, troubles)
        } catch { throw .journal(error) }
    }

    /// The most waiting orders among which troubles are listed.
    private static let listedTroubles = 100

    private static func randomSecret() -> Secret<String> {
        var generator = SystemRandomNumberGenerator()
        return Secret(Hex.lowercase((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }
}
