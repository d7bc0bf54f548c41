import TillAdyen
import TillCore
import TillJournal

/// What Adyen's webhooks told, in the journal: durable, and seen by all processes that work on it.
struct JournalAdyenNotifications: AdyenNotificationStore {
    private static let adyen = ProviderName(rawValue: "adyen")
    let journal: SQLiteJournal
    let clock: any TillClock

    func keep(_ told: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        let now = clock.now()
        let notices = told.map {
            ProviderNotification(
                provider: Self.adyen, name: $0.name, reference: $0.merchantReference, payment: $0.about,
                document: $0.kept.bytes(), receivedAt: now)
        }
        do throws(JournalError) { try await journal.keep(notices) } catch { throw .notWritten }
    }

    func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        do throws(JournalError) {
            return Self.read(try await journal.notices(of: Self.adyen, reference: reference))
        } catch { throw .unreadable }
    }

    func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        do throws(JournalError) {
            return Self.read(try await journal.notices(of: Self.adyen, payment: payment))
        } catch { throw .unreadable }
    }

    private static func read(_ notices: [ProviderNotification]) -> [AdyenNotification] {
        notices.compactMap { notice in
            (try? JSONValue(parsing: notice.document)).flatMap { AdyenNotification(kept: $0) }
        }
    }
}
