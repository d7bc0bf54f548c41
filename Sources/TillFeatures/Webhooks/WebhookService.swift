package import Logging
import ServiceLifecycle
import Synchronization
import TillCore
import TillCounter
package import TillJournal

/// Sends webhooks while the counter is open. Of all counters on a journal one sends: it holds a record, and another one
/// takes over when it has died.
package struct WebhookService: Service {
    private let endpoints: WebhookEndpoints
    private let feeder: WebhookFeeder
    private let sender: WebhookSender
    private let clock: any TillClock
    private let logger: Logger
    private let places = Places()

    package init(
        _ endpoints: WebhookEndpoints, transport: any WebhookTransport = PinnedTransport(),
        schedule: WebhookSchedule = WebhookSchedule(), logger: Logger
    ) {
        let (store, clock) = (endpoints.store, endpoints.clock)
        self.endpoints = endpoints
        feeder = WebhookFeeder(store: store, clock: clock, mode: endpoints.mode, logger: logger)
        sender = WebhookSender(
            store: store, pepper: endpoints.pepper, transport: transport, schedule: schedule, clock: clock,
            logger: logger)
        (self.clock, self.logger) = (clock, logger)
    }

    /// The record that the sending process holds.
    static let post = RecordID("webhook_sender", "sender")

    package func run() async throws {
        await Attribution.of(.webhooks) {
            await cancelWhenGracefulShutdown { await work() }
            await resign()
        }
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            var trouble: JournalError?
            while !Task.isCancelled {
                var isSending = false
                do throws(JournalError) {
                    isSending = try await takeOver()
                    if isSending {
                        for line in try await turn() {
                            group.addTask {
                                await sender.drain(line)
                                places.leave(line)
                            }
                        }
                    }
                    trouble = nil
                } catch {
                    if error != trouble { logger.error("Webhooks wait: \(error)") }
                    trouble = error
                }
                let pace = isSending ? WebhookLimits.pace : WebhookLimits.standbyPace
                guard await clock.pause(for: pace) else { return }
            }
        }
    }

    /// Makes messages of all events, and all attempts that are due, and waits for them.
    /// - Returns: `false` if another process sends.
    package func step() async throws(JournalError) -> Bool {
        guard try await takeOver() else { return false }
        while true {
            let lines = try await turn()
            guard !lines.isEmpty else { return true }
            await withDiscardingTaskGroup { group in
                for line in lines {
                    group.addTask {
                        await sender.drain(line)
                        places.leave(line)
                    }
                }
            }
        }
    }

    /// Returns `true` if this process sends, and becomes the one that does if there is none.
    func takeOver() async throws(JournalError) -> Bool {
        let known = try await endpoints.store.record(WebhookService.post)
        switch known?.holder {
        case .thisProcess: return true
        case .anotherProcess: return false
        case nil, .nobody, .deadProcess: break
        }
        let post = Record(WebhookService.post, body: Array("{}".utf8), isHeld: true)
        do throws(JournalError) {
            try await endpoints.store.change([.put(post, over: known)])
            return true
        } catch {
            guard case .recordConflict = error else { throw error }
            return false
        }
    }

    /// Leaves the sending to another process, so that it need not wait for a lease to end.
    private func resign() async {
        do throws(JournalError) {
            guard let known = try await endpoints.store.record(WebhookService.post), known.holder == .thisProcess else {
                return
            }
            try await endpoints.store.change(
                [.update(Record(WebhookService.post, body: Array("{}".utf8)), from: known.version)])
        } catch { logger.info("Another process sends webhooks once this one's lease has ended: \(error)") }
    }

    /// Reads on for each endpoint, and returns the lines to be sent now, which have a place.
    private func turn() async throws(JournalError) -> [WebhookLine] {
        var enabled: [WebhookEndpointID] = []
        try await endpoints.records.forEach { if $0.isEnabled { enabled.append($0.id) } }
        var lines: [WebhookLine] = []
        // Not always in the same order, so that the last one finds places, too.
        for id in enabled.shuffled() {
            var pages = 0
            while pages < WebhookLimits.pagesPerTurn, try await feeder.feed(id) { pages += 1 }
            let due = try await endpoints.store.records(
                RecordQuery(
                    WebhookLine.collection, matching: WebhookLine.match(id), .due(by: clock.now()),
                    limit: WebhookLimits.sendsPerEndpoint + places.taken(by: id)))
            for kept in due {
                let line = WebhookLine(key: kept.id.key, endpoint: id)
                if places.enter(line) { lines.append(line) }
            }
        }
        return lines
    }

    /// The lines that are being sent.
    private final class Places: Sendable {
        private let lines = Mutex<Set<WebhookLine>>([])

        func taken(by endpoint: WebhookEndpointID) -> Int {
            lines.withLock { $0.count(where: { $0.endpoint == endpoint }) }
        }

        /// Returns `false` for a line that is being sent, and if there is no place.
        func enter(_ line: WebhookLine) -> Bool {
            lines.withLock { lines in
                guard lines.count < WebhookLimits.sendsInAll,
                    lines.count(where: { $0.endpoint == line.endpoint }) < WebhookLimits.sendsPerEndpoint
                else { return false }
                return lines.insert(line).inserted
            }
        }

        func leave(_ line: WebhookLine) { lines.withLock { _ = $0.remove(line) } }
    }
}
