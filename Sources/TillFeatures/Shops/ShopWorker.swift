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
    /// The orders whose records cannot be read, so that each is logged once.
    let damaged = DamagedLinks()

    private var clock: any TillClock { shops.clock }

    /// Works on the due orders of a shop, some at the same time and each by one, until there are no more or the turn is
    /// over.
    /// - Parameters:
    ///   - share: the most orders at a time that leave other shops theirs.
    ///   - feed: notes the orders whose payments have changed meanwhile.
    /// - Throws: the first error of the journal, or an error of the shop that concerns every order.
    func work(
        on shop: ConnectedShop, _ client: ShopClient, pace: ShopPace, share: () -> Int,
        feed: () async throws -> Void
    ) async throws {
        let began = clock.now()
        // After such an error no further order is begun, and what was begun is finished: a call that is broken off may
        // be carried out.
        let failure = await withTaskGroup(of: Ended.self, returning: (any Error)?.self) { group in
            var (queue, failure) = (Queue(), (any Error)?.none)
            while true {
                while failure == nil, queue.busy.count < min(pace.limit, share()) {
                    // Others, and what the shop has changed, have their turn.
                    let isOver = !(Span.milliseconds(0)..<ShopSyncLimits.turn).contains(clock.now().since(began))
                    if isOver { queue.leave() }
                    if queue.waiting.isEmpty, queue.isWorthAsking(at: clock.now(), isOver: isOver) {
                        do {
                            if queue.hasAsked { try await feed() }
                            queue.take(
                                try await links.due(of: shop.id, atMost: queue.busy.count + 2 * pace.limit),
                                at: clock.now())
                        } catch {
                            failure = error
                            break
                        }
                    }
                    guard let next = queue.next() else { break }
                    group.addTask { await outcome(of: next, of: shop, client) }
                }
                if queue.busy.count >= pace.limit { pace.noteFull() }
                guard let ended = await group.next() else { return failure }
                queue.busy.remove(ended.id)
                failure = failure ?? ended.error
            }
        }
        if let failure {
            pace.reset()
            throw failure
        }
    }

    /// The end of the work on an order.
    private struct Ended {
        let id: RecordID
        let error: (any Error)?
    }

    /// The orders of a turn.
    private struct Queue {
        private(set) var waiting: [KeptRecord] = []
        var busy: Set<RecordID> = []
        /// The orders that were begun, as they were then: one that is still due as it was made no progress, and waits
        /// for the next turn.
        private var begun: [RecordID: Int] = [:]
        private var count = 0
        private var asked: Timestamp?

        var hasAsked: Bool { asked != nil }

        /// Returns `false` right after the last question, while orders are at work: their ends come one by one.
        func isWorthAsking(at now: Timestamp, isOver: Bool) -> Bool {
            guard let asked else { return true }
            guard !isOver, count < ShopSyncLimits.ordersPerTurn else { return false }
            return busy.isEmpty || now < asked || now.since(asked) >= ShopSyncLimits.pace
        }

        /// Begins no further order: those that wait stay due.
        mutating func leave() { waiting = [] }

        mutating func take(_ due: [KeptRecord], at now: Timestamp) {
            asked = now
            waiting = due.reversed().filter { !busy.contains($0.id) && begun[$0.id] != $0.version }
        }

        mutating func next() -> KeptRecord? {
            guard let next = waiting.popLast() else { return nil }
            busy.insert(next.id)
            begun[next.id] = next.version
            count += 1
            return next
        }
    }

    private func outcome(of kept: KeptRecord, of shop: ConnectedShop, _ client: ShopClient) async -> Ended {
        do {
            try await work(on: kept, of: shop, client)
            return Ended(id: kept.id, error: nil)
        } catch { return Ended(id: kept.id, error: error) }
    }

    private func work(on kept: KeptRecord, of shop: ConnectedShop, _ client: ShopClient) async throws {
        var link: LinkedOrder
        do throws(JournalError) { link = try LinkedOrder(kept) } catch {
            if damaged.note(kept.id.key) {
                logger.error("An order of a shop cannot be read.", metadata: ["record": "\(kept.id)"])
            }
            return
        }
        let (account, began) = (shop.account, clock.now())
        do {
            let desk = ShopDesk(
                shop: shop, client: client, links: links, book: book, checkout: checkout,
                scope: shop.scope ?? scope, store: shops.store, clock: clock)
            if let rest = link.rest(at: clock.now()) {
                link.due = rest
                return try await links.save(link, isDone: true)
            }
            if link.isStale {
                guard try await desk.takeIn(&link) else { return try await links.drop(link) }
                link.isStale = false
                try await links.save(link)
            }
            try await desk.tell(&link)
            (link.failures, link.trouble, link.due, link.restsUntil) = (0, nil, nil, nil)
            try await links.save(link, isDone: true)
        } catch {
            // A record that is too large or damaged is the order's own failure.
            if let error = error as? JournalError {
                guard case .corrupted = error else { throw error }
            }
            try await fail(&link, of: account, begun: began, with: error)
            // An order that fails is no reason to stop; a shop that does not answer is.
            if let error = error as? ShopError, error.isOfTheShop { throw error }
        }
    }

    /// Plans the next attempt, and has a person look at what no attempt will mend.
    private func fail(
        _ link: inout LinkedOrder, of account: AccountID, begun began: Timestamp, with error: any Error
    ) async throws {
        let now = clock.now()
        link.failures += 1
        // The shop may still be at it: a second call would not find what the first one does.
        if case .lost? = error as? ShopError {
            let isSlow = now.since(began) >= ShopSyncLimits.slowCall
            let rest = isSlow ? ShopSyncLimits.pauseAfterSlowCall : ShopSyncLimits.pauseAfterLoss
            link.restsUntil = max(link.rest(at: now) ?? now, now.adding(rest))
        }
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
        link.due = max(now.adding(pause), link.rest(at: now) ?? now)
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
