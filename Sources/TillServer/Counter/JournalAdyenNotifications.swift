import TillAdyen
import TillCore
import TillJournal

/// What Adyen's webhooks reported, in the journal's record store: durable, and seen by all processes that work on it.
struct JournalAdyenNotifications: AdyenNotificationStore {
    /// Notifications of one step or one payment that are read at most; the newest are.
    static let maximumListed = 1_000

    let store: any RecordStore

    func keep(_ told: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        var names: Set<String> = []
        let changes = told.filter { names.insert($0.name).inserted }
            .map { RecordChange.insertIfAbsent(AdyenNotificationRecord($0).record) }
        do throws(JournalError) { try await store.change(changes) } catch { throw .notWritten }
    }

    func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        try await list(RecordMatch("reference", reference))
    }

    func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        try await list(RecordMatch("payment", payment))
    }

    private func list(_ match: RecordMatch) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        do throws(JournalError) {
            return try await Records<AdyenNotificationRecord>(store)
                .list(matching: match, .newestFirst(), limit: Self.maximumListed).reversed().map(\.notification)
        } catch { throw .unreadable }
    }
}

/// A notification as it is kept, found by our name for the step and by Adyen's for the payment.
struct AdyenNotificationRecord: RecordDocument {
    static let collection: RecordCollection = "adyen_notification"

    let notification: AdyenNotification

    var record: Record {
        var fields = ["reference": notification.merchantReference]
        fields["payment"] = notification.about
        // What is longer is no name of ours or Adyen's, and not asked for.
        fields = fields.filter { $0.value.utf8.count <= RecordLimits.maximumKeyBytes }
        return Record(
            RecordID(AdyenNotificationRecord.collection, notification.name), body: notification.kept.bytes(),
            fields: fields)
    }

    init(_ notification: AdyenNotification) { self.notification = notification }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let notification = AdyenNotification(kept: body.json) else { throw body.damaged("eventCode") }
        self.notification = notification
    }
}
