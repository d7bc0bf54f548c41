// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillOffline

/// Of `OfflineLog.swift`.
private func example1(_ folder: any DurableFolder, _ key: Secret<[UInt8]>, _ keys: OfflineProviderKeys) async throws {
    guard let device = OfflineDevice(name: "Counter 1", key: key) else { return }
    let log = try OfflineLog.open(in: folder, device: device, provider: keys, clock: SystemClock())
    try await log.noteContact()  // the provider was reached
    let request = OfflinePolicy.Request(amount: Money(minorUnits: 1250, currency: .eur))
    let reasons = try log.reasonsAgainst(request, policy: OfflinePolicy())
    print(reasons.isEmpty ? "A card would be stored." : "Not now: \(reasons)")
    _ = log
    _ = request
    _ = reasons
}

/// Of `OfflineSync.swift`.
private func example2(_ forwarder: any OfflineForwarder, _ log: OfflineLog) async throws {
    let sync = OfflineSync(log: log, forwarder: forwarder, clock: SystemClock()) { record, decision in
        print("\(record.order): \(decision.outcome)")
        return .settled
    }
    let report = try await sync.run()
    print(report.approved, report.declined, report.problems)
    _ = sync
    _ = report
}
