import TillCore

/// Where a reader stands at one moment, to be shown.
public struct ReaderStatus: Hashable, Sendable {
    public var phase: ReaderPhase
    /// Whether the app is seen.
    public var scene: ReaderScene
    /// How the token stands.
    public var token: TokenStanding
    /// A call to the driver is under way.
    public var isBusy: Bool
    /// A card can be read.
    public var isReady: Bool
    /// Why the last preparation or link failed.
    public var lastError: PaymentCardReaderError?

    init(_ life: ReaderLifecycle, at now: Timestamp) {
        (phase, scene, token) = (life.phase, life.scene, life.token)
        (isBusy, isReady, lastError) = (life.flight != nil, life.isReady(at: now), life.lastError)
    }
}
