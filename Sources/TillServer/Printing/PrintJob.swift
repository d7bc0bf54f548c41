public import TillCore
public import TillJournal

/// A receipt on its way to paper. It is recorded before the first byte goes to a printer, so after a crash a
/// receipt is printed once, or is known as one that may have printed.
public struct PrintJob: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Nothing was sent; it can be printed.
        case waiting
        /// A process is sending it, or died while it did.
        case sending
        /// The printer said that it is on paper.
        case printed
        /// Handed to a printer that says no more.
        case sent
        /// The printer gave up on it.
        case failed
        /// It may be on paper: check before printing it again.
        case mayHavePrinted = "may_have_printed"
        /// Canceled before anything of it was sent.
        case canceled
    }

    public var id: String
    public var payment: PaymentID
    /// Whose payment it is; `nil` for one that the release before wrote.
    public var account: AccountID?
    /// Name or address of the printer.
    public var printer: String
    /// Whose copy it is: `customer` or `merchant`.
    public var copy: String
    public var copies: Int
    /// The paper that was asked for by name; `nil`: what the printer has.
    public var width: String?
    /// Of this refund only; `nil`: of the whole payment.
    public var refund: RefundID?
    /// It says that it was printed before.
    public var isReprint: Bool
    public var state: State
    /// The printer's own number for it.
    public var number: Int?
    /// The first byte of the receipt may have been sent: recorded before it was.
    public var isBegun = false
    /// How often it was tried.
    public var tries = 0
    /// When it is tried again by itself.
    public var nextTryAt: Timestamp
    /// The last report, for people.
    public var note: String
    /// When it was asked for.
    public var createdAt: Timestamp

    /// Who sends it, when it was read.
    var holder = RecordHolder.nobody

    /// A receipt that waits.
    public init(
        id: String, payment: PaymentID, printer: String, copy: String, copies: Int, isReprint: Bool, at: Timestamp
    ) {
        self.id = id
        self.payment = payment
        self.printer = printer
        self.copy = copy
        self.copies = copies
        self.isReprint = isReprint
        state = .waiting
        note = ""
        createdAt = at
        nextTryAt = at
    }
}

extension PrintJob: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "print_job"
    /// The field by which those that wait are found by their account.
    static let waitingOf = "waiting_of"

    /// One that is being sent belongs to the process that writes it.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        if let account { writer.field("account", account.rawValue) }
        writer.field("printer", printer)
        writer.field("copy", copy)
        writer.field("copies", copies)
        writer.field("width", width)
        writer.field("refund", refund?.rawValue)
        writer.field("reprint", isReprint)
        writer.field("state", state.rawValue)
        if let number { writer.field("number", number) }
        writer.field("begun", isBegun)
        writer.field("tries", tries)
        writer.field("next_try_at", nextTryAt.milliseconds)
        writer.field("note", note)
        writer.endObject()
        var fields = ["payment": payment.rawValue, "state": state.rawValue]
        if let account, state == .waiting { fields[PrintJob.waitingOf] = account.rawValue }
        return Record(
            RecordID(PrintJob.collection, id), body: writer.bytes, fields: fields,
            due: state == .waiting ? nextTryAt : nil,
            isHeld: state == .sending)
    }

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: stored.id.key, payment: PaymentID(rawValue: try body.text("payment")),
            printer: try body.text("printer"), copy: try body.text("copy"),
            copies: Int(clamping: try body.int("copies")),
            isReprint: try body.bool("reprint"), at: stored.createdAt)
        account = body.optionalText("account").map { AccountID(rawValue: $0) }
        width = body.optionalText("width")
        refund = body.optionalText("refund").map { RefundID(rawValue: $0) }
        // A state of a newer Till is nothing to print again unseen.
        state = State(rawValue: try body.text("state")) ?? .mayHavePrinted
        number = body.optionalInt("number").map { Int(clamping: $0) }
        isBegun = try body.bool("begun")
        tries = Int(clamping: try body.int("tries"))
        nextTryAt = Timestamp(milliseconds: try body.int("next_try_at"))
        note = try body.text("note")
        holder = stored.holder
    }
}
