import Synchronization
import TillBooks
import TillCore
import TillJournal
import TillSandbox
import TillStandInStripe
import TillTestSupport

extension SimulatedWorld {
    /// Returns all violations after everything has settled.
    func judge() async -> [String] {
        var problems: [String] = []
        let (storage, acknowledged, created) = state.withLock { ($0.storage, $0.acknowledged, $0.created) }
        let journal = MemoryJournal(storage: storage.copy(), clock: shopClock)
        func payment(_ id: PaymentID) async -> Payment? {
            if let payment = try? await journal.payment(id) { return payment }
            return plant == .severalLivePerOrder ? try? await shadow.payment(id) : nil
        }
        var net: [String: [String]] = [:]
        var payable: [String: Int] = [:]
        let explained = (try? await RestoreRules.explained(in: journal)) ?? RestoreRules()
        let isRestored = epoch > 1
        var foreign: [String: (captured: Int64, refunded: Int64)] = [:]
        let soldAgain = await ordersSoldAgain(created, payment)
        var charges: [SandboxCharge] = []
        for account in accounts { charges += (try? await account.ledger.charges()) ?? [] }
        for charge in charges {
            let name = "\(charge.order ?? "?") \(charge.reference)"
            if charge.captured > charge.authorized || charge.authorized > charge.amount {
                problems.append("\(name): captured \(charge.captured) of \(charge.authorized) of \(charge.amount)")
            }
            if charge.refundedByTill > charge.everCaptured {
                problems.append("\(name): refunded \(charge.refundedByTill) of \(charge.everCaptured)")
            }
            let order = charge.order ?? "?"
            if charge.captured > charge.refunded, !soldAgain.contains(order) {
                net[order, default: []].append("\(charge.payment ?? "?") \(charge.reference)")
            }
            var owner: Payment?
            if let id = charge.payment { owner = await payment(PaymentID(rawValue: id)) }
            if owner?.attempts(of: charge).isEmpty ?? true, isRestored, charge.payment != nil {
                if explained.contains(charge), let id = charge.payment {
                    let before = foreign[id] ?? (0, 0)
                    foreign[id] = (before.captured + charge.everCaptured, before.refunded + charge.refunded)
                    continue
                }
                if RestoreRules.isGone(charge, at: clock.now()) { continue }
            }
            // A query does not reveal the renewer of a hold: a renewal before a restore is only visible as a longer
            // hold.
            let restoredAt = state.withLock { $0.past.restoredAt.milliseconds }
            let isLost = isRestored && (charge.renewals ?? []).contains { $0.at <= restoredAt }
            if !isLost { problems += RenewalRules.problems(charge, owner, at: clock.now()).map { "\(name): \($0)" } }
            guard let id = charge.payment, let payment = owner,
                case let attempts = payment.attempts(of: charge), !attempts.isEmpty
            else {
                guard charge.authorized > 0 else { continue }
                problems.append("\(name): the journal does not know it")
                continue
            }
            let isOver = (charge.holdEndsAt ?? .max) <= clock.now().milliseconds
            // At a reader a payment has one payment intent; another one only after that can no longer be paid.
            if charge.reference.hasPrefix("pi_"), charge.state != .voided, !isOver || charge.captured > 0 {
                payable[id, default: 0] += 1
            }
            let taken = payment.captures.filter { attempts[$0.attempt] != nil && $0.state.isSucceeded }
                .map(\.amount.minorUnits).reduce(0, +)
            let back = payment.refunds.filter { attempts[$0.attempt] != nil && $0.state.isSucceeded }
                .map(\.amount.minorUnits).reduce(0, +)
            if taken != charge.captured { problems.append("\(name): captured \(charge.captured), journal \(taken)") }
            if back != charge.refunded { problems.append("\(name): refunded \(charge.refunded), journal \(back)") }
            problems += AfterSaleRules.problems(charge, payment, attempts, at: clock.now()).map { "\(name): \($0)" }
            let released = attempts.values.compactMap { $0.void?.state.isSucceeded == true ? $0.void?.rest : nil }
                .map(\.minorUnits).reduce(0, +)
            // If a restore has lost the release of a hold, a query shows only that nothing is left to capture.
            let isReleaseLost = isRestored && released == 0 && attempts.values.contains { $0.state == .expired }
            if released != charge.released ?? 0, !payment.isLeftToPeople, !isReleaseLost {
                problems.append("\(name): released \(charge.released ?? 0), journal \(released)")
            }
            let isHeld = charge.state == .authorized && charge.captures.isEmpty && !isOver
            let isKnown = attempts.values.contains { $0.authorization?.reference.rawValue == charge.holdName }
            if isHeld, !isKnown, !payment.hasOtherCurrency {
                problems.append("\(name): money is held and the journal does not say so")
            }
        }
        for (order, paid) in net.sorted(by: { $0.key < $1.key }) where paid.count > 1 {
            problems.append("\(order): paid \(paid.count) times: \(paid.sorted().joined(separator: ", "))")
        }
        for (payment, count) in payable.sorted(by: { $0.key < $1.key }) where count > 1 {
            problems.append("\(payment): \(count) payment intents could be paid")
        }
        for (id, _) in created.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let payment = await payment(id) else {
                problems.append("\(id): acknowledged and gone")
                continue
            }
            let isRenewed = payment.renewals.contains { $0.state.isSucceeded }
            let ending = payment.status.rawValue + (isRenewed ? ", renewed" : "")
            state.withLock { $0.report.outcomes[ending, default: 0] += 1 }
            let known = acknowledged[id] ?? (0, 0)
            let others = foreign[id.rawValue] ?? (0, 0)
            let isNews = isRestored && charges.contains { $0.payment == id.rawValue && $0.hasComeToNothing }
            if !isNews,
                payment.everCaptured + others.captured < known.captured
                    || payment.everRefunded + others.refunded < known.refunded
            {
                problems.append("\(id): less than was acknowledged")
            }
            switch payment.status {
            case .processing, .stored, .unknown, .requiresAction:
                if !payment.isLeftToPeople { problems.append("\(id): still \(payment.status.rawValue)") }
            default: break
            }
            if !payment.isLeftToPeople, payment.nextDue != nil { problems.append("\(id): still something to do") }
            problems += keyProblems(payment).map { "\(id): \($0)" }
        }
        var owned: [(SandboxCharge, Payment?)] = []
        for charge in charges {
            guard let id = charge.payment else { continue }
            owned.append((charge, await payment(PaymentID(rawValue: id))))
        }
        let books = PlantedBooks(base: journal, plant: plant)
        let rules = StatementRules(journal: books, clock: clock, explained: explained, isRestored: isRestored)
        problems += await rules.problems(owned)
        return problems + (await bookProblems(journal, books))
    }
}

extension SimulatedWorld {
    /// Returns the violations between the journal's own totals and the ledger derived from its events.
    private func bookProblems(_ journal: MemoryJournal, _ books: PlantedBooks) async -> [String] {
        do throws(JournalError) {
            let report = try journal.verify()
            return report.problems.map { "journal: \($0)" }
                + (await LedgerCheck(books).problems(against: report)).map { "ledger: \($0)" }
        } catch { return ["journal: \(error)"] }
    }

    /// Returns the orders that were sold again before the refund of their first payment failed, which was reported to
    /// staff.
    private func ordersSoldAgain(
        _ created: [PaymentID: OrderID], _ payment: (PaymentID) async -> Payment?
    ) async -> Set<String> {
        var orders: Set<String> = []
        for (id, order) in created where await payment(id)?.isPaidAgain == true { orders.insert(order.rawValue) }
        return orders
    }

    /// Reports operations that a failure stored under its key, or a rejected credential, has stopped for good.
    private func keyProblems(_ payment: Payment) -> [String] {
        let (spent, rejected) = state.withLock { ($0.spent, $0.rejected) }
        var problems: [String] = []
        // The next key is the first one with a number appended.
        func isSpent(_ key: IdempotencyKey) -> Bool {
            spent.contains { key == $0 || key.rawValue.hasPrefix("\($0)-k") }
        }
        for capture in payment.captures where capture.state.isOpen && isSpent(capture.key) {
            problems.append("\(capture.id) is sent under a spent key for ever")
        }
        for refund in payment.refunds where refund.state.isOpen && isSpent(refund.key) {
            problems.append("\(refund.id) is sent under a spent key for ever")
        }
        for capture in payment.captures where rejected.contains(capture.key) {
            guard case .refused(let decline) = capture.state, decline.code == nil else { continue }
            problems.append("\(capture.id) was refused by nobody")
        }
        for refund in payment.refunds where rejected.contains(refund.key) {
            guard case .refused(let decline) = refund.state, decline.code == nil else { continue }
            problems.append("\(refund.id) was refused by nobody")
        }
        return problems
    }
}

extension Payment {
    /// Returns the attempts that a charge belongs to: a payment intent at a reader serves all attempts of its payment.
    func attempts(of charge: SandboxCharge) -> [AttemptID: Attempt] {
        let mine = attempts.filter {
            $0.id.rawValue == charge.attempt || (charge.attempt == nil && $0.reference?.rawValue == charge.reference)
        }
        return Dictionary(mine.map { ($0.id, $0) }) { first, _ in first }
    }
}
