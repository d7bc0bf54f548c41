/// Whom a change is attributed to: who caused it, who allowed it, and with what.
///
/// It is set once where somebody is let in, and read where changes are written: ``current`` follows the task, and the
/// tasks that it starts with `Task {}`. It does not follow a detached task, nor one that was started before.
public struct Attribution: Hashable, Sendable {
    /// Of the work that the running task does; `nil`: nobody has said.
    @TaskLocal public static var current: Attribution?

    /// Who caused the change: a person, a key, an outside party or Till itself.
    public var actor: Actor
    /// Who allowed it, where somebody else had to.
    public var approvedBy: Actor?
    /// The identifier of the request that it came with.
    public var request: String?
    /// The device on which they did it.
    public var device: DeviceID?
    /// The network address that they came from. Kept in the audit log only, never with an event.
    public var address: String?

    public init(
        _ actor: Actor, approvedBy: Actor? = nil, request: String? = nil, device: DeviceID? = nil,
        address: String? = nil
    ) {
        self.actor = actor
        self.approvedBy = approvedBy
        self.request = request
        self.device = device
        self.address = address
    }
}

extension Attribution: CustomStringConvertible {
    /// The words for the records.
    public var description: String { approvedBy.map { "\(actor), approved by \($0)" } ?? actor.description }
}

extension Attribution {
    /// Does something that Till does by itself. It is never attributed to whoever happened to start the task.
    public static func of<Value>(
        _ duty: TillDuty, isolation: isolated (any _Concurrency.Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(Attribution(.till(duty)), operation: work, isolation: isolation)
    }
}
