public import TillCore

/// A record that this journal may lack sales: it was restored, or set back without a declared restore. While it exists,
/// no sale is accepted (``SaleGate``). It stores the progress of sweeping the providers, so that a sweep resumes after
/// a crash.
public struct RestoreSweep: RecordDocument, Hashable {
    public static let collection: RecordCollection = "restore_sweep"
    static let key = "due"
    /// The identifier of the only record.
    public static let id = RecordID(collection, key)
    /// The sweep's margin before the backup's last events, since clocks of provider and counter differ.
    public static let margin = Span.hours(1)
    /// The time after the restore within which calls of the previous process may still arrive at a provider.
    public static let lateCalls = RestoreFailpoint.lateCalls ?? .seconds(30)

    /// The reason the journal may lack sales.
    public enum Cause: Hashable, Sendable {
        /// The file is a backup that was put in place without `till restore`. The backup's chain ends there.
        case copiedBack(ChainHead)
        /// An event that was written as the head of the chain is missing from the journal.
        case setBack(missing: ChainHead)
        /// The journal was moved to another location with `till journal copy`, and continues there.
        case moved(to: String)
        /// The journal was restored with `till restore`.
        case restored(RestoreEpoch)
    }

    public var cause: Cause
    /// The providers to query, in order; filled by the first sweep.
    public var providers: [ProviderSweep]

    /// The first time since the restore at which the sweeping process trusted its clock; `nil` if there is none yet.
    /// The wait for late entries in a provider's list starts then.
    public var provedAt: Timestamp?

    public init(_ cause: Cause, providers: [ProviderSweep] = []) {
        self.cause = cause
        self.providers = providers
    }

    /// The restore; `nil` until `till restore` is run.
    public var epoch: RestoreEpoch? { if case .restored(let epoch) = cause { epoch } else { nil } }
    /// `true` if every provider's operations are known or confirmed by staff.
    public var isComplete: Bool { epoch != nil && !providers.isEmpty && providers.allSatisfy(\.isSettled) }

    /// Returns the journal's sweep; `nil` if none is due.
    public static func due(in store: any RecordStore) async throws(JournalError) -> RestoreSweep? {
        try await Records<RestoreSweep>(store).document(key)
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        let head = body.optionalText("head").flatMap { ChainHead($0) }
        switch (try body.text("cause"), head, body.json["epoch"].flatMap { RestoreEpoch($0) }) {
        case ("copied_back", .some(let head), _): cause = .copiedBack(head)
        case ("set_back", .some(let head), _): cause = .setBack(missing: head)
        case ("moved", _, _): cause = .moved(to: try body.text("to"))
        case ("restored", _, .some(let epoch)): cause = .restored(epoch)
        default: throw body.damaged("cause")
        }
        provedAt = body.optionalInt("proved_at").map { Timestamp(milliseconds: $0) }
        providers = []
        for json in body.json["providers"]?.arrayValue ?? [] {
            guard let provider = ProviderSweep(json) else { throw body.damaged("providers") }
            providers.append(provider)
        }
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        switch cause {
        case .copiedBack(let head):
            writer.field("cause", "copied_back")
            writer.field("head", head.description)
        case .setBack(let head):
            writer.field("cause", "set_back")
            writer.field("head", head.description)
        case .moved(let place):
            writer.field("cause", "moved")
            writer.field("to", place)
        case .restored(let epoch):
            writer.field("cause", "restored")
            writer.key("epoch")
            epoch.write(into: &writer)
        }
        if let provedAt { writer.field("proved_at", provedAt.milliseconds) }
        writer.key("providers")
        writer.beginArray()
        for provider in providers { provider.write(into: &writer) }
        writer.endArray()
        writer.endObject()
        return Record(RestoreSweep.id, body: writer.bytes)
    }
}

extension RestoreSweep: CustomStringConvertible {
    /// The reason no sale is accepted, as a sentence.
    public var description: String {
        switch cause {
        case .copiedBack:
            "The journal is a backup that was put in place without till restore: what was sold after it was made is "
                + "not in it."
        case .setBack(let head):
            "The journal was set back: event \(head.sequence) was written and is not in it any more."
        case .moved(let place):
            "The journal was moved to \(place), where it goes on: nothing is sold on what is left here."
        case .restored(let epoch):
            "The journal was restored to \(epoch.newest), and what was sold later is still being looked up at "
                + "\(waitsFor.isEmpty ? "the providers" : waitsFor.joined(separator: ", "))."
        }
    }

    /// The providers that are not settled.
    public var waitsFor: [String] { providers.filter { !$0.isSettled }.map(\.provider.rawValue) }

    /// The next step for staff, as a sentence.
    public var next: String {
        if case .moved(let place) = cause {
            return "Use --journal \(place). Should it be lost, till restore goes on from here."
        }
        guard epoch != nil else { return "Run till restore. Nothing is sold before." }
        return providers.contains { $0.state == .unprovable }
            ? "A person compares the provider's own reports and confirms it: till restore --accept <provider>."
            : "Wait; till restore --sweep shows the progress."
    }
}
