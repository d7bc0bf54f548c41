/// What a request may do. A route asks for one; a key or a session holds some.
public enum Permission: String, CaseIterable, Hashable, Sendable {
    /// Look at payments, receipts, the ledger and what is open.
    case read
    /// Take payments and what belongs to taking them: collect, confirm, capture, void, receipts.
    case sell
    /// Give money back.
    case refund
    /// Readers, taps and printers.
    case readers
    /// Bring in what devices stored without a connection.
    case offline
    /// What needs a person with authority: attention, incidents, statements.
    case admin
}
