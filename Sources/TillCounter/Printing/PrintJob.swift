public import TillCore
public import TillJournal
import TillReceipts

/// A receipt, or a report of the day, to be printed. It is recorded before the first byte is sent to a printer, so that
/// after a crash it is printed once, or is known to have possibly printed.
public struct PrintJob: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Queued; nothing was sent.
        case waiting
        /// Being sent by a process, or left by one that died meanwhile.
        case sending
        /// Confirmed as printed by the printer.
        case printed
        /// Handed to a printer that reports no completion.
        case sent
        /// Aborted by the printer, not printed for a day, or never to be printed: it is not tried again.
        case failed
        /// Possibly on paper: check before printing it again.
        case mayHavePrinted = "may_have_printed"
        /// Canceled before anything was sent.
        case canceled
    }

    /// A closed report of a cash drawer (Z).
    public struct Report: Hashable, Sendable {
        public var drawer: DrawerName
        /// The number, 1 or more.
        public var number: Int64

        public init(drawer: DrawerName, number: Int64) { (self.drawer, self.number) = (drawer, number) }
    }

    public var id: String
    /// The payment of a receipt; of a report a name that no payment has.
    public var payment: PaymentID
    /// The report that is printed; `nil` for a receipt.
    public var report: Report?
    /// The payment's account; `nil` for a job written by the previous release.
    public var account: AccountID?
    /// The printer's name or address.
    public var printer: String
    /// The copy: `customer` or `merchant`.
    public var copy: String
    public var copies: Int
    /// The requested paper; `nil` for the printer's own.
    public var width: String?
    /// The refund of a refund receipt; `nil` for the whole payment.
    public var refund: RefundID?
    /// `true` if the receipt is marked as a reprint.
    public var isReprint: Bool
    public var state: State
    /// The printer's job number.
    public var number: Int?
    /// `true` once the first byte may have been sent; recorded before it is.
    public var isBegun = false
    /// The number of attempts.
    public var tries = 0
    /// The time of the next automatic attempt.
    public var nextTryAt: Timestamp
    /// The latest status message.
    public var note: String
    /// The code of the error that kept the last attempt from being sent; `nil` if none did.
    public var reason: String?
    /// The time of the request.
    public var createdAt: Timestamp

    /// The process that holds it, as of reading.
    package var holder = RecordHolder.nobody

    /// Creates a queued receipt.
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

    /// Creates a queued report, which is the shop's own copy.
    package init(
        id: String, report: Report, of account: AccountID, printer: String, isReprint: Bool, at: Timestamp
    ) {
        self.init(
            id: id, payment: PrintJob.place(of: report, account), printer: printer,
            copy: ReceiptCopy.merchant.rawValue, copies: 1, isReprint: isReprint, at: at)
        self.account = account
        self.report = report
    }

    /// Returns what stands for the payment of a report's jobs, by which they are found. A release that knows no reports
    /// finds no such payment, and prints nothing.
    static func place(of report: Report, _ account: AccountID) -> PaymentID {
        PaymentID(rawValue: "report/\(KnownDrawers.place(account, report.drawer))/\(report.number)")
    }
}

extension PrintJob: RecordDocument {
    /// The collection of print jobs.
    public static let collection: RecordCollection = "print_job"
    /// The index field for an account's queued jobs.
    static let waitingOf = "waiting_of"

    /// The stored form. A job being sent is held by the process that writes it.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        if let account { writer.field("account", account.rawValue) }
        if let report {
            writer.field("drawer", report.drawer.rawValue)
            writer.field("report", report.number)
        }
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
        if let reason { writer.field("reason", reason) }
        writer.endObject()
        var fields = ["payment": payment.rawValue, "state": state.rawValue]
        if let account, state == .waiting { fields[PrintJob.waitingOf] = account.rawValue }
        return Record(
            RecordID(PrintJob.collection, id), body: writer.bytes, fields: fields,
            due: state == .waiting ? nextTryAt : nil,
            isHeld: state == .sending)
    }

    /// Reads the stored form.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: stored.id.key, payment: PaymentID(rawValue: try body.text("payment")),
            printer: try body.text("printer"), copy: try body.text("copy"),
            copies: Int(clamping: try body.int("copies")),
            isReprint: try body.bool("reprint"), at: stored.createdAt)
        account = body.optionalText("account").map { AccountID(rawValue: $0) }
        if let number = body.optionalInt("report") {
            report = Report(drawer: DrawerName(rawValue: body.optionalText("drawer") ?? ""), number: number)
        }
        width = body.optionalText("width")
        refund = body.optionalText("refund").map { RefundID(rawValue: $0) }
        // A state of a later release must not be reprinted without a check.
        state = State(rawValue: try body.text("state")) ?? .mayHavePrinted
        number = body.optionalInt("number").map { Int(clamping: $0) }
        isBegun = try body.bool("begun")
        tries = Int(clamping: try body.int("tries"))
        nextTryAt = Timestamp(milliseconds: try body.int("next_try_at"))
        note = try body.text("note")
        reason = body.optionalText("reason")
        holder = stored.holder
    }
}
