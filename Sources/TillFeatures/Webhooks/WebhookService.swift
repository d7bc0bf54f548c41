package import Logging
import ServiceLifecycle
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
    private let places = WebhookPlaces()

    package init(
        _ endpoints: WebhookEndpoints, transport: any WebhookTransport = PinnedTransport(),
        schedule: WebhookSchedule = WebhookSchedule(), logger: Logger
    ) {
        let (store, clock) = (endpoints.store, endpoints.clock)
        self.endpoints = endpoints
        feeder = WebhookFeeder(store: store, clock: clock, mode: endpoints.mode, logger: logger)
        sender = WebhookSender(
            endpoints, transport: transport, schedule: schedule, clock: clock, logger: logger)
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
            var turns = 0
            while !Task.isCancelled {
                var isSending = false
                do throws(JournalError) {
                    isSending = try await takeOver()
                    if isSending {
                        for line in try await turn(reviews: turns.isMultiple(of: WebhookLimits.turnsPerReview)) {
                            group.addTask { await serve(line) }
                        }
                        turns += 1
                    }
                    _ = places.note(nil, of: "")
                } catch {
                    if places.note("\(error)", of: "") { logger.error("Webhooks wait: \(error)") }
                }
                let pace = isSending ? WebhookLimits.pace : WebhookLimits.standbyPace
                guard await clock.pause(for: pace) else { return }
            }
        }
    }

    /// Sends a line, and then, without a pause, others of its endpoint that are due.
    private func serve(_ first: Place) async {
        var place: Place? = first
        while let current = place {
            let end = await sender.drain(current.line)
            places.leave(current.line, restingUntil: end == .broken ? clock.now().adding(WebhookLimits.rest) : nil)
            place = end == .progressed && !Task.isCancelled ? await next(after: current) : nil
        }
    }

    private func next(after place: Place) async -> Place? {
        do throws(JournalError) {
            return try await due(place.line.endpoint, of: place.account, atMost: 1).first
        } catch { return nil }
    }

    /// Makes messages of all events, and all attempts that are due, and waits for them.
    /// - Returns: `false` if another process sends.
    package func step() async throws(JournalError) -> Bool {
        guard try await takeOver() else { return false }
        while true {
            let lines = try await turn(reviews: true)
            guard !lines.isEmpty else { return true }
            await withDiscardingTaskGroup { group in
                for line in lines { group.addTask { await serve(line) } }
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
        guard try await canSign() else { return false }
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

    /// Returns `false` if there are endpoints that are sent to, and this process can open the secret of none.
    private func canSign() async throws(JournalError) -> Bool {
        let enabled = try await known().filter(\.isEnabled)
        let now = clock.now()
        let isAble = enabled.isEmpty || enabled.contains { (try? $0.opened(at: now, by: endpoints.pepper)) != nil }
        if places.note(isAble ? nil : "pepper", of: "pepper") {
            logger.error("This counter cannot open the secrets of webhooks, and leaves the sending to another one.")
        }
        return isAble
    }

    /// A line with a place among those that are sent.
    private struct Place {
        let line: WebhookLine
        let account: AccountID
    }

    /// Returns the endpoints that can be read.
    private func known() async throws(JournalError) -> [WebhookEndpoint] {
        var found: [WebhookEndpoint] = []
        var position: Int64?
        while true {
            let page = try await endpoints.store.records(
                RecordQuery(WebhookEndpoint.collection, .oldestFirst(after: position)))
            for kept in page {
                do throws(JournalError) { found.append(try WebhookEndpoint(kept)) } catch {
                    guard places.note("\(error)", of: kept.id.key) else { continue }
                    logger.error("A webhook endpoint cannot be read.", metadata: ["endpoint": "\(kept.id.key)"])
                }
            }
            guard let last = page.last else { return found }
            position = last.position
        }
    }

    /// Reads on for each endpoint, and returns the lines to be sent now, which have a place. An error of one endpoint
    /// does not keep the others waiting.
    private func turn(reviews: Bool) async throws(JournalError) -> [Place] {
        var lines: [Place] = []
        // Not always in the same order, so that the last one finds places, too.
        for endpoint in try await known().shuffled() {
            do throws(JournalError) {
                switch endpoint.state {
                case .disabled(.deleting, _): try await resumeDeletion(of: endpoint)
                case .disabled: break
                case .enabled:
                    var pages = 0
                    while pages < WebhookLimits.pagesPerTurn, try await feeder.feed(endpoint.id) { pages += 1 }
                    if reviews {
                        try await endpoints.bringForward(
                            endpoint.id, dueAfter: clock.now().adding(WebhookLimits.farthest))
                    }
                    lines += try await due(endpoint.id, of: endpoint.account, atMost: WebhookLimits.sendsPerEndpoint)
                }
                _ = places.note(nil, of: endpoint.id.rawValue)
            } catch {
                guard places.note("\(error)", of: endpoint.id.rawValue) else { continue }
                logger.error("The webhooks of an endpoint wait: \(error)", metadata: ["endpoint": "\(endpoint.id)"])
            }
        }
        return lines
    }

    /// Returns an endpoint's lines that are due and get a place.
    private func due(
        _ id: WebhookEndpointID, of account: AccountID, atMost count: Int
    ) async throws(JournalError) -> [Place] {
        let now = clock.now()
        let due = try await endpoints.store.records(
            RecordQuery(
                WebhookLine.collection, matching: WebhookLine.match(id), .due(by: now),
                limit: count + places.taken(by: id)))
        var entered: [Place] = []
        for kept in due where entered.count < count {
            let line = WebhookLine(key: kept.id.key, endpoint: id)
            if places.enter(line, of: account, at: now) { entered.append(Place(line: line, account: account)) }
        }
        return entered
    }

    /// Finishes a deletion that broke off.
    private func resumeDeletion(of endpoint: WebhookEndpoint) async throws(JournalError) {
        do throws(WebhookError) { try await endpoints.delete(endpoint.id, of: endpoint.account) } catch {
            guard case .journal(let error) = error else { return }
            throw error
        }
    }
}
