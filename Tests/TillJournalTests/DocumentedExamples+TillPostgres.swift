// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillPostgres

/// Of `PostgresJournal.swift`.
private func example1() async throws {
    let journal = try PostgresJournal.open(at: "postgresql://till@db1,db2/till", files: ".till/shop")
    let standing = try await journal.standing()
    for finding in standing.findings where !finding.isFine { print(finding.text) }
    try await journal.close()
    _ = journal
    _ = standing
}
