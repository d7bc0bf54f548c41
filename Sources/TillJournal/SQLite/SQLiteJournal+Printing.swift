import Foundation
import GRDB
public import TillCore

/// A receipt on its way to paper. It is written down before the first byte goes to a printer, so after a crash a
/// receipt is printed once, or is known as one that may have printed.
public struct PrintJob: Hashable, Sendable {
    /// Where it stands.
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
        /// It may be on paper: look before printing it again.
        case mayHavePrinted = "may_have_printed"
        /// Called off before anything of it was sent.
        case canceled
    }

    /// Its name.
    public var id: String
    /// Whose receipt.
    public var payment: PaymentID
    /// Name or address of the printer.
    public var printer: String
    /// `customer` or `merchant`.
    public var copy: String
    /// How many.
    public var copies: Int
    /// The paper that was asked for by name; `nil`: what the printer has.
    public var width: String?
    /// Of this refund only; `nil`: of the whole payment.
    public var refund: RefundID?
    /// It says that it was printed before.
    public var isReprint: Bool
    /// Where it stands.
    public var state: State
    /// The printer's own number for it.
    public var number: Int?
    /// The first byte of the receipt may have been sent: written down before it was.
    public var isBegun = false
    /// How often it was tried.
    public var tries = 0
    /// When it is tried again by itself.
    public var nextTryAt: Timestamp
    /// What was heard last, for people.
    public var note: String
    /// When it was asked for.
    public var createdAt: Timestamp

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

/// A printer that the shop gave a name.
public struct KnownPrinter: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its address.
    public var address: String
    /// The name of its ESC/POS profile.
    public var profile: String
    /// SHA-256 of the certificate that it must show, or the whole of it in DER.
    public var certificate: [UInt8]?
    /// The first certificate that it shows is to be kept.
    public var trustsFirst = false
    /// Who prints, where the printer asks.
    public var user: String?
    /// The file that holds the password, which itself is never kept here.
    public var passwordFile: String?

    /// A printer.
    public init(name: String, address: String, profile: String, certificate: [UInt8]? = nil) {
        self.name = name
        self.address = address
        self.profile = profile
        self.certificate = certificate
    }
}

extension SQLiteSchema {
    /// Receipts on their way to paper, and printers by name.
    static func registerPrinting(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("printing") { db in
            try db.execute(
                sql: """
                    CREATE TABLE printer(
                      name TEXT PRIMARY KEY NOT NULL, address TEXT NOT NULL, profile TEXT NOT NULL, certificate BLOB
                    ) STRICT;

                    CREATE TABLE print_job(
                      id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, printer TEXT NOT NULL, copy TEXT NOT NULL,
                      copies INTEGER NOT NULL, reprint INTEGER NOT NULL, state TEXT NOT NULL, number INTEGER,
                      note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX print_job_payment ON print_job(payment);
                    CREATE INDEX print_job_open ON print_job(state) WHERE state IN ('waiting', 'sending');
                    """)
        }
        migrator.registerMigration("printing: steps, tries, trust") { db in
            // What was being sent when this was not written down yet may have begun.
            try db.execute(
                sql: """
                    ALTER TABLE print_job ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE print_job ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE print_job ADD COLUMN next_try_at INTEGER NOT NULL DEFAULT 0;
                    UPDATE print_job SET begun = 1 WHERE state = 'sending';
                    ALTER TABLE printer ADD COLUMN trusts_first INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE printer ADD COLUMN user TEXT;
                    ALTER TABLE printer ADD COLUMN password_file TEXT;
                    """)
        }
        migrator.registerMigration("printing: paper, refunds") { db in
            try db.execute(
                sql: """
                    ALTER TABLE print_job ADD COLUMN width TEXT;
                    ALTER TABLE print_job ADD COLUMN refund TEXT;
                    """)
        }
    }
}

extension SQLiteJournal {
    /// Most receipts of one list.
    public static let maximumPrintJobs = 500

    /// The journal's file.
    public var path: String { pool.path }

    /// Writes a receipt down that is to be printed.
    public func add(_ job: PrintJob) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: """
                    INSERT INTO print_job(
                      id, payment, printer, copy, copies, width, refund, reprint, state, note, created_at, next_try_at
                    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', '', ?, ?)
                    """,
                arguments: [
                    job.id, job.payment.rawValue, job.printer, job.copy, job.copies, job.width,
                    job.refund?.rawValue, job.isReprint, job.createdAt.milliseconds, job.nextTryAt.milliseconds,
                ])
        }
    }

    /// Takes a waiting receipt for this process; durable when it returns, and the first byte may go after it.
    /// - Returns: `false` if it does not wait any more: somebody else has it.
    public func beginPrinting(_ id: String) async throws(JournalError) -> Bool {
        let owner = ownNumber
        return try await writeAlone { db in
            try db.execute(
                sql: """
                    UPDATE print_job SET state = 'sending', owner = ?, number = NULL, begun = 0, tries = tries + 1
                    WHERE id = ? AND state = 'waiting'
                    """,
                arguments: [owner, id])
            return db.changesCount == 1
        }
    }

    /// Notes the printer's number for a receipt that is being sent.
    public func notePrinterNumber(_ number: Int, of id: String) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE print_job SET number = ? WHERE id = ? AND state = 'sending'", arguments: [number, id])
        }
    }

    /// Notes that the first byte of a receipt goes next; durable when it returns. Before this nothing can be on paper.
    public func notePrintingBegun(_ id: String) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE print_job SET begun = 1 WHERE id = ? AND state = 'sending'", arguments: [id])
        }
    }

    /// Writes down how it ended; `waiting` if nothing was sent.
    /// - Parameter nextTryAt: when one that waits is tried again by itself.
    public func endPrinting(
        _ id: String, as state: PrintJob.State, note: String, nextTryAt: Timestamp? = nil
    ) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: """
                    UPDATE print_job SET state = ?, note = ?, owner = NULL, next_try_at = ifnull(?, next_try_at)
                    WHERE id = ?
                    """,
                arguments: [state.rawValue, String(note.prefix(500)), nextTryAt?.milliseconds, id])
        }
    }

    /// Ends one that waits without printing it.
    /// - Returns: `false` if it does not wait: it is being sent, or has ended.
    public func endWaiting(_ id: String, as state: PrintJob.State, note: String) async throws(JournalError) -> Bool {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE print_job SET state = ?, note = ? WHERE id = ? AND state = 'waiting'",
                arguments: [state.rawValue, String(note.prefix(500)), id])
            return db.changesCount == 1
        }
    }

    /// One receipt that was to be printed.
    public func printJob(_ id: String) async throws(JournalError) -> PrintJob? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM print_job WHERE id = ?", arguments: [id]).map { PrintJob($0) }
        }
    }

    /// Receipts of which only the printer knows what became of them, newer than a time.
    public func uncertainPrintJobs(since: Timestamp) async throws(JournalError) -> [PrintJob] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM print_job WHERE state = 'may_have_printed' AND number IS NOT NULL AND created_at > ?
                    ORDER BY created_at, id LIMIT 50
                    """, arguments: [since.milliseconds]
            ).map { PrintJob($0) }
        }
    }

    /// The receipts of a payment that were to be printed, oldest first; with `nil` all that wait or are being sent.
    public func printJobs(of payment: PaymentID?) async throws(JournalError) -> [PrintJob] {
        try await read { db in
            let rows =
                if let payment {
                    try Row.fetchAll(
                        db, sql: "SELECT * FROM print_job WHERE payment = ? ORDER BY created_at, id LIMIT ?",
                        arguments: [payment.rawValue, SQLiteJournal.maximumPrintJobs])
                } else {
                    try Row.fetchAll(
                        db,
                        sql: """
                            SELECT * FROM print_job WHERE state IN ('waiting', 'sending')
                            ORDER BY created_at, id LIMIT ?
                            """, arguments: [SQLiteJournal.maximumPrintJobs])
                }
            return rows.map { PrintJob($0) }
        }
    }

    /// Takes over receipts that processes were sending when they died. They stay `sending`, now of this process.
    public func takeOverPrinting() async throws(JournalError) -> [PrintJob] {
        let owner = ownNumber
        return try await writeAlone { [self] db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM print_job WHERE state = 'sending' LIMIT ?",
                arguments: [SQLiteJournal.maximumPrintJobs])
            return try rows.compactMap { row -> PrintJob? in
                let holder: Int64? = row["owner"]
                if let holder, holder == owner || isAlive(holder) { return nil }
                let job = PrintJob(row)
                try db.execute(sql: "UPDATE print_job SET owner = ? WHERE id = ?", arguments: [owner, job.id])
                return job
            }
        }
    }

    /// Gives a printer a name, or a name another printer.
    public func keep(_ printer: KnownPrinter) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO printer(
                      name, address, profile, certificate, trusts_first, user, password_file
                    ) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    printer.name, printer.address, printer.profile, printer.certificate.map { Data($0) },
                    printer.trustsFirst, printer.user, printer.passwordFile,
                ])
        }
    }

    /// Keeps the first certificate that a printer shows, unless one was kept meanwhile.
    /// - Returns: the one that is kept.
    public func keepFirst(certificate: [UInt8], of printer: String) async throws(JournalError) -> [UInt8]? {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE printer SET certificate = ? WHERE name = ? AND certificate IS NULL AND trusts_first",
                arguments: [Data(certificate), printer])
            let kept = try Data.fetchOne(
                db, sql: "SELECT certificate FROM printer WHERE name = ?", arguments: [printer])
            return kept.map { Array($0) }
        }
    }

    /// Forgets a printer's name.
    /// - Returns: whether there was one.
    public func forgetPrinter(_ name: String) async throws(JournalError) -> Bool {
        try await writeAlone { db in
            try db.execute(sql: "DELETE FROM printer WHERE name = ?", arguments: [name])
            return db.changesCount == 1
        }
    }

    /// All printers with names.
    public func printers() async throws(JournalError) -> [KnownPrinter] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM printer ORDER BY name LIMIT 500").map { row in
                let certificate: Data? = row["certificate"]
                var printer = KnownPrinter(
                    name: row["name"], address: row["address"], profile: row["profile"],
                    certificate: certificate.map { Array($0) })
                printer.trustsFirst = row["trusts_first"]
                printer.user = row["user"]
                printer.passwordFile = row["password_file"]
                return printer
            }
        }
    }
}

extension PrintJob {
    fileprivate init(_ row: Row) {
        let payment: String = row["payment"]
        let at: Int64 = row["created_at"]
        let state: String = row["state"]
        self.init(
            id: row["id"], payment: PaymentID(rawValue: payment), printer: row["printer"], copy: row["copy"],
            copies: row["copies"], isReprint: row["reprint"], at: Timestamp(milliseconds: at))
        width = row["width"]
        let refund: String? = row["refund"]
        self.refund = refund.map { RefundID(rawValue: $0) }
        // A state of a newer Till is nothing to print again unseen.
        self.state = State(rawValue: state) ?? .mayHavePrinted
        number = row["number"]
        note = row["note"]
        isBegun = row["begun"]
        tries = row["tries"]
        let next: Int64 = row["next_try_at"]
        nextTryAt = Timestamp(milliseconds: next)
    }
}
