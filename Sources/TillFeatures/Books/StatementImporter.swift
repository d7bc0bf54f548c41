import HTTPTypes
import ServiceLifecycle
import Synchronization
package import TillBooks
package import TillCore
package import TillJournal
package import TillWeb

/// Imports statements sent over HTTP, one at a time, so that at most one is in memory.
package final class StatementImporter: Sendable {
    /// The maximum size of a statement in bytes. A larger one is imported on the command line, outside the serving
    /// process.
    package static let maximumBytes = 16 << 20
    /// The maximum number of lines of a statement: so many are imported before clients and proxies time out.
    package static let maximumLines = 20_000

    private let journal: any CounterStore
    private let clock: any TillClock
    private let options: ServerOptions
    private let state = Mutex(State.free)

    private enum State {
        case free
        /// Reserved, while the statement is being received.
        case taken
        case importing(Task<Imported, any Error>)
        /// The counter is shutting down: no import is accepted.
        case ended
    }

    private typealias Imported = (statement: Reconciliation.Statement, outcome: Reconciliation.Outcome)

    package init(journal: any CounterStore, clock: any TillClock, options: ServerOptions) {
        (self.journal, self.clock, self.options) = (journal, clock, options)
    }

    /// Reserves the only import slot; release it with ``end()``.
    package func begin() throws(Problem) {
        let problem: Problem? = state.withLock { state in
            switch state {
            case .free:
                state = .taken
                return nil
            case .taken, .importing: return StatementImporter.inProgress
            case .ended: return StatementImporter.stopped(nil)
            }
        }
        if let problem { throw problem }
    }

    package func end() {
        state.withLock { state in
            if case .ended = state { return }
            state = .free
        }
    }

    /// Stops a running import between two of its commits and refuses others. Imported lines remain, and sending the
    /// same statement again resumes the import.
    package func stop() {
        let task: Task<Imported, any Error>? = state.withLock { state in
            defer { state = .ended }
            if case .importing(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }

    /// Reads and imports a statement. The work continues if the client disconnects, off the event loops that serve
    /// customers: a started import completes unless the counter shuts down. Sending the same file again duplicates
    /// nothing.
    package func add(
        _ file: StatementFile, for account: AccountID
    ) async throws -> (statement: Reconciliation.Statement, outcome: Reconciliation.Outcome) {
        let task = Task<Imported, any Error> { [journal, clock, options] in
            let reconciliation = Reconciliation(journal, clock: clock, account: account, mode: options.mode)
            let read = try file.read(options.statementForms, maximumLines: StatementImporter.maximumLines)
            let statement = try file.owned(read, by: try await reconciliation.accounts(of: read.provider))
            return (statement, try await reconciliation.add(statement))
        }
        let isEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .importing(task)
            return false
        }
        if isEnded { task.cancel() }
        let done = try await task.value
        guard !done.outcome.isStopped else { throw StatementImporter.stopped(done) }
        return done
    }

    private static let inProgress = Problem(
        .conflict, "statement_in_progress", "Another statement is being imported. Nothing of this one was.",
        next: "Send it again in a moment."
    ).retrying(after: 2)

    private static func stopped(_ done: Imported?) -> Problem {
        let count = done.map { $0.outcome.imported + $0.outcome.known } ?? 0
        let part =
            done.map { "\(count) of its \($0.statement.lines.count) lines were imported" }
            ?? "Nothing of it was imported"
        return Problem(
            .serviceUnavailable, "statement_stopped",
            "The counter is ending, and the import of the statement was stopped. \(part).",
            next: "Send the same file again when the counter is open: it resumes, and nothing is posted twice."
        ).retrying(after: 5)
    }
}

/// Stops a running import at shutdown, so that shutdown does not wait for it.
package struct StatementImporterService: Service {
    let importer: StatementImporter

    package init(importer: StatementImporter) {
        self.importer = importer
    }

    package func run() async throws {
        defer { importer.stop() }
        try await gracefulShutdown()
    }
}
