import TillCore
import TillJournal
import TillStatements

/// Retries unmatched lines, since the journal may have recorded their movement meanwhile. Each line is retried once per
/// edition of the movements, page by page; the next import continues an interrupted pass.
struct UnmatchedLines {
    let reconciliation: Reconciliation

    /// Retries lines, unless no movement was recorded since the last pass.
    /// - Parameters:
    ///   - newest: the position of the newest line to retry; later ones were tried just now.
    ///   - known: the edition of the movements before the import; see ``Settlements/edition()``.
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
            // Another import has retried them meanwhile, which is as good.
            guard case .recordConflict = error else { throw error }
        }
    }

    /// - Returns: `false` if another process changed one of them: they are then retried in the next pass.
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

/// The progress of retrying a provider's unmatched lines.
private struct UnmatchedPass {
    private static let collection: RecordCollection = "statement-retry"
    /// The version of the matching rules; increased whenever they change.
    private static let rules: Int64 = 1

    /// The movements that the lines are matched against, by ``Settlements/edition()``.
    var known: Int64
    /// The position of the last line retried in the current pass; `nil` if none is running.
    var after: Int64?
    /// `true` if no other process changed a line during the pass.
    var isUndisturbed = true
    /// `true` if every line was retried.
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
