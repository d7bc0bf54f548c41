public import TillCore

/// The life of a reader as a value: ``decide(_:at:)`` says what an input leads to, ``evolve(_:)`` applies a change,
/// ``pendingEffect`` says what is to be done at the driver. No clock, driver or task is inside, so that every state and
/// every input can be tried.
///
/// Invariants, after every change: at most one call is at the driver; a phase that holds a session has one; no phase
/// holds one in the background.
public struct ReaderLifecycle: Hashable, Sendable {
    /// The most automatic preparations in a row that may fail; then somebody must ask.
    public static let mostFailures = 6

    /// Where the reader is.
    public private(set) var phase: ReaderPhase
    /// Whether the app is seen.
    public private(set) var scene = ReaderScene.foreground
    /// How the token stands.
    public private(set) var token = TokenStanding.none
    /// What the driver does now.
    public private(set) var flight: ReaderFlight?
    /// The driver was asked to cancel it.
    public private(set) var isCancelled = false
    /// The session that lives at the driver.
    public private(set) var session: Int?
    /// What its reads are for.
    public private(set) var sessionKind = SessionKind.online
    /// It lives but is not to be used any more.
    public private(set) var isDoomed = false
    /// What the app wants to have.
    public private(set) var wants: SessionKind?
    /// Automatic preparations that failed in a row.
    public private(set) var failures = 0
    /// The last number that was used.
    public private(set) var lastNumber = 0
    /// Why the last preparation or link failed.
    public private(set) var lastError: PaymentCardReaderError?
    /// When a session was made online.
    public private(set) var lastOnline: Timestamp?
    /// Payments that are stored.
    public private(set) var storedCount = 0
    public private(set) var storedIssuer: String?
    /// The times that hold.
    public let deadlines: TapToPayDeadlines

    /// A reader of a device that can read cards, or the reason why it cannot.
    public init(unsupported: PaymentCardReaderError? = nil, deadlines: TapToPayDeadlines = TapToPayDeadlines()) {
        phase = unsupported.map { .unsupported($0) } ?? .idle
        self.deadlines = deadlines
    }

    /// Whether a card can be read now.
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

    /// What is to be done at the driver now. Doing it begins with ``beginning(_:)``.
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

    /// The changes with which an effect begins.
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
