package import TillCore
package import TillCounter
package import TillJournal

/// The webhook endpoints of a journal. Every change is durable when its method returns, and in the audit log.
package struct WebhookEndpoints: Sendable {
    package typealias Store = any Journal & RecordStore

    /// A change by the owner; `nil` leaves a part as it is.
    package struct Change: Sendable {
        package var url: String?
        package var types: [String]?
        package var allowsPrivate: Bool?
        package var isEnabled: Bool?
        /// `true` to leave out the events since it was disabled.
        package var skipsMissed = false

        package init() {}
    }

    let store: Store
    let pepper: Pepper
    let clock: any TillClock
    let mode: PaymentMode
    /// Returns `true` for an account that may reach the counter's own network.
    let reachesInside: @Sendable (AccountID) -> Bool
    var records: Records<WebhookEndpoint> { Records(store) }

    /// - Parameter reachesInside: Returns `true` for an account that may reach the counter's own network. Asked at each
    ///   attempt, too, since settings change.
    package init(
        _ store: Store, pepper: Pepper, clock: any TillClock, mode: PaymentMode,
        reachesInside: @escaping @Sendable (AccountID) -> Bool
    ) {
        (self.store, self.pepper, self.clock, self.mode) = (store, pepper, clock, mode)
        self.reachesInside = reachesInside
    }

    // MARK: Reading

    /// Returns an account's endpoints, oldest first.
    package func list(_ account: AccountID) async throws(WebhookError) -> [WebhookEndpoint] {
        do throws(JournalError) {
            return try await records.list(
                matching: WebhookEndpoint.match(account: account), limit: WebhookLimits.endpointsPerAccount)
        } catch { throw .journal(error) }
    }

    /// Returns an account's endpoint.
    package func endpoint(_ id: WebhookEndpointID, of account: AccountID) async throws(WebhookError) -> WebhookEndpoint
    {
        try await kept(id, of: account).endpoint
    }

    func kept(
        _ id: WebhookEndpointID, of account: AccountID
    ) async throws(WebhookError) -> (endpoint: WebhookEndpoint, version: Int) {
        let found: (WebhookEndpoint, Int)?
        do throws(JournalError) {
            found = try await store.record(RecordID(WebhookEndpoint.collection, id.rawValue))
                .map { (kept) throws(JournalError) in (try WebhookEndpoint(kept), kept.version) }
        } catch { throw .journal(error) }
        guard let (endpoint, version) = found, endpoint.account == account else { throw .unknownEndpoint }
        return (endpoint, version)
    }

    // MARK: Changing

    /// Creates an endpoint. It is told of what happens from then on.
    /// - Parameter key: The idempotency key of the request.
    /// - Returns: the endpoint, and its secret, which is never shown again.
    package func create(
        account: AccountID, url: String, types: [String]?, allowsPrivate: Bool, key: String
    ) async throws(WebhookError) -> (endpoint: WebhookEndpoint, secret: WebhookSecret) {
        let checked = try WebhookEndpoints.checked(url, allowsPrivate)
        let types = try WebhookEndpoints.checked(types) ?? .all
        let secret = WebhookSecret.random()
        let now = clock.now()
        // Written with every endpoint that is added, so that of two concurrent ones the second counts the first.
        let mark = Record(RecordID("webhook_account", account.rawValue), body: Array("{}".utf8))
        var tries = 0
        while true {
            tries += 1
            let (known, end): (KeptRecord?, Int64)
            do throws(JournalError) {
                known = try await store.record(mark.id)
                end = try await store.lastSequence()
            } catch { throw .journal(error) }
            let id = WebhookEndpointID.of(account, key: key)
            let all = try await list(account)
            guard !all.contains(where: { $0.id == id }) else { throw .exists(id) }
            guard all.count < WebhookLimits.endpointsPerAccount else { throw .tooManyEndpoints }
            var endpoint = WebhookEndpoint(
                id: id, account: account, url: checked.text, types: types, allowsPrivate: allowsPrivate, secrets: [],
                cursor: end, createdAt: now)
            do throws(StaffError) { try endpoint.add(secret, at: now, by: pepper) } catch { throw .sealing(error) }
            let note = WebhookEndpoints.note(
                .webhookCreated, endpoint,
                [
                    AuditChange("host", to: checked.host), AuditChange("types", to: types.words.joined(separator: ",")),
                    AuditChange("allow_private", to: String(allowsPrivate)),
                ])
            do throws(JournalError) {
                try await store.change([.insert(endpoint.record), .put(mark, over: known)], noting: [note])
                return (endpoint, secret)
            } catch {
                guard case .recordConflict = error, tries < Records<WebhookEndpoint>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    /// Changes an endpoint. One that is enabled again goes on where it stopped, unless the change skips that.
    package func change(
        _ id: WebhookEndpointID, of account: AccountID, _ change: Change
    ) async throws(WebhookError) -> WebhookEndpoint {
        let types = try WebhookEndpoints.checked(change.types)
        var end: Int64?
        if change.skipsMissed {
            do throws(JournalError) { end = try await store.lastSequence() } catch { throw .journal(error) }
        }
        let now = clock.now()
        if change.url != nil || change.isEnabled == true {
            // Nothing waits for an attempt that was planned for the state before. While it is disabled nothing is sent.
            _ = try await endpoint(id, of: account)
            do throws(JournalError) { try await bringForward(id, dueAfter: now) } catch { throw .journal(error) }
        }
        return try await commit(id, of: account) { (endpoint) throws(WebhookError) in
            var changes: [AuditChange] = []
            if case .disabled(.deleting, _) = endpoint.state { throw .unknownEndpoint }
            let allowsPrivate = (change.allowsPrivate ?? endpoint.allowsPrivate) && reachesInside(account)
            let url = try WebhookEndpoints.checked(change.url ?? endpoint.url, allowsPrivate)
            if url.text != endpoint.url {
                // Of a URL the log has the host alone: the path may be a secret.
                let before = try? WebhookURL(endpoint.url, allowsPrivate: true)
                changes.append(AuditChange("host", from: before?.host, to: url.host))
                endpoint.url = url.text
                endpoint.freshSince = now
            }
            if let types, types != endpoint.types {
                changes.append(
                    AuditChange(
                        "types", from: endpoint.types.words.joined(separator: ","),
                        to: types.words.joined(separator: ",")))
                endpoint.types = types
            }
            if allowsPrivate != endpoint.allowsPrivate {
                changes.append(
                    AuditChange("allow_private", from: String(endpoint.allowsPrivate), to: String(allowsPrivate)))
                endpoint.allowsPrivate = allowsPrivate
            }
            if let isEnabled = change.isEnabled, isEnabled != endpoint.isEnabled {
                changes.append(AuditChange("enabled", from: String(endpoint.isEnabled), to: String(isEnabled)))
                endpoint.state = isEnabled ? .enabled : .disabled(.byOwner, at: now)
                if isEnabled { endpoint.freshSince = now }
            }
            if let end, end > endpoint.cursor {
                changes.append(AuditChange("cursor", from: String(endpoint.cursor), to: String(end)))
                endpoint.cursor = end
            }
            return WebhookEndpoints.note(.webhookChanged, endpoint, changes)
        }
    }

    /// Replaces the secret; the old one signs beside it for ``WebhookLimits/rotationGrace``.
    /// - Returns: the endpoint, and the new secret, which is never shown again.
    package func rotate(
        _ id: WebhookEndpointID, of account: AccountID
    ) async throws(WebhookError) -> (endpoint: WebhookEndpoint, secret: WebhookSecret) {
        let secret = WebhookSecret.random()
        let now = clock.now()
        let endpoint = try await commit(id, of: account) { (endpoint) throws(WebhookError) in
            if case .disabled(.deleting, _) = endpoint.state { throw .unknownEndpoint }
            guard endpoint.signing(at: now).count < WebhookLimits.secretsPerEndpoint else { throw .tooManySecrets }
            do throws(StaffError) { try endpoint.add(secret, at: now, by: pepper) } catch { throw .sealing(error) }
            return WebhookEndpoints.note(.webhookSecretRotated, endpoint, [])
        }
        return (endpoint, secret)
    }

    /// Deletes an endpoint with its messages. One that is being sent may still arrive.
    package func delete(_ id: WebhookEndpointID, of account: AccountID) async throws(WebhookError) {
        let now = clock.now()
        // First nothing is added any more; deleting again goes on with one whose deletion broke off.
        _ = try await commit(id, of: account) { (endpoint) throws(WebhookError) in
            endpoint.state = .disabled(.deleting, at: now)
            return nil
        }
        do throws(JournalError) {
            for (collection, match) in [
                (WebhookMessage.collection, WebhookMessage.match(id)), (WebhookLine.collection, WebhookLine.match(id)),
            ] {
                while try await store.count(collection, matching: match) > 0 {
                    try await store.change([.keepNewest(0, of: collection, matching: match)])
                }
            }
        } catch { throw .journal(error) }
        var tries = 0
        while true {
            tries += 1
            let endpoint: WebhookEndpoint, version: Int
            do throws(WebhookError) { (endpoint, version) = try await kept(id, of: account) } catch {
                // The service has ended the deletion meanwhile.
                if case .unknownEndpoint = error { return }
                throw error
            }
            do throws(JournalError) {
                return try await store.change(
                    [.delete(endpoint.record.id, from: version)],
                    noting: [WebhookEndpoints.note(.webhookDeleted, endpoint, [])])
            } catch {
                guard case .recordConflict = error, tries < Records<WebhookEndpoint>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    // MARK: Parts

    /// Applies a change to the newest state and writes it with its note; again after a conflict with another writer.
    private func commit(
        _ id: WebhookEndpointID, of account: AccountID,
        _ body: (inout WebhookEndpoint) throws(WebhookError) -> AuditNote?
    ) async throws(WebhookError) -> WebhookEndpoint {
        var tries = 0
        while true {
            tries += 1
            var (endpoint, version) = try await kept(id, of: account)
            let note = try body(&endpoint)
            do throws(JournalError) {
                try await store.change(
                    [.update(endpoint.record, from: version)], noting: note.map { [$0] } ?? [])
                return endpoint
            } catch {
                guard case .recordConflict = error, tries < Records<WebhookEndpoint>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    /// Makes the lines of an endpoint due that are due after a time.
    func bringForward(_ endpoint: WebhookEndpointID, dueAfter time: Timestamp) async throws(JournalError) {
        var position: Int64?
        while !Task.isCancelled {
            let lines = try await store.records(
                RecordQuery(
                    WebhookLine.collection, matching: WebhookLine.match(endpoint), .oldestFirst(after: position),
                    limit: WebhookLimits.wokenAtOnce))
            guard let last = lines.last else { return }
            position = last.position
            for kept in lines where kept.due.map({ $0 > time }) ?? false {
                let line = WebhookLine(key: kept.id.key, endpoint: endpoint)
                do throws(JournalError) {
                    try await store.change([.update(line.record(due: clock.now()), from: kept.version)])
                } catch { guard case .recordConflict = error else { throw error } }
            }
        }
    }

    static func note(_ action: AuditAction, _ endpoint: WebhookEndpoint, _ changes: [AuditChange]) -> AuditNote {
        AuditNote(action, account: endpoint.account, subject: endpoint.id.rawValue, changes: changes)
    }

    private static func checked(_ url: String, _ allowsPrivate: Bool) throws(WebhookError) -> WebhookURL {
        do throws(WebhookURLError) { return try WebhookURL(url, allowsPrivate: allowsPrivate) } catch {
            throw .url(error)
        }
    }

    private static func checked(_ types: [String]?) throws(WebhookError) -> WebhookTypes? {
        guard let types else { return nil }
        do throws(UnknownWebhookType) { return try WebhookTypes(types) } catch { throw .type(error) }
    }
}
