/// The authority of a process to send a call.
///
/// A stalled process, such as a stopped one, may have lost its payments to another one without noticing. The engine
/// checks before each call; a provider without idempotency keys that queries or waits before it sends checks again
/// right before it sends a call that moves money.
public struct SendingAuthority: Sendable {
    /// The authority of the current task, set by the engine around each call; elsewhere it is always held. A type of
    /// its own, not the closure: the metadata of a function type, which a task-local value needs, is not found when
    /// optimized and other objects are linked.
    @TaskLocal public static var current = SendingAuthority { true }

    private let ask: @Sendable () async -> Bool

    /// - Parameter ask: Returns `true` if the authority is held; called before each call that moves money.
    public init(_ ask: @escaping @Sendable () async -> Bool) { self.ask = ask }

    /// `true` if a call may be sent now.
    public static var isHeld: Bool { get async { await current.ask() } }
}
