public import TillCore

/// That this journal may lack sales that were made: it was restored, or set back without anybody saying so. While the
/// record is there nothing is sold (``SaleGate``). It says how far the sweep of the providers has come, so that a
/// process that dies goes on where it was.
public struct RestoreSweep: RecordDocument, Hashable {
    public static let collection: RecordCollection = "restore_sweep"
    static let key = "due"
    /// There is at most one.
    public static let id = RecordID(collection, key)
    /// What was made so long before the backup's last moments is swept too: clocks of provider and counter differ.
    public static let margin = Span.hours(1)
    /// Calls of the process that had the journal before may arrive at a provider so long after the restore.
    public static let lateCalls = RestoreFailpoint.lateCalls ?? .seconds(30)

    /// Why the journal may lack sales.
    public enum Cause: Hashable, Sendable {
        /// The file is a backup that was put in place without `till restore`. The backup's chain ends there.
        case copiedBack(ChainHead)
        /// An event that was written, and with which the chain ended, is not in the journal any more.
        case setBack(missing: ChainHead)
        /// It was moved to another place with `till journal copy`, and goes on there.
        case moved(to: String)
        /// It was restored with `till restore`.
        case restored(RestoreEpoch)
    }

    public var cause: Cause
    /// The providers that are asked, in the order in which they are; filled by the first sweep.
    public var providers: [ProviderSweep]

    /// The first moment since the restore at which the clock of whoever sweeps was not in doubt; `nil`: none yet. What
    /// comes late into a provider's list is waited for from then on.
    public var provedAt: Timestamp?

    public init(_ cause: Cause, providers: [ProviderSweep] = []) {
        self.cause = cause
        self.providers = providers
    }

    /// The restore; `nil` as long as nobody has said `till restore`.
    public var epoch: RestoreEpoch? { if case .restored(let epoch) = cause { epoch } else { nil } }
    /// Every provider has shown what it has, or a person answers for it.
    public var isComplete: Bool { epoch != nil && !providers.isEmpty && providers.allSatisfy(\.isSettled) }

    /// The journal's sweep; `nil`: none is due.
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
    /// Why nothing is sold, in a sentence.
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

    /// What a person does next, as a sentence.
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
