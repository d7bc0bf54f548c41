import HTTPTypes
import Synchronization
import TillCheckout
import TillCore
@testable import TillFeatureOrders
@testable import TillFeatureShops
import TillJournal
import TillSandbox
import TillShop

/// The oracle of a simulated shop: what its ledger, the counters' journal and the provider's ledger say of each order.
extension ShopLife {
    /// What the oracle reads of one order.
    private struct Case {
        let number: Int64
        let isPlain: Bool
        let shop: JSONValue
        let payments: [Payment]
        let isPaid: Bool
        let isCurrent: Bool
        let link: LinkedOrder?

        /// `true` if a person is asked to compare the order with the shop.
        var isReviewed: Bool {
            payments.flatMap(\.openAttention).contains {
                if case .shopDiffers(let sentence) = $0.attention { !sentence.isEmpty } else { false }
            }
        }

        /// The transactions of the counters that the shop has recorded as payments. One that an employee has set to
        /// completed at that very moment has the transaction, too.
        var recorded: [String] {
            let own = Set(payments.map(\.id.rawValue))
            let recorded = (shop["payments"]?.arrayValue ?? []).compactMap { $0["transaction_id"]?.stringValue }
                .filter { own.contains($0) }
            guard recorded.isEmpty, shop["marked_paid"]?.int64Value ?? 0 > 0,
                let current = shop["transaction_id"]?.stringValue, own.contains(current)
            else { return recorded }
            return [current]
        }

        /// The shop's refunds, with the counters' mark.
        var refunds: [(id: Int64, amount: Int64, mark: String?)] {
            (shop["refunds"]?.arrayValue ?? []).map { refund in
                let mark = (refund["meta_data"]?.arrayValue ?? []).first { $0["key"]?.stringValue == ShopRefund.mark }
                return (
                    id: refund["id"]?.int64Value ?? 0, amount: refund["amount"]?.int64Value ?? 0,
                    mark: mark?["value"]?.stringValue
                )
            }
        }

        /// The payments of which the shop was told as one.
        var told: [Payment] { payments.filter { link?.payment.payments.contains($0.id) ?? false } }

        /// The refunds that were carried out.
        static func done(_ payments: [Payment]) -> [Refund] {
            payments.flatMap(\.refunds).filter { $0.state.isSucceeded }
        }

        /// Names the order of a problem.
        func name(_ problem: String) -> String { "order \(number): \(problem)" }
    }

    /// Returns the broken rules.
    func judge() async throws -> [String] {
        guard let till = till() else { return ["there is no counter"] }
        var problems = (try till.process.journal.verify()).problems.map { "journal: \($0)" }
        problems += try await judgeProvider(till)
        let orders = await ask(.get, "/_sandbox/ledger")?["orders"]?.arrayValue ?? []
        for shop in orders {
            guard let number = shop["id"]?.int64Value else { continue }
            problems += try await judge(number, shop, till)
        }
        return problems
    }

    /// Money at the provider is what the journal says, and no more goes back than was taken.
    private func judgeProvider(_ till: Till) async throws -> [String] {
        var problems: [String] = []
        for charge in try await provider.ledger.charges() {
            guard let id = charge.payment,
                let payment = try await till.process.journal.payment(PaymentID(rawValue: id))
            else {
                problems.append("\(charge.reference) is not in the journal")
                continue
            }
            if charge.refunded > charge.captured { problems.append("\(id) gave back more than it took") }
            let taken = payment.captures.filter { $0.attempt.rawValue == charge.attempt && $0.state.isSucceeded }
                .reduce(Int64(0)) { $0 + $1.amount.minorUnits }
            let back = payment.refunds.filter { $0.attempt.rawValue == charge.attempt && $0.state.isSucceeded }
                .reduce(Int64(0)) { $0 + $1.amount.minorUnits }
            if taken != charge.captured { problems.append("\(id) took \(charge.captured), and \(taken) here") }
            if back != charge.refunded { problems.append("\(id) gave back \(charge.refunded), and \(back) here") }
        }
        return problems
    }

    private func judge(_ number: Int64, _ shop: JSONValue, _ till: Till) async throws -> [String] {
        let isPlain = state.withLock { $0.plain.contains(number) }
        guard let entry = try await booked(number, at: till) else {
            // Nobody but an employee can have kept it from the counters.
            return isPlain ? ["order \(number) never came to the counters"] : []
        }
        guard case .known(_, let payments) = entry.money else { return ["order \(number) cannot be read"] }
        let one = Case(
            number: number, isPlain: isPlain, shop: shop, payments: payments, isPaid: entry.money.isPaid,
            isCurrent: entry.order.isCurrent, link: try await link(number, at: till))
        if one.isReviewed { count("reviewed") }
        if one.recorded.count == 1 { count("told") }
        if one.isPlain, one.recorded.count == 1, !one.isReviewed { count("told without a word") }
        if one.refunds.contains(where: { $0.mark == nil }), one.told.flatMap(\.refunds).contains(where: \.isOfTheShop) {
            count("carried out")
        }
        return (judgePayment(one) + judgeRefunds(one) + judgeRest(one)).map { one.name($0) }
    }

    /// Paid here as a whole if and only if it is recorded there exactly once, under the first payment's identifier.
    private func judgePayment(_ one: Case) -> [String] {
        var problems: [String] = []
        let isExcused = !one.isPlain && one.isReviewed
        if one.recorded.count > 1 { problems.append("it is recorded \(one.recorded.count) times") }
        let current = one.shop["transaction_id"]?.stringValue ?? ""
        if one.isPaid, !isExcused, one.recorded.isEmpty || current != one.recorded.first {
            problems.append("it is paid here, and the shop has \(one.recorded) and \(current)")
        }
        guard let transaction = one.recorded.first else { return problems }
        let captured = one.told.reduce(Int64(0)) { $0 + $1.captured.minorUnits }
        if !isExcused, captured < one.shop["total"]?.int64Value ?? 0 {
            problems.append("it is recorded, and \(captured) was taken here")
        }
        // What was given back as a whole before pays nothing; every other earlier payment is the first.
        let before = one.payments.prefix { $0.id.rawValue != transaction }
        if let earlier = before.first(where: { $0.captured.isPositive && $0.refunded != $0.captured }) {
            problems.append("it is recorded under \(transaction), and \(earlier.id) came before")
        }
        return problems
    }

    /// What went back here and what the shop has agree, and nothing is recorded or given back twice.
    private func judgeRefunds(_ one: Case) -> [String] {
        var problems: [String] = []
        let known = Set(one.payments.flatMap(\.refunds).map(\.id.rawValue))
        let marks = one.refunds.compactMap(\.mark)
        for mark in Set(marks).sorted() {
            let times = marks.count { $0 == mark }
            if times > 1 { problems.append("\(mark) is recorded \(times) times") }
            if !known.contains(mark) { problems.append("\(mark) is recorded, and is no refund here") }
        }
        for refund in one.refunds where refund.mark == nil {
            let reason = "Refund \(refund.id) in the shop"
            let given = Case.done(one.payments).filter { $0.reason == reason }
                .reduce(Int64(0)) { $0 + $1.amount.minorUnits }
            if given > refund.amount { problems.append("\(reason) of \(refund.amount) gave back \(given)") }
        }
        guard !one.recorded.isEmpty else {
            if !marks.isEmpty { problems.append("refunds of it are recorded, and no payment") }
            return problems
        }
        let here = Case.done(one.told).reduce(Int64(0)) { $0 + $1.amount.minorUnits }
        let there = one.refunds.reduce(Int64(0)) { $0 + $1.amount }
        if here != there, one.isPlain || !one.isReviewed {
            problems.append("\(here) was given back here, and the shop has \(there)")
        }
        return problems
    }

    /// The note is there once, a plain order is at rest, and one that waits for money in the shop waits here.
    private func judgeRest(_ one: Case) -> [String] {
        var problems: [String] = []
        let notes = (one.shop["notes"]?.arrayValue ?? []).compactMap { $0["note"]?.stringValue }
            .count { $0.hasPrefix("Paid at the counter") }
        if notes > 1, !isLate { problems.append("the shop has \(notes) notes of its payment") }
        guard one.isPlain else { return problems }
        if !one.recorded.isEmpty, notes == 0 { problems.append("the shop has no note of its payment") }
        if let due = one.link?.due {
            problems.append("there is something to do at \(due), \(one.link?.trouble?.code ?? "without a trouble")")
        }
        if one.shop["needs_payment"]?.boolValue == true, !one.isCurrent {
            problems.append("it waits for money in the shop, and cannot be paid here")
        }
        return problems
    }
}

extension Refund {
    /// `true` for one that carries out a refund of the shop.
    fileprivate var isOfTheShop: Bool { reason?.hasSuffix(" in the shop") ?? false }
}
