public import TillCore
public import TillJournal

/// The receipt e-mails in a record store. Every change is durable when its method returns.
public struct ReceiptMails: Sendable {
    /// The maximum number of e-mails in one list.
    public static let maximumListed = 200
    /// The maximum length of a stored note in bytes.
    static let maximumNote = 500

    private let store: any RecordStore
    private let records: Records<ReceiptMail>

    /// Creates the e-mails of a record store.
    public init(_ store: any RecordStore) {
        self.store = store
        records = Records(store)
    }

    /// Records a receipt about to be sent; the mail server may be contacted afterwards.
    /// - Returns: `false`, with nothing written, if a living process is sending this receipt to this address.
    package func begin(_ mail: ReceiptMail) async throws(JournalError) -> Bool {
        let place = ReceiptMails.place(of: mail)
        let known = try await store.record(place)
        switch known?.holder {
        case .thisProcess, .anotherProcess: return false
        case nil, .nobody, .deadProcess: break
        }
        // Of concurrent attempts one gets the record.
        let taken = Record(place, body: Array(mail.id.utf8), isHeld: true)
        do throws(JournalError) {
            try await store.change([.insert(mail.record), .put(taken, over: known)])
            return true
        } catch {
            guard case .recordConflict(place, _) = error else { throw error }
            return false
        }
    }

    /// Records the outcome.
    package func end(_ mail: ReceiptMail, as state: ReceiptMail.State, note: String) async throws(JournalError) {
        try await records.update(mail.id) { mail in
            mail.state = state
            mail.note = ProviderText.cut(note, atMost: ReceiptMails.maximumNote)
            return true
        }
        let place = ReceiptMails.place(of: mail)
        if let taken = try await store.record(place), taken.holder == .thisProcess, taken.body == Array(mail.id.utf8) {
            try await store.change([.delete(place, from: taken.version)])
        }
    }

    /// Returns the e-mails of a payment's receipt, oldest first. One that a dead process was sending may have been
    /// sent.
    public func mails(of payment: PaymentID) async throws(JournalError) -> [ReceiptMail] {
        try await records.list(matching: RecordMatch("payment", payment.rawValue), limit: ReceiptMails.maximumListed)
    }

    /// Returns the record held by the process that sends this receipt to this address.
    private static func place(of mail: ReceiptMail) -> RecordID {
        RecordID("receipt_mail_under_way", "\(mail.payment)/\(mail.to)")
    }
}
