public import TillCore
public import TillOffline

/// What is stored, for the counter's page and `till offline status`.
public struct OfflineMetrics: Hashable, Sendable {
    /// One batch on its way.
    public struct Batch: Hashable, Sendable {
        public var id: String
        /// `fetched`, `submitted` or `accepted`.
        public var state: String
        public var count: Int
    }
    /// One payment that was put aside.
    public struct Aside: Hashable, Sendable {
        /// Its entry in the log.
        public var sequence: UInt64
        public var reason: String
    }

    /// Whether there is a log.
    public var hasLog = false
    /// How many payments are stored and not done.
    public var count = 0
    /// How much, in minor units, by ISO 4217 code.
    public var sums: [String: Int64] = [:]
    /// When the oldest was stored.
    public var oldestAt: Timestamp?
    /// Until when the provider takes the oldest.
    public var expiresAt: Timestamp?
    /// Batches that are not done.
    public var batches: [Batch] = []
    /// Payments that were put aside.
    public var quarantined: [Aside] = []
    /// How many were forwarded and deleted.
    public var resolved = 0
    /// How many were withdrawn.
    public var voided = 0
    /// When the provider was last reached.
    public var lastContact: Timestamp?
    /// Until when cards may be stored without another contact.
    public var acceptsUntil: Timestamp?
    /// Why no card would be stored now.
    public var reasonsAgainst: [RiskReason] = []
    /// The log's name, its device, how many entries and bytes it has.
    public var log: String?
    public var device: String?
    /// Entries of the log.
    public var entries: UInt64 = 0
    /// Bytes of the log.
    public var bytes = 0

    /// As one JSON object.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("has_log", hasLog)
        writer.field("count", count)
        writer.key("sums")
        writer.beginArray()
        for (code, units) in sums.sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.field("currency", code)
            writer.field("amount", units)
            writer.endObject()
        }
        writer.endArray()
        writer.field("oldest_at", oldestAt?.description)
        writer.field("expires_at", expiresAt?.description)
        writer.field("last_contact", lastContact?.description)
        writer.field("accepts_until", acceptsUntil?.description)
        writer.key("reasons_against")
        writer.beginArray()
        for reason in reasonsAgainst {
            writer.beginObject()
            writer.field("code", reason.name)
            writer.field("what", reason.sentence)
            writer.endObject()
        }
        writer.endArray()
        writer.key("batches")
        writer.beginArray()
        for batch in batches {
            writer.beginObject()
            writer.field("id", batch.id)
            writer.field("state", batch.state)
            writer.field("count", batch.count)
            writer.endObject()
        }
        writer.endArray()
        writer.key("quarantined")
        writer.beginArray()
        for aside in quarantined {
            writer.beginObject()
            writer.field("entry", Int64(clamping: aside.sequence))
            writer.field("reason", aside.reason)
            writer.endObject()
        }
        writer.endArray()
        writer.field("resolved", resolved)
        writer.field("voided", voided)
        writer.key("log")
        writer.beginObject()
        writer.field("name", log)
        writer.field("device", device)
        writer.field("entries", Int64(clamping: entries))
        writer.field("bytes", bytes)
        writer.endObject()
        writer.endObject()
    }
}

extension OfflineService {
    /// What is stored now. Without a log: nothing.
    public func metrics() async throws(OfflineLogError) -> OfflineMetrics {
        var metrics = OfflineMetrics()
        let log: OfflineLog
        do throws(OfflineLogError) { log = try await self.log() } catch {
            guard case .noLog = error else { throw error }
            metrics.reasonsAgainst = options.policy.reasonsAgainst(
                OfflinePolicy.Request(amount: .smallest(of: options.policy)), OfflineLedger(), at: clock.now())
            return metrics
        }
        let book = try log.book()
        metrics.hasLog = true
        metrics.count = book.exposure.count
        metrics.sums = book.exposure.sums
        metrics.oldestAt = book.exposure.oldest?.at
        metrics.expiresAt = book.exposure.oldest?.expires
        metrics.batches = book.batches.map {
            OfflineMetrics.Batch(id: $0.content.id, state: $0.state.name, count: $0.content.members.count)
        }
        metrics.quarantined = book.quarantine.sorted { $0.key < $1.key }.map {
            OfflineMetrics.Aside(sequence: $0.key, reason: $0.value)
        }
        metrics.resolved = book.resolvedCount
        metrics.voided = book.voidedCount
        metrics.lastContact = book.lastContact
        metrics.acceptsUntil = book.lastContact?.adding(options.policy.contactAge)
        metrics.reasonsAgainst = options.policy.reasonsAgainst(
            OfflinePolicy.Request(amount: .smallest(of: options.policy)), book, at: clock.now())
        metrics.log = book.header?.log
        metrics.device = book.header?.device
        metrics.entries = try log.mark().sequence + 1
        metrics.bytes = log.bytes
        return metrics
    }
}

extension Money {
    /// An amount that no limit of a policy is against, to ask what else is.
    fileprivate static func smallest(of policy: OfflinePolicy) -> Money {
        let currency = policy.perPayment.keys.filter { (policy.total[$0] ?? 0) > 0 }.sorted().lazy.compactMap {
            Currency(ifValid: $0)
        }.first
        return Money(minorUnits: 1, currency: currency ?? .eur)
    }
}
