/// Whether a call may still be sent by the process that makes it.
///
/// A process that was stalled, such as one that was stopped, may have lost its payments to another one without knowing
/// it. The engine asks before each call; a provider that keeps no idempotency keys, and looks up or waits before it
/// sends, asks again right before it sends what moves money.
public struct SendingAuthority: Sendable {
    /// The engine sets it around each call; elsewhere it is always held. A type of its own, not the closure: the
    /// metadata of a function type, which a task-local value needs, is not found where optimized and other objects are
    /// linked.
    @TaskLocal public static var current = SendingAuthority { true }

    private let ask: @Sendable () async -> Bool

    /// - Parameter ask: whether it is held at the moment; called before each call that moves money.
    public init(_ ask: @escaping @Sendable () async -> Bool) { self.ask = ask }

    /// Whether a call may be sent now.
    public static var isHeld: Bool { get async { await current.ask() } }
}
