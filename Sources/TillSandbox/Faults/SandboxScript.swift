public import TillCore

/// Random faults from a seed. The fault of a call depends only on the seed, the operation, its key and the time, not on
/// the scheduling of tasks: with a simulated clock, the same seed reproduces the same run.
public struct SandboxScript: Hashable, Sendable {
    /// A fault and its frequency.
    public struct Rate: Hashable, Sendable {
        public var fault: SandboxFault
        /// Occurrences per million calls.
        public var perMillion: UInt64

        public init(_ fault: SandboxFault, perMillion: UInt64) {
            self.fault = fault
            self.perMillion = perMillion
        }
    }

    public let seed: UInt64
    /// The faults of each operation.
    public var rates: [SandboxOperation: [Rate]]

    public init(seed: UInt64, rates: [SandboxOperation: [Rate]]) {
        self.seed = seed
        self.rates = rates
    }

    /// Creates a script in which every fault is equally frequent for every operation, with a combined frequency.
    public init(seed: UInt64, everyFaultPerMillion: UInt64) {
        let share = everyFaultPerMillion / UInt64(SandboxFault.inOrder.count)
        let rates = SandboxFault.inOrder.map { Rate($0, perMillion: share) }
        self.init(
            seed: seed, rates: Dictionary(uniqueKeysWithValues: SandboxOperation.allCases.map { ($0, rates) }))
    }

    /// Returns the fault of a call, if it has one.
    public func fault(_ operation: SandboxOperation, key: String, at now: Timestamp) -> SandboxFault? {
        guard let rates = rates[operation] else { return nil }
        var dice = StableHash.of("\(operation.rawValue) \(key) \(now.milliseconds)", seed: seed) % 1_000_000
        for rate in rates {
            if dice < rate.perMillion { return rate.fault }
            dice -= rate.perMillion
        }
        return nil
    }

    /// Returns a test card for a payment: mostly approved ones, some of each decline. Sealed as a reader seals it.
    public func sealedCard(for key: String, declinedPerMillion: UInt64) -> Secret<String> {
        let dice = StableHash.of("card \(key)", seed: seed)
        guard dice % 1_000_000 < declinedPerMillion else { return Secret("sim:4242424242424242:visa:contact_emv") }
        let codes = ["insufficient_funds", "generic_decline", "expired_card", "lost_card", "incorrect_pin"]
        return Secret("sim:declined:\(codes[Int((dice >> 32) % UInt64(codes.count))])")
    }
}
