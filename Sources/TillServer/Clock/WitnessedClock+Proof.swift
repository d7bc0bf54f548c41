public import TillCore
public import TillJournal

extension WitnessedClock {
    /// How old a proof may get before the next one is written.
    public static let proofInterval = Span.hours(1)

    /// Holds the clock against what a journal knows, when a counter opens it.
    /// - Parameter hasWitnesses: whether providers are configured, whose answers carry the time.
    func compare(with journal: any CounterStore, hasWitnesses: Bool) async throws(JournalError) {
        let newest = try await journal.newestMoment()
        let proof = try await Records<ClockProof>(journal).document(ClockProof.key)
        var floor = newest
        if let proof, let entry = newest { floor = entry <= proof.overrules ? proof.at : max(entry, proof.at) }
        compare(floor: floor, proved: proof?.at, hasWitnesses: hasWitnesses)
    }

    /// Writes down that the clock is not in doubt now, if it is not and that was not done lately.
    func prove(in journal: any CounterStore) async throws(JournalError) {
        guard standing.isTrusted, let newest = try await journal.newestMoment() else { return }
        let at = now()
        let last = try await Records<ClockProof>(journal).document(ClockProof.key)
        if let last, at >= last.at, at.since(last.at) < WitnessedClock.proofInterval { return }
        try await Records<ClockProof>(journal).put(ClockProof(at: at, overrules: newest, by: .clock))
    }

    /// A person says that the machine's clock is right: takes it, here and in the counters on this journal that run.
    /// - Returns: the time that was taken.
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
