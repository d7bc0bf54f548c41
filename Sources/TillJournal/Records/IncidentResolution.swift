public import TillCore

/// What a person has found out about an incident, and how he knows.
public struct IncidentResolution: Hashable, Sendable {
    /// The longest text taken that says how it is known, in bytes of UTF-8.
    public static let maximumNoteBytes = 2_000
    /// The longest name taken of who says so, in bytes of UTF-8.
    public static let maximumActorBytes = 128

    /// What it was, and how that is known: a line of the provider's dashboard, a slip's number.
    public var note: String
    /// Who says so; `nil`: the note says it.
    public var actor: String?
    /// What it means for the order; needed where the incident names one, or the person does.
    public var outcome: Incident.Outcome?
    /// The order that the person has found it to be for, where the provider's data do not say.
    public var order: Incident.Owner?
    /// When it was said.
    public var at: Timestamp?

    public init(
        note: String, actor: String? = nil, outcome: Incident.Outcome? = nil, order: Incident.Owner? = nil,
        at: Timestamp? = nil
    ) {
        (self.note, self.actor, self.outcome, self.order, self.at) = (note, actor, outcome, order, at)
    }
}

/// Why what a person says about an incident is not taken. Nothing was written and nobody was asked.
public enum IncidentRefusal: ExplainedError, Hashable {
    /// There is no incident of that name.
    case unknown(String)
    /// It is about a charge, and it is not said whether that paid its order.
    case outcomeMissing(String)
    /// It paid an order, and nobody says which.
    case orderMissing(String)
    /// Nothing of it is in suspense that could be written off.
    case nothingInSuspense(String)
    /// Nothing of it was written off that could be recovered.
    case nothingWrittenOff(String)
    /// Somebody has resolved it already.
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
    /// Whether what a person says is enough to resolve it.
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
