import TillApplePay
package import TillCore
package import TillJournal

/// A basket of the shop's whose payment has begun and whose order is not booked.
package struct PaidBasket: Sendable {
    package let id: String
    package let order: OrderID
    package let payment: PaymentID
    package let service: BasketService
    /// The shop's note and the customer's, for those who prepare the order.
    package let note: String?
    /// The time for which the order is wanted, ISO 8601 with an offset: the customer's own, or the shop's.
    package let requestedFor: String?
    /// The change by which the basket is known as done. Refused if the basket has changed since it was read, as by an
    /// erasure of its notes.
    package let settled: RecordChange

    /// The maximum length of the two notes together, with what separates them.
    private static let maximumNote = 2 * BasketRequest.maximumNoteBytes + 4

    /// Creates the basket of a record; `nil` if it has no payment yet, or if another process is paying it.
    init?(_ stored: KeptRecord) throws(JournalError) {
        let kept = try WalletBasket(stored)
        guard let attempt = kept.attempt, attempt.awaitsBooking, let terms = kept.terms else { return nil }
        guard let basket = ApplePayBaskets.Entry(kept)?.basket else {
            throw .corrupted("the goods of the record \(stored.id) cannot be read")
        }
        // A process that is alive books it once it has written the answer. A write would take the basket from it.
        guard attempt.answer != nil || kept.holder != .anotherProcess else { return nil }
        let answer = attempt.answer.flatMap { JSONValue(ifValid: $0) }
        let told = answer?["paymentId"]?.stringValue.map { PaymentID(rawValue: $0) }
        guard let payment = attempt.payment ?? told else { return nil }
        var settled = kept
        settled.attempt?.awaitsBooking = false
        var record = settled.record
        // Who books the order does not pay the basket; a sheet that this process is paying stays with it until it is
        // answered.
        record.isHeld = attempt.answer == nil && kept.holder == .thisProcess
        let notes = [terms.note, terms.customerNote].compactMap(\.self).joined(separator: " / ")
        let note = DisplayText.clean(notes, atMost: PaidBasket.maximumNote)
        (id, order, self.payment) = (kept.id, kept.order, payment)
        service = BasketService(basket.service)
        self.note = note.isEmpty ? nil : note
        requestedFor = terms.customerTime ?? terms.requestedFor
        self.settled = .update(record, from: stored.version)
    }
}

/// The baskets of an account whose orders are not booked yet, in the order of their opening.
package struct PaidBaskets: Sendable {
    /// A part of the baskets.
    package struct Page: Sendable {
        package var baskets: [PaidBasket] = []
        /// The position behind the part; `nil` at the end.
        package var next: Int64?
        /// The first damage among the records; their orders are not booked.
        package var damage: JournalError?
    }

    private let journal: any Journal & RecordStore
    private let owner: AccountID

    package init(_ journal: any Journal & RecordStore, owner: AccountID) {
        (self.journal, self.owner) = (journal, owner)
    }

    /// Returns the baskets behind a position.
    /// - Parameter limit: the maximum number of records that are read.
    package func page(after position: Int64?, limit: Int) async throws(JournalError) -> Page {
        let found = try await journal.records(
            RecordQuery(
                WalletBasket.collection, matching: WalletBasket.unbooked(of: owner), .oldestFirst(after: position),
                limit: limit))
        var page = Page()
        for stored in found {
            do throws(JournalError) {
                if let basket = try PaidBasket(stored) { page.baskets.append(basket) }
            } catch {
                // A damaged record keeps no other order from being booked.
                guard case .corrupted = error else { throw error }
                page.damage = page.damage ?? error
            }
        }
        page.next = found.count < limit ? nil : found.last?.position
        return page
    }

    /// Records that nothing is left to book for a basket. One that has changed since it was read is left unchanged.
    package func settle(_ basket: PaidBasket) async throws(JournalError) {
        do throws(JournalError) { try await journal.change([basket.settled]) } catch {
            guard case .recordConflict = error else { throw error }
        }
    }
}
