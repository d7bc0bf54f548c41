import TillApplePay
package import TillCore
package import TillCounter
package import TillJournal
import TillWeb

/// The contacts of orders paid by Apple Pay: read, erased on request, and erased when their retention ends.
///
/// The contact lies in the basket that was paid and nowhere else; it is found by the order. It is not copied to the
/// order book: of two copies an erasure could miss one.
package struct WalletContacts: OrderContacts, ContactKeeper {
    /// The maximum number of baskets of an order that are read and erased at once.
    static let maximumBaskets = 500

    private let journal: any Journal & RecordStore
    private let pepper: Pepper?
    private let clock: any TillClock

    /// - Parameter pepper: the key of guests' names; `nil` for a counter without files.
    package init(_ journal: any Journal & RecordStore, pepper: Pepper?, clock: any TillClock) {
        (self.journal, self.pepper, self.clock) = (journal, pepper, clock)
    }

    // MARK: Reading

    package func contacts(of order: OrderID, account: AccountID) async throws -> [PaidContact] {
        try await renewBaskets()
        return try await baskets(of: order, account).map { found in
            let (attempt, terms) = (found.basket.attempt, found.basket.terms)
            return PaidContact(
                basket: found.basket.id, payment: attempt?.payment,
                contact: attempt?.answer == nil ? nil : attempt?.fullContact?.apiDocument, note: terms?.note,
                customerNote: terms?.customerNote)
        }
    }

    /// Returns the baskets of an order as they are stored, oldest first: the paid one, and others that were paid and
    /// refunded, or closed, before.
    private func baskets(
        of order: OrderID, _ owner: AccountID
    ) async throws(JournalError) -> [(stored: KeptRecord, basket: WalletBasket)] {
        var found = try await journal.records(
            RecordQuery(
                WalletBasket.collection, matching: WalletBasket.of(order, owner), limit: WalletContacts.maximumBaskets))
        // The present one also if a counter of an earlier version wrote it last, without the index value.
        if let place = try await journal.record(OrderBasket.id(owner, order)) {
            let id = RecordID(WalletBasket.collection, try OrderBasket(place).basket)
            if !found.contains(where: { $0.id == id }), let stored = try await journal.record(id) {
                found.append(stored)
            }
        }
        return try found.map { (stored) throws(JournalError) in
            try (stored: stored, basket: WalletBasket(stored))
        }
    }

    // MARK: Erasing on request

    package func eraseContacts(of order: OrderID, account: AccountID) async throws -> ErasedContacts? {
        try await renewRecords()
        for tries in 1... {
            let found = try await baskets(of: order, account)
            guard !found.isEmpty else { return nil }
            var erased = ErasedContacts()
            var changes: [RecordChange] = []
            var guests: [RecordID: KeptRecord] = [:]
            for (stored, basket) in found {
                // The process that is paying it has the contact, and would make an account of it.
                guard try await isOver(basket) else { throw Problem.basketInPayment(basket.id) }
                for guest in try await self.guests(of: basket) { guests[guest.id] = guest }
                var emptied = basket
                guard emptied.erasePersonalData() else { continue }
                changes.append(.update(WalletContacts.released(emptied), from: stored.version))
                erased.baskets.append(basket.id)
            }
            for guest in guests.values.sorted(by: { $0.position < $1.position }) {
                changes.append(.delete(guest.id, from: guest.version))
                erased.guests.append(try CustomerAccount(guest).id)
            }
            guard !changes.isEmpty else { return erased }
            let lists = [("baskets", erased.baskets), ("guests", erased.guests)]
            let note = AuditNote(
                .orderContactErased, account: account, subject: order.rawValue,
                changes: lists.filter { !$0.1.isEmpty }.map {
                    AuditChange($0.0, from: $0.1.joined(separator: ", "), to: nil)
                })
            do throws(JournalError) {
                try await journal.change(changes, noting: [note])
                return erased
            } catch {
                guard case .recordConflict = error, tries < Records<WalletBasket>.maximumConflicts else { throw error }
            }
        }
        return nil
    }

    /// Returns `true` for a basket that no process is paying any more: it has no payment, or its payment has an answer,
    /// or the process that was paying it has died and the payment has an outcome in the journal.
    private func isOver(_ basket: WalletBasket) async throws(JournalError) -> Bool {
        guard let attempt = basket.attempt, attempt.answer == nil else { return true }
        switch basket.holder {
        case .thisProcess, .anotherProcess: return false
        case .nobody, .deadProcess: break
        }
        // No authorization is requested before the payment is recorded.
        guard let number = attempt.payment else { return true }
        guard let payment = try await journal.payment(number) else { return false }
        return WalletContacts.isOver(payment.status)
    }

    /// Returns `true` for a payment of a dead process whose outcome is known: nothing is requested for it any more.
    static func isOver(_ status: PaymentStatus) -> Bool {
        switch status {
        case .processing, .stored, .unknown: false
        case .requiresPaymentMethod, .declined, .requiresAction, .requiresCapture, .partiallyCaptured, .succeeded,
            .partiallyRefunded, .refunded, .canceled, .expired, .captureFailed:
            true
        }
    }

    /// Returns the record of an erased basket. Who erases does not pay: the next question about a basket without an
    /// answer is answered from the journal, without a guest.
    private static func released(_ basket: WalletBasket) -> Record {
        var record = basket.record
        record.isHeld = false
        return record
    }

    /// Returns the guests' accounts that a basket leads to: by the e-mail address, under its present and its former
    /// name, and by the customer identifier in the answer to the sheet.
    private func guests(of basket: WalletBasket) async throws(JournalError) -> [KeptRecord] {
        guard let attempt = basket.attempt else { return [] }
        var found: [KeptRecord] = []
        if let address = attempt.fullContact?.emailAddress {
            var names = [CustomerAccount.formerName(of: address, owner: basket.owner)]
            if let pepper { names.append(try CustomerAccount.name(of: address, owner: basket.owner, pepper)) }
            for name in names {
                let id = RecordID(CustomerAccount.collection, Hex.lowercase(name))
                if let stored = try await journal.record(id) { found.append(stored) }
            }
        }
        let answer = attempt.answer.flatMap { JSONValue(ifValid: $0) }
        if let guest = answer?["guestAccount"]?.stringValue {
            found += try await accounts(of: guest, basket.owner)
        }
        return found
    }

    private func accounts(of guest: String, _ owner: AccountID) async throws(JournalError) -> [KeptRecord] {
        let match = CustomerAccount.match(id: guest, owner)
        // No identifier is so long, or has such characters.
        guard match.value.utf8.count <= RecordLimits.maximumKeyBytes,
            guest.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return [] }
        return try await journal.records(RecordQuery(CustomerAccount.collection, matching: match, limit: 1))
    }

    /// Erases the account of a guest. The contacts on the guest's orders are erased with each order.
    /// - Returns: `false` if there is none, or none any more.
    func eraseGuest(_ guest: String, account: AccountID) async throws(JournalError) -> Bool {
        try await renewRecords()
        for tries in 1... {
            guard let stored = try await accounts(of: guest, account).first else { return false }
            let note = AuditNote(.guestErased, account: account, subject: guest)
            do throws(JournalError) {
                try await journal.change([.delete(stored.id, from: stored.version)], noting: [note])
                return true
            } catch {
                guard case .recordConflict = error, tries < Records<CustomerAccount>.maximumConflicts else {
                    throw error
                }
            }
        }
        return false
    }

    /// Erases the account that was made of a basket's contact while that was being erased.
    func eraseGuest(_ guest: String, of basket: String, account: AccountID) async throws(JournalError) {
        guard let stored = try await journal.record(RecordID(WalletBasket.collection, basket)),
            try WalletBasket(stored).attempt?.contact == nil
        else { return }
        _ = try await eraseGuest(guest, account: account)
    }

    /// Drops what the files of the journal still hold of erased records.
    /// - Returns: `false` if that has to be tried again.
    func eraseTraces() async throws(JournalError) -> Bool {
        guard let files = journal as? any TraceErasing else { return false }
        return try await files.eraseTraces()
    }

    // MARK: Retention

    package func renewRecords() async throws(JournalError) {
        try await renewBaskets()
        try await renewAccounts()
    }

    private func renewBaskets() async throws(JournalError) {
        try await RecordRenewal.run("wallet_basket.order", of: WalletBasket.collection, in: journal) {
            (stored) throws(JournalError) in try WalletBasket(stored).record
        }
    }

    /// An account of an earlier version had no end and does not tell of later orders: its retention begins now.
    private func renewAccounts() async throws(JournalError) {
        let now = clock.now()
        try await RecordRenewal.run("wallet_account.seen_at", of: CustomerAccount.collection, in: journal) {
            (stored) throws(JournalError) in
            var account = try CustomerAccount(stored)
            account.seenAt = account.seenAt ?? max(now, account.madeAt ?? stored.createdAt)
            return account.record
        }
    }

    package func eraseContacts(keptSince moment: Timestamp, limit: Int) async throws(JournalError) -> Int {
        let found = try await journal.records(
            RecordQuery(WalletBasket.collection, matching: WalletBasket.personal, limit: limit))
        var erased = 0
        for stored in found {
            // A damaged record keeps no other one from its end, nor does a payment that cannot be read.
            guard var basket = try? WalletBasket(stored) else { continue }
            guard basket.openedAt <= moment else { continue }
            guard (try? await isOver(basket)) == true, basket.erasePersonalData() else { continue }
            let note = AuditNote(
                .orderContactErased, account: basket.owner, subject: basket.order.rawValue, reason: "retention",
                changes: [AuditChange("baskets", from: basket.id, to: nil)])
            do throws(JournalError) {
                let record = WalletContacts.released(basket)
                try await journal.change([.update(record, from: stored.version)], noting: [note])
                erased += 1
            } catch { guard case .recordConflict = error else { throw error } }
        }
        let now = clock.now()
        for (collection, end) in [
            (WalletBasket.collection, now), (OrderBasket.collection, now), (CustomerAccount.collection, moment),
        ] {
            guard try await !journal.records(RecordQuery(collection, .due(by: end), limit: 1)).isEmpty else { continue }
            try await journal.change([.forget(collection, dueBy: end)])
            erased += 1
        }
        return erased
    }
}
