/// Whether a call may still be sent by the process that makes it.
///
/// A process that stood still, as one that was stopped, may have lost its payments to another one without knowing it. The
/// engine asks before each call; a provider that keeps no idempotency keys, and looks up or waits before it sends, asks
/// again right before it sends what moves money.
public enum SendingAuthority {
    /// The engine sets it around each call; elsewhere it is always held.
    @TaskLocal public static var isHeld: @Sendable () async -> Bool = { true }
}
