public import TillCore
public import TillJournal

extension WitnessedClock {
    /// The age at which a proof is renewed.
    public static let proofInterval = Span.hours(1)

    /// Checks the clock against the journal when a counter opens it.
    /// - Parameter hasWitnesses: `true` if providers are configured, since their responses carry the time.
    func compare(with journal: any CounterStore, hasWitnesses: Bool) async throws(JournalError) {
        let newest = try await journal.newestMoment()
        let proof = try await Records<ClockProof>(journal).document(ClockProof.key)
        var floor = newest
        if let proof, let entry = newest { floor = entry <= proof.overrules ? proof.at : max(entry, proof.at) }
        compare(floor: floor, proved: proof?.at, hasWitnesses: hasWitnesses)
    }

    /// Records that the clock is not in doubt, unless this was recorded recently.
    func prove(in journal: any CounterStore) async throws(JournalError) {
        guard standing.isTrusted, let newest = try await journal.newestMoment() else { return }
        let at = now()
        let last = try await Records<ClockProof>(journal).document(ClockProof.key)
        if let last, at >= last.at, at.since(last.at) < WitnessedClock.proofInterval { return }
        try await Records<ClockProof>(journal).put(ClockProof(at: at, overrules: newest, by: .clock))
    }

    /// Accepts the machine's clock on an operator's confirmation, in this process and in running counters on the
    /// journal.
    /// - Returns: The accepted time.
    @discardableResult
    public func accept(in journal: any CounterStore) async throws(JournalError) -> Timestamp {
        confirm()
        let at = now()
        let newest = try await journal.newestMoment() ?? at
        try await Records<ClockProof>(journal).put(
            ClockProof(at: at, overrules: newest, by: .person),
            noting: [AuditNote(.clockAccepted, changes: [AuditChange("time", from: "\(newest)", to: "\(at)")])])
        return at
    }
}
