import Synchronization
public import TillCore
public import TillProvider

/// Reports what happens at readers, and wakes who waits for one. Nothing here is kept: a step that nobody hears is lost,
/// and a wake-up that is lost is made up for by polling.
public final class TerminalFeed: Sendable {
    private struct State {
        var next = 0
        /// Who waits for news of a reader, by its id.
        var waiters: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        /// Which reader works on a payment intent.
        var busy: [String: String] = [:]
        /// At which reader the card for a payment's next refund will be presented.
        var refundReaders: [PaymentID: String] = [:]
        /// Until when a command for a refund was last sent, as far as this process can know.
        var refundCommands: [RefundID: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let listeners = ReaderFeed()

    /// Makes one without listeners.
    public init() {}

    /// Everything from now on.
    public func steps() -> AsyncStream<ReaderStep> { listeners.steps() }

    func tell(_ step: ReaderStep) { listeners.tell(step) }

    /// A webhook says that something happened at a reader: who waits for it queries at once.
    public func heard(of reader: String) {
        state.withLock { state in
            for (_, waiter) in (state.waiters[reader] ?? [:]).sorted(by: { $0.key < $1.key }) { waiter.yield() }
        }
    }

    /// The reader that works on a payment intent in this process.
    public func reader(of intent: ProviderReference) -> String? {
        state.withLock { $0.busy[intent.rawValue] }
    }

    /// The readers that somebody in this process waits for.
    public var busyReaders: [String] { state.withLock { Array($0.waiters.keys) } }

    /// Refunds whose readers are remembered; beyond that one of them must be named again.
    public static let maximumRefunds = 1024

    /// The next refund of a payment that needs the card is made at this reader.
    public func useReader(_ reader: String, forRefundOf payment: PaymentID) {
        state.withLock { state in
            if state.refundReaders.count >= TerminalFeed.maximumRefunds, let some = state.refundReaders.keys.first {
                state.refundReaders[some] = nil
            }
            state.refundReaders[payment] = reader
        }
    }

    func refundReader(of payment: PaymentID) -> String? { state.withLock { $0.refundReaders[payment] } }

    /// A command for a refund leaves now.
    package func sends(_ refund: RefundID, at now: Timestamp) {
        state.withLock { TerminalFeed.remember(refund, now, in: &$0) }
    }

    /// The latest moment at which a command for a refund may have been sent: by this process, or by one that died
    /// before this one first learned of it. What is forgotten counts as learned just now, so forgetting only delays.
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

    /// Begins to wait for a reader that works on an intent.
    func begin(_ reader: String, _ intent: ProviderReference?) -> TerminalWait {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next &+= 1
            state.waiters[reader, default: [:]][state.next] = continuation
            if let intent { state.busy[intent.rawValue] = reader }
            return state.next
        }
        return TerminalWait(id: id, reader: reader, intent: intent, news: stream)
    }

    func end(_ wait: TerminalWait) {
        state.withLock { state in
            state.waiters[wait.reader]?.removeValue(forKey: wait.id)?.finish()
            if state.waiters[wait.reader]?.isEmpty == true { state.waiters[wait.reader] = nil }
            if let intent = wait.intent { state.busy[intent.rawValue] = nil }
        }
    }
}

/// Somebody waits for a reader.
struct TerminalWait: Sendable {
    let id: Int
    let reader: String
    let intent: ProviderReference?
    let news: AsyncStream<Void>

    /// Returns after the span, or at once when there is news.
    func pause(atMost span: Span, clock: any TillClock) async {
        let news = news
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await clock.pause(for: span) }
            group.addTask { for await _ in news { return } }
            await group.next()
            group.cancelAll()
        }
    }
}
