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
    /// It says that it was printed before.
    public var isReprint: Bool
    /// Where it stands.
    public var state: State
    /// The printer's own number for it.
    public var number: Int?
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
    /// The certificate that it must show, in DER.
    public var certificate: [UInt8]?

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
                    INSERT INTO print_job(id, payment, printer, copy, copies, reprint, state, note, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, 'waiting', '', ?)
                    """,
                arguments: [
                    job.id, job.payment.rawValue, job.printer, job.copy, job.copies, job.isReprint,
                    job.createdAt.milliseconds,
                ])
        }
    }

    /// Takes a waiting receipt for this process; durable when it returns, and the first byte may go after it.
    /// - Returns: `false` if it does not wait any more: somebody else has it.
    public func beginPrinting(_ id: String) async throws(JournalError) -> Bool {
        let owner = ownNumber
        return try await writeAlone { db in
            try db.execute(
                sql:
                    "UPDATE print_job SET state = 'sending', owner = ?, number = NULL WHERE id = ? AND state = 'waiting'",
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

    /// Writes down how it ended; `waiting` if nothing was sent.
    public func endPrinting(_ id: String, as state: PrintJob.State, note: String) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE print_job SET state = ?, note = ?, owner = NULL WHERE id = ?",
                arguments: [state.rawValue, String(note.prefix(500)), id])
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
                sql: "INSERT OR REPLACE INTO printer(name, address, profile, certificate) VALUES (?, ?, ?, ?)",
                arguments: [
                    printer.name, printer.address, printer.profile, printer.certificate.map { Data($0) },
                ])
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
                return KnownPrinter(
                    name: row["name"], address: row["address"], profile: row["profile"],
                    certificate: certificate.map { Array($0) })
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
        // A state of a newer Till is nothing to print again unseen.
        self.state = State(rawValue: state) ?? .mayHavePrinted
        number = row["number"]
        note = row["note"]
    }
}
