import HTTPTypes
import Synchronization
import TillBooks
import TillCore
import TillJournal

/// Imports statements for those who send them over HTTP, one at a time, so that what is in memory is one of them.
final class StatementImporter: Sendable {
    /// Bytes of one statement. A larger one is imported at the command line, which has the machine to itself.
    static let maximumBytes = 16 << 20

    private let journal: any CounterStore
    private let clock: any TillClock
    private let options: ServerOptions
    private let isBusy = Mutex(false)

    init(journal: any CounterStore, clock: any TillClock, options: ServerOptions) {
        (self.journal, self.clock, self.options) = (journal, clock, options)
    }

    /// Takes the place of the one import; whoever got it calls ``end()``.
    func begin() throws(Problem) {
        let isFree = isBusy.withLock { busy in
            defer { busy = true }
            return !busy
        }
        guard isFree else {
            throw Problem(
                .conflict, "statement_in_progress", "Another statement is being imported. Nothing of this one was.",
                next: "Send it again in a moment."
            ).retrying(after: 2)
        }
    }

    func end() { isBusy.withLock { $0 = false } }

    /// Reads a statement and imports it. The work goes on when the client hangs up, away from the event loops, on which
    /// customers wait: what was begun is imported to its end, and the same file again doubles nothing.
    func add(
        _ file: StatementFile, for account: AccountID
    ) async throws -> (statement: Reconciliation.Statement, outcome: Reconciliation.Outcome) {
        try await Task { [journal, clock, options] in
            let reconciliation = Reconciliation(journal, clock: clock, account: account, mode: options.mode)
            let read = try file.read(options.statementForms)
            let statement = try file.owned(read, by: try await reconciliation.accounts(of: read.provider))
            return (statement, try await reconciliation.add(statement))
        }.value
    }
}
