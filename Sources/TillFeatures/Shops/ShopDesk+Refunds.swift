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
        for refund in try await client.refunds(of: link.number) where !known.contains(refund.id) {
            if let mark = refund.mark {
                // Recorded by Till, and the answer was lost.
                link.toldRefunds[RefundID(rawValue: mark)] = refund.id
            } else {
                // What was refunded before the shop knew of a payment here was not Till's money.
                link.shopsRefunds.append(
                    LinkedOrder.ShopsRefund(
                        id: refund.id, amount: refund.amount, state: link.payment.isTold ? .planned : .ignored))
            }
        }
    }

    /// Gives back what the shop has refunded.
    func carryOutRefunds(_ link: inout LinkedOrder) async throws {
        for index in link.shopsRefunds.indices where link.shopsRefunds[index].state == .planned {
            if link.shopsRefunds[index].parts.isEmpty {
                do throws(ShopDifference) { try await plan(index, of: &link) } catch {
                    link.shopsRefunds[index].state = .byHand
                    try await links.save(link)
                    try await raise(error, about: link)
                    continue
                }
                try await links.save(link)
            }
            let refund = link.shopsRefunds[index]
            for part in refund.parts { try await carryOut(part, of: refund) }
            link.shopsRefunds[index].state = .done
            try await links.save(link)
        }
    }

    /// Chooses the payments that give a refund back, newest first.
    /// - Throws: ``ShopDifference`` if they do not have as much, or if one of them was cash.
    private func plan(_ index: Int, of link: inout LinkedOrder) async throws(ShopDifference) {
        let refund = link.shopsRefunds[index]
        var left = refund.amount.minorUnits
        var isCash = false
        for id in link.payment.payments.reversed() where left > 0 {
            guard let payment = try? await checkout.payment(id, account: link.account),
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
            ? ShopDifference.refundByHand(order: link.order, refund.amount)
            : .refundTooLarge(order: link.order, shop: refund.amount, left: possible)
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
}
