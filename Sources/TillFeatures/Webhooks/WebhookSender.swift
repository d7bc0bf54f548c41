import Logging
import Synchronization
import TillCore
import TillCounter
import TillHTTP
import TillJournal

/// Sends the messages of a line, one after the other, and records the outcome of each attempt. A process that dies
/// during an attempt leaves the message as it was: it is sent again, with the same identifier.
struct WebhookSender: Sendable {
    let endpoints: WebhookEndpoints
    let transport: any WebhookTransport
    let schedule: WebhookSchedule
    let clock: any TillClock
    let logger: Logger
    private let troubles = Troubles()

    private var store: WebhookEndpoints.Store { endpoints.store }
    private var pepper: Pepper { endpoints.pepper }
    private func reachesInside(_ account: AccountID) -> Bool { endpoints.reachesInside(account) }

    /// The failures of each endpoint since a message was delivered to it.
    private final class Troubles: Sendable {
        private let failures = Mutex<[WebhookEndpointID: Int]>([:])

        func count(_ endpoint: WebhookEndpointID) {
            failures.withLock { $0[endpoint] = min(($0[endpoint] ?? 0) + 1, WebhookLimits.outage) }
        }
        /// Returns `true` if there was an outage, and ends it.
        func end(_ endpoint: WebhookEndpointID) -> Bool {
            failures.withLock { $0.removeValue(forKey: endpoint) ?? 0 } >= WebhookLimits.outage
        }
    }

    init(
        _ endpoints: WebhookEndpoints, transport: any WebhookTransport, schedule: WebhookSchedule,
        clock: any TillClock, logger: Logger
    ) {
        (self.endpoints, self.transport) = (endpoints, transport)
        (self.schedule, self.clock, self.logger) = (schedule, clock, logger)
    }

    /// The next message of a line.
    private struct Head {
        let endpoint: WebhookEndpoint
        let message: WebhookMessage
    }

    /// The outcome of an attempt.
    private struct Outcome {
        let answer: Result<WebhookAnswer, WebhookFailure>
        let at: Timestamp

        var isSuccess: Bool { (try? answer.get())?.isSuccess ?? false }
        var isGone: Bool { (try? answer.get())?.status == 410 }

        /// The wait that the endpoint asked for: seconds, or a date.
        var retryAfter: Span? {
            guard let answer = try? answer.get(), answer.status == 429 || answer.status == 503,
                let text = answer.retryAfter
            else { return nil }
            if let seconds = Int64(text), (0...Int64(UInt32.max)).contains(seconds) { return .seconds(seconds) }
            return Timestamp(httpDate: text).map { max(.seconds(0), $0.since(at)) }
        }

        /// The status and a line about it, for the list of deliveries.
        var noted: (status: Int?, note: String) {
            switch answer {
            case .success(let answer):
                let text = ProviderText.line(
                    String(decoding: answer.body, as: UTF8.self), atMost: WebhookLimits.excerptBytes)
                return (answer.status, text)
            case .failure(let failure): return (nil, failure.description)
            }
        }
    }

    /// The end of a line's sending.
    enum End: Hashable, Sendable {
        /// A message had its outcome.
        case progressed
        /// There was nothing to be sent, or it waits.
        case idle
        /// The journal could not be read or written.
        case broken
    }

    /// Sends what is due in a line: messages until one fails, or none is left.
    func drain(_ line: WebhookLine) async -> End {
        var end = End.idle
        do throws(JournalError) {
            while !Task.isCancelled, let head = try await head(of: line) {
                guard let outcome = try await attempt(head, in: line) else { return end }
                guard try await conclude(head, outcome, in: line) else { return end }
                end = .progressed
                guard outcome.isSuccess else { return end }
            }
            return end
        } catch {
            logger.error("A webhook's outcome could not be recorded: \(error)", metadata: ["line": "\(line.key)"])
            return .broken
        }
    }

    /// Returns the first message of a line that is due; removes a line without messages.
    private func head(of line: WebhookLine) async throws(JournalError) -> Head? {
        guard let kept = try await store.record(line.id), let due = kept.due, due <= clock.now(),
            let endpoint = try await Records<WebhookEndpoint>(store).document(line.endpoint.rawValue),
            endpoint.isEnabled
        else { return nil }
        guard let message = try await waiting(in: line).first else {
            do throws(JournalError) { try await store.change([.delete(line.id, from: kept.version)]) } catch {
                guard case .recordConflict = error else { throw error }
            }
            return nil
        }
        return Head(endpoint: endpoint, message: message)
    }

    private func waiting(in line: WebhookLine) async throws(JournalError) -> [WebhookMessage] {
        try await Records<WebhookMessage>(store).list(matching: WebhookMessage.match(line: line.key), limit: 2)
    }

    /// Makes an attempt.
    /// - Returns: `nil` for one that does not count: it was canceled, or this process cannot sign.
    private func attempt(_ head: Head, in line: WebhookLine) async throws(JournalError) -> Outcome? {
        let (endpoint, message) = (head.endpoint, head.message)
        let now = clock.now()
        let secrets: [WebhookSecret]
        do throws(StaffError) { secrets = try endpoint.opened(at: now, by: pepper) } catch {
            logger.error("A webhook cannot be signed here: \(error)", metadata: ["endpoint": "\(endpoint.id)"])
            try await postpone(line, until: now.adding(WebhookLimits.unsigned))
            return nil
        }
        let body = Array(message.body.utf8)
        do throws(WebhookFailure) {
            let answer = try await transport.post(
                body, to: try WebhookSender.url(of: endpoint),
                fields: WebhookHeaders.fields(id: message.id.rawValue, at: now, body: body, secrets: secrets),
                allowsPrivate: endpoint.allowsPrivate && reachesInside(endpoint.account), attempt: message.attempts)
            return Outcome(answer: .success(answer), at: now)
        } catch {
            // The counter is ending: the next process sends it.
            guard !Task.isCancelled else { return nil }
            if case .resolversBusy = error {
                try await postpone(line, until: now.adding(WebhookLimits.rest))
                return nil
            }
            return Outcome(answer: .failure(error), at: now)
        }
    }

    private static func url(of endpoint: WebhookEndpoint) throws(WebhookFailure) -> WebhookURL {
        do throws(WebhookURLError) {
            return try WebhookURL(endpoint.url, allowsPrivate: endpoint.allowsPrivate)
        } catch { throw .url(error) }
    }

    private func postpone(_ line: WebhookLine, until then: Timestamp) async throws(JournalError) {
        guard let kept = try await store.record(line.id) else { return }
        do throws(JournalError) {
            try await store.change([.update(line.record(due: then), from: kept.version)])
        } catch { guard case .recordConflict = error else { throw error } }
    }

    /// Records the outcome with what follows from it for the line and the endpoint, in one commit.
    /// - Returns: `false` if the message is no longer there, or another process has concluded it.
    private func conclude(_ head: Head, _ outcome: Outcome, in line: WebhookLine) async throws(JournalError) -> Bool {
        var tries = 0
        while true {
            tries += 1
            guard let kept = try await store.record(head.message.record.id),
                let ofLine = try await store.record(line.id)
            else { return false }
            var message = try WebhookMessage(kept)
            guard message.state == .pending, message.line == line.key, message.attempts == head.message.attempts else {
                return false
            }
            if let fresh = head.endpoint.freshSince, message.attemptedAt.map({ $0 < fresh }) ?? false {
                (message.attempts, message.nextAt) = (0, nil)
            }
            // A failure before the planned time, after the end of another message's outage, leaves the plan as it is.
            let isEarly = !outcome.isSuccess && !outcome.isGone && message.nextAt.map { outcome.at < $0 } ?? false
            message.attemptedAt = outcome.at
            (message.status, message.note) = outcome.noted
            if !isEarly {
                message.attempts = min(message.attempts, WebhookSchedule.waits.count) + 1
                message.nextAt = next(message, outcome)
            }
            var changes: [RecordChange] = []
            var notes: [AuditNote] = []
            // A payment's message is never given up: at its last attempt the endpoint is disabled, and once it is
            // enabled again it goes on with this message.
            let waits = message.nextAt != nil || !outcome.isSuccess && message.occasion == .event
            if waits {
                changes.append(.update(line.record(due: message.nextAt ?? outcome.at), from: ofLine.version))
            } else {
                message.state = outcome.isSuccess ? .delivered : .failed
                let isLast = try await waiting(in: line).count < 2
                changes.append(
                    isLast
                        ? .delete(line.id, from: ofLine.version)
                        : .update(line.record(due: outcome.at), from: ofLine.version))
                changes.append(
                    .keepNewest(
                        WebhookLimits.endedKept, of: WebhookMessage.collection,
                        matching: WebhookMessage.ended(message.endpoint, message.state)))
            }
            if let reason = disabling(message, outcome) {
                (changes, notes) = try await disable(head, message, reason, outcome, beside: changes)
            }
            do throws(JournalError) {
                try await store.change([.update(message.record, from: kept.version)] + changes, noting: notes)
                report(message, isDisabled: !notes.isEmpty)
                if !outcome.isSuccess {
                    troubles.count(message.endpoint)
                } else if troubles.end(message.endpoint) {
                    // After an outage nothing waits for its next attempt, which may be a day away.
                    try await endpoints.bringForward(message.endpoint, dueAfter: clock.now())
                }
                return true
            } catch {
                guard case .recordConflict = error, tries < Records<WebhookMessage>.maximumConflicts else {
                    throw error
                }
            }
        }
    }

    /// Returns the time of the next attempt; `nil` for a message that has ended.
    private func next(_ message: WebhookMessage, _ outcome: Outcome) -> Timestamp? {
        guard !outcome.isSuccess, !outcome.isGone, message.occasion == .event else { return nil }
        return schedule.wait(afterAttempts: message.attempts, retryAfter: outcome.retryAfter)
            .map { clock.now().adding($0) }
    }

    private func disabling(_ message: WebhookMessage, _ outcome: Outcome) -> WebhookEndpoint.Disabling? {
        guard !outcome.isGone else { return .gone }
        return !outcome.isSuccess && message.nextAt == nil && message.occasion == .event ? .failing : nil
    }

    private func disable(
        _ head: Head, _ message: WebhookMessage, _ reason: WebhookEndpoint.Disabling, _ outcome: Outcome,
        beside changes: [RecordChange]
    ) async throws(JournalError) -> ([RecordChange], [AuditNote]) {
        let id = RecordID(WebhookEndpoint.collection, message.endpoint.rawValue)
        guard let kept = try await store.record(id) else { return (changes, []) }
        var endpoint = try WebhookEndpoint(kept)
        // The answer of another address says nothing about this one.
        guard endpoint.isEnabled, endpoint.url == head.endpoint.url else { return (changes, []) }
        endpoint.state = .disabled(reason, at: outcome.at)
        var note = WebhookEndpoints.note(
            .webhookDisabled, endpoint, [AuditChange("message", to: message.id.rawValue)])
        note.reason = reason.rawValue
        return (changes + [.update(endpoint.record, from: kept.version)], [note])
    }

    private func report(_ message: WebhookMessage, isDisabled: Bool) {
        var metadata: Logger.Metadata = [
            "endpoint": "\(message.endpoint)", "message": "\(message.id)", "attempts": "\(message.attempts)",
        ]
        if let status = message.status { metadata["status"] = "\(status)" }
        switch message.state {
        case .delivered: logger.debug("webhook", metadata: metadata)
        case .pending: logger.info("A webhook was not delivered; it is tried again.", metadata: metadata)
        case .failed: logger.warning("A webhook was given up.", metadata: metadata)
        }
        guard isDisabled else { return }
        logger.error(
            "A webhook endpoint was disabled: it takes no messages. Enable it when it does.", metadata: metadata)
    }
}
