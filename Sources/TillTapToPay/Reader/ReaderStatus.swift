import TillCore

/// A snapshot of a reader's state, for display.
public struct ReaderStatus: Hashable, Sendable {
    public var phase: ReaderPhase
    /// The visibility of the app.
    public var scene: ReaderScene
    /// The state of the token.
    public var token: TokenStanding
    /// `true` if a call to the driver is in progress.
    public var isBusy: Bool
    /// `true` if a card can be read.
    public var isReady: Bool
    /// The error of the last preparation or link.
    public var lastError: PaymentCardReaderError?

    init(_ life: ReaderLifecycle, at now: Timestamp) {
        (phase, scene, token) = (life.phase, life.scene, life.token)
        (isBusy, isReady, lastError) = (life.flight != nil, life.isReady(at: now), life.lastError)
    }
}
