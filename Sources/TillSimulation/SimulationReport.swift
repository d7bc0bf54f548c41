/// The result of a simulation.
public struct SimulationReport: Sendable {
    /// The seed: the same seed and size give the same report.
    public var seed: UInt64
    /// The number of orders paid or attempted.
    public var payments = 0
    /// The number of faults of each kind.
    public var faults: [String: Int] = [:]
    public var outcomes: [String: Int] = [:]
    public var simulatedMilliseconds: Int64 = 0
    /// A hash over every call and every write, in order.
    public var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The violated rules; empty if all held.
    public var violations: [String] = []

    /// The total number of faults.
    public var faultCount: Int { faults.values.reduce(0, +) }

    /// Adds the result of one world. The order of calls affects the trace.
    mutating func add(_ part: SimulationReport, world: Int) {
        payments += part.payments
        faults.merge(part.faults, uniquingKeysWith: +)
        outcomes.merge(part.outcomes, uniquingKeysWith: +)
        simulatedMilliseconds += part.simulatedMilliseconds
        hash("\(part.trace)")
        violations += part.violations.map { "world \(world): \($0)" }
    }

    /// Adds the result of a secondary simulation, prefixing each fault and each outcome.
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
