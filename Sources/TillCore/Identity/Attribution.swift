/// The attribution of a change: the originator, the approver, and the means.
///
/// It is set once at authentication and read where changes are written: ``current`` is inherited by the task and by
/// tasks that it starts with `Task {}`, but not by a detached task or one that was started before.
public struct Attribution: Hashable, Sendable {
    /// The attribution of the running task's work; `nil` if none was set.
    @TaskLocal public static var current: Attribution?

    /// The originator of the change: a person, a key, an external party or Till itself.
    public var actor: Actor
    /// The approver, if a second person's approval was required.
    public var approvedBy: Actor?
    /// The identifier of the request that caused the change.
    public var request: String?
    /// The device used for the change.
    public var device: DeviceID?
    /// The cash drawer that cash of the change goes into or comes out of; `nil` if none was named.
    public var drawer: DrawerName?
    /// The caller's network address. Kept in the audit log only, never with an event.
    public var address: String?

    public init(
        _ actor: Actor, approvedBy: Actor? = nil, request: String? = nil, device: DeviceID? = nil,
        address: String? = nil, drawer: DrawerName? = nil
    ) {
        self.actor = actor
        self.approvedBy = approvedBy
        self.request = request
        self.device = device
        self.address = address
        self.drawer = drawer
    }
}

extension Attribution: CustomStringConvertible {
    /// The description for the records.
    public var description: String { approvedBy.map { "\(actor), approved by \($0)" } ?? actor.description }
}

extension Attribution {
    /// Performs work of an automatic duty. It is never attributed to the actor that happened to start the task.
    public static func of<Value>(
        _ duty: TillDuty, isolation: isolated (any _Concurrency.Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(Attribution(.till(duty)), operation: work, isolation: isolation)
    }

    /// Performs work whose cash goes into a drawer or comes out of it.
    /// - Parameter drawer: The drawer; `nil` to leave the current one as it is.
    public static func at<Value>(
        _ drawer: DrawerName?, isolation: isolated (any _Concurrency.Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        var attribution = current
        if let drawer {
            attribution = attribution ?? Attribution(.unattributed)
            attribution?.drawer = drawer
        }
        return try await $current.withValue(attribution, operation: work, isolation: isolation)
    }
}
