package import TillCore
import TillCounter
package import TillJournal

/// The sessions in which customers pay one payment each. Their secrets are stored as hashes.
package struct PaymentSessions: Sendable {
    private let store: any RecordStore
    private let clock: any TillClock

    package init(_ store: any RecordStore, clock: any TillClock) {
        self.store = store
        self.clock = clock
    }

    /// Opens a session.
    /// - Returns: the session, and the text that the shop's server gives to its page or app: it is not stored.
    func open(
        _ payment: PaymentID, of account: AccountID, at place: PaymentSession.Place
    ) async throws(JournalError) -> (session: PaymentSession, text: Secret<String>) {
        // No digits, which could be masked as those of a card.
        let letters = (0..<20).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        let secret = SecretToken.make(bytes: SecretToken.sessionBytes)
        let now = clock.now()
        let session = PaymentSession(
            id: place.prefix + String(decoding: letters, as: UTF8.self), secret: digest(secret.utf8), account: account,
            payment: payment, place: place, expiresAt: now.adding(PaymentSession.lifetime))
        try await store.change([
            .insert(session.record), .forget(PaymentSession.collection, dueBy: now),
            .keepNewest(
                PaymentSession.maximumOfPayment, of: PaymentSession.collection,
                matching: PaymentSession.match(payment: payment)),
            .keepNewest(
                PaymentSession.maximum, of: PaymentSession.collection,
                matching: PaymentSession.match(account: account)),
        ])
        return (session, Secret("\(session.id)_\(secret)"))
    }

    /// Returns a session by its public part; `nil` if there is none.
    func session(_ id: String) async throws(JournalError) -> PaymentSession? {
        guard (4...64).contains(id.utf8.count) else { return nil }
        return try await Records<PaymentSession>(store).document(id)
    }

    /// Returns the session of a text; `nil` for a wrong one.
    func session(of text: String) async throws(JournalError) -> PaymentSession? {
        let parts = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 128, let session = try await session(String(parts[0])),
            digest(parts[1].utf8) == session.secret
        else { return nil }
        return session
    }

    /// Counts a card or a reference that is about to be tried. Durable when it returns.
    /// - Returns: `false` for a session that has no more tries, or is over.
    func countTry(_ session: PaymentSession) async throws(JournalError) -> Bool {
        try await Records<PaymentSession>(store).update(session.id) { kept in
            guard kept.isOpen(at: clock.now()), kept.tries < PaymentSession.maximumTries else { return false }
            kept.tries += 1
            return true
        } != nil
    }
}
