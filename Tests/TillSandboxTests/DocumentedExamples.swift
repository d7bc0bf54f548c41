// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillSandbox

/// Of `SandboxFaults.swift`.
private func example1() async throws {
    let faults = SandboxFaults(followsTables: false)
    let sandbox = SandboxProvider(store: SandboxMemoryStore(), faults: faults)
    faults.fail(.capture, with: .timeoutAfterCommit, times: 2)
    _ = faults
    _ = sandbox
}

/// Of `SandboxAfterSale.swift`.
private func example2(_ ledger: SandboxLedger, _ reference: ProviderReference) async throws {
    let dispute = SandboxAfterSale.dispute(nil, reason: "fraudulent", isInquiry: false, respondBy: nil)
    let disputed = try await ledger.play(dispute, on: reference)
    let lost = try await ledger.play(.closeDispute(isWon: false), on: reference)
    _ = dispute
    _ = disputed
    _ = lost
}

/// Of `SandboxProvider.swift`.
private func example3() async throws {
    let store = SandboxFileStore(path: ".till/sandbox.sqlite")
    let sandbox = SandboxProvider(store: store, latency: .milliseconds(200))
    for charge in try await sandbox.ledger.charges() { print(charge) }
    _ = store
    _ = sandbox
}
