import Logging
import ServiceLifecycle
import TillCore
import TillJournal

/// Minds the keys and the staff as long as the counter is open. What was begun with a key that was revoked or has expired ends within
/// a second, also when another process revoked it; and when keys were used is written down, not on the requests' way.
struct KeyWatch: Service {
    /// How often it polls. A poll reads one record by its name; all keys are read when they have changed.
    static let pace = Span.milliseconds(400)

    let keys: APIKeys
    let authenticator: RequestAuthenticator
    let feed: EventFeed
    let clock: any TillClock
    let logger: Logger

    /// What one poll hands to the next.
    struct Memory {
        /// The keys as they were read last.
        var changes: Int?
        /// The staff as it was read last.
        var staffChanges: Int?
        /// Keys whose end was acted upon.
        var ended: Set<[UInt8]> = []
        /// When the next one expires.
        var nextExpiry: Timestamp?
        /// Uses that are not written down.
        var uses: [[UInt8]: Timestamp] = [:]
        /// When uses were written last, by key.
        var noted: [[UInt8]: Timestamp] = [:]
        /// That the journal could not be read was logged.
        var isFailing = false
    }

    func run() async throws {
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

    /// Reads what has changed since the last poll, and ends what is over.
    func poll(_ memory: inout Memory) async throws(JournalError) {
        let now = clock.now()
        let changes = try await keys.changes()
        if changes != memory.changes || memory.nextExpiry.map({ now >= $0 }) ?? false {
            try await end(at: now, &memory)
            memory.changes = changes
        }
        try await endStreamsOfStaff(&memory)
        try await writeUses(at: now, &memory)
    }

    /// Ends the streams of whoever was disabled, removed or given another role or PIN. Their requests are refused from
    /// then on, so their sessions need no end.
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
        // At the start nothing was begun yet, and a session of before asks for its key when it comes.
        for key in ended where !memory.ended.contains(key.hash) && memory.changes != nil {
            feed.end { $0 == .key(hash: key.hash) }
            try await authenticator.sessions.end(whereKey: key.hash)
            // Only now: what could not be written is tried again with the next poll.
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
        // Before they are written: what cannot be written is not tried again and again.
        for hash in part.keys {
            memory.uses[hash] = nil
            memory.noted[hash] = now
        }
        try await keys.note(uses: part)
    }
}
