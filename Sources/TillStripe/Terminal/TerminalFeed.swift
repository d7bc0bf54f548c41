import Synchronization
public import TillCore
public import TillProvider

/// Events at readers, and wake-ups for tasks that wait for one. Nothing is stored: an event without a listener is lost,
/// and polling makes up for a lost wake-up.
public final class TerminalFeed: Sendable {
    /// What a task that waits for a reader has not heard yet.
    private struct Waiter {
        var hasNews = false
        /// The pause that news ends.
        var pause: AsyncStream<Void>.Continuation?
    }

    private struct State {
        var next = 0
        /// The tasks that wait for news of a reader, by its id.
        var waiters: [String: [Int: Waiter]] = [:]
        /// The reader that processes each payment intent.
        var busy: [String: String] = [:]
        /// The reader for a payment's next card-present refund.
        var refundReaders: [PaymentID: String] = [:]
        /// The latest time at which a refund command may have been sent, as far as this process knows.
        var refundCommands: [RefundID: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let listeners = ReaderFeed()

    /// Creates a feed without listeners.
    public init() {}

    /// Returns all events from now on.
    public func steps() -> AsyncStream<ReaderStep> { listeners.steps() }

    func tell(_ step: ReaderStep) { listeners.tell(step) }

    /// Wakes the tasks that wait for a reader, upon a webhook about it, so that they query immediately.
    public func changed(_ reader: String) {
        state.withLock { state in
            for id in (state.waiters[reader] ?? [:]).keys.sorted() {
                state.waiters[reader]?[id]?.hasNews = true
                state.waiters[reader]?[id]?.pause?.yield()
            }
        }
    }

    /// Returns the reader that processes a payment intent in this process.
    public func reader(of intent: ProviderReference) -> String? {
        state.withLock { $0.busy[intent.rawValue] }
    }

    /// The readers that tasks in this process wait for.
    public var busyReaders: [String] { state.withLock { Array($0.waiters.keys) } }

    /// The maximum number of remembered refund readers; beyond that a dropped one must be named again.
    public static let maximumRefunds = 1024

    /// Selects the reader for the next card-present refund of a payment.
    public func useReader(_ reader: String, forRefundOf payment: PaymentID) {
        state.withLock { state in
            if state.refundReaders.count >= TerminalFeed.maximumRefunds, let some = state.refundReaders.keys.first {
                state.refundReaders[some] = nil
            }
            state.refundReaders[payment] = reader
        }
    }

    func refundReader(of payment: PaymentID) -> String? { state.withLock { $0.refundReaders[payment] } }

    /// Records that a refund command is being sent.
    package func sends(_ refund: RefundID, at now: Timestamp) {
        state.withLock { TerminalFeed.remember(refund, now, in: &$0) }
    }

    /// Returns the latest time at which a refund command may have been sent: by this process, or by one that died
    /// before this one first learned of the refund. A forgotten refund counts as learned just now, so forgetting only
    /// delays.
    package func lastCommand(for refund: RefundID, at now: Timestamp) -> Timestamp {
        state.withLock { state in
            if let known = state.refundCommands[refund] { return known }
            TerminalFeed.remember(refund, now, in: &state)
            return now
        }
    }

    private static func remember(_ refund: RefundID, _ now: Timestamp, in state: inout State) {
        if state.refundCommands[refund] == nil, state.refundCommands.count >= maximumRefunds,
            let oldest = state.refundCommands.min(by: { $0.value < $1.value })?.key
        {
            state.refundCommands[oldest] = nil
        }
        state.refundCommands[refund] = now
    }

    /// Starts waiting for a reader that processes an intent.
    func begin(_ reader: String, _ intent: ProviderReference?) -> TerminalWait {
        let id = state.withLock { state in
            state.next &+= 1
            state.waiters[reader, default: [:]][state.next] = Waiter()
            if let intent { state.busy[intent.rawValue] = reader }
            return state.next
        }
        return TerminalWait(id: id, reader: reader, intent: intent, feed: self)
    }

    /// Returns a stream for one pause, with an element if there is news already. A stream is over for good once a task
    /// that reads it is canceled, as the loser of a race is: the next pause needs another one.
    fileprivate func pause(of wait: TerminalWait) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.waiters[wait.reader]?[wait.id]?.pause = continuation
            if state.waiters[wait.reader]?[wait.id]?.hasNews == true { continuation.yield() }
        }
        return stream
    }

    fileprivate func heard(_ wait: TerminalWait) {
        state.withLock { $0.waiters[wait.reader]?[wait.id]?.hasNews = false }
    }

    func end(_ wait: TerminalWait) {
        state.withLock { state in
            state.waiters[wait.reader]?.removeValue(forKey: wait.id)?.pause?.finish()
            if state.waiters[wait.reader]?.isEmpty == true { state.waiters[wait.reader] = nil }
            if let intent = wait.intent { state.busy[intent.rawValue] = nil }
        }
    }
}

/// A task's wait for a reader.
struct TerminalWait: Sendable {
    let id: Int
    let reader: String
    let intent: ProviderReference?
    fileprivate let feed: TerminalFeed

    fileprivate init(id: Int, reader: String, intent: ProviderReference?, feed: TerminalFeed) {
        (self.id, self.reader, self.intent, self.feed) = (id, reader, intent, feed)
    }

    /// Returns after the span, or immediately when there is news since the last pause that news ended.
    func pause(atMost span: Span, clock: any TillClock) async {
        let news = feed.pause(of: self)
        let isNews = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await clock.pause(for: span)
                return false
            }
            group.addTask {
                for await _ in news { return true }
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if isNews { feed.heard(self) }
    }
}
