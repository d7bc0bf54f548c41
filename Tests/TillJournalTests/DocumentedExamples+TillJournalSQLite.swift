// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillJournal
import TillJournalSQLite

/// Of `JournalCopier.swift`.
private func example1(_ journal: SQLiteJournal) async throws {
    let clock = SystemClock()
    let copier = try JournalCopier(journal, folder: "/mnt/usb/till", clock: clock)
    while await clock.pause(for: copier.pause) {
        if try await copier.copy() { print("The copy is as new as the journal.") }
    }
    _ = clock
    _ = copier
}

/// Of `SQLiteJournal+Restore.swift`.
private func example2(_ journal: SQLiteJournal) async throws {
    let report = try await SQLiteJournal.restore("/mnt/backup/journal.sqlite", to: ".till/journal.sqlite")
    print("\(report.payments) payments of \(report.events) events are back.")
    if let aside = report.aside { print("The journal that was in place is \(aside).") }
    _ = report
}

/// Of `SQLiteJournal.swift`.
private func example3() async throws {
    let journal = try SQLiteJournal.open(at: ".till/journal.sqlite")
    let newest = try await journal.payments(PaymentFilter(account: .main, limit: 20))
    for row in newest { print(row.orderNumber, row.status.rawValue, row.captured) }
    try await journal.close()
    _ = journal
    _ = newest
}
