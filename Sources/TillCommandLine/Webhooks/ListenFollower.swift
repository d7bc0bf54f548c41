import TillCore
import TillFeatureWebhooks

/// Follows a counter and makes a message of each event, one after the other. What the counter did while it was not
/// reached comes after it, without a gap: the stream goes on behind the last event that was dealt with.
struct ListenFollower: Sendable {
    let counter: ListenCounter
    let forwarder: ListenForwarder
    let types: WebhookTypes
    let clock: any TillClock
    /// Reports what is no result: the counter is not reached, or is again.
    let note: @Sendable (String) -> Void
    /// Receives each message with its end.
    let tell: @Sendable (ListenLine) -> Void

    /// The identifier under which messages are made: an event has the same one each time that it is listened to.
    private static let listener = WebhookEndpointID(rawValue: "we_listen")

    /// Returns the position of the counter's last event, as soon as it is reached.
    /// - Throws: ``ListenEnd``.
    func end() async throws(ListenEnd) -> Int64 {
        var failures = 0
        while true {
            do throws(ListenFailure) { return try await counter.end() } catch {
                failures += 1
                try await rest(after: error, failures)
            }
        }
    }

    /// Follows until the task is canceled.
    /// - Parameter start: the position after which the first event comes.
    /// - Throws: ``ListenEnd`` if the counter refuses the key, or after ``ListenLimits/failedConnections`` in a row.
    func follow(after start: Int64) async throws(ListenEnd) {
        var place = start
        var failures = 0
        while !Task.isCancelled {
            let (reached, failure) = await connection(after: place)
            if reached > place { failures = 0 }
            place = reached
            switch failure {
            case nil, .interrupted?:
                // It may have ended because it is being started anew.
                failures = 0
                await clock.pause(for: ListenLimits.reconnectPause)
            case let failure?:
                failures += 1
                try await rest(after: failure, failures)
            }
        }
    }

    /// Ends for a failure that stays, and waits after one that may pass. Tells of the first of many.
    private func rest(after failure: ListenFailure, _ failures: Int) async throws(ListenEnd) {
        switch failure {
        case .keyRefused(let problem): throw .keyRefused(problem)
        case .refused(let problem): throw .refused(problem)
        case .unusable(let what): throw .noCounter(what)
        case .notReached(let reason), .interrupted(let reason):
            guard failures < ListenLimits.failedConnections else { throw .notReached(reason) }
            if failures == 1 {
                note("The counter is not reached: \(reason). It is tried again every second, for five minutes.")
            }
            guard await clock.pause(for: ListenLimits.reconnectPause) else { throw .notReached(reason) }
        }
    }

    /// Reads one connection of the stream and deals with its events.
    /// - Returns: the position of the last event that was dealt with, and the reason of the end; `nil` if the counter
    ///   closed it.
    private func connection(after start: Int64) async -> (place: Int64, ListenFailure?) {
        let (events, continuation) = AsyncStream.makeStream(
            of: ListenEvent.self, bufferingPolicy: .bufferingOldest(ListenLimits.waitingEvents))
        let reading = Task { [counter] () -> ListenFailure? in
            defer { continuation.finish() }
            do throws(ListenFailure) {
                try await counter.events(after: start) { event in
                    if case .enqueued = continuation.yield(event) { return true }
                    return false
                }
                return nil
            } catch { return error }
        }
        return await withTaskCancellationHandler { () async -> (place: Int64, ListenFailure?) in
            var place = start
            for await event in events {
                do throws(ListenFailure) { try await deal(with: event) } catch {
                    reading.cancel()
                    return (place, error)
                }
                place = event.sequence
            }
            return (place, await reading.value)
        } onCancel: {
            reading.cancel()
        }
    }

    /// Makes a message of an event, if one is made of it, and hands it on.
    /// - Throws: if the counter cannot be asked for the payment at the moment, or refuses the key.
    private func deal(with event: ListenEvent) async throws(ListenFailure) {
        guard let step = ListenStep(rawValue: event.name), !step.isOperation else { return }
        let payment: ListenPayment
        do throws(ListenFailure) { payment = try await counter.payment(event.payment) } catch {
            switch error {
            case .notReached, .interrupted, .keyRefused: throw error
            case .refused(let problem):
                return note("No message of event \(event.sequence) of \(event.payment): \(problem.what)")
            case .unusable(let what): return note("No message of event \(event.sequence): \(what)")
            }
        }
        guard let type = step.type(of: event, payment), types.contains(type) else { return }
        let id = WebhookMessageID.of(
            event.payment, version: event.version, event: event.name, at: event.at, to: ListenFollower.listener)
        let body = WebhookBody.bytes(type, at: event.at, payment.content(of: event))
        tell(ListenLine(event: event, type: type, id: id, outcome: await forwarder.send(body, id: id)))
    }
}

/// The reason for which `till listen` ends.
enum ListenEnd: ExplainedError {
    case keyRefused(ListenProblem)
    case refused(ListenProblem)
    case noCounter(String)
    case notReached(String)

    /// The exit code: `EX_NOPERM` for a refused key, `EX_UNAVAILABLE` for a counter that is not reached.
    var exitCode: Int32 {
        switch self {
        case .keyRefused: 77
        case .refused, .noCounter: 1
        case .notReached: 69
        }
    }

    var code: String {
        switch self {
        case .keyRefused(let problem), .refused(let problem): problem.code
        case .noCounter: "no_counter"
        case .notReached: "counter_not_reached"
        }
    }

    var what: String {
        switch self {
        case .keyRefused(let problem), .refused(let problem): problem.what
        case .noCounter(let what): "This is no counter of this version. \(what)"
        case .notReached(let reason): "The counter is not reached: \(reason)."
        }
    }

    var moneyMoved: MoneyMoved { .no }

    var next: String {
        switch self {
        case .keyRefused(let problem), .refused(let problem): problem.next
        case .noCounter: "Correct --counter."
        case .notReached: "Start the counter, or correct --counter."
        }
    }
}
