/// Whether the machine's clock may decide what cannot be undone.
///
/// While it is in doubt payments are taken as always, since people ask for them. What only the time asks for waits: a
/// hold is not voided because it ended, nothing is sent again without asking first, nothing is forgotten by age.
public enum ClockStanding: Hashable, Sendable {
    /// Somebody has confirmed it, or nobody could and it fits the journal.
    case trusted
    /// It fits the journal, and nobody has confirmed it since the process started. Mostly over with the first answer of
    /// a provider; no reason for an alarm.
    case unproved
    /// The journal, a provider or the machine's own counter contradicts it.
    case doubted(ClockDoubt)

    public var isTrusted: Bool { self == .trusted }

    /// What contradicts the clock; `nil` while nothing does.
    public var doubt: ClockDoubt? { if case .doubted(let doubt) = self { doubt } else { nil } }
}

/// Why the machine's clock is not relied upon.
public enum ClockDoubt: Hashable, Sendable {
    /// It was held against nothing yet: a counter that is just opening.
    case notCompared
    /// It is so far ahead of the last moment that was confirmed, and nobody has confirmed it since. A counter that was
    /// closed for as long reads the same, so the first answer of a provider decides.
    case aheadOfProof(by: Span)
    /// It is so far behind what is in the journal already.
    case behindJournal(by: Span)
    /// It was set while the process ran; below zero: back.
    case jumped(by: Span)
    /// A provider's answer carries another time; below zero: the clock is behind it.
    case contradicted(by: String, off: Span)

    /// The standing as one word, for programs.
    public var word: String {
        switch self {
        case .notCompared: "not_compared"
        case .aheadOfProof: "ahead_of_proof"
        case .behindJournal: "behind_journal"
        case .jumped: "jumped"
        case .contradicted: "contradicted"
        }
    }

    /// How far the clock is from what it is held against; above zero: ahead.
    public var off: Span {
        switch self {
        case .notCompared: .milliseconds(0)
        case .aheadOfProof(let span), .jumped(let span), .contradicted(_, let span): span
        case .behindJournal(let span): Span(milliseconds: 0 &- span.milliseconds)
        }
    }

    /// The doubt as a sentence, for people.
    public var sentence: String {
        switch self {
        case .notCompared: "The machine's clock was not compared with the journal yet."
        case .aheadOfProof(let span):
            "The machine's clock is \(ClockDoubt.text(span)) ahead of the last time that was confirmed, and no "
                + "provider has confirmed it since."
        case .behindJournal(let span):
            "The machine's clock is \(ClockDoubt.text(span)) behind the newest entry of the journal."
        case .jumped(let span):
            "The machine's clock was set \(ClockDoubt.text(span)) \(span.milliseconds < 0 ? "back" : "ahead") while "
                + "the counter ran."
        case .contradicted(let host, let span):
            "The machine's clock is \(ClockDoubt.text(span)) \(span.milliseconds < 0 ? "behind" : "ahead of") \(host)."
        }
    }

    /// What a person does about a clock in doubt.
    public static let next =
        "Set the clock. If it is right, `till clock accept` says so; a provider's answer says so by itself. Until then "
        + "holds are not released because they ended, and nothing is forgotten or sent again by age."

    private static func text(_ span: Span) -> String {
        let minutes = span.milliseconds.magnitude / 60_000
        if minutes >= 2_880 { return "\(minutes / 1_440) days" }
        return minutes >= 120 ? "\(minutes / 60) hours" : "\(minutes) minutes"
    }
}
