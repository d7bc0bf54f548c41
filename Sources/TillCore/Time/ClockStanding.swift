/// The trust in the machine's clock for irreversible decisions.
///
/// While it is in doubt, payments are taken as always, because they are explicitly requested. Work triggered by the
/// time alone waits: a hold is not voided because it ended, nothing is sent again without a query first, nothing is
/// forgotten by age.
public enum ClockStanding: Hashable, Sendable {
    /// The clock was confirmed, or cannot be confirmed and is consistent with the journal.
    case trusted
    /// The clock is consistent with the journal, and has not been confirmed since the process started. Mostly over with
    /// the first answer of a provider; no reason for an alarm.
    case unproved
    /// The journal, a provider or the machine's monotonic clock contradicts it.
    case doubted(ClockDoubt)

    public var isTrusted: Bool { self == .trusted }

    /// The contradiction; `nil` if there is none.
    public var doubt: ClockDoubt? { if case .doubted(let doubt) = self { doubt } else { nil } }
}

/// The reason for which the machine's clock is in doubt.
public enum ClockDoubt: Hashable, Sendable {
    /// It was not compared with anything yet: the counter is just opening.
    case notCompared
    /// It is ahead of the last confirmed time by this much, and has not been confirmed since. A counter that was closed
    /// for as long reads the same, so the first answer of a provider decides.
    case aheadOfProof(by: Span)
    /// It is behind the newest journal entry by this much.
    case behindJournal(by: Span)
    /// It was set while the process ran; negative: back.
    case jumped(by: Span)
    /// A provider's answer carries another time; negative: the clock is behind it.
    case contradicted(by: String, off: Span)

    /// The doubt as a stable identifier, for programs.
    public var word: String {
        switch self {
        case .notCompared: "not_compared"
        case .aheadOfProof: "ahead_of_proof"
        case .behindJournal: "behind_journal"
        case .jumped: "jumped"
        case .contradicted: "contradicted"
        }
    }

    /// The clock's offset from its reference; positive: ahead.
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

    /// The recommended next step for a clock in doubt.
    public static let next =
        "Set the clock. If it is right, `till clock accept` says so; a provider's answer says so by itself. Until then "
        + "holds are not released because they ended, and nothing is forgotten or sent again by age."

    private static func text(_ span: Span) -> String {
        let minutes = span.milliseconds.magnitude / 60_000
        if minutes >= 2_880 { return "\(minutes / 1_440) days" }
        return minutes >= 120 ? "\(minutes / 60) hours" : "\(minutes) minutes"
    }
}
