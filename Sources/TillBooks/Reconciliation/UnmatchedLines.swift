import TillCore
import TillJournal
import TillProvider

/// Lines that nothing accounted for: the journal may have heard of it since. They are tried again once for all that it
/// has heard of, page by page, and a pass that did not come to its end is gone on with by the next import.
struct UnmatchedLines {
    let reconciliation: Reconciliation

    /// Tries lines again, unless the journal has heard of nothing since they were tried.
    /// - Parameters:
    ///   - newest: the place of the newest one; those behind it were tried just now.
    ///   - known: which movements were known before that; see ``Settlements/edition()``.
    func tryAgain(
        _ statement: Reconciliation.Statement, upTo newest: Int64?, knowing known: Int64
    ) async throws(JournalError) {
        guard let newest else { return }
        let journal = reconciliation.journal
        let id = UnmatchedPass.id(statement.provider)
        let stored = try await journal.record(id)
        var pass =
            try stored.map { (record) throws(JournalError) in try UnmatchedPass(record) }
            ?? UnmatchedPass(known: known, isComplete: false)
        if pass.isComplete, pass.known == known { return }
        if pass.after == nil { pass = UnmatchedPass(known: known, isComplete: false) }
        var left = Reconciliation.maximumTriedAgain
        while left > 0, !Task.isCancelled {
            let page = try await journal.records(
                RecordQuery(
                    KeptLine.collection, matching: KeptLine.matching(.unknown, statement.provider),
                    .oldestFirst(after: pass.after), limit: LineBatch.maximumLines)
            ).filter { $0.position <= newest }
            guard let last = page.last else {
                pass.isComplete = pass.isUndisturbed
                pass.after = nil
                break
            }
            left -= page.count
            if try await !tryAgain(page, of: statement) { pass.isUndisturbed = false }
            pass.after = last.position
        }
        do throws(JournalError) {
            try await journal.change([.put(pass.record(id), over: stored)])
        } catch {
            // Another import has tried them meanwhile, which is as good.
            guard case .recordConflict = error else { throw error }
        }
    }

    /// - Returns: `false` if another process was at one of them: then they are tried again the next time.
    private func tryAgain(
        _ page: [KeptRecord], of statement: Reconciliation.Statement
    ) async throws(JournalError) -> Bool {
        var rest = page[...]
        while !rest.isEmpty {
            var batch = LineBatch(reconciliation, of: statement)
            while let stored = rest.first, !batch.isFull {
                try await batch.tryAgain(stored)
                rest = rest.dropFirst()
            }
            let changes = batch.changes
            guard !changes.isEmpty else { continue }
            do throws(JournalError) { try await reconciliation.journal.change(changes) } catch {
                guard case .recordConflict = error else { throw error }
                return false
            }
        }
        return true
    }
}

/// How far the lines of a provider that nothing accounted for were tried again.
private struct UnmatchedPass {
    private static let collection: RecordCollection = "statement-retry"
    /// One more whenever lines are matched by other rules than before.
    private static let rules: Int64 = 1

    /// The movements that they are held against, by ``Settlements/edition()``.
    var known: Int64
    /// The place of the last line that was tried in the running pass; `nil`: none runs.
    var after: Int64?
    /// No other process was at a line meanwhile.
    var isUndisturbed = true
    /// All of them were tried.
    var isComplete: Bool

    static func id(_ provider: ProviderName) -> RecordID { RecordID(collection, provider.rawValue) }

    init(known: Int64, isComplete: Bool) { (self.known, self.isComplete) = (known, isComplete) }

    init(_ stored: KeptRecord) throws(JournalError) {
        self.init(known: -1, isComplete: false)
        let body = try RecordBody(stored)
        guard try body.int("rules") == UnmatchedPass.rules else { return }
        known = try body.int("known")
        after = body.optionalInt("after")
        isUndisturbed = try body.bool("undisturbed")
        isComplete = try body.bool("complete")
    }

    func record(_ id: RecordID) -> Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("rules", UnmatchedPass.rules)
        writer.field("known", known)
        if let after { writer.field("after", after) }
        writer.field("undisturbed", isUndisturbed)
        writer.field("complete", isComplete)
        writer.endObject()
        return Record(id, body: writer.bytes)
    }
}
