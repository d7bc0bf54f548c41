import TillCore
import TillJournal
import TillStatements

/// A statement line as imported, with the result of its reconciliation.
struct KeptLine: RecordDocument {
    static let collection: RecordCollection = "statement-line"

    enum State: String {
        case matched
        /// Posted without a payment: a fee, a payout.
        case posted
        /// Matched with a movement of a different amount.
        case differs
        /// No movement of the journal accounts for it.
        case unknown
    }

    let provider: ProviderName
    /// The provider's identifier of the shop's account; `nil` if not known.
    let account: String?
    private(set) var line: StatementLine
    var state: State
    /// The identifier of the matched movement.
    var settlement: String?
    /// The number of ledger entries it has produced.
    var entries: Int

    var id: String { KeptLine.key(line.id, provider) }

    /// Omits the account: a file may not name it, and a provider's identifiers are unique across its accounts.
    static func key(_ line: String, _ provider: ProviderName) -> String { "\(provider) \(line)" }
    static func matching(_ state: State, _ provider: ProviderName) -> RecordMatch {
        RecordMatch("state", "\(state.rawValue) \(provider)")
    }
    static func of(payout: String, _ provider: ProviderName) -> RecordMatch {
        RecordMatch("payout", "\(provider) \(payout)")
    }

    init(
        _ line: StatementLine, provider: ProviderName, account: String?, state: State, settlement: String? = nil,
        entries: Int = 0
    ) {
        (self.line, self.provider, self.account) = (line, provider, account)
        (self.state, self.settlement, self.entries) = (state, settlement, entries)
    }

    /// Returns the line as a later statement has it, with its payout.
    func paidOut(as later: StatementLine) -> KeptLine {
        var line = self
        line.line = later
        return line
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        provider = ProviderName(rawValue: try body.text("provider"))
        account = body.optionalText("account")
        guard let kind = StatementLine.Kind(rawValue: try body.text("kind")) else { throw body.damaged("kind") }
        guard let state = State(rawValue: try body.text("state")) else { throw body.damaged("state") }
        let facing: Money? =
            if body.optionalInt("facing") != nil { try body.money("facing", "facing_currency") } else { nil }
        let text = (
            id: try body.text("id"), type: try body.text("type"), raw: try body.text("raw"),
            gross: try body.money("gross", "currency"), fee: try body.money("fee", "currency"),
            net: try body.money("net", "currency"), at: try body.int("at")
        )
        do throws(StatementError) {
            line = try StatementLine(
                id: text.id, kind: kind, type: text.type,
                references: body.json["references"]?.arrayValue?.compactMap(\.stringValue) ?? [],
                payment: body.optionalText("payment").map { PaymentID(rawValue: $0) }, gross: text.gross,
                fee: text.fee, net: text.net, customerFacing: facing, createdAt: Timestamp(milliseconds: text.at),
                payout: body.optionalText("payout"), raw: text.raw)
        } catch {
            throw body.damaged("net")
        }
        self.state = state
        settlement = body.optionalText("settlement")
        entries = Int(clamping: try body.int("entries"))
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("provider", provider.rawValue)
        writer.field("account", account)
        writer.field("id", line.id)
        writer.field("kind", line.kind.rawValue)
        writer.field("type", line.type)
        writer.field("references", .array(line.references.map { .string($0) }))
        writer.field("payment", line.payment?.rawValue)
        writer.field("gross", line.gross.minorUnits)
        writer.field("fee", line.fee.minorUnits)
        writer.field("net", line.net.minorUnits)
        writer.field("currency", line.gross.currency.code)
        if let facing = line.customerFacing {
            writer.field("facing", facing.minorUnits)
            writer.field("facing_currency", facing.currency.code)
        }
        writer.field("at", line.createdAt.milliseconds)
        writer.field("payout", line.payout)
        writer.field("raw", line.raw)
        writer.field("state", state.rawValue)
        writer.field("settlement", settlement)
        writer.field("entries", entries)
        writer.endObject()
        var fields = ["state": "\(state.rawValue) \(provider)"]
        if let payout = line.payout { fields["payout"] = "\(provider) \(payout)" }
        return Record(RecordID(KeptLine.collection, id), body: writer.bytes, fields: fields)
    }
}
