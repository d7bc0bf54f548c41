package import Logging
import ServiceLifecycle
package import TillCore
package import TillCounter
package import TillJournal

/// Watches keys and staff while the counter is open. Sessions and streams of a revoked or expired key end within a
/// second, also if another process revoked it. Key uses are recorded here, outside the request path.
package struct KeyWatch: Service {
    /// The polling interval. A poll reads one record by key; all keys are read only after a change.
    package static let pace = Span.milliseconds(400)

    package let keys: APIKeys
    package let authenticator: RequestAuthenticator
    package let feed: EventFeed
    package let clock: any TillClock
    package let logger: Logger

    package init(
        keys: APIKeys, authenticator: RequestAuthenticator, feed: EventFeed, clock: any TillClock, logger: Logger
    ) {
        self.keys = keys
        self.authenticator = authenticator
        self.feed = feed
        self.clock = clock
        self.logger = logger
    }

    /// The state carried from one poll to the next.
    package struct Memory {
        /// The change counter of the keys at the last read.
        package var changes: Int?
        /// The change counter of the staff at the last read.
        var staffChanges: Int?
        /// Ended keys already handled.
        package var ended: Set<[UInt8]> = []
        /// The next expiry.
        var nextExpiry: Timestamp?
        /// Uses not recorded yet.
        var uses: [[UInt8]: Timestamp] = [:]
        /// The last recorded use of each key.
        var noted: [[UInt8]: Timestamp] = [:]

        package init(
            changes: Int? = nil, staffChanges: Int? = nil, ended: Set<[UInt8]> = [], nextExpiry: Timestamp? = nil,
            uses: [[UInt8]: Timestamp] = [:], noted: [[UInt8]: Timestamp] = [:]
        ) {
            self.changes = changes
            self.staffChanges = staffChanges
            self.ended = ended
            self.nextExpiry = nextExpiry
            self.uses = uses
            self.noted = noted
        }
        /// `true` once a journal read failure was logged.
        var isFailing = false
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var memory = Memory()
            while !Task.isCancelled {
                do throws(JournalError) {
                    try await poll(&memory)
                    memory.isFailing = false
                } catch {
                    if !memory.isFailing { logger.error("The keys could not be minded: \(error)") }
                    memory.isFailing = true
                }
                guard await clock.pause(for: KeyWatch.pace) else { return }
            }
        }
    }

    /// Reads changes since the last poll and ends sessions and streams that are no longer valid.
    package func poll(_ memory: inout Memory) async throws(JournalError) {
        let now = clock.now()
        let changes = try await keys.changes()
        if changes != memory.changes || memory.nextExpiry.map({ now >= $0 }) ?? false {
            try await end(at: now, &memory)
            memory.changes = changes
        }
        try await endStreamsOfStaff(&memory)
        try await writeUses(at: now, &memory)
    }

    /// Ends the streams of staff members that were disabled, removed or given another role or PIN. Their requests are
    /// refused from then on, so their sessions need no removal.
    private func endStreamsOfStaff(_ memory: inout Memory) async throws(JournalError) {
        let changes = try await authenticator.staff.changes()
        guard changes != memory.staffChanges else { return }
        authenticator.staff.forget()
        for session in feed.sessions {
            guard try await !authenticator.isInForce(.session(hash: session)) else { continue }
            feed.end(session: session)
        }
        memory.staffChanges = changes
    }

    private func end(at now: Timestamp, _ memory: inout Memory) async throws(JournalError) {
        authenticator.forgetKeys()
        try await keys.noteExpired(at: now)
        let all = try await keys.all()
        let ended = all.filter { $0.standing(at: now) != .inForce }
        // At startup nothing has begun yet; sessions of an earlier run check their key on their next request.
        for key in ended where !memory.ended.contains(key.hash) && memory.changes != nil {
            feed.end { $0 == .key(hash: key.hash) }
            try await authenticator.sessions.end(whereKey: key.hash)
            // Only after success: a failed write is retried at the next poll.
            memory.ended.insert(key.hash)
        }
        memory.ended = Set(ended.map(\.hash))
        memory.nextExpiry = all.filter { $0.standing(at: now) == .inForce }.compactMap(\.expiresAt).min()
    }

    private func writeUses(at now: Timestamp, _ memory: inout Memory) async throws(JournalError) {
        memory.noted = memory.noted.filter { now.since($0.value) < APIKeys.useInterval }
        for (hash, at) in authenticator.takeUses() where memory.noted[hash] == nil { memory.uses[hash] = at }
        guard !memory.uses.isEmpty else { return }
        let part = Dictionary(uniqueKeysWithValues: memory.uses.prefix(APIKeys.maximumUses).map { ($0.key, $0.value) })
        // Before writing: a failed write is not retried over and over.
        for hash in part.keys {
            memory.uses[hash] = nil
            memory.noted[hash] = now
        }
        try await keys.note(uses: part)
    }
}
