public import TillCore

/// The progress of querying one provider for operations that the journal may lack.
public struct ProviderSweep: Hashable, Sendable {
    /// The state of querying one provider.
    public enum State: Hashable, Sendable {
        /// Its list is being read, from a page's cursor or from the start. A pass that began before the list could be
        /// complete is repeated.
        case listing(cursor: String?, since: Timestamp?)
        /// Its list was read to the end, but may still grow until then.
        case waiting(until: Timestamp)
        /// Its list was read to the end after it had to be complete.
        case finished(at: Timestamp)
        /// The provider has no list. Staff must confirm that nothing is missing.
        case unprovable
        /// Staff has confirmed that nothing is missing, or that everything missing is known.
        case accepted(by: String, evidence: String, at: Timestamp)
    }

    public let provider: ProviderName
    public var state: State
    /// The number of pages read in this pass.
    public var pages = 0
    /// The number of charges and refunds listed in this pass.
    public var listed = 0
    /// The number of those that no payment of the journal accounts for, over all passes.
    public var incidents = 0
    /// Known payments for which a query failed. Until the provider answers, the state of their money is unknown.
    public var unanswered: [PaymentID] = []
    /// The maximum number of unanswered payments; at the limit, reading of the list pauses.
    public static let maximumUnanswered = 1_000

    public init(_ provider: ProviderName, _ state: State) {
        self.provider = provider
        self.state = state
    }

    /// `true` if no further query is needed.
    public var isSettled: Bool {
        switch state {
        case .finished: unanswered.isEmpty
        case .accepted: true
        case .listing, .waiting, .unprovable: false
        }
    }

    init?(_ json: JSONValue) {
        guard let name = json["provider"]?.stringValue, let word = json["state"]?.stringValue,
            let pages = json["pages"]?.int64Value, let listed = json["listed"]?.int64Value,
            let incidents = json["incidents"]?.int64Value
        else { return nil }
        let moment = json["at"]?.int64Value.map { Timestamp(milliseconds: $0) }
        switch (word, moment) {
        case ("listing", _): state = .listing(cursor: json["cursor"]?.stringValue, since: moment)
        case ("waiting", .some(let until)): state = .waiting(until: until)
        case ("finished", .some(let at)): state = .finished(at: at)
        case ("unprovable", _): state = .unprovable
        case ("accepted", .some(let at)):
            guard let actor = json["by"]?.stringValue, let evidence = json["evidence"]?.stringValue else { return nil }
            state = .accepted(by: actor, evidence: evidence, at: at)
        default: return nil
        }
        provider = ProviderName(rawValue: name)
        self.pages = Int(clamping: pages)
        self.listed = Int(clamping: listed)
        self.incidents = Int(clamping: incidents)
        for name in json["unanswered"]?.arrayValue ?? [] {
            guard let id = name.stringValue else { return nil }
            unanswered.append(PaymentID(rawValue: id))
        }
    }

    /// Writes it as an object, for both the journal and command-line tools.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("provider", provider.rawValue)
        switch state {
        case .listing(let cursor, let since):
            writer.field("state", "listing")
            writer.field("cursor", cursor)
            if let since { writer.field("at", since.milliseconds) }
        case .waiting(let until):
            writer.field("state", "waiting")
            writer.field("at", until.milliseconds)
        case .finished(let at):
            writer.field("state", "finished")
            writer.field("at", at.milliseconds)
        case .unprovable: writer.field("state", "unprovable")
        case .accepted(let actor, let evidence, let at):
            writer.field("state", "accepted")
            writer.field("by", actor)
            writer.field("evidence", evidence)
            writer.field("at", at.milliseconds)
        }
        writer.field("pages", pages)
        writer.field("listed", listed)
        writer.field("incidents", incidents)
        if !unanswered.isEmpty {
            writer.key("unanswered")
            writer.beginArray()
            for id in unanswered { writer.string(id.rawValue) }
            writer.endArray()
        }
        writer.endObject()
    }
}
