import HTTPTypes
import ServiceLifecycle
import Synchronization
import TillBooks
import TillCore
import TillJournal

/// Imports statements for those who send them over HTTP, one at a time, so that what is in memory is one of them.
final class StatementImporter: Sendable {
    /// Bytes of one statement. A larger one is imported at the command line, which has the machine to itself.
    static let maximumBytes = 16 << 20
    /// Lines of one statement: this many are imported in less time than clients and what stands before the counter
    /// wait.
    static let maximumLines = 20_000

    private let journal: any CounterStore
    private let clock: any TillClock
    private let options: ServerOptions
    private let state = Mutex(State.free)

    private enum State {
        case free
        /// Somebody has the place, and reads the statement.
        case taken
        case importing(Task<Imported, any Error>)
        /// The counter is ending: nothing is taken in any more.
        case ended
    }

    private typealias Imported = (statement: Reconciliation.Statement, outcome: Reconciliation.Outcome)

    init(journal: any CounterStore, clock: any TillClock, options: ServerOptions) {
        (self.journal, self.clock, self.options) = (journal, clock, options)
    }

    /// Takes the place of the one import; whoever got it calls ``end()``.
    func begin() throws(Problem) {
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

    func end() {
        state.withLock { state in
            if case .ended = state { return }
            state = .free
        }
    }

    /// Ends the import that runs between two of its commits, and begins no other. What was imported stays, and the same
    /// statement again resumes.
    func stop() {
        let task: Task<Imported, any Error>? = state.withLock { state in
            defer { state = .ended }
            if case .importing(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }

    /// Reads a statement and imports it. The work continues when the client hangs up, away from the event loops, on
    /// which customers wait: what was begun is imported to its end, unless the counter ends. The same file again
    /// doubles nothing.
    func add(
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

/// Ends a running import when the counter ends, so that the end does not wait for it.
struct StatementImporterService: Service {
    let importer: StatementImporter

    func run() async throws {
        defer { importer.stop() }
        try await gracefulShutdown()
    }
}
