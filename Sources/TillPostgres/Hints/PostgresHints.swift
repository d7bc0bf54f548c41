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

/// Tells the other counters of a journal that there is something new in it, and hears it from them, on a thread and a
/// session of its own.
///
/// A hint is a reason to read the journal and nothing else: it may come late, twice or never, and whoever waits for
/// events polls anyway. It is sent after the commit that it is about, in a transaction of its own that waits for no
/// disk: whoever notifies waits for everybody who does, which no batch may.
final class PostgresHints: Sendable {
    private struct State {
        var news: HintText?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell: HintBell

    /// - Parameters:
    ///   - channel: of this journal among all that are in the database.
    ///   - onHint: called on the thread, with the accounts that there is something new of; `nil`: of any.
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

    /// Something was committed here. Quick; from any thread.
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

    /// What is to be sent now, and whether something has to wait; `nil` when all is over.
    private func take(isDue: Bool) -> (text: HintText?, isWaiting: Bool)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            guard isDue else { return (nil, state.news != nil) }
            defer { state.news = nil }
            return (state.news, false)
        }
    }
}

/// The accounts that a hint is about, of which it names a bounded number.
struct HintText: Hashable {
    /// Named at most; PostgreSQL takes less than 8,000 bytes.
    static let maximumAccounts = 32

    /// Those that it names; `nil`: it may be about any.
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

    /// The sender's number, and each account on a line of its own; `*`: any.
    func payload(from owner: Int64) -> String {
        let names = accounts?.map(\.rawValue).sorted() ?? ["*"]
        return ([String(owner)] + names).joined(separator: "\n")
    }

    /// - Returns: `nil` for what the counter itself has sent. What cannot be read is about any account.
    static func heard(_ payload: String, by owner: Int64) -> HintText? {
        let lines = payload.split(separator: "\n")
        guard lines.first.flatMap({ Int64($0) }) != owner else { return nil }
        let names = lines.dropFirst()
        guard !names.isEmpty, !names.contains("*") else { return HintText() }
        return HintText(adding: names.map { AccountID(rawValue: String($0)) }, to: nil)
    }
}

/// What wakes the thread: a pipe, since it waits for the database's socket, too.
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
        // A pipe that is full rings already.
        _ = write(writing, &byte, 1)
    }

    func silence() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }
}
