public import TillCore

/// Where a reader is. What is orthogonal to it, the app's scene, the token and the call that is under way, stands
/// beside it in ``ReaderLifecycle``.
public enum ReaderPhase: Hashable, Sendable {
    /// This device cannot read cards.
    case unsupported(PaymentCardReaderError)
    /// There is no session, and nothing is under way to one.
    case idle
    /// Nobody has accepted the terms.
    case unlinked
    /// The terms are shown.
    case linking(isRelink: Bool)
    /// A session is made. `percent` is that of the configuration.
    case preparing(Preparation, percent: Int)
    /// A session could not be made; it is tried again at that time.
    case pausing(until: Timestamp)
    /// A card can be read.
    case ready
    /// A card is read.
    case reading(number: Int, ReadStep)
    /// A read has ended; a card can be read.
    case result(number: Int, ReadEnd)

    /// A session lives in this phase.
    var holdsSession: Bool {
        switch self {
        case .ready, .reading, .result: true
        case .unsupported, .idle, .unlinked, .linking, .preparing, .pausing: false
        }
    }

    var isPreparing: Bool { if case .preparing = self { true } else { false } }
    var isLinking: Bool { if case .linking = self { true } else { false } }

    /// Its name without its contents.
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

/// One making of a session.
public struct Preparation: Hashable, Sendable {
    /// Counts up with every preparation and read of a reader.
    public var number: Int
    /// For which kind of reads.
    public var kind: SessionKind
    /// Nobody asked for it just now: it follows from coming to the foreground, or from a session that broke.
    public var isAutomatic: Bool
}

/// What a session's reads are for.
public enum SessionKind: String, Hashable, Sendable {
    /// To be sent to the provider at once.
    case online
    case storeAndForward = "store_and_forward"
}

/// How far a read is.
public enum ReadStep: String, Hashable, Sendable {
    /// The reader was asked.
    case asked
    /// A card may be presented.
    case readyForTap = "ready_for_tap"
    /// A card is in the field.
    case cardDetected = "card_detected"
    /// It is to be presented again.
    case retry
    /// The customer types a PIN.
    case enteringPIN = "entering_pin"
    /// The card may leave.
    case removeCard = "remove_card"
    /// The card is read; the read cannot be canceled any more.
    case completed
    /// It was canceled; the driver has the last word.
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

/// How a read ended.
public enum ReadEnd: Hashable, Sendable {
    /// With a result; the outcome in it may be a failure.
    case result
    case error(PaymentCardReaderSession.ReadError)
}

/// Whether the app is seen.
public enum ReaderScene: String, Hashable, Sendable {
    case foreground
    /// It is not: no session lives.
    case background
}

/// How the reader token stands.
public enum TokenStanding: Hashable, Sendable {
    /// The reader was prepared without a token.
    case none
    case valid(ReaderTokenFacts)
    /// Over; of whom it was.
    case over(issuer: String?)

    /// Who issued the last one, if that is known.
    var issuer: String? {
        switch self {
        case .none: nil
        case .valid(let facts): facts.issuer
        case .over(let issuer): issuer
        }
    }

    /// Whether it is valid at that time.
    public func isUsable(at now: Timestamp) -> Bool {
        if case .valid(let facts) = self { now < facts.until } else { false }
    }
}

/// A call to the driver that is under way. There is one at most.
public enum ReaderFlight: Hashable, Sendable {
    /// The terms are shown.
    case link
    /// A session is made.
    case prepare(number: Int)
    /// A card is read, or a PIN.
    case read(number: Int)
    /// A session is ended.
    case end(number: Int)
}
