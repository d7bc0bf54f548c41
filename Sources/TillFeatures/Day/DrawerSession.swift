package import TillCore
import TillCounter
package import TillJournal

/// The last session of a cash drawer: its one record, which the next opening replaces. What it was is kept in its
/// report.
///
/// Each change names the version that it was decided on, so that of several processes one opens and one closes it.
package struct DrawerSession: Hashable, Sendable {
    /// How far a session is.
    package enum State: String, Hashable, Sendable {
        /// Cash goes in and out.
        case open
        /// The drawer was counted. Further sales belong to the next session.
        case ended
        /// The report is made.
        case closed
    }

    /// The cash that was counted, by denomination if the pieces were entered.
    package struct Tally: Hashable, Sendable {
        /// The sum, in minor units.
        package var total: Int64
        /// The number of pieces by denomination in minor units; `nil` if only the sum was entered.
        package var pieces: [Int64: Int64]?

        package init(total: Int64, pieces: [Int64: Int64]? = nil) { (self.total, self.pieces) = (total, pieces) }
    }

    /// A count of the drawer at the end of a session.
    package struct Count: Hashable, Sendable {
        package var tally: Tally
        package var at: Timestamp
        package var by: String
        /// The position of the last event before the count: the session has no later one.
        package var sequence: Int64
    }

    package let account: AccountID
    package let drawer: DrawerName
    /// The number of the report that the session gets, for each drawer: 1, 2, 3, …
    package let number: Int64
    package internal(set) var state = State.open
    /// The journal's epoch at the opening: after a restore numbers come again that were given before.
    package let epoch: Int64
    package let currency: Currency
    package let openedAt: Timestamp
    package let openedBy: String
    /// The cash at the opening, as counted.
    package let float: Tally
    /// The float less the cash that was left at the last close in its currency and what sales and refunds moved since;
    /// zero at the first opening in a currency.
    package let openingDifference: Int64
    /// The reason for that difference, if one was given.
    package internal(set) var openingReason: String?
    /// The position after which events belong to the report: the last one of the report before.
    package let firstSequence: Int64
    /// The position of the last event before the opening: the cash of those up to it is in the float.
    package let openedSequence: Int64
    /// The money of the events between the two; in a report that is closed without its tables, since those of the
    /// report have it.
    package internal(set) var before: DayFigures
    /// The sums of the movements of cash beside sales, in minor units.
    package internal(set) var paidIn: Int64 = 0
    package internal(set) var paidOut: Int64 = 0
    package internal(set) var bankDrops: Int64 = 0
    /// The cash for refunds that a provider did not make.
    package internal(set) var refundsPaid: Int64 = 0
    package internal(set) var movements = 0
    /// All counts, oldest first. After the session was resumed the last one is over.
    package internal(set) var counts: [Count] = []

    /// The name of the session.
    package var id: String { drawer == .main ? "day_\(number)" : "day_\(drawer)_\(number)" }

    /// The count that the session is closed with; `nil` while it is open.
    package var lastCount: Count? { state == .open ? nil : counts.last }

    /// Returns the cash that should be in the drawer, in minor units.
    package func expected(_ cash: DaySums) -> Int64 {
        float.total.limitedSum(cash.net).limitedSum(paidIn).limitedDifference(paidOut).limitedDifference(bankDrops)
            .limitedDifference(refundsPaid)
    }

    /// Adds a movement of cash beside sales.
    mutating func add(_ movement: CashMovement.Request) {
        movements += 1
        switch movement.kind {
        case .paidIn: paidIn = paidIn.limitedSum(movement.amount)
        case .paidOut: paidOut = paidOut.limitedSum(movement.amount)
        case .bankDrop: bankDrops = bankDrops.limitedSum(movement.amount)
        case .refund: refundsPaid = refundsPaid.limitedSum(movement.amount)
        }
    }

    init(
        account: AccountID, drawer: DrawerName, number: Int64, epoch: Int64, currency: Currency, openedAt: Timestamp,
        openedBy: String, float: Tally, openingDifference: Int64, firstSequence: Int64, openedSequence: Int64,
        before: DayFigures
    ) {
        (self.account, self.drawer, self.number, self.epoch) = (account, drawer, number, epoch)
        self.currency = currency
        (self.openedAt, self.openedBy, self.float) = (openedAt, openedBy, float)
        self.openingDifference = openingDifference
        (self.firstSequence, self.openedSequence, self.before) = (firstSequence, openedSequence, before)
    }
}

extension DrawerSession: RecordDocument {
    package static let collection = KnownDrawers.collection

    static func id(_ account: AccountID, _ drawer: DrawerName = .main) -> RecordID {
        RecordID(collection, KnownDrawers.place(account, drawer))
    }

    /// Finds the sessions of an account's drawers other than ``DrawerName/main``.
    static func match(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    /// Finds the movements of a session.
    var match: RecordMatch { CashMovement.match(account, drawer, session: number) }

    package var record: Record {
        var writer = JSONWriter(reserving: 1_024)
        write(into: &writer)
        let match = DrawerSession.match(account)
        return Record(
            DrawerSession.id(account, drawer), body: writer.bytes,
            fields: drawer == .main ? [:] : [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let session = DrawerSession(json: body.json) else { throw body.damaged("session") }
        self = session
    }

    /// Writes the session as it is kept, in value position.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("account", account.rawValue)
        if drawer != .main { writer.field("drawer", drawer.rawValue) }
        writer.field("number", number)
        writer.field("epoch", epoch)
        writer.field("state", state.rawValue)
        writer.field("currency", currency.code)
        writer.field("opened_at", openedAt.milliseconds)
        writer.field("opened_by", openedBy)
        writer.key("float")
        float.write(into: &writer)
        writer.field("opening_difference", openingDifference)
        writer.field("opening_reason", openingReason)
        writer.field("first_sequence", firstSequence)
        writer.field("opened_sequence", openedSequence)
        writer.key("before")
        before.write(into: &writer)
        writer.field("paid_in", paidIn)
        writer.field("paid_out", paidOut)
        writer.field("bank_drops", bankDrops)
        writer.field("refunds_paid", refundsPaid)
        writer.field("movements", movements)
        writer.key("counts")
        writer.beginArray()
        for count in counts {
            writer.beginObject()
            writer.key("tally")
            count.tally.write(into: &writer)
            writer.field("at", count.at.milliseconds)
            writer.field("by", count.by)
            writer.field("sequence", count.sequence)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else.
    init?(json: JSONValue?) {
        guard let json, let account = json["account"]?.stringValue, let number = json["number"]?.int64Value,
            (1..<Int64.max).contains(number),
            let state = json["state"]?.stringValue.flatMap({ State(rawValue: $0) }),
            let currency = json["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
            let openedAt = json["opened_at"]?.int64Value, let openedBy = json["opened_by"]?.stringValue,
            let float = Tally(json: json["float"]), let difference = json["opening_difference"]?.int64Value,
            let first = json["first_sequence"]?.int64Value, let opened = json["opened_sequence"]?.int64Value,
            let before = DayFigures(json: json["before"]), let paidIn = json["paid_in"]?.int64Value,
            let paidOut = json["paid_out"]?.int64Value, let bankDrops = json["bank_drops"]?.int64Value,
            let movements = json["movements"]?.int64Value, let counts = json["counts"]?.arrayValue
        else { return nil }
        // A session of before drawers had names has none.
        let drawer = json["drawer"]?.stringValue.map { DrawerName(rawValue: $0) }
        self.init(
            account: AccountID(rawValue: account), drawer: drawer ?? .main, number: number,
            epoch: json["epoch"]?.int64Value ?? 1, currency: currency, openedAt: Timestamp(milliseconds: openedAt),
            openedBy: openedBy, float: float, openingDifference: difference, firstSequence: first,
            openedSequence: opened, before: before)
        (self.state, self.paidIn, self.paidOut, self.bankDrops) = (state, paidIn, paidOut, bankDrops)
        openingReason = json["opening_reason"]?.stringValue
        refundsPaid = json["refunds_paid"]?.int64Value ?? 0
        self.movements = Int(clamping: movements)
        for count in counts {
            guard let tally = Tally(json: count["tally"]), let at = count["at"]?.int64Value,
                let by = count["by"]?.stringValue, let sequence = count["sequence"]?.int64Value
            else { return nil }
            self.counts.append(
                Count(tally: tally, at: Timestamp(milliseconds: at), by: by, sequence: sequence))
        }
    }
}

extension DrawerSession.Tally {
    /// Writes the cash, in value position.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("total", total)
        writer.key("counts")
        writePieces(into: &writer)
        writer.endObject()
    }

    /// Writes the pieces by denomination, or `null`, in value position.
    func writePieces(into writer: inout JSONWriter) {
        guard let pieces else { return writer.null() }
        writer.beginObject()
        for (denomination, number) in pieces.sorted(by: { $0.key > $1.key }) {
            writer.field(String(denomination), number)
        }
        writer.endObject()
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else.
    init?(json: JSONValue?) {
        guard let total = json?["total"]?.int64Value else { return nil }
        self.init(total: total)
        guard let members = json?["counts"]?.objectValue else { return }
        var pieces: [Int64: Int64] = [:]
        for member in members {
            guard let denomination = Int64(member.key), let number = member.value.int64Value else { return nil }
            pieces[denomination] = number
        }
        self.pieces = pieces
    }
}
