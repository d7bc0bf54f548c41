import GRDB
public import TillCore

/// A receipt on its way to somebody by e-mail. It is written down before the mail server is asked, with the address
/// masked: the address itself is nowhere kept, so sending again needs it again.
public struct ReceiptMail: Hashable, Sendable {
    /// Where it stands.
    public enum State: String, Hashable, Sendable {
        /// A process is sending it.
        case sending
        /// The mail server took it.
        case sent
        /// Certainly not sent.
        case failed
        /// The mail server may have taken it.
        case mayHaveBeenSent = "may_have_been_sent"
    }

    /// Its name.
    public var id: String
    /// Whose receipt.
    public var payment: PaymentID
    /// To whom, masked: `j•••@example.com`.
    public var to: String
    /// Where it stands.
    public var state: State
    /// What was heard last, for people.
    public var note: String
    /// When it was asked for.
    public var createdAt: Timestamp

    /// A receipt that is about to be sent.
    public init(id: String, payment: PaymentID, to masked: String, at: Timestamp) {
        self.id = id
        self.payment = payment
        to = masked
        state = .sending
        note = ""
        createdAt = at
    }
}

extension SQLiteSchema {
    /// Receipts sent by e-mail.
    static func registerMail(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("receipt mail") { db in
            try db.execute(
                sql: """
                    CREATE TABLE receipt_mail(
                      id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, masked TEXT NOT NULL, state TEXT NOT NULL,
                      note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX receipt_mail_payment ON receipt_mail(payment);
                    """)
        }
    }
}

extension SQLiteJournal {
    /// Most sendings of one list.
    public static let maximumReceiptMails = 200

    /// Writes down that a receipt is about to be sent; durable when it returns, and the mail server may be asked
    /// after it.
    /// - Returns: `false`, and nothing is written, if a living process sends this receipt there at this moment.
    public func begin(_ mail: ReceiptMail) async throws(JournalError) -> Bool {
        let owner = ownNumber
        return try await writeAlone { [self] db in
            let holders = try Int64.fetchAll(
                db,
                sql: """
                    SELECT owner FROM receipt_mail
                    WHERE payment = ? AND masked = ? AND state = 'sending' AND owner IS NOT NULL
                    """, arguments: [mail.payment.rawValue, mail.to])
            if holders.contains(where: { $0 == owner || isAlive($0) }) { return false }
            try db.execute(
                sql: """
                    INSERT INTO receipt_mail(id, payment, masked, state, note, owner, created_at)
                    VALUES (?, ?, ?, 'sending', '', ?, ?)
                    """,
                arguments: [mail.id, mail.payment.rawValue, mail.to, owner, mail.createdAt.milliseconds])
            return true
        }
    }

    /// Writes down how it ended.
    public func endReceiptMail(_ id: String, as state: ReceiptMail.State, note: String) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE receipt_mail SET state = ?, note = ?, owner = NULL WHERE id = ?",
                arguments: [state.rawValue, String(note.prefix(500)), id])
        }
    }

    /// The sendings of a payment's receipt, oldest first. One that a dead process was sending may have been sent.
    public func receiptMails(of payment: PaymentID) async throws(JournalError) -> [ReceiptMail] {
        let owner = ownNumber
        return try await read { [self] db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM receipt_mail WHERE payment = ? ORDER BY created_at, id LIMIT ?",
                arguments: [payment.rawValue, SQLiteJournal.maximumReceiptMails]
            ).map { row in
                let named: String = row["payment"]
                let at: Int64 = row["created_at"]
                let state: String = row["state"]
                let holder: Int64? = row["owner"]
                var mail = ReceiptMail(
                    id: row["id"], payment: PaymentID(rawValue: named), to: row["masked"],
                    at: Timestamp(milliseconds: at))
                mail.note = row["note"]
                mail.state = ReceiptMail.State(rawValue: state) ?? .mayHaveBeenSent
                if mail.state == .sending, !(holder.map { $0 == owner || isAlive($0) } ?? false) {
                    mail.state = .mayHaveBeenSent
                    mail.note = "Till stopped while it was sent."
                }
                return mail
            }
        }
    }
}
