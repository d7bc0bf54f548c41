import Synchronization
import TillCore
import TillJournal

extension Checkout {
    /// Raises a review item for each undecided attempt of before a restore whose customer has, or had, a session of the
    /// provider's: the customer may have paid since the backup, what the provider reported of it then is lost, and
    /// nothing ends the attempt. Raised once for each attempt, in any number of calls and processes. Payments that
    /// cannot be read are left out; `till journal verify` reports them.
    func nameEarlierSessions() async throws(JournalError) {
        guard providers.values.contains(where: { $0.capabilities.takesAdyenSessions }) else { return }
        epoch.forget()
        var place: OutboxPlace?
        while !Task.isCancelled {
            let page = try await journal.due(
                at: Timestamp(milliseconds: .max), after: place, limit: Checkout.recoveryBatch)
            for due in page where due.provider != nil {
                do throws(CheckoutError) { try await nameEarlierSession(of: due.payment) } catch {
                    guard case .journal(let reason) = error else { continue }
                    if case .corrupted = reason { continue }
                    throw reason
                }
            }
            guard let last = page.last, page.count == Checkout.recoveryBatch else { return }
            place = last.place
        }
    }

    private func nameEarlierSession(of id: PaymentID) async throws(CheckoutError) {
        guard let payment = try await stored(id), let attempt = payment.currentAttempt,
            isOfEarlierSession(attempt, of: payment)
        else { return }
        let sentence =
            "The journal was restored, and the session of attempt \(attempt.id) at \(attempt.provider) is of before. "
            + "What was reported of it since the backup is lost, and nothing ends it by itself. Look for this "
            + "reference in the provider's dashboard: the customer may have paid."
        try await raise(.note(sentence), about: id, account: payment.account)
    }

    private func isOfEarlierSession(_ attempt: Attempt, of payment: Payment) -> Bool {
        guard attempt.isUndecided, payment.isOfEarlierEpoch(attempt) else { return false }
        if let action = attempt.lastAction { return action.session != nil || action.isFinished }
        // The lost journal may have had its session. A typed card has a summary from the start.
        return providers[attempt.provider]?.capabilities.takesAdyenSessions == true && attempt.tender.kind == .card
            && attempt.tender.card == nil
    }
}

/// The restore after which this process has named the sessions of before.
final class NamedSessions: Sendable {
    private let epoch = Mutex<Int64>(0)

    func contains(_ number: Int64) -> Bool { epoch.withLock { $0 == number } }

    func insert(_ number: Int64) { epoch.withLock { $0 = number } }
}
