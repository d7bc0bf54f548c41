import Dispatch
package import TillJournal

extension SQLiteJournal: TraceErasing {
    /// The maximum number of attempts to empty the log while others read or write.
    private static let tries = 20
    /// The pause between attempts.
    private static let pause = Duration.milliseconds(100)

    /// Copies the write-ahead log into the file and cuts it to no length. Freed bytes of the file are zero already:
    /// every connection that writes has `secure_delete` on.
    ///
    /// No sale waits long: the log is copied beside readers and writers first. As long as a reader needs the log no
    /// writer is stopped; then one waits for the rest of it, and at most 50 ms for readers.
    package func eraseTraces() async throws(JournalError) -> Bool {
        guard !isClosed else { throw .closed }
        let path = path
        for number in 1...SQLiteJournal.tries {
            let isEmptied = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
                DispatchQueue.global().async { done.resume(returning: SQLiteJournal.emptyLog(of: path)) }
            }
            if isEmptied { return true }
            guard number < SQLiteJournal.tries, (try? await Task.sleep(for: SQLiteJournal.pause)) != nil else { break }
        }
        return false
    }

    private static func emptyLog(of path: String) -> Bool {
        let pragmas = [
            "busy_timeout = 50", "synchronous = FULL", "checkpoint_fullfsync = 1", "cache_size = -64",
            "secure_delete = ON",
        ]
        guard let connection = try? SQLiteConnection(path, readOnly: false, pragmas: pragmas) else { return false }
        return connection.checkpoint() && connection.emptyLog()
    }
}
