import TillCore
import TillJournal

/// Whose an incident is to see and to resolve: one answer for every route.
struct IncidentAudience: Sendable {
    let journal: any CounterStore
    /// The account that the counter runs for.
    let own: AccountID

    /// Whether an account is the shop itself: the one that the counter runs for, whatever its name is.
    func isOwn(_ account: AccountID) -> Bool { account == own }

    /// An incident is its order's account's; where it names no order, the account's of its payment; where the journal
    /// has no such payment, the shop's own.
    func concerns(_ incident: Incident, _ account: AccountID) async throws(JournalError) -> Bool {
        if let owner = incident.owner { return owner.account == account }
        // One that cannot be read says nothing of whose it is.
        guard incident.kind != .unreadablePayment, !incident.payment.rawValue.isEmpty else { return isOwn(account) }
        guard case .success(let payment?) = try await journal.readable(incident.payment) else { return isOwn(account) }
        return payment.account == account
    }
}
