public import TillCore

/// The lifecycle of a reader as a value: ``decide(_:at:)`` returns the changes caused by an input, ``evolve(_:)``
/// applies a change, ``pendingEffect`` is the next action at the driver. It contains no clock, driver or task, so that
/// every state and every input can be tested.
///
/// Invariants, after every change: at most one call is at the driver; a phase that holds a session has one; no phase
/// holds one in the background.
public struct ReaderLifecycle: Hashable, Sendable {
    /// The limit of consecutive failed automatic preparations; after that a caller must request one.
    public static let mostFailures = 6

    /// The phase of the reader.
    public private(set) var phase: ReaderPhase
    /// The visibility of the app.
    public private(set) var scene = ReaderScene.foreground
    /// The state of the token.
    public private(set) var token = TokenStanding.none
    /// The driver call in progress.
    public private(set) var flight: ReaderFlight?
    /// `true` if the driver was asked to cancel the call in progress.
    public private(set) var isCancelled = false
    /// The number of the session at the driver.
    public private(set) var session: Int?
    /// The kind of the session's reads.
    public private(set) var sessionKind = SessionKind.online
    /// `true` if the session exists but must not be used any more.
    public private(set) var isDoomed = false
    /// The kind of session that the app wants.
    public private(set) var wants: SessionKind?
    /// The number of consecutive failed automatic preparations.
    public private(set) var failures = 0
    /// The last number assigned.
    public private(set) var lastNumber = 0
    /// The error of the last preparation or link.
    public private(set) var lastError: PaymentCardReaderError?
    /// The time of the last online session.
    public private(set) var lastOnline: Timestamp?
    /// The number of stored payments.
    public private(set) var storedCount = 0
    public private(set) var storedIssuer: String?
    /// The deadlines in effect.
    public let deadlines: TapToPayDeadlines

    /// Creates the lifecycle of a device that can read cards, or with the reason why it cannot.
    public init(unsupported: PaymentCardReaderError? = nil, deadlines: TapToPayDeadlines = TapToPayDeadlines()) {
        phase = unsupported.map { .unsupported($0) } ?? .idle
        self.deadlines = deadlines
    }

    /// Returns `true` if a card can be read now.
    public func isReady(at now: Timestamp) -> Bool {
        guard flight == nil, !isDoomed, sessionKind == .storeAndForward || token.isUsable(at: now) else { return false }
        switch phase {
        case .ready, .result: return true
        case .unsupported, .idle, .unlinked, .linking, .preparing, .pausing, .reading: return false
        }
    }

    public mutating func evolve(_ change: ReaderChange) {
        switch change {
        case .phase(let phase): self.phase = phase
        case .scene(let scene): self.scene = scene
        case .token(let token): self.token = token
        case .wants(let kind): wants = kind
        case .sessionBegan(let number, let kind): (session, sessionKind, isDoomed) = (number, kind, false)
        case .sessionDoomed: isDoomed = session != nil
        case .sessionEnded: (session, isDoomed) = (nil, false)
        case .counted(let number): lastNumber = number
        case .failures(let count): failures = count
        case .failed(let error): lastError = error
        case .online(let moment): lastOnline = moment
        case .stored(let count, let issuer): (storedCount, storedIssuer) = (count, issuer)
        case .flightBegan(let flight): (self.flight, isCancelled) = (flight, false)
        case .flightCanceled: isCancelled = true
        case .flightEnded: (flight, isCancelled) = (nil, false)
        }
    }

    /// The pending action at the driver. Starting it begins with ``beginning(_:)``.
    public var pendingEffect: ReaderEffect? {
        if let flight { return isStillWanted(flight) || isCancelled ? nil : .callOff(flight) }
        if let session, isDoomed || !phase.holdsSession { return .endSession(number: session) }
        switch phase {
        case .linking(let isRelink): return .link(isRelink: isRelink)
        case .preparing(let preparation, _): return .prepare(preparation)
        case .reading(let number, _): return .read(number: number)
        case .unsupported, .idle, .unlinked, .pausing, .ready, .result: return nil
        }
    }

    /// Returns the changes that start an effect.
    public func beginning(_ effect: ReaderEffect) -> [ReaderChange] {
        switch effect {
        case .link: [.flightBegan(.link)]
        case .prepare(let preparation): [.flightBegan(.prepare(number: preparation.number))]
        case .read(let number): [.flightBegan(.read(number: number))]
        case .callOff: [.flightCanceled]
        case .endSession(let number): [.sessionEnded, .flightBegan(.end(number: number))]
        }
    }

    private func isStillWanted(_ flight: ReaderFlight) -> Bool {
        switch (flight, phase) {
        case (.link, .linking), (.end, _): true
        case (.prepare(let number), .preparing(let preparation, _)): number == preparation.number
        case (.read(let number), .reading(let current, let step)): number == current && step != .canceling
        default: false
        }
    }
}
