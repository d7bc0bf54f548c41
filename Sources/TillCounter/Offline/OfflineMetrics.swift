public import TillCore
public import TillOffline

/// The state of stored payments, for the counter's page and `till offline status`.
public struct OfflineMetrics: Hashable, Sendable {
    /// A batch in progress.
    public struct Batch: Hashable, Sendable {
        public var id: String
        /// `fetched`, `submitted` or `accepted`.
        public var state: String
        public var count: Int
    }
    /// A quarantined payment.
    public struct Aside: Hashable, Sendable {
        /// The sequence number of its log entry.
        public var sequence: UInt64
        public var reason: String
    }

    /// `true` if there is a log.
    public var hasLog = false
    /// The number of stored, unresolved payments.
    public var count = 0
    /// The stored amounts in minor units, by ISO 4217 code.
    public var sums: [String: Int64] = [:]
    /// The time of the oldest stored payment.
    public var oldestAt: Timestamp?
    /// The provider's acceptance deadline for the oldest payment.
    public var expiresAt: Timestamp?
    /// The unfinished batches.
    public var batches: [Batch] = []
    /// The quarantined payments.
    public var quarantined: [Aside] = []
    /// The number of payments forwarded and deleted.
    public var resolved = 0
    /// The number of voided payments.
    public var voided = 0
    /// The time of the last contact with the provider.
    public var lastContact: Timestamp?
    /// The time until which cards may be stored without another contact.
    public var acceptsUntil: Timestamp?
    /// The reasons that currently prevent storing cards.
    public var reasonsAgainst: [RiskReason] = []
    /// The log's name.
    public var log: String?
    public var device: String?
    /// The number of log entries.
    public var entries: UInt64 = 0
    /// The size of the log in bytes.
    public var bytes = 0

    /// Writes one JSON object.
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
    /// Returns the current state of stored payments; empty without a log.
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
    /// Returns an amount within every limit of a policy, to find the policy's other objections.
    fileprivate static func smallest(of policy: OfflinePolicy) -> Money {
        let currency = policy.perPayment.keys.filter { (policy.total[$0] ?? 0) > 0 }.sorted().lazy.compactMap {
            Currency(ifValid: $0)
        }.first
        return Money(minorUnits: 1, currency: currency ?? .eur)
    }
}
