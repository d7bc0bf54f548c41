import Synchronization
package import TillCore

/// Which fault happens when. Asked once for each call, in this order: what was ordered for the next calls, what a
/// seeded script says, the test card, the amount.
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
/// An amount of 90 00x minor units fails the authorization, 90 01x the capture, 90 02x the refund, 90 03x the void.
/// A card or an amount fails the first call of each key only, so that trying again helps.
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

    /// Faults that follow the tables, or only what a test asks for.
    /// - Parameters:
    ///   - script: random faults from a seed.
    ///   - followsTables: `false` switches the amounts and cards off.
    public init(script: SandboxScript? = nil, followsTables: Bool = true) {
        self.script = script
        self.followsTables = followsTables
    }

    /// The next calls of an operation fail.
    public func fail(_ operation: SandboxOperation, with fault: SandboxFault, times: Int = 1) {
        state.withLock {
            $0.ordered[operation, default: []] += Array(repeating: fault, count: max(0, min(times, 10_000)))
        }
    }

    /// All calls of an operation fail until this is called with `nil`.
    public func keepFailing(_ operation: SandboxOperation, with fault: SandboxFault?) {
        state.withLock { $0.lasting[operation] = fault }
    }

    /// Takes the right to read disputes from the shop's credentials, or gives it back.
    public func mayReadDisputes(_ isAllowed: Bool) { state.withLock { $0.mayReadDisputes = isAllowed } }

    /// Whether the shop's credentials may read disputes.
    package var mayReadDisputes: Bool { state.withLock { $0.mayReadDisputes } }

    /// Forgets all that was ordered.
    public func clear() {
        state.withLock {
            $0.ordered = [:]
            $0.lasting = [:]
        }
    }

    /// The fault of this call, if it has one.
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
        // 90 028 is a refund that stays pending.
        guard SandboxFault.inOrder.indices.contains(index), amount != 90_028 else { return nil }
        return SandboxFault.inOrder[index]
    }
}
