import Foundation
import Synchronization
import TillCore
import TillJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Notifies a journal's other counters of new entries, and receives their notifications, on a thread and a session of
/// its own.
///
/// A hint is only a reason to read the journal: it may come late, twice or never, so consumers of events also poll. It
/// is sent after its commit, in a separate transaction that does not wait for the disk: notifying transactions are
/// serialized, and no batch may wait for that.
final class PostgresHints: Sendable {
    private struct State {
        var news: HintText?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell: HintBell

    /// - Parameters:
    ///   - channel: the journal's channel, unique among the journals in the database.
    ///   - onHint: called on the thread with the accounts that have new entries; `nil` for any account.
    init(
        _ address: String, channel: String, owner: Int64, onHint: @escaping @Sendable (Set<AccountID>?) -> Void
    ) throws(JournalError) {
        let bell = try HintBell()
        self.bell = bell
        let thread = Thread { [weak self] in
            var line = HintLine(address: address, channel: channel, owner: owner, bell: bell, onHint: onHint)
            while let news = self?.take(isDue: line.maySend) { line.pass(news.text, isWaiting: news.isWaiting) }
        }
        thread.name = "till.journal.hints"
        thread.start()
    }

    deinit { close() }

    /// Announces a commit of this process. Fast; callable from any thread.
    func committed(_ events: [StoredEvent]) {
        let rings = state.withLock { state in
            defer { state.news = HintText(adding: events.lazy.map(\.account), to: state.news) }
            return state.news == nil
        }
        if rings { bell.ring() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }

    /// Returns the hint to send now, and `true` if one has to wait; `nil` after closing.
    private func take(isDue: Bool) -> (text: HintText?, isWaiting: Bool)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            guard isDue else { return (nil, state.news != nil) }
            defer { state.news = nil }
            return (state.news, false)
        }
    }
}

/// The accounts of a hint, up to a maximum number.
struct HintText: Hashable {
    /// The maximum number of named accounts; PostgreSQL's limit is 8,000 bytes.
    static let maximumAccounts = 32

    /// The named accounts; `nil` for any account.
    private(set) var accounts: Set<AccountID>?

    init(adding more: some Sequence<AccountID>, to text: HintText?) {
        guard text == nil || text?.accounts != nil else {
            self = HintText()
            return
        }
        let all = (text?.accounts ?? []).union(more)
        accounts = all.count <= HintText.maximumAccounts ? all : nil
    }

    private init() { accounts = nil }

    /// Returns the payload: the sender's number, then one account on each line; `*` for any.
    func payload(from owner: Int64) -> String {
        let names = accounts?.map(\.rawValue).sorted() ?? ["*"]
        return ([String(owner)] + names).joined(separator: "\n")
    }

    /// Parses a payload.
    /// - Returns: `nil` for the counter's own hint. An unreadable payload counts as a hint for any account.
    static func received(_ payload: String, by owner: Int64) -> HintText? {
        let lines = payload.split(separator: "\n")
        guard lines.first.flatMap({ Int64($0) }) != owner else { return nil }
        let names = lines.dropFirst()
        guard !names.isEmpty, !names.contains("*") else { return HintText() }
        return HintText(adding: names.map { AccountID(rawValue: String($0)) }, to: nil)
    }
}

/// A pipe that wakes the thread, since it also waits for the database's socket.
final class HintBell: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(JournalError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .unavailable("no pipe can be made: \(String(cString: strerror(errno)))") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    func ring() {
        var byte: UInt8 = 1
        // A full pipe is already signaled.
        _ = write(writing, &byte, 1)
    }

    func silence() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }
}
