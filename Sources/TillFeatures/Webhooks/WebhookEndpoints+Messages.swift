package import TillCore
import TillJournal

extension WebhookEndpoints {
    /// Sends a test message (``WebhookType/test``), once.
    package func test(_ id: WebhookEndpointID, of account: AccountID) async throws(WebhookError) -> WebhookMessage {
        let (endpoint, version) = try await kept(id, of: account)
        guard endpoint.isEnabled else { throw .disabled }
        let now = clock.now()
        var message = WebhookMessage(
            id: .random(), endpoint: id, payment: nil, sequence: 0, type: WebhookType.test,
            body: String(decoding: WebhookBody.test(of: id, at: now, mode: mode), as: UTF8.self))
        message.occasion = .test
        let line = WebhookLine(key: message.line, endpoint: id)
        guard try await pending(id) < WebhookLimits.pendingPerEndpoint else { throw .full }
        do throws(JournalError) {
            try await store.change(
                // Not if it is being deleted meanwhile.
                [
                    .update(endpoint.record, from: version), .insert(message.record),
                    .insert(line.record(due: now)),
                ],
                noting: [
                    WebhookEndpoints.note(.webhookSent, endpoint, [AuditChange("message", to: message.id.rawValue)])
                ])
        } catch { throw .journal(error) }
        return message
    }

    /// Sends a message again: one that has ended once more, beside the messages of its payment that wait; one that
    /// waits as soon as it is its payment's next one.
    package func resend(
        _ id: WebhookMessageID, to endpointID: WebhookEndpointID, of account: AccountID
    ) async throws(WebhookError) -> WebhookMessage {
        let now = clock.now()
        attempts: for tries in 1... {
            let (endpoint, version) = try await kept(endpointID, of: account)
            guard endpoint.isEnabled else { throw .disabled }
            do throws(JournalError) {
                guard let kept = try await store.record(RecordID(WebhookMessage.collection, id.rawValue)) else {
                    break attempts
                }
                var message = try WebhookMessage(kept)
                guard message.endpoint == endpointID else { break attempts }
                var changes: [RecordChange] = [.update(endpoint.record, from: version)]
                if message.state != .pending {
                    (message.state, message.occasion, message.nextAt) = (.pending, .resend, nil)
                    changes.append(.update(message.record, from: kept.version))
                }
                let line = WebhookLine(key: message.line, endpoint: endpointID)
                changes.append(.put(line.record(due: now), over: try await store.record(line.id)))
                try await store.change(
                    changes,
                    noting: [WebhookEndpoints.note(.webhookSent, endpoint, [AuditChange("message", to: id.rawValue)])])
                return message
            } catch {
                guard case .recordConflict = error, tries < Records<WebhookMessage>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
        throw .unknownMessage
    }

    /// Returns an endpoint's messages, newest first.
    /// - Parameter before: The message after which the page begins; it may have been forgotten, and is not found then.
    package func deliveries(
        _ id: WebhookEndpointID, of account: AccountID, before: WebhookMessageID? = nil, limit: Int
    ) async throws(WebhookError) -> [WebhookMessage] {
        _ = try await endpoint(id, of: account)
        var position: Int64?
        do throws(JournalError) {
            if let before {
                let kept = try await store.record(RecordID(WebhookMessage.collection, before.rawValue))
                if let kept, try WebhookMessage(kept).endpoint == id { position = kept.position }
            }
        } catch { throw .journal(error) }
        guard before == nil || position != nil else { throw .unknownMessage }
        do throws(JournalError) {
            return try await Records<WebhookMessage>(store).list(
                matching: WebhookMessage.match(id), .newestFirst(before: position),
                limit: min(max(1, limit), WebhookLimits.deliveriesPage))
        } catch { throw .journal(error) }
    }

    /// Returns the number of an endpoint's messages that wait.
    package func pending(_ id: WebhookEndpointID) async throws(WebhookError) -> Int {
        do throws(JournalError) {
            return try await store.count(WebhookMessage.collection, matching: WebhookMessage.pending(id))
        } catch { throw .journal(error) }
    }
}
