public import TillCore

/// The phase of a reader. Orthogonal state (the app's scene, the token and the call in progress) is kept in
/// ``ReaderLifecycle``.
public enum ReaderPhase: Hashable, Sendable {
    /// This device cannot read cards.
    case unsupported(PaymentCardReaderError)
    /// No session exists or is being prepared.
    case idle
    /// The terms are not accepted.
    case unlinked
    /// The terms are being presented.
    case linking(isRelink: Bool)
    /// A session is being created. `percent` is the progress of the configuration.
    case preparing(Preparation, percent: Int)
    /// A session could not be created; it is retried at that time.
    case pausing(until: Timestamp)
    /// A card can be read.
    case ready
    /// A card is being read.
    case reading(number: Int, ReadStep)
    /// A read has ended; a card can be read.
    case result(number: Int, ReadEnd)

    /// `true` if a session exists in this phase.
    var holdsSession: Bool {
        switch self {
        case .ready, .reading, .result: true
        case .unsupported, .idle, .unlinked, .linking, .preparing, .pausing: false
        }
    }

    var isPreparing: Bool { if case .preparing = self { true } else { false } }
    var isLinking: Bool { if case .linking = self { true } else { false } }

    /// The name without the payload.
    public var name: String {
        switch self {
        case .unsupported: "unsupported"
        case .idle: "idle"
        case .unlinked: "unlinked"
        case .linking: "linking"
        case .preparing: "preparing"
        case .pausing: "pausing"
        case .ready: "ready"
        case .reading: "reading"
        case .result: "result"
        }
    }
}

/// One attempt to create a session.
public struct Preparation: Hashable, Sendable {
    /// The number; it increases with every preparation and read of a reader.
    public var number: Int
    /// The kind of reads.
    public var kind: SessionKind
    /// `true` if no caller requested it: it follows a return to the foreground or a lost session.
    public var isAutomatic: Bool
}

/// The kind of a session's reads.
public enum SessionKind: String, Hashable, Sendable {
    /// Sent to the provider at once.
    case online
    case storeAndForward = "store_and_forward"
}

/// The progress of a read.
public enum ReadStep: String, Hashable, Sendable {
    /// The read was requested.
    case asked
    /// A card may be presented.
    case readyForTap = "ready_for_tap"
    /// A card is in the field.
    case cardDetected = "card_detected"
    /// The card must be presented again.
    case retry
    /// The customer is entering a PIN.
    case enteringPIN = "entering_pin"
    /// The card may be removed.
    case removeCard = "remove_card"
    /// The card was read; the read can no longer be canceled.
    case completed
    /// The read was canceled; the driver's answer decides.
    case canceling

    init?(_ event: PaymentCardReader.Event) {
        switch event {
        case .readyForTap: self = .readyForTap
        case .cardDetected, .pinEntryCompleted: self = .cardDetected
        case .readRetry: self = .retry
        case .pinEntryRequested: self = .enteringPIN
        case .removeCard: self = .removeCard
        case .readCompleted: self = .completed
        case .readCancelled: self = .canceling
        case .updateProgress, .notReady, .readNotCompleted, .userInterfaceDismissed, .unrecognized: return nil
        }
    }
}

/// The end of a read.
public enum ReadEnd: Hashable, Sendable {
    /// With a result; its outcome may be a failure.
    case result
    case error(PaymentCardReaderSession.ReadError)
}

/// The visibility of the app.
public enum ReaderScene: String, Hashable, Sendable {
    case foreground
    /// Not visible: no session exists.
    case background
}

/// The state of the reader token.
public enum TokenStanding: Hashable, Sendable {
    /// The reader was prepared without a token.
    case none
    case valid(ReaderTokenFacts)
    /// Expired, with its issuer.
    case over(issuer: String?)

    /// The issuer of the last token, if known.
    var issuer: String? {
        switch self {
        case .none: nil
        case .valid(let facts): facts.issuer
        case .over(let issuer): issuer
        }
    }

    /// Returns `true` if the token is valid at that time.
    public func isUsable(at now: Timestamp) -> Bool {
        if case .valid(let facts) = self { now < facts.until } else { false }
    }
}

/// A driver call in progress. There is at most one.
public enum ReaderFlight: Hashable, Sendable {
    /// The terms are being presented.
    case link
    /// A session is being created.
    case prepare(number: Int)
    /// A card or a PIN is being read.
    case read(number: Int)
    /// A session is being ended.
    case end(number: Int)
}
