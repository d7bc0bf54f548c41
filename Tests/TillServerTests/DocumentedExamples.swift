// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCheckout
import TillCore
import TillJournalSQLite
import TillSandbox
import TillServer
import TillWeb

/// Of `CounterServer.swift`.
private func example1() async throws {
    let feed = EventFeed()
    let journal = try SQLiteJournal.open(at: ".till/journal.sqlite", onCommit: { feed.committed($0) })
    let sandbox = SandboxProvider(store: SandboxMemoryStore())
    let checkout = Checkout(journal: journal, providers: [sandbox, CashDrawer()], clock: SystemClock())
    let server = CounterServer(journal: journal, checkout: checkout, feed: feed)
    try await server.run()
    _ = feed
    _ = journal
    _ = sandbox
    _ = checkout
    _ = server
}
