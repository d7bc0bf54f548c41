import Logging
import TillCheckout
import TillCore
import TillCounter
import TillFeatureOrders
import TillJournal
import TillShop
import TillWeb

/// Works on the orders of a shop that there is something to do about: each is read if it changed there, and the shop
/// is told what happened here.
struct ShopWorker: Sendable {
    let shops: ConnectedShops
    let links: LinkedOrders
    let book: OrderBook
    let checkout: Checkout
    let scope: OrderScope?
    let logger: Logger

    private var clock: any TillClock { shops.clock }

    /// Works on the due orders of a shop, some at the same time and each by one.
    /// - Throws: the first error of the journal, or an error of the shop that concerns every order.
    func work(on shop: ConnectedShop, _ client: ShopClient) async throws {
        let due = try await links.due(of: shop.id)
        // After such an error no further order is begun, and what was begun is finished: a call that is broken off may
        // be carried out.
        let failure = await withTaskGroup { group in
            var (waiting, failure) = (due.makeIterator(), (any Error)?.none)
            for _ in 0..<ShopSyncLimits.ordersAtOnce {
                guard let next = waiting.next() else { break }
                group.addTask { await outcome(of: next, of: shop, client) }
            }
            while let ended = await group.next() {
                failure = failure ?? ended
                guard failure == nil, let next = waiting.next() else { continue }
                group.addTask { await outcome(of: next, of: shop, client) }
            }
            return failure
        }
        if let failure { throw failure }
    }

    private func outcome(of kept: KeptRecord, of shop: ConnectedShop, _ client: ShopClient) async -> (any Error)? {
        do {
            try await work(on: kept, of: shop, client)
            return nil
        } catch { return error }
    }

    private func work(on kept: KeptRecord, of shop: ConnectedShop, _ client: ShopClient) async throws {
        var link: LinkedOrder
        do throws(JournalError) { link = try LinkedOrder(kept) } catch {
            logger.error("An order of a shop cannot be read.", metadata: ["record": "\(kept.id)"])
            return
        }
        let account = shop.account
        do {
            let desk = ShopDesk(
                shop: shop, client: client, links: links, book: book, checkout: checkout,
                scope: shop.scope ?? scope, store: shops.store, clock: clock)
            if link.isStale {
                guard try await desk.takeIn(&link) else { return try await links.drop(link) }
                link.isStale = false
                try await links.save(link)
            }
            try await desk.tell(&link)
            (link.failures, link.trouble, link.due) = (0, nil, nil)
            try await links.save(link, isDone: true)
        } catch {
            // A record that is too large or damaged is the order's own failure.
            if let error = error as? JournalError {
                guard case .corrupted = error else { throw error }
            }
            try await fail(&link, of: account, with: error)
            // An order that fails is no reason to stop; a shop that does not answer is.
            if let error = error as? ShopError, error.isOfTheShop { throw error }
        }
    }

    /// Plans the next attempt, and has a person look at what no attempt will mend.
    private func fail(_ link: inout LinkedOrder, of account: AccountID, with error: any Error) async throws {
        let now = clock.now()
        link.failures += 1
        var trouble = ShopTrouble(error, at: now)
        if let known = link.trouble, known.code == trouble.code { trouble.since = known.since }
        let needsReview = ShopWorker.needsReview(error)
        if link.trouble?.code != trouble.code {
            logger.error(
                "An order of a shop is not in step: \(trouble.sentence)",
                metadata: ["shop": "\(link.shop)", "order": "\(link.order)"])
        }
        link.trouble = trouble
        let pause = needsReview ? ShopSyncLimits.pauseForReview : ShopSyncLimits.pause(after: link.failures)
        link.due = now.adding(max(pause, link.leastPause))
        link.leastPause = .milliseconds(0)
        if needsReview || link.failures == ShopSyncLimits.failuresUntilReview {
            try await raise(trouble, about: link, of: account)
        }
        try await links.save(link, isDone: true)
    }

    /// Raises a review item about the last payment of an order that has or may have money.
    private func raise(_ trouble: ShopTrouble, about link: LinkedOrder, of account: AccountID) async throws {
        guard let entry = try? await book.entry(link.order, of: account), case .known(_, let payments) = entry.money,
            let live = payments.last(where: \.isLive) ?? payments.last(where: { !$0.attempts.isEmpty })
        else { return }
        try await checkout.raise(.shopDiffers(trouble.sentence), about: live.id, account: account)
    }

    /// Returns `true` for an error that will not end by itself.
    private static func needsReview(_ error: any Error) -> Bool {
        switch error {
        case let error as ShopError:
            switch error {
            case .notSent, .lost, .unavailable, .redirected, .unauthorized, .unstableList: false
            case .address, .key, .tooLong, .notFound, .refused, .unreadable, .tooManyOrders, .notPayable,
                .paidOtherwise, .totalDiffers, .notRecorded:
                true
            }
        case is ShopDifference, is OrderError, is Problem: true
        default: false
        }
    }
}

extension ShopError {
    /// `true` if it concerns the shop as a whole, so that its other orders would fail, too.
    fileprivate var isOfTheShop: Bool {
        switch self {
        case .notSent, .unavailable, .redirected, .unauthorized: true
        case .address, .key, .tooLong, .lost, .notFound, .refused, .unreadable, .unstableList, .tooManyOrders,
            .notPayable, .paidOtherwise, .totalDiffers, .notRecorded:
            false
        }
    }
}
