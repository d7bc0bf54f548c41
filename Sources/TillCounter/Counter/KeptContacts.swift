package import TillCore
package import TillJournal

/// What a basket of an order holds of the customer.
package struct PaidContact: Sendable {
    /// The identifier of the basket.
    package var basket: String
    /// The payment of the basket, once it exists.
    package var payment: PaymentID?
    /// Name, e-mail address, telephone number and address in the API's terms; `nil` if there is none, or none any more.
    package var contact: JSONValue?
    /// The shop's note.
    package var note: String?
    /// The customer's own note.
    package var customerNote: String?

    package init(
        basket: String, payment: PaymentID?, contact: JSONValue?, note: String?, customerNote: String?
    ) {
        (self.basket, self.payment, self.contact) = (basket, payment, contact)
        (self.note, self.customerNote) = (note, customerNote)
    }
}

/// What one erasure has erased; empty for one that found nothing left.
package struct ErasedContacts: Hashable, Sendable {
    /// The baskets that lost their contact and notes.
    package var baskets: [String] = []
    /// The customer identifiers of the guests whose accounts were erased.
    package var guests: [String] = []

    package init() {}
}

/// The contacts of orders that were paid elsewhere than in the order book, such as in Apple Pay's sheet.
package protocol OrderContacts: Sendable {
    /// Returns what is kept of the customer of an order, oldest first; empty if the order has no basket there.
    func contacts(of order: OrderID, account: AccountID) async throws -> [PaidContact]
    /// Erases the customer of an order with the guest's account of the same e-mail address. Durable, with its entry in
    /// the audit log, when it returns; a repetition erases nothing more.
    /// - Returns: `nil` if the order has no basket there.
    func eraseContacts(of order: OrderID, account: AccountID) async throws -> ErasedContacts?
}

/// A place with contacts whose retention ends.
package protocol ContactKeeper: Sendable {
    /// Gives records of an earlier version the index values by which their contacts are found. Runs once.
    func renewRecords() async throws(JournalError)
    /// Erases contacts that are kept since `moment` or longer, oldest first, each with an entry in the audit log.
    /// - Parameter limit: the maximum number of records that are read.
    /// - Returns: the number of contacts erased.
    func eraseContacts(keptSince moment: Timestamp, limit: Int) async throws(JournalError) -> Int
}
