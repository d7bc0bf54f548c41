import TillApplePay
import TillCore
import TillJournal

/// The baskets that the shop's server opens: one for each order, which it can replace and close while it is unpaid.
extension ApplePayBaskets {
    /// The result of opening an order's basket.
    enum Opening: Sendable {
        case opened(Entry)
        /// The order has a basket that is open or has a payment; it is unchanged.
        case existing(Entry)
    }

    /// Opens the basket of an order. Of any number of concurrent callers for one order, exactly one opens it. A closed
    /// or expired basket is succeeded by the new one. Beyond ``WalletBasket/maximumOpen`` unpaid baskets and orders the
    /// oldest are removed.
    /// - Parameter ended: the basket of the order that is succeeded although it has a payment, because that payment
    ///   does not occupy the order any more.
    func open(
        _ basket: SheetBasket, on terms: BasketTerms, account: String?, succeeding ended: String? = nil
    ) async throws(JournalError) -> Opening {
        var kept = new(basket, account: account)
        kept.terms = terms
        let place = OrderBasket(of: kept, on: terms).record
        let note = AuditNote(
            .basketOpened, account: owner, subject: kept.id,
            changes: [AuditChange("order", to: terms.order.rawValue), AuditChange("amount", to: total(of: kept))])
        for tries in 1... {
            let known = try await journal.record(place.id)
            if let known, let entry = try await entry(try OrderBasket(known).basket),
                entry.isOpen(at: clock.now()) || (entry.attempt != nil && entry.basket.id != ended)
            {
                return .existing(entry)
            }
            do throws(JournalError) {
                try await journal.change(
                    [
                        .insert(kept.record), .put(place, over: known),
                        .forget(WalletBasket.collection, dueBy: clock.now()),
                        .forget(OrderBasket.collection, dueBy: clock.now()),
                        .keepNewest(WalletBasket.maximumOpen, of: WalletBasket.collection, matching: WalletBasket.open),
                        .keepNewest(WalletBasket.maximumOpen, of: OrderBasket.collection, matching: OrderBasket.unpaid),
                    ], noting: [note])
                break
            } catch {
                guard case .recordConflict = error, tries < Records<OrderBasket>.maximumConflicts else { throw error }
            }
        }
        guard let entry = Entry(kept) else { throw .corrupted("the basket \(kept.id) cannot be read back") }
        return .opened(entry)
    }

    /// Replaces goods and terms of an open basket, whose version and generation are incremented: a sheet that is open
    /// can neither change nor pay it any more. The same goods and terms leave it unchanged, so that a repeated request
    /// does not invalidate an open sheet.
    /// - Returns: the basket as it is now; `nil` if it has a payment, is closed or expired, or does not exist.
    func replace(
        _ id: String, with basket: SheetBasket, on terms: BasketTerms, account: String?
    ) async throws(JournalError) -> Entry? {
        var result: Entry?
        let written = try await update(
            id,
            noting: { before, after in
                [
                    AuditNote(
                        .basketReplaced, account: owner, subject: id,
                        changes: [
                            AuditChange("order", to: terms.order.rawValue),
                            AuditChange("amount", from: total(of: before), to: total(of: after)),
                        ])
                ]
            }
        ) { kept in
            result = nil
            guard kept.isOpen(at: clock.now()), var entry = Entry(kept) else { return false }
            guard kept.terms?.fingerprint != terms.fingerprint else {
                result = entry
                return false
            }
            entry.basket.replace(with: basket)
            kept.generation += 1
            kept.version = entry.basket.version
            kept.document = entry.basket.json.bytes()
            kept.terms = terms
            kept.account = account
            // Their tokens are of another version.
            kept.refused = []
            kept.quotes = WalletBasket.Quotes()
            return true
        }
        return written.flatMap(Entry.init) ?? result
    }

    /// Closes an open basket: no sheet can pay it afterwards.
    /// - Returns: `false` if it has a payment, or does not exist; `true` also for one that is closed already.
    func close(_ id: String) async throws(JournalError) -> Bool {
        var isClosed = false
        try await update(
            id, noting: { _, after in [AuditNote(.basketClosed, account: after.owner, subject: id)] }
        ) { kept in
            isClosed = kept.attempt == nil
            guard isClosed, !kept.isClosed else { return false }
            kept.isClosed = true
            return true
        }
        return isClosed
    }

    /// Returns the total of a basket for the audit log.
    private func total(of kept: WalletBasket) -> String? {
        guard let basket = Entry(kept)?.basket else { return nil }
        do { return "\(try basket.total())" } catch { return nil }
    }
}
