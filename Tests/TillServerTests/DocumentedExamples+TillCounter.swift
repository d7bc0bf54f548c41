// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillCounter
import TillJournal

/// Of `APIKeys.swift`.
private func example1(_ journal: any CounterStore) async throws {
    let keys = APIKeys(journal, clock: SystemClock())
    let made = try await keys.create(account: .main, label: "Web shop", scopes: [.read, .sell], life: .days(90))
    print("\(made.record.id), shown only now: \(made.key.reveal())")
    _ = keys
    _ = made
}

/// Of `PrinterRegistry.swift`.
private func example2(_ journal: any CounterStore) async throws {
    let registry = PrinterRegistry(journal)
    let printer = KnownPrinter(name: "counter", address: "socket://192.168.1.30:9100", profile: "wide")
    try await registry.keep(printer)
    for known in try await registry.all() { print(known.name, known.address) }
    _ = registry
    _ = printer
}

/// Of `StaffDirectory.swift`.
private func example3(_ journal: any CounterStore) async throws {
    let staff = StaffDirectory(journal, account: .main, clock: SystemClock())
    let ada = try await staff.add(name: "Ada", role: "cashier", pin: nil)
    for person in try await staff.all() { print(person.name, person.role) }
    _ = staff
    _ = ada
}
