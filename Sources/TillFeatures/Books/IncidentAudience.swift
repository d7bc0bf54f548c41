import TillCore
import TillJournal

/// The accounts that may view and resolve an incident, decided in one place for all routes.
struct IncidentAudience: Sendable {
    let journal: any CounterStore
    /// The counter's account.
    let own: AccountID

    /// Returns `true` for the shop itself: the counter's account, whatever its name.
    func isOwn(_ account: AccountID) -> Bool { account == own }

    /// Returns `true` if an incident belongs to an account: that of its order, else that of its payment, else, if the
    /// journal has no such payment, the shop's own.
    func concerns(_ incident: Incident, _ account: AccountID) async throws(JournalError) -> Bool {
        if let owner = incident.owner { return owner.account == account }
        // An unreadable payment does not reveal its account.
        guard incident.kind != .unreadablePayment, !incident.payment.rawValue.isEmpty else { return isOwn(account) }
        guard case .success(let payment?) = try await journal.readable(incident.payment) else { return isOwn(account) }
        return payment.account == account
    }
}
