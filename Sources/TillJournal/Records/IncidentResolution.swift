public import TillCore

/// A finding of staff about an incident, with its evidence.
public struct IncidentResolution: Hashable, Sendable {
    /// The maximum size of the evidence, in bytes of UTF-8.
    public static let maximumNoteBytes = 2_000
    /// The maximum size of the actor's name, in bytes of UTF-8.
    public static let maximumActorBytes = 128

    /// The finding and its evidence: a line of the provider's dashboard, a receipt number.
    public var note: String
    /// The actor; `nil` if the note names one.
    public var actor: String?
    /// The consequence for the order; required if the incident or the resolution names one.
    public var outcome: Incident.Outcome?
    /// The order that staff has identified, if the provider's data do not name it.
    public var order: Incident.Owner?
    /// The time of the resolution.
    public var at: Timestamp?

    public init(
        note: String, actor: String? = nil, outcome: Incident.Outcome? = nil, order: Incident.Owner? = nil,
        at: Timestamp? = nil
    ) {
        (self.note, self.actor, self.outcome, self.order, self.at) = (note, actor, outcome, order, at)
    }
}

/// The reason a resolution is rejected. Nothing was written, and no request was sent.
public enum IncidentRefusal: ExplainedError, Hashable {
    /// There is no such incident.
    case unknown(String)
    /// It is about a charge, and the resolution does not state whether that paid its order.
    case outcomeMissing(String)
    /// It paid an order that is not named.
    case orderMissing(String)
    /// It has no money in suspense to write off.
    case nothingInSuspense(String)
    /// It has no write-off to recover.
    case nothingWrittenOff(String)
    /// It is resolved already.
    case resolvedBefore(Incident)

    public var code: String {
        switch self {
        case .unknown: "incident_not_found"
        case .outcomeMissing: "outcome_missing"
        case .orderMissing: "order_missing"
        case .nothingInSuspense: "nothing_in_suspense"
        case .nothingWrittenOff: "nothing_written_off"
        case .resolvedBefore: "incident_resolved"
        }
    }

    public var what: String {
        switch self {
        case .unknown(let id): "There is no incident \(id)."
        case .outcomeMissing(let id): "The incident \(id) is about a charge."
        case .orderMissing(let id): "The incident \(id) does not say its order."
        case .nothingInSuspense(let id): "Nothing of the incident \(id) is in suspense."
        case .nothingWrittenOff(let id): "Nothing of the incident \(id) was written off."
        case .resolvedBefore(let incident):
            "The incident \(incident.id) was resolved already"
                + (incident.resolvedBy.map { " by \($0)" } ?? "") + ": \(incident.resolution ?? "")"
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unknown: "till journal incidents lists them."
        case .outcomeMissing:
            "Say whether it paid its order: --outcome paid or --outcome not_paid, or outcome over HTTP."
        case .orderMissing: "Name the order that it paid: --order, or order_id over HTTP."
        case .nothingInSuspense:
            "Only what a statement has put into suspense is written off. Resolve it with what was found out alone."
        case .nothingWrittenOff: "See till ledger balances for what is written off."
        case .resolvedBefore: "Read what was found out. Nothing was changed."
        }
    }
}

extension Incident {
    /// Checks that a resolution has everything the incident requires.
    public func check(_ said: IncidentResolution) throws(IncidentRefusal) {
        guard said.outcome != nil || !needsOutcome else { throw .outcomeMissing(id) }
        switch said.outcome {
        case .writtenOff where kind != .statement: throw .nothingInSuspense(id)
        case .recovered where kind != .statement: throw .nothingWrittenOff(id)
        case .paid, .notPaid, .writtenOff, .recovered, nil: break
        }
        guard said.outcome != .paid || owner != nil || said.order != nil else { throw .orderMissing(id) }
    }
}
