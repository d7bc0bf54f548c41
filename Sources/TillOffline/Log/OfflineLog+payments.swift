public import TillCore

// Operations on stored payments, each durable when it returns.
extension OfflineLog {
    /// Seals a card and stores it, if the policy accepts it. Once this returns, "stored" may be displayed.
    /// - Returns: the mark to keep with the payment.
    public func store(
        _ card: Secret<String>, _ record: StoredRecord, facts: TapFacts?, policy: OfflinePolicy
    ) async throws(OfflineLogError) -> LogMark {
        let header = header
        let sealed = try StoredCardSeal.seal(card, into: record, log: header.log, for: header.provider)
        let request = OfflinePolicy.Request(amount: record.amount, card: record.card, facts: facts)
        let clock = clock
        let receipts = try await append { (book) throws(OfflineLogError) in
            let reasons = policy.reasonsAgainst(request, book, at: clock.now())
            guard reasons.isEmpty else { throw .refused(reasons) }
            return try book.store(sealed)
        }
        guard let mark = receipts.first?.mark else { throw .notSealed }
        return mark
    }

    /// Returns the reasons against storing a payment now; empty if it would be stored.
    public func reasonsAgainst(
        _ request: OfflinePolicy.Request, policy: OfflinePolicy
    ) throws(OfflineLogError) -> [RiskReason] {
        policy.reasonsAgainst(request, try book(), at: clock.now())
    }

    /// Records that the provider was reached.
    public func noteContact() async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in
            // One entry a minute is enough.
            if let last = book.lastContact, now.since(last) < .minutes(1), now >= last { return [] }
            return [.contact(at: now)]
        }
    }

    /// Finds the stored payment of an attempt.
    /// - Parameter reference: the attempt's reference, which names the entry once it was reported.
    public func find(
        _ attempt: AttemptID, near reference: ProviderReference? = nil
    ) throws(OfflineLogError) -> (entry: StoredEntry, mark: LogMark)? {
        try locked { (state) throws(OfflineLogError) in
            let marked = reference.flatMap { LogMark($0) }.flatMap { state.walk.book.entry($0.sequence) }
            for entry in marked.map({ [$0] }) ?? state.walk.book.candidates(for: attempt) where !entry.isRemoved {
                let (record, hash) = try OfflineLog.record(entry.sequence, state)
                guard record.attempt == attempt else { continue }
                let log = state.walk.book.header?.log ?? ""
                return (entry, LogMark(log: log, sequence: entry.sequence, hash: hash))
            }
            return nil
        }
    }

    /// Withdraws the last stored payment.
    /// - Throws: ``OfflineLogError/declineOver``.
    public func decline(
        _ sequence: UInt64, reason: String, window: Span
    ) async throws(OfflineLogError) {
        let attempt = try record(sequence).record.attempt
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in
            try book.decline(sequence, attempt: attempt, reason: reason, window: window, at: now)
        }
    }

    /// Bars an attempt from ever being stored.
    /// - Returns: `false` if it is stored already.
    public func bar(_ attempt: AttemptID, reason: String) async throws(OfflineLogError) -> Bool {
        let now = clock.now()
        if try find(attempt) != nil { return false }
        _ = try await append { (book) throws(OfflineLogError) in book.bar(attempt, reason: reason, at: now) }
        // Another process may have stored it between the query and the bar; any later attempt to store it is refused.
        return try find(attempt) == nil
    }

    /// Groups the oldest unbatched payments into a batch.
    /// - Parameters:
    ///   - size: the maximum number of payments; 0: as many as a batch may hold.
    ///   - members: explicit entries instead of the oldest.
    public func fetchBatch(
        size: Int = 0, members: [UInt64]? = nil
    ) async throws(OfflineLogError) -> OfflineBatch {
        let hashes = try hashes(size: size, members: members)
        let (now, device) = (clock.now(), device)
        let receipts = try await append { (book) throws(OfflineLogError) in
            [
                .batched(
                    try book.fetch(
                        size: size, members: members,
                        hash: { (sequence) throws(OfflineLogError) in
                            guard let hash = hashes[sequence] else {
                                throw .wrongState("Others are making batches too. Try again.")
                            }
                            return hash
                        }, at: now, signedBy: device))
            ]
        }
        let made = try book().batches.last { $0.content.at == now && !receipts.isEmpty }
        guard let made else { throw .notFound }
        return made
    }

    private func hashes(size: Int, members: [UInt64]?) throws(OfflineLogError) -> [UInt64: [UInt8]] {
        try locked { (state) throws(OfflineLogError) in
            let limit = min(size <= 0 ? BatchContent.mostMembers : size, BatchContent.mostMembers)
            var hashes: [UInt64: [UInt8]] = [:]
            for sequence in members ?? state.walk.book.open.prefix(limit).map(\.sequence) {
                guard let entry = state.walk.book.entry(sequence) else { throw .notFound }
                let count = OfflineFrame.headBytes
                let head = try state.file.bytes(at: entry.offset, count: count)
                guard head.count == count else { throw .damaged(.changed(sequence: sequence, offset: entry.offset)) }
                let length = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
                hashes[sequence] = try state.file.bytes(
                    at: entry.offset + count + length, count: OfflineFrame.hashBytes)
            }
            return hashes
        }
    }

    /// Records that the batch is about to be sent. Call it before the first byte is sent.
    public func submit(_ batch: String) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in try book.submit(batch, at: now) }
    }

    /// Records the provider's decisions.
    public func accept(_ receipt: BatchReceipt) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in try book.accept(receipt, at: now) }
    }

    /// Resolves a batch with the provider's deletion token.
    public func resolve(_ token: String) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in try book.resolve(token, at: now) }
    }

    /// Abandons a batch; its payments remain.
    public func reset(_ batch: String, reason: String) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in try book.reset(batch, reason: reason, at: now) }
    }

    /// Quarantines a payment, with the reason.
    public func setAside(_ sequence: UInt64, reason: String) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in
            try book.setAside(sequence, reason: reason, at: now)
        }
    }

    /// Releases a payment from quarantine.
    public func release(_ sequence: UInt64) async throws(OfflineLogError) {
        let now = clock.now()
        _ = try await append { (book) throws(OfflineLogError) in try book.release(sequence, at: now) }
    }

    /// Returns the upload for a batch: its contents, its records, and the device's signature over the chain.
    public func upload(_ batch: OfflineBatch) throws(OfflineLogError) -> BatchUpload {
        try locked { (state) throws(OfflineLogError) in
            guard let header = state.walk.book.header else { throw .noLog }
            var records: [BatchUpload.Record] = []
            for sequence in batch.content.members {
                let (record, hash) = try OfflineLog.record(sequence, state)
                records.append(BatchUpload.Record(sequence: sequence, hash: hash, record: record))
            }
            let checkpoint = LogCheckpoint(
                log: header.log, sequence: state.walk.next &- 1, hash: state.walk.lastHash, at: clock.now(),
                signedBy: device)
            return BatchUpload(header: header, content: batch.content, records: records, checkpoint: checkpoint)
        }
    }
}

extension OfflineLog {
    /// Returns the device's signature over the current chain. It is not written to the log.
    public func checkpoint() throws(OfflineLogError) -> LogCheckpoint {
        let mark = try mark()
        return LogCheckpoint(
            log: mark.log, sequence: mark.sequence, hash: mark.hash, at: clock.now(), signedBy: device)
    }
}
