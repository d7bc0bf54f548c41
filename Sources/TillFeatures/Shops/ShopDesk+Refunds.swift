import TillCheckout
import TillCore
import TillCounter
import TillFeatureOrders
import TillJournal
import TillShop

/// Refunds that somebody recorded in the shop: the money is given back here, once.
extension ShopDesk {
    /// Takes in the refunds of the shop's order that are not known yet.
    func takeRefunds(_ order: ShopOrder, _ link: inout LinkedOrder) async throws {
        let listed = (order.document["refunds"]?.arrayValue ?? []).compactMap { $0["id"]?.int64Value }
        let known = Set(link.toldRefunds.values).union(link.shopsRefunds.map(\.id))
        guard listed.contains(where: { !known.contains($0) }) else { return }
        guard link.shopsRefunds.count + listed.count <= ShopLimits.refunds else {
            throw ShopError.unreadable("list of refunds: there are \(ShopLimits.refunds) or more")
        }
        // Also while the shop is being told: it may have recorded the payment already.
        let isOfTill = link.payment.transaction.map { $0 == order.transaction } ?? false
        for refund in try await client.refunds(of: link.number) where !known.contains(refund.id) {
            if let mark = refund.mark {
                // Recorded by Till, and the answer was lost.
                link.toldRefunds[RefundID(rawValue: mark)] = refund.id
            } else {
                // What was refunded before the shop knew of a payment here was not Till's money.
                link.shopsRefunds.append(
                    LinkedOrder.ShopsRefund(
                        id: refund.id, amount: refund.amount, state: isOfTill ? .planned : .ignored))
            }
        }
    }

    /// Gives back what the shop has refunded.
    func carryOutRefunds(of payments: [Payment], _ link: inout LinkedOrder) async throws {
        for index in link.shopsRefunds.indices where link.shopsRefunds[index].state == .planned {
            if link.shopsRefunds[index].parts.isEmpty {
                // Somebody refunded it here by hand, and recorded that in the shop.
                let amount = link.shopsRefunds[index].amount
                if let same = untold(of: payments, link).first(where: { $0.amount == amount }) {
                    link.toldRefunds[same.id] = link.shopsRefunds[index].id
                    link.shopsRefunds[index].state = .done
                    try await links.save(link)
                    continue
                }
                do { try await plan(index, of: &link) } catch let difference as ShopDifference {
                    link.shopsRefunds[index].state = .byHand
                    try await links.save(link)
                    try await raise(difference, about: link)
                    continue
                }
                try await links.save(link)
            }
            for part in link.shopsRefunds[index].parts.indices where !link.shopsRefunds[index].parts[part].isDone {
                try await carryOut(link.shopsRefunds[index].parts[part], of: link.shopsRefunds[index])
                // Its key is forgotten one day; what is written here is not.
                link.shopsRefunds[index].parts[part].isDone = true
                try await links.save(link)
            }
            link.shopsRefunds[index].state = .done
            try await links.save(link)
        }
    }

    /// Chooses the payments that give a refund back, newest first.
    /// - Throws: ``ShopDifference`` if they do not have as much, or if one of them was cash; an error of the journal.
    private func plan(_ index: Int, of link: inout LinkedOrder) async throws {
        let refund = link.shopsRefunds[index]
        var left = refund.amount.minorUnits
        var isCash = false
        for id in link.payment.payments.reversed() where left > 0 {
            guard let payment = try await readable(id, of: link.account),
                payment.currency == refund.amount.currency, payment.refundable.isPositive
            else { continue }
            // Nobody at the shop's desk hands out the drawer's cash.
            guard payment.tender?.kind != .cash else {
                isCash = true
                continue
            }
            let amount = min(left, payment.refundable.minorUnits)
            link.shopsRefunds[index].parts.append(.init(payment: id, amount: amount))
            left -= amount
        }
        guard left > 0 else { return }
        link.shopsRefunds[index].parts = []
        let possible = Money(minorUnits: refund.amount.minorUnits - left, currency: refund.amount.currency)
        throw isCash
            ? ShopDifference.refundByHand(refund.id, order: link.order, refund.amount)
            : .refundTooLarge(refund.id, order: link.order, shop: refund.amount, left: possible)
    }

    /// Returns a payment; `nil` for one that is damaged, of which nothing is given back.
    private func readable(_ id: PaymentID, of account: AccountID) async throws -> Payment? {
        do { return try await checkout.payment(id, account: account) } catch CheckoutError.unreadablePayment {
            return nil
        }
    }

    /// Refunds a part under a key of its own: a repetition after a crash finds it done.
    private func carryOut(_ part: LinkedOrder.ShopsRefund.Part, of refund: LinkedOrder.ShopsRefund) async throws {
        let scope = IdempotencyScope(
            account: shop.account, operation: "shop.refund", key: "\(shop.id)/\(refund.id)/\(part.payment)")
        guard try await store.idempotency(scope) == nil else { return }
        let request = Array("\(part.payment) \(part.amount)".utf8)
        let record = IdempotencyRecord(
            scope: scope, fingerprint: digest(request), request: request, createdAt: clock.now(),
            state: .inFlight(payment: part.payment, operation: "shop.refund"))
        let amount = Money(minorUnits: part.amount, currency: refund.amount.currency)
        do throws(CheckoutError) {
            _ = try await checkout.refund(
                part.payment, account: shop.account, amount: amount, reason: refund.mark, idempotency: record)
        } catch {
            switch error {
            case .journal(.idempotencyExists): return
            case .refused:
                try await checkout.raise(
                    .shopDiffers("\(refund.mark) of \(amount) was not carried out. \(error.what)"),
                    about: part.payment, account: shop.account)
            default: throw error
            }
        }
    }

    private func raise(_ difference: ShopDifference, about link: LinkedOrder) async throws {
        guard let payment = link.payment.payments.last else { return }
        try await checkout.raise(
            .shopDiffers("\(difference.what) \(difference.next)"), about: payment, account: link.account)
    }

    // MARK: To the shop

    /// Returns the refunds made here that the shop does not know, oldest first.
    private func untold(of payments: [Payment], _ link: LinkedOrder) -> [Refund] {
        payments.flatMap(\.refunds).filter {
            $0.state.isSucceeded && link.toldRefunds[$0.id] == nil && !link.isShopsRefund($0)
        }
    }

    /// Has the shop record the refunds made here that it does not know.
    func tellRefunds(of payments: [Payment], _ link: inout LinkedOrder) async throws {
        for refund in payments.flatMap(\.refunds) where refund.state.isReversed && link.toldRefunds[refund.id] != nil {
            try await client.note(ShopWords.reversed(refund), on: link.number)
        }
        for refund in untold(of: payments, link) {
            // One that is made again after it had failed is in the shop already.
            if let failed = failed(like: refund, of: payments, link) {
                link.toldRefunds[refund.id] = failed
            } else {
                try await tell(refund, &link)
            }
            try await links.save(link)
        }
    }

    /// Returns the shop's number of a refund that failed later, if no other one stands for it.
    private func failed(like refund: Refund, of payments: [Payment], _ link: LinkedOrder) -> Int64? {
        let all = payments.flatMap(\.refunds)
        let taken = all.filter { $0.state.isSucceeded }.compactMap { link.toldRefunds[$0.id] }
        return all.lazy.filter { $0.state.isReversed && $0.amount == refund.amount }
            .compactMap { link.toldRefunds[$0.id] }.first { !taken.contains($0) }
    }

    /// Has the shop record a refund: what it does not have already by refunds that were left to the staff, and at most
    /// what is left of the order there, which knows no tips.
    private func tell(_ refund: Refund, _ link: inout LinkedOrder) async throws {
        var units = refund.amount.minorUnits
        // Counted once the shop has the rest: an attempt that fails has handed out nothing.
        var shopsRefunds = link.shopsRefunds
        for index in shopsRefunds.indices where shopsRefunds[index].state == .byHand && units > 0 {
            let open = shopsRefunds[index].amount.minorUnits - shopsRefunds[index].handed
            let covered = min(open, units)
            shopsRefunds[index].handed += covered
            units -= covered
            if covered == open { shopsRefunds[index].state = .done }
        }
        let known = try await client.refunds(of: link.number)
        if let own = known.first(where: { $0.mark == refund.id.rawValue }) {
            link.toldRefunds[refund.id] = own.id
            link.shopsRefunds = shopsRefunds
            return
        }
        let total = try await client.order(link.number).total
        let left = known.reduce(total.minorUnits) { $0 - $1.amount.minorUnits }
        let amount = Money(minorUnits: min(units, left), currency: refund.amount.currency)
        guard amount.isPositive else {
            // The shop has all of it.
            link.toldRefunds[refund.id] = 0
            link.shopsRefunds = shopsRefunds
            return
        }
        // Durable before the shop is asked: if this process dies, the shop may still be at it when the next one looks.
        link.restsUntil = clock.now().adding(ShopSyncLimits.pauseAfterSlowCall)
        try await links.save(link)
        do throws(ShopError) {
            let recorded = try await client.record(
                ShopRefund(
                    order: link.number, id: refund.id.rawValue, amount: amount,
                    reason: ShopWords.reason(refund, recorded: amount)))
            switch recorded {
            case .recorded(let number), .already(let number): link.toldRefunds[refund.id] = number
            }
            link.shopsRefunds = shopsRefunds
            link.restsUntil = nil
        } catch {
            // After a lost answer the order rests by how long the call took.
            link.restsUntil = nil
            throw error
        }
    }
}
