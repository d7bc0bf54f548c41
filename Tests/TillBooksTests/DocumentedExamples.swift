// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillBooks
import TillCore
import TillJournal
import TillProvider
import TillStatements
import TillStripe

/// Of `LedgerExport.swift`.
private func example1(_ journal: any Journal & RecordStore) async throws {
    let export = LedgerExport(.beancount, from: LedgerDay("2026-01-01"), to: LedgerDay("2026-03-31"))
    let position = try await export.write(Ledger(journal, account: .main)) { text in
        print(text, terminator: "")
    }
    for payment in position.unreadable { print("not exported: \(payment)") }
    _ = export
    _ = position
}

/// Of `Ledger.swift`.
private func example2(_ journal: any Journal & RecordStore) async throws {
    let standing = try await Ledger(journal, account: .main).balances()
    for balance in standing.balances.all {
        print(balance.account.name, balance.decimalString, balance.currency.code)
    }
    _ = standing
}

/// Of `Reconciliation.swift`.
private func example3(_ bytes: [UInt8], _ journal: any Journal & RecordStore) async throws {
    let books = Reconciliation(journal, clock: SystemClock(), account: .main, mode: .live)
    let file = StatementFile("payouts.csv", bytes)
    let statement = try file.read(StatementForm.all(of: [StripeModule.self]))
    let accounts = try await books.accounts(of: statement.provider)
    let outcome = try await books.add(file.owned(statement, by: accounts))
    print("\(outcome.imported) new lines, \(outcome.matched) matched, \(outcome.open) to review")
    _ = books
    _ = file
    _ = statement
    _ = accounts
    _ = outcome
}
