package import Logging
import ServiceLifecycle
import Synchronization
package import TillCheckout
package import TillCore
import TillCounter
package import TillFeatureOrders
import TillFeatureWebhooks
import TillHTTP
import TillJournal
import TillShop

/// Keeps the counter and its connected shops in step: the shops' orders come to the counter, and the shops are told of
/// payments and refunds. Of all counters on a journal one works: it holds a record, and another one takes over when it
/// has died.
package struct ShopSync: Service {
    private let shops: ConnectedShops
    private let feeder: ShopFeeder
    private let poller: ShopPoller
    private let worker: ShopWorker
    private let transport: any HTTPTransport
    /// The transports to shops whose addresses were named over HTTP: to the Internet, and to the counter's network too.
    private let guarded: (far: any HTTPTransport, near: any HTTPTransport)
    private let reachesInside: @Sendable (AccountID) -> Bool
    /// The connections, if they are its own.
    private let wire: HTTPClientTransport?
    private let clock: any TillClock
    private let logger: Logger
    private let activity = ShopActivity()

    /// - Parameters:
    ///   - scope: The scope of order numbers on the counter, for shops without one of their own.
    ///   - reachesInside: Returns `true` for an account whose shops may be in the counter's own network though their
    ///     addresses were named over HTTP. Asked each time.
    ///   - transport: The transport to every shop, for tests.
    ///   - poll: The pause between two questions for changed orders.
    package init(
        _ shops: ConnectedShops, book: OrderBook, checkout: Checkout, scope: OrderScope?, logger: Logger,
        reachesInside: @escaping @Sendable (AccountID) -> Bool = { _ in false },
        transport: (any HTTPTransport)? = nil, poll: Span = ShopSyncLimits.poll
    ) {
        let store = LinkedOrders(store: shops.store, clock: shops.clock)
        self.shops = shops
        feeder = ShopFeeder(shops: shops, logger: logger)
        poller = ShopPoller(shops: shops, links: store, scope: scope, pause: poll)
        worker = ShopWorker(shops: shops, links: store, book: book, checkout: checkout, scope: scope, logger: logger)
        if let transport {
            (self.transport, wire) = (transport, nil)
            guarded = (far: transport, near: transport)
        } else {
            let wire = HTTPClientTransport(connectionsPerHost: ShopSyncLimits.mostOrdersAtOnce)
            func checked(private allowsPrivate: Bool) -> UnbrokenTransport {
                UnbrokenTransport(
                    wire: CheckedTransport(
                        allowsPrivate: allowsPrivate, connectionsPerHost: ShopSyncLimits.mostOrdersAtOnce))
            }
            (self.transport, self.wire) = (UnbrokenTransport(wire: wire), wire)
            guarded = (far: checked(private: false), near: checked(private: true))
        }
        (clock, self.logger, self.reachesInside) = (shops.clock, logger, reachesInside)
    }

    private func carrier(to shop: ConnectedShop) -> any HTTPTransport {
        guard shop.isGuarded else { return transport }
        return reachesInside(shop.account) ? guarded.near : guarded.far
    }

    /// The record that the working process holds.
    private static let post = RecordID("shop_sync", "sync")

    package func run() async throws {
        await Attribution.of(.shops) {
            await cancelWhenGracefulShutdown { await work() }
            await resign()
        }
        await wire?.shutdown()
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                var isWorking = false
                do throws(JournalError) {
                    let known = try await all()
                    if !known.isEmpty { isWorking = try await takeOver() }
                    // A shop that answers slowly delays no other.
                    for shop in isWorking ? known : [] where activity.begin(shop.id) {
                        group.addTask {
                            await turn(of: shop)
                            activity.end(shop.id)
                        }
                    }
                    _ = activity.note(nil, of: "")
                } catch {
                    if activity.note("\(error)", of: "") { logger.error("The work with shops waits: \(error)") }
                }
                guard await clock.pause(for: isWorking ? ShopSyncLimits.pace : ShopSyncLimits.standbyPace) else {
                    return
                }
            }
        }
    }

    /// Does once whatever there is to do, for tests.
    /// - Returns: `false` if another process works.
    package func step() async throws -> Bool {
        guard try await takeOver() else { return false }
        for shop in try await all() { await turn(of: shop, polls: true) }
        return true
    }

    /// Makes one turn of a shop: payments, changed orders, orders with something to do.
    private func turn(of shop: ConnectedShop, polls: Bool = false) async {
        let now = clock.now()
        do {
            try await feeder.feed(shop.id)
            let transport = carrier(to: shop)
            let client = ShopClient(
                shop.url, key: try shop.openedKey(by: shops.pepper), transport: transport, clock: clock)
            var isPolled = false
            if polls || activity.isPollDue(shop.id, at: now) {
                activity.planPoll(shop.id, at: now.adding(ShopSyncLimits.pollAfterTrouble))
                try await poller.poll(shop, client)
                activity.planPoll(shop.id, at: now.adding(poller.pause))
                isPolled = true
            }
            guard polls || activity.mayWork(shop.id, at: now) else { return }
            let pace = activity.pace(of: shop.id)
            let worked = ShopClient(
                shop.url, key: try shop.openedKey(by: shops.pepper),
                transport: PacedTransport(transport: transport, pace: pace, clock: clock), clock: clock)
            do {
                try await worker.work(on: shop, worked, pace: pace, share: { activity.share }) {
                    try await feeder.feed(shop.id)
                }
                activity.worked(shop.id, failedAt: nil)
            } catch {
                activity.worked(shop.id, failedAt: clock.now())
                throw error
            }
            // A turn that did not ask the shop does not know that its trouble is over.
            if isPolled { try await settle(nil, of: shop) }
        } catch {
            let trouble = ShopTrouble(error, at: now)
            if activity.note(trouble.code, of: shop.id.rawValue) {
                logger.error("A shop is not in step: \(trouble.sentence)", metadata: ["shop": "\(shop.url)"])
            }
            do { try await settle(trouble, of: shop) } catch {
                logger.error("The trouble with a shop was not recorded: \(error)")
            }
        }
    }

    /// Records the trouble of a shop, or its end. The time of a trouble that goes on stays.
    private func settle(_ trouble: ShopTrouble?, of shop: ConnectedShop) async throws(JournalError) {
        if trouble == nil { _ = activity.note(nil, of: shop.id.rawValue) }
        _ = try await Records<ConnectedShop>(shops.store).update(shop.id.rawValue) { (shop) throws(JournalError) in
            guard shop.trouble?.code != trouble?.code else { return false }
            shop.trouble = trouble
            return true
        }
    }

    /// Returns the shops of all accounts that can be read.
    private func all() async throws(JournalError) -> [ConnectedShop] {
        var found: [ConnectedShop] = []
        var position: Int64?
        while true {
            let page = try await shops.store.records(
                RecordQuery(ConnectedShop.collection, .oldestFirst(after: position)))
            for kept in page {
                do throws(JournalError) { found.append(try ConnectedShop(kept)) } catch {
                    guard activity.note("\(error)", of: kept.id.key) else { continue }
                    logger.error("A connected shop cannot be read.", metadata: ["shop": "\(kept.id.key)"])
                }
            }
            guard let last = page.last else { return found }
            position = last.position
        }
    }

    /// Returns `true` if this process works, and becomes the one that does if there is none.
    private func takeOver() async throws(JournalError) -> Bool {
        let known = try await shops.store.record(ShopSync.post)
        switch known?.holder {
        case .thisProcess: return true
        case .anotherProcess: return false
        case nil, .nobody, .deadProcess: break
        }
        do throws(JournalError) {
            try await shops.store.change([
                .put(Record(ShopSync.post, body: Array("{}".utf8), isHeld: true), over: known)
            ])
            return true
        } catch {
            guard case .recordConflict = error else { throw error }
            return false
        }
    }

    /// Leaves the work to another process, so that it need not wait for a lease to end.
    private func resign() async {
        do throws(JournalError) {
            guard let known = try await shops.store.record(ShopSync.post), known.holder == .thisProcess else { return }
            try await shops.store.change([
                .update(Record(ShopSync.post, body: Array("{}".utf8)), from: known.version)
            ])
        } catch { logger.info("Another process works with the shops once this one's lease has ended: \(error)") }
    }
}

/// What a process remembers of its shops between two turns.
private final class ShopActivity: Sendable {
    private struct State {
        var busy: Set<ConnectedShopID> = []
        var polls: [ConnectedShopID: Timestamp] = [:]
        var paces: [ConnectedShopID: ShopPace] = [:]
        /// The failures in a row of the work on a shop, and when it goes on.
        var failures: [ConnectedShopID: (count: Int, until: Timestamp)] = [:]
        /// The last trouble of each shop, so that each is logged once.
        var troubles: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// Returns `false` for a shop that is being worked on.
    func begin(_ shop: ConnectedShopID) -> Bool { state.withLock { $0.busy.insert(shop).inserted } }
    func end(_ shop: ConnectedShopID) { _ = state.withLock { $0.busy.remove(shop) } }

    /// Returns how many orders of a shop are worked on at the same time.
    func pace(of shop: ConnectedShopID) -> ShopPace {
        state.withLock { state in
            if let known = state.paces[shop] { return known }
            let new = ShopPace()
            state.paces[shop] = new
            return new
        }
    }

    /// The most orders of one shop at a time while others are worked on, too.
    var share: Int {
        let shops = state.withLock { max(1, $0.busy.count) }
        return max(ShopSyncLimits.ordersAtOnceInAll / shops, ShopSyncLimits.fewestOrdersAtOnce)
    }

    /// Returns `false` while a shop rests that could not be worked on. A rest that is planned far ahead was planned by
    /// a clock that was wrong.
    func mayWork(_ shop: ConnectedShopID, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard let until = state.failures[shop]?.until else { return true }
            return until <= now || until > now.adding(ShopSyncLimits.pollAfterTrouble)
        }
    }

    /// Notes the end of the work on a shop; one that failed as a whole rests, longer each time.
    func worked(_ shop: ConnectedShopID, failedAt now: Timestamp?) {
        state.withLock { state in
            guard let now else {
                state.failures[shop] = nil
                return
            }
            let count = (state.failures[shop]?.count ?? 0) + 1
            let rest = min(ShopSyncLimits.pause(after: count), ShopSyncLimits.longestRest)
            state.failures[shop] = (count, now.adding(rest))
        }
    }

    func isPollDue(_ shop: ConnectedShopID, at now: Timestamp) -> Bool {
        // One that is planned far ahead was planned by a clock that was wrong.
        state.withLock { state in
            guard let planned = state.polls[shop] else { return true }
            return planned <= now || planned > now.adding(ShopSyncLimits.pollAfterTrouble)
        }
    }

    func planPoll(_ shop: ConnectedShopID, at time: Timestamp) { state.withLock { $0.polls[shop] = time } }

    /// Notes an error; `nil` for its end.
    /// - Returns: `true` if it is news.
    func note(_ error: String?, of name: String) -> Bool {
        state.withLock { state in
            guard state.troubles[name] != error else { return false }
            state.troubles[name] = error
            return error != nil
        }
    }
}
