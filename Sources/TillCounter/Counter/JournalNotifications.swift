import TillCore
import TillJournal
import TillProvider

/// A provider's notifications in the journal's record store: durable, and visible to all processes on the journal.
struct JournalNotifications: NotificationStore {
    /// The maximum number of notifications read for one step or payment, newest first.
    static let maximumListed = 1_000

    let store: any RecordStore
    let provider: ProviderName

    private var collection: RecordCollection { RecordCollection(rawValue: "\(provider.rawValue)_notification") }

    func keep(_ notifications: [KeptNotification]) async throws(NotificationStoreError) {
        var names: Set<String> = []
        let changes = notifications.filter { names.insert($0.name).inserted }.map { notification in
            var fields = ["reference": notification.reference]
            fields["payment"] = notification.payment
            // A longer value is neither our reference nor the provider's, and is never queried.
            fields = fields.filter { $0.value.utf8.count <= RecordLimits.maximumKeyBytes }
            return RecordChange.insertIfAbsent(
                Record(RecordID(collection, notification.name), body: notification.document, fields: fields))
        }
        do throws(JournalError) { try await store.change(changes) } catch { throw .notWritten }
    }

    func documents(reference: String) async throws(NotificationStoreError) -> [[UInt8]] {
        try await list(RecordMatch("reference", reference))
    }

    func documents(payment: String) async throws(NotificationStoreError) -> [[UInt8]] {
        try await list(RecordMatch("payment", payment))
    }

    func set(_ document: [UInt8]?, as name: String) async throws(NotificationStoreError) {
        let id = RecordID(collection, name)
        let kept: KeptRecord?
        do throws(JournalError) { kept = try await store.record(id) } catch { throw .unreadable }
        // Called with every query, and rarely a change.
        guard kept?.body != document else { return }
        let change: RecordChange = document.map { .put(Record(id, body: $0), over: kept) } ?? .remove(id)
        do throws(JournalError) { try await store.change([change]) } catch {
            // A concurrent write by another process is equally valid.
            guard case .recordConflict = error else { throw .notWritten }
        }
    }

    func document(named name: String) async throws(NotificationStoreError) -> [UInt8]? {
        do throws(JournalError) { return try await store.record(RecordID(collection, name))?.body } catch {
            throw .unreadable
        }
    }

    private func list(_ match: RecordMatch) async throws(NotificationStoreError) -> [[UInt8]] {
        do throws(JournalError) {
            return try await store.records(
                RecordQuery(collection, matching: match, .newestFirst(), limit: Self.maximumListed)
            ).reversed().map(\.body)
        } catch { throw .unreadable }
    }
}
