import TillCore
import TillJournal
import TillProvider

/// One provider's notifications in the journal: durable, and seen by all processes that work on it.
struct JournalNotifications: NotificationStore {
    let journal: SQLiteJournal
    let provider: ProviderName
    let clock: any TillClock

    func keep(_ notifications: [KeptNotification]) async throws(NotificationStoreError) {
        let now = clock.now()
        let kept = notifications.map {
            ProviderNotification(
                provider: provider, name: $0.name, reference: $0.reference, payment: $0.payment,
                document: $0.document, receivedAt: now)
        }
        do throws(JournalError) { try await journal.keep(kept) } catch { throw .notWritten }
    }

    func notifications(reference: String) async throws(NotificationStoreError) -> [KeptNotification] {
        do throws(JournalError) {
            return try await journal.notices(of: provider, reference: reference).map { KeptNotification($0) }
        } catch { throw .unreadable }
    }

    func notifications(payment: String) async throws(NotificationStoreError) -> [KeptNotification] {
        do throws(JournalError) {
            return try await journal.notices(of: provider, payment: payment).map { KeptNotification($0) }
        } catch { throw .unreadable }
    }
}

extension KeptNotification {
    fileprivate init(_ notification: ProviderNotification) {
        self.init(
            name: notification.name, reference: notification.reference, payment: notification.payment,
            document: notification.document)
    }
}
