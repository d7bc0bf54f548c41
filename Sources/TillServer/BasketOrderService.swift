import Logging
import ServiceLifecycle
import TillCheckout
import TillCore
import TillFeatureApplePay
import TillFeatureOrders
import TillJournal
import TillWeb

/// Books the orders of paid baskets that no shop has booked, while the counter is open.
///
/// It works beside the payments and never delays one. A basket says of itself, from the beginning of its payment, that
/// its order is to be booked; the commit that books the order takes that back. A process that dies in between has lost
/// nothing: the next turn, of any process, finds the basket again. Any number of processes may work at the same time.
struct BasketOrderService: Service {
    /// The least time between turns; a turn that finds nothing is one query, and there are few without a commit.
    static let pace = Span.seconds(2)
    /// The same where no sheet is offered: what is left was paid before.
    static let standbyPace = Span.minutes(1)
    /// The maximum number of baskets that are read at once.
    static let page = 100

    private let baskets: PaidBaskets
    private let account: AccountID
    private let book: OrderBook
    private let checkout: Checkout
    private let feed: EventFeed
    private let pace: Span
    private let clock: any TillClock
    private let logger: Logger

    /// - Parameters:
    ///   - account: the counter's own account, to which its baskets belong.
    ///   - feed: the notices of commits.
    init(
        _ baskets: PaidBaskets, of account: AccountID, book: OrderBook, checkout: Checkout, feed: EventFeed,
        pace: Span = BasketOrderService.pace, clock: any TillClock, logger: Logger
    ) {
        (self.baskets, self.account, self.book, self.checkout) = (baskets, account, book, checkout)
        (self.feed, self.pace, self.clock, self.logger) = (feed, pace, clock, logger)
    }

    func run() async throws {
        await Attribution.of(.housekeeping) {
            await cancelWhenGracefulShutdown { await work() }
        }
    }

    private func work() async {
        var trouble: String?
        var turns = TurnPace()
        repeat {
            guard turns.isDue(after: feed.notices) else { continue }
            var next: String?
            do { try await turn() } catch { next = "\(error)" }
            if let next, next != trouble { logger.error("Orders of paid baskets wait to be booked: \(next)") }
            trouble = next
        } while await clock.pause(for: pace)
    }

    /// Books what is paid. A basket that cannot be worked on keeps no other one from it.
    /// - Throws: the first error of all.
    func turn() async throws {
        var failure: (any Error)?
        var position: Int64?
        repeat {
            let page = try await baskets.page(after: position, limit: BasketOrderService.page)
            for basket in page.baskets {
                guard !Task.isCancelled else { return }
                do { try await take(basket) } catch { failure = failure ?? error }
            }
            if failure == nil { failure = page.damage }
            position = page.next
        } while position != nil
        if let failure { throw failure }
    }

    private func take(_ basket: PaidBasket) async throws {
        // A payment that cannot be read has an incident of its own, and its basket waits for it.
        guard let payment = try await checkout.readable(basket.payment) else { return }
        guard payment.account == account, payment.order.id == basket.order else {
            return try await baskets.settle(basket)
        }
        switch payment.status {
        case .succeeded, .requiresCapture, .partiallyCaptured, .partiallyRefunded: try await book(basket, payment)
        // Given back before anybody has prepared anything.
        case .refunded, .canceled, .expired: try await baskets.settle(basket)
        case .requiresPaymentMethod, .declined, .requiresAction, .stored, .processing, .unknown, .captureFailed: return
        }
    }

    private func book(_ basket: PaidBasket, _ payment: Payment) async throws {
        let handover: Handover =
            switch basket.service {
            case .delivery: .delivery
            case .collection: .collection
            case .none: .none
            }
        let content = BookedOrder.Content(
            order: payment.order, handover: handover, note: basket.note, wantedAt: basket.requestedFor)
        do {
            _ = try await book.book(
                content, paidIn: basket.id, by: payment.id, of: account, beside: basket.settled)
        } catch let problem as Problem {
            logger.error(
                "An order that was paid by Apple Pay is not in the order book: \(problem.detail)",
                metadata: ["order": "\(basket.order)", "payment": "\(payment.id)"])
            try await baskets.settle(basket)
        } catch JournalError.recordConflict {
            // The basket has changed: the next turn reads it anew.
        }
    }
}

/// The turns of a service that waits for commits: one after each notice, and without one ever fewer, for what other
/// processes leave behind and for what failed or has no outcome.
struct TurnPace {
    /// The maximum number of paces between two turns.
    static let longestRest = 8

    private var known: UInt64?
    private var rest = 1
    private var left = 0

    /// Returns `true` if a turn is due; to be called once in each pace.
    /// - Parameter notices: the feed's number as it is before the turn: what is committed during it makes another one.
    mutating func isDue(after notices: UInt64) -> Bool {
        left -= 1
        guard notices != known || left <= 0 else { return false }
        rest = notices == known ? min(2 * rest, TurnPace.longestRest) : 1
        known = notices
        left = rest
        return true
    }
}
