/// What a simulation did and found.
public struct SimulationReport: Sendable {
    /// The seed: the same seed and size give the same report.
    public var seed: UInt64
    /// How many orders were paid, or tried to be.
    public var payments = 0
    /// How often each kind of fault happened.
    public var faults: [String: Int] = [:]
    public var outcomes: [String: Int] = [:]
    public var simulatedMilliseconds: Int64 = 0
    /// A hash over every call and every write, in order.
    public var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    /// Rules that did not hold; empty is good.
    public var violations: [String] = []

    /// All faults of all kinds.
    public var faultCount: Int { faults.values.reduce(0, +) }

    /// Adds what one world did and found. The order of the calls matters to the trace.
    mutating func add(_ part: SimulationReport, world: Int) {
        payments += part.payments
        faults.merge(part.faults, uniquingKeysWith: +)
        outcomes.merge(part.outcomes, uniquingKeysWith: +)
        simulatedMilliseconds += part.simulatedMilliseconds
        hash("\(part.trace)")
        violations += part.violations.map { "world \(world): \($0)" }
    }

    /// Adds what happened beside it, with a word in front of each fault and each end.
    mutating func add(_ part: SimulationReport, to place: String) {
        for (fault, count) in part.faults { faults["\(place): \(fault)", default: 0] += count }
        for (end, count) in part.outcomes { outcomes["\(place): \(end)", default: 0] += count }
        simulatedMilliseconds += part.simulatedMilliseconds
        hash("\(place) \(part.trace)")
        violations += part.violations.map { "\(place): \($0)" }
    }

    mutating func hash(_ text: String) {
        for byte in text.utf8 { trace = (trace ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
