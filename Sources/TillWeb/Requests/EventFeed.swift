import Synchronization
public import TillCore
package import TillHardware
public import TillJournal

/// Wakes the event streams. Register ``committed(_:)`` as the journal's commit callback.
///
/// A signal only triggers a read of the journal, so losing one is harmless: a stream polls every second anyway, which
/// is also its only notice of commits by other processes on a journal file. Journals in a database send hints.
public final class EventFeed: Sendable {
    package enum Signal: Sendable {
        case poll
        case reader(AccountID, PaymentID, CardReaderEvent)
    }

    private struct Listener {
        let account: AccountID
        /// The credential of its request.
        let credential: Principal.Credential?
        /// The credential charged for it in the account's stream limits.
        let share: Principal.Credential?
        let signals: AsyncStream<Signal>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var notices: UInt64 = 0
        var isClosed = false
    }

    /// The divisor of an account's streams for one key or one session.
    private static let partOfOne = 2
    /// The divisor of the share reserved for the page: all keys of an account together get at most the rest.
    private static let partOfPage = 4

    private let state = Mutex(State())

    /// Creates a feed without listeners.
    public init() {}

    /// Wakes the streams of the accounts with committed events. Cheap; callable from any thread.
    public func committed(_ events: [StoredEvent]) {
        // Called on the writer's thread, for which all sales wait. A stream that opens meanwhile misses nothing: it
        // registers before its first read, which sees this commit.
        let isHeard = state.withLock { state in
            state.notices &+= 1
            return !state.listeners.isEmpty
        }
        guard isHeard else { return }
        send(.poll, to: Set(events.map(\.account)))
    }

    /// Wakes the streams of accounts written by another counter; `nil` for unknown accounts.
    public func hinted(_ accounts: Set<AccountID>?) {
        let listening = state.withLock { state in
            state.notices &+= 1
            return Set(state.listeners.values.map(\.account))
        }
        send(.poll, to: accounts ?? listening)
    }

    /// A number that is another one after each commit with events, and after each hint. While it is the same, a service
    /// that waits for payments can leave out a query. Other processes on a journal file do not change it, nor does a
    /// journal that does not call ``committed(_:)``: such a service still makes a query now and then.
    package var notices: UInt64 { state.withLock { $0.notices } }

    /// Reports a reader event during card collection for a payment. Not stored.
    package func report(_ event: CardReaderEvent, account: AccountID, payment: PaymentID) {
        send(.reader(account, payment, event), to: [account])
    }

    private func send(_ signal: Signal, to accounts: Set<AccountID>) {
        state.withLock { state in
            for listener in state.listeners.values where accounts.contains(listener.account) {
                listener.signals.yield(signal)
            }
        }
    }

    /// Subscribes to an account's signals; `nil` if the account is at its limit, or if the feed is closed.
    /// - Parameters:
    ///   - share: The key or session to count it for; `nil` for the credential.
    ///   - owner: The counter's account; `nil` for `account`.
    package func listen(
        _ account: AccountID, credential: Principal.Credential? = nil, share: Principal.Credential? = nil,
        atMost limit: Int, owner: AccountID? = nil
    ) -> (id: Int, signals: AsyncStream<Signal>, tick: @Sendable () -> Void)? {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(64))
        let id: Int? = state.withLock { state in
            let taken = state.listeners.values.reduce(into: [:]) { $0[$1.account, default: 0] += 1 }
            let shares = AccountShares(all: limit, owner: owner ?? account)
            guard !state.isClosed, shares.allow(account, taken: taken),
                EventFeed.allows(share ?? credential, of: account, in: state, limit, shares.owner)
            else { return nil }
            state.next &+= 1
            state.listeners[state.next] = Listener(
                account: account, credential: credential, share: share ?? credential, signals: continuation)
            return state.next
        }
        guard let id else { return nil }
        return (id, stream, { continuation.yield(.poll) })
    }

    /// Returns `true` if a key or session may have another stream within its account's limit.
    private static func allows(
        _ share: Principal.Credential?, of account: AccountID, in state: State, _ limit: Int, _ owner: AccountID
    ) -> Bool {
        guard let share else { return true }
        let limit = account == owner ? limit : limit / AccountShares.partOfOthers
        let others = state.listeners.values.filter { $0.account == account }
        guard others.count(where: { $0.share == share }) < max(1, limit / partOfOne) else { return false }
        guard case .key = share else { return true }
        let ofKeys = others.count { if case .key? = $0.share { true } else { false } }
        return ofKeys < max(1, limit - limit / partOfPage)
    }

    package func stop(_ id: Int) {
        state.withLock { $0.listeners.removeValue(forKey: id) }?.signals.finish()
    }

    /// The sessions with open streams.
    package var sessions: Set<[UInt8]> {
        state.withLock { Set($0.listeners.values.compactMap { $0.credential?.session }) }
    }

    /// Ends the streams of a session.
    package func end(session: [UInt8]) { end { $0.session == session } }

    /// Ends the streams with a matching credential.
    package func end(where isMeant: (Principal.Credential) -> Bool) {
        let ended = state.withLock { state in
            let ended = state.listeners.filter { $0.value.credential.map(isMeant) ?? false }
            for id in ended.keys { state.listeners[id] = nil }
            return ended.values.map(\.signals)
        }
        for signals in ended { signals.finish() }
    }

    /// Ends all streams and refuses new ones.
    package func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.signals.finish() }
    }

    package var count: Int { state.withLock { $0.listeners.count } }
}
