import TillCore
import TillJournal

/// Balances up to a position of the journal, stored so that the next query reads only newer events. Derived from the
/// entries and ignored once the posting rules have changed; losing it loses nothing.
struct LedgerCheckpoint: RecordDocument {
    static let collection: RecordCollection = "ledger-checkpoint"
    /// The version of the posting rules; increased whenever an event posts differently.
    static let rules: Int64 = 3

    var account: AccountID?
    var position: Ledger.Position
    var balances: LedgerBalances

    static func key(_ account: AccountID?) -> String { account.map { "of \($0.rawValue)" } ?? "all" }

    init(account: AccountID?) {
        self.account = account
        position = Ledger.Position()
        balances = LedgerBalances()
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(account: body.optionalText("account").map { AccountID(rawValue: $0) })
        guard try body.int("rules") == LedgerCheckpoint.rules else { return }
        position.sequence = try body.int("sequence")
        position.statement = try body.int("statement")
        for balance in body.json["balances"]?.arrayValue ?? [] {
            guard let account = LedgerAccount(balance),
                let currency = balance["currency"]?.stringValue.flatMap({ try? Currency(code: $0) }),
                let units = balance["units"]?.stringValue.flatMap({ Int128($0) })
            else { throw body.damaged("balances") }
            balances.add(units, to: account, in: currency)
        }
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("rules", LedgerCheckpoint.rules)
        writer.field("account", account?.rawValue)
        writer.field("sequence", position.sequence)
        writer.field("statement", position.statement)
        writer.key("balances")
        writer.beginArray()
        for balance in balances.all {
            writer.beginObject()
            balance.account.write(to: &writer, with: balance.currency)
            writer.field("units", String(balance.units))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Record(RecordID(LedgerCheckpoint.collection, LedgerCheckpoint.key(account)), body: writer.bytes)
    }
}

extension Ledger {
    /// The number of events since the last checkpoint after which a new one is stored.
    static let checkpointInterval: Int64 = 5_000
    /// The maximum number of events that one request reads.
    public static let maximumEventsAtOnce = 100_000

    /// Returns the balance of each account.
    /// - Parameter limit: the maximum number of events to read; `nil`: no limit.
    /// - Returns: `isComplete` is `false` if the limit was reached. A checkpoint is then stored, and the next call
    ///   continues from it.
    public func balances(
        limit: Int? = nil
    ) async throws -> (balances: LedgerBalances, position: Position, isComplete: Bool) {
        let stored = try await journal.record(
            RecordID(LedgerCheckpoint.collection, LedgerCheckpoint.key(account)))
        var checkpoint =
            try stored.map { (record) throws(JournalError) in try LedgerCheckpoint(record) }
            ?? LedgerCheckpoint(account: account)
        let before = checkpoint.position
        var balances = checkpoint.balances
        let (position, isComplete) = try await read(after: before, limit: limit) { entry in
            for posting in entry.postings { balances.add(posting) }
            return true
        }
        checkpoint.position = position
        checkpoint.balances = balances
        guard position.unreadable.isEmpty else { return (balances, position, isComplete) }
        if position.sequence - before.sequence >= Ledger.checkpointInterval || !isComplete {
            do throws(JournalError) {
                try await journal.change([.put(checkpoint.record, over: stored)])
            } catch {
                // Another process has stored one meanwhile, which is as good.
                guard case .recordConflict = error else { throw error }
            }
        }
        return (balances, position, isComplete)
    }
}
