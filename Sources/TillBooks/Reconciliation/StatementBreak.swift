import TillCore
import TillJournal
import TillStatements

/// A discrepancy between a provider's statement and the journal, as an incident: one for each line or movement, however
/// often it is found.
enum StatementBreak {
    /// The name prefixes of incidents about a line with money in suspense.
    private static let aboutLines = ["line ", "amount "]
    static func ofLine(_ line: KeptLine) -> String { aboutLines[0] + line.id }
    static func ofAmount(_ line: KeptLine) -> String { aboutLines[1] + line.id }
    /// Returns the key of the line with money in suspense that an incident is about; `nil` for other incidents.
    static func line(of incident: Incident) -> String? {
        aboutLines.first { incident.event.hasPrefix($0) }.map { String(incident.event.dropFirst($0.count)) }
    }
    static func ofSettlement(_ settlement: Settlement) -> String { "movement \(settlement.id)" }
    static func ofPayout(_ payout: String) -> String { "payout \(payout)" }

    static func unknown(_ line: KeptLine, payment: PaymentID?, at: Timestamp) -> Incident {
        let about: String
        if line.line.kind == .other {
            about =
                "its type “\(line.line.type)” is not known here. It is in suspense: find out at the provider what it "
                + "is."
        } else if let payment {
            about =
                "payment \(payment) has no such movement left. Look it up at the provider: it may have been made "
                + "twice, or the journal does not contain it yet."
        } else {
            about =
                "no payment of this journal accounts for it. Look it up at the provider: its order may have been paid, "
                + "or it was made elsewhere."
        }
        return Incident(
            statementOf: line.provider, name: ofLine(line), about: payment,
            what: "\(line.provider)'s statement has a \(line.line.kind.rawValue) of \(line.line.gross) "
                + "(\(line.line.id)): \(about)", document: line.line.raw, at: at)
    }

    static func differs(_ line: KeptLine, _ settlement: Settlement, at: Timestamp) -> Incident {
        Incident(
            statementOf: line.provider, name: ofAmount(line), about: settlement.payment,
            what: "\(line.provider)'s statement says \(line.line.customerFacing ?? line.line.gross) for a "
                + "\(settlement.kind.rawValue) of payment \(settlement.payment), the journal \(settlement.amount). The "
                + "difference is in suspense: compare both at the provider.", document: line.line.raw, at: at)
    }

    static func changed(_ line: StatementLine, was: KeptLine, at: Timestamp) -> Incident {
        Incident(
            statementOf: was.provider, name: "changed \(was.id)", about: nil,
            what: "\(was.provider) says \(line.net) for \(line.id), and said \(was.line.net) before. What was imported "
                + "first stands: ask the provider which is true.", document: line.raw, at: at)
    }

    static func missing(_ settlement: Settlement, at: Timestamp) -> Incident {
        Incident(
            statementOf: settlement.provider, name: ofSettlement(settlement), about: settlement.payment,
            what: "A \(settlement.kind.rawValue) of \(settlement.amount) of payment \(settlement.payment) at "
                + "\(settlement.at) is in no statement of \(settlement.provider), although later days are covered. "
                + "Look it up at the provider, and import the reports of the days around it.", document: "", at: at)
    }

    /// - Parameters:
    ///   - rows: the number of rows in the payout's currency, which add up to `sum`.
    ///   - others: sums of rows in other currencies, which a payout cannot contain.
    static func remainder(
        _ payout: String, _ line: KeptLine, rows: Int, sum: Int128, rest: Int128, others: [Currency: Int128],
        at: Timestamp
    ) -> Incident {
        let currency = line.line.net.currency
        let strays = others.sorted { $0.key.code < $1.key.code }
            .map { " Rows of \(LedgerAmount.text($0.value, $0.key)) \($0.key) are in it, too." }
        return Incident(
            statementOf: line.provider, name: ofPayout(payout), about: nil,
            what: "The payout \(payout) is \(line.line.net) in \(line.provider)'s balance and its \(rows) rows sum to "
                + "\(LedgerAmount.text(sum, currency)) \(currency): \(LedgerAmount.text(rest, currency)) \(currency) "
                + "are not explained.\(strays.joined()) Ask the provider for the rows.",
            document: line.line.raw, at: at)
    }

    /// Returns the change that resolves an incident after a later import explained it; empty if there is none or it is
    /// resolved.
    static func resolve(
        _ name: String, of provider: ProviderName, in records: any RecordStore
    ) async throws(JournalError) -> [RecordChange] {
        let id = RecordID(Incident.collection, Incident.id(of: name, provider))
        guard let stored = try await records.record(id) else { return [] }
        var incident = try Incident(stored)
        guard incident.resolution == nil else { return [] }
        incident.resolution = "Cleared up by a statement that was imported since."
        return [.update(incident.record, from: stored.version)]
    }
}
