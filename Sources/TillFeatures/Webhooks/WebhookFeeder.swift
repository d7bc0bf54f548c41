import Logging
import TillCore
import TillJournal

/// Makes messages of the journal's events. The messages and the endpoint's cursor are one commit: a crash loses no
/// event, and makes none twice.
struct WebhookFeeder: Sendable {
    let store: WebhookEndpoints.Store
    let clock: any TillClock
    let mode: PaymentMode
    let logger: Logger

    /// Reads on from an endpoint's cursor, one page.
    /// - Returns: `true` if there may be more at once.
    func feed(_ id: WebhookEndpointID) async throws(JournalError) -> Bool {
        guard let kept = try await store.record(RecordID(WebhookEndpoint.collection, id.rawValue)) else { return false }
        var endpoint = try WebhookEndpoint(kept)
        guard endpoint.isEnabled else { return false }
        let readings = try await store.readings(
            after: endpoint.cursor, account: endpoint.account, limit: WebhookLimits.eventsPerPage)
        guard let last = readings.last else { return false }
        let waiting = try await store.count(WebhookMessage.collection, matching: WebhookMessage.pending(id))
        var page = Page(endpoint: id, room: WebhookLimits.pendingPerEndpoint - waiting)
        for reading in readings {
            guard case .event(let event) = reading else {
                logger.error("An event cannot be read, and no webhook tells of it.", metadata: Self.place(reading))
                continue
            }
            guard let type = WebhookType(event.record.event), endpoint.types.contains(type) else { continue }
            guard page.room > 0 else { break }
            guard let message = try await message(type, event, to: id, &page) else { continue }
            page.add(message)
            endpoint.cursor = event.sequence
        }
        if page.room > 0 { endpoint.cursor = last.sequence }
        guard endpoint.cursor > (try WebhookEndpoint(kept)).cursor else { return false }
        let changes = try await page.changes(in: store, at: clock.now())
        do throws(JournalError) {
            try await store.change([.update(endpoint.record, from: kept.version)] + changes)
        } catch {
            // The endpoint was changed, or a line: read again.
            guard case .recordConflict = error else { throw error }
            return true
        }
        return page.room > 0 && readings.count == WebhookLimits.eventsPerPage
    }

    /// Returns the message of an event; `nil` if its payment cannot be read.
    private func message(
        _ type: WebhookType, _ event: StoredEvent, to endpoint: WebhookEndpointID, _ page: inout Page
    ) async throws(JournalError) -> WebhookMessage? {
        do throws(JournalError) {
            let events: [StoredEvent]
            if let known = page.events[event.payment], known.last.map({ $0.version >= event.version }) ?? false {
                events = known
            } else {
                events = try await store.events(of: event.payment)
                page.events[event.payment] = events
            }
            guard let payment = Payment(folding: events.prefix { $0.version <= event.version }.map(\.record)) else {
                return nil
            }
            let body = WebhookBody.bytes(
                type, event.record, of: payment, sequence: event.sequence, version: event.version, mode: mode)
            return WebhookMessage(
                id: .of(event, to: endpoint), endpoint: endpoint, payment: event.payment, sequence: event.sequence,
                type: type.rawValue, body: String(decoding: body, as: UTF8.self))
        } catch {
            guard case .corrupted = error else { throw error }
            logger.error(
                "A payment cannot be read, and no webhook tells of its event.", metadata: Self.place(.event(event)))
            return nil
        }
    }

    private static func place(_ reading: EventReading) -> Logger.Metadata {
        ["payment": "\(reading.payment)", "sequence": "\(reading.sequence)"]
    }

    /// The messages of one commit.
    private struct Page {
        let endpoint: WebhookEndpointID
        /// The number of messages that may be added.
        var room: Int
        /// The events of the page's payments.
        var events: [PaymentID: [StoredEvent]] = [:]
        private var messages: [WebhookMessage] = []

        init(endpoint: WebhookEndpointID, room: Int) { (self.endpoint, self.room) = (endpoint, room) }

        mutating func add(_ message: WebhookMessage) {
            messages.append(message)
            room -= 1
        }

        /// Returns the changes that add the messages, each line once.
        func changes(
            in store: WebhookEndpoints.Store, at now: Timestamp
        ) async throws(JournalError) -> [RecordChange] {
            // One that is there already was made before a restore, or is kept from an earlier one.
            var changes = messages.map { RecordChange.insertIfAbsent($0.record) }
            var seen: Set<String> = []
            for message in messages where seen.insert(message.line).inserted {
                let line = WebhookLine(key: message.line, endpoint: endpoint)
                let known = try await store.record(line.id)
                changes.append(.put(line.record(due: known?.due ?? now), over: known))
            }
            return changes
        }
    }
}
