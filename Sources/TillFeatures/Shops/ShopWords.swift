import TillCore
import TillShop

/// The words that a shop is told, in English as its own interface.
enum ShopWords {
    /// Returns the payment method's name.
    static func title(_ payments: [Payment]) -> String {
        let names = payments.map { name(of: $0) }
        guard let first = names.first else { return "Till" }
        return names.allSatisfy { $0 == first } ? "\(first) (Till)" : "Several (Till)"
    }

    /// Returns the private note of a payment.
    static func note(_ payments: [Payment]) -> String {
        var lines = payments.prefix(ShopSyncLimits.paymentsPerNote).map { payment in
            let reference = payment.currentAttempt?.reference.map { ", \($0)" } ?? ""
            return "\(payment.captured) by \(detail(of: payment)) (\(payment.id)\(reference))"
        }
        if payments.count > lines.count { lines.append("and \(payments.count - lines.count) more") }
        return "Paid at the counter: " + lines.joined(separator: "; ") + "."
    }

    /// Returns the reason of a refund as the shop shows it.
    /// - Parameter recorded: the amount that the shop records, which is less if it has the rest, or if there was a tip.
    static func reason(_ refund: Refund, recorded: Money) -> String {
        var reason = String((refund.reason ?? "").prefix(ShopLimits.messageCharacters))
        if reason.isEmpty { reason = "Refunded at the counter" }
        return recorded == refund.amount ? reason : "\(reason) (\(refund.amount) in all)"
    }

    /// Returns the note about a refund that failed after the shop had recorded it.
    static func reversed(_ refund: Refund) -> String {
        "The refund of \(refund.amount) (\(refund.id)) failed: the money is with the shop."
    }

    private static func name(of payment: Payment) -> String {
        switch payment.tender?.kind {
        case .cash?: "Cash"
        case .payPal?: "PayPal"
        case .wallet?: "Apple Pay"
        default: "Card"
        }
    }

    private static func detail(of payment: Payment) -> String {
        guard let card = payment.tender?.card else { return name(of: payment) }
        return "\(name(of: payment)) \(card.brand) \(card.lastFour)"
    }
}
