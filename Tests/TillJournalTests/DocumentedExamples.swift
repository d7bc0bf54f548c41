// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillJournal

/// Of `ChainHead.swift`.
private func example1(_ journal: any CounterStore) async throws {
    let head = try await journal.backup(to: "/mnt/backup/journal.sqlite")
    let label = "\(head)"
    // Later, with the label as it was printed:
    let report = try await journal.verify(known: ChainHead(label))
    for problem in report.problems { print(problem) }
    _ = head
    _ = label
    _ = report
}

/// Of `MemoryJournal.swift`.
private func example2() async throws {
    let storage = MemoryJournal.Storage()
    let first = MemoryJournal(storage: storage)
    first.crash()
    let second = MemoryJournal(storage: storage)
    let due = try await second.due(at: SystemClock().now(), after: nil, limit: 100)
    _ = storage
    _ = first
    _ = second
    _ = due
}

/// Of `PaymentRow.swift`.
private func example3(_ journal: any CounterStore) async throws {
    var filter = PaymentFilter(account: .main, status: .succeeded, limit: 20)
    let newest = try await journal.payments(filter)
    filter.before = newest.last?.id
    let older = try await journal.payments(filter)
    _ = filter
    _ = newest
    _ = older
}

/// Of `RecordStore.swift`.
private func example4(_ store: any RecordStore) async throws {
    let id = RecordID("basket", "table-7")
    let known = try await store.record(id)
    let basket = Record(id, body: Array(#"{"items":["coffee"]}"#.utf8), fields: ["waiter": "ada"])
    try await store.change([.put(basket, over: known)])
    let ofAda = try await store.records(RecordQuery("basket", matching: RecordMatch("waiter", "ada")))
    _ = id
    _ = known
    _ = basket
    _ = ofAda
}
