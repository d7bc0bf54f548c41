import Synchronization
package import TillCore

/// The fault plan, consulted once per call. Sources in order of precedence: faults scheduled for the next calls, a
/// seeded script, the test card, the amount.
///
/// ```swift
/// let faults = SandboxFaults(followsTables: false)
/// let sandbox = SandboxProvider(store: SandboxMemoryStore(), faults: faults)
/// faults.fail(.capture, with: .timeoutAfterCommit, times: 2)
/// ```
///
/// | last digit | fault | card (authorize) |
/// |---|---|---|
/// | 1 | timeoutBeforeCommit | 4000 0000 0007 7000 |
/// | 2 | timeoutAfterCommit | 4000 0000 0007 7018 |
/// | 3 | serverErrorAfterSuccess | 4000 0000 0007 7026 |
/// | 4 | conflict | 4000 0000 0007 7034 |
/// | 5 | slow, 2 s | 4000 0000 0007 7042 |
/// | 6 | outage | 4000 0000 0007 7059 |
/// | 7 | notSent | 4000 0000 0007 7067 |
/// | 8 | duplicateDelivery | 4000 0000 0007 7075 |
///
/// An amount of 90 00x minor units fails the authorization, 90 01x the capture, 90 02x the refund, 90 03x the void. A
/// card or an amount fails only the first call of each key, so that a retry succeeds.
public final class SandboxFaults: Sendable {
    private struct State {
        var ordered: [SandboxOperation: [SandboxFault]] = [:]
        var lasting: [SandboxOperation: SandboxFault] = [:]
        var seen: Set<String> = []
        var mayReadDisputes = true
    }
    private let state = Mutex(State())
    private let script: SandboxScript?
    private let followsTables: Bool

    /// Creates a plan that follows the tables, or only faults scheduled by a test.
    /// - Parameters:
    ///   - script: random faults from a seed.
    ///   - followsTables: `false` ignores amounts and cards.
    public init(script: SandboxScript? = nil, followsTables: Bool = true) {
        self.script = script
        self.followsTables = followsTables
    }

    /// Schedules a fault for the next calls of an operation.
    public func fail(_ operation: SandboxOperation, with fault: SandboxFault, times: Int = 1) {
        state.withLock {
            $0.ordered[operation, default: []] += Array(repeating: fault, count: max(0, min(times, 10_000)))
        }
    }

    /// Makes all calls of an operation fail until called with `nil`.
    public func keepFailing(_ operation: SandboxOperation, with fault: SandboxFault?) {
        state.withLock { $0.lasting[operation] = fault }
    }

    /// Grants or revokes the permission of the shop's credentials to read disputes.
    public func mayReadDisputes(_ isAllowed: Bool) { state.withLock { $0.mayReadDisputes = isAllowed } }

    /// `true` if the shop's credentials may read disputes.
    package var mayReadDisputes: Bool { state.withLock { $0.mayReadDisputes } }

    /// Removes all scheduled faults.
    public func clear() {
        state.withLock {
            $0.ordered = [:]
            $0.lasting = [:]
        }
    }

    /// Returns the fault of this call, if it has one.
    package func next(
        _ operation: SandboxOperation, key: String, amount: Int64?, card: SandboxFault? = nil, at now: Timestamp
    ) -> SandboxFault? {
        let ordered: SandboxFault? = state.withLock { state in
            if var queue = state.ordered[operation], !queue.isEmpty {
                let fault = queue.removeFirst()
                state.ordered[operation] = queue
                return fault
            }
            return state.lasting[operation]
        }
        if let ordered { return ordered }
        if let fault = script?.fault(operation, key: key, at: now) { return fault }
        guard followsTables, let fault = card ?? SandboxFaults.fault(of: amount, operation) else { return nil }
        return state.withLock { $0.seen.insert("\(operation) \(key)").inserted } ? fault : nil
    }

    private static func fault(of amount: Int64?, _ operation: SandboxOperation) -> SandboxFault? {
        let base: Int64? =
            switch operation {
            case .authorize: 90_000
            case .capture: 90_010
            case .refund: 90_020
            case .void: 90_030
            case .prepare, .query, .renew: nil
            }
        guard let amount, let base, (90_000...90_039).contains(amount) else { return nil }
        let index = Int(amount - base) - 1
        // 90 028 is the amount of a refund that stays pending.
        guard SandboxFault.inOrder.indices.contains(index), amount != 90_028 else { return nil }
        return SandboxFault.inOrder[index]
    }
}
