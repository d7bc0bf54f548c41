import Synchronization
public import TillCore
import TillHardware
public import TillJournal

/// Wakes the streams of events. Give ``committed(_:)`` to the journal as what it calls after a commit.
///
/// A signal is only a reason to read the journal, so that one may be lost: a stream polls every second anyway,
/// which is also how it hears of commits of other processes on a file. Those in a database send hints.
public final class EventFeed: Sendable {
    enum Signal: Sendable {
        case poll
        case reader(AccountID, PaymentID, CardReaderEvent)
    }

    private struct Listener {
        let account: AccountID
        /// What its request came in with.
        let credential: Principal.Credential?
        /// Whose share of the account's streams it is in.
        let share: Principal.Credential?
        let signals: AsyncStream<Signal>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var isClosed = false
    }

    /// Of the streams of an account, the part that one key or one session may have.
    private static let partOfOne = 2
    /// The part that stays for the page: the keys of an account together have no more than the rest.
    private static let partOfPage = 4

    private let state = Mutex(State())

    /// Makes one without listeners.
    public init() {}

    /// Something is in the journal. Wakes the streams of the accounts that it is about. Quick; from any thread.
    public func committed(_ events: [StoredEvent]) { send(.poll, to: Set(events.map(\.account))) }

    /// Another counter has written something about these accounts; `nil`: it is not known about which.
    public func hinted(_ accounts: Set<AccountID>?) {
        send(.poll, to: accounts ?? state.withLock { Set($0.listeners.values.map(\.account)) })
    }

    /// A reader said something while it collects a card for a payment. Not kept.
    func report(_ event: CardReaderEvent, account: AccountID, payment: PaymentID) {
        send(.reader(account, payment, event), to: [account])
    }

    private func send(_ signal: Signal, to accounts: Set<AccountID>) {
        state.withLock { state in
            for listener in state.listeners.values where accounts.contains(listener.account) {
                listener.signals.yield(signal)
            }
        }
    }

    /// Signals of an account from now on; `nil` if it has as many listeners as allowed, or if the feed is closed.
    /// - Parameters:
    ///   - share: the key or the session that it counts for; `nil`: the credential.
    ///   - owner: whose the counter is; `nil`: that account's.
    func listen(
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

    /// Whether a key or a session may have another stream beside those that its account has.
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

    func stop(_ id: Int) {
        state.withLock { $0.listeners.removeValue(forKey: id) }?.signals.finish()
    }

    /// The sessions that have streams.
    var sessions: Set<[UInt8]> { state.withLock { Set($0.listeners.values.compactMap { $0.credential?.session }) } }

    /// Ends the streams of a session.
    func end(session: [UInt8]) { end { $0.session == session } }

    /// Ends the streams whose requests came in with such a key or session.
    func end(where isMeant: (Principal.Credential) -> Bool) {
        let ended = state.withLock { state in
            let ended = state.listeners.filter { $0.value.credential.map(isMeant) ?? false }
            for id in ended.keys { state.listeners[id] = nil }
            return ended.values.map(\.signals)
        }
        for signals in ended { signals.finish() }
    }

    /// Ends all streams and takes no more.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.signals.finish() }
    }

    var count: Int { state.withLock { $0.listeners.count } }
}
