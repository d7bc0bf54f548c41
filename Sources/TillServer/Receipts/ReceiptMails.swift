public import TillCore
public import TillJournal

/// What was sent by e-mail, in a record store. Every change is durable when its method returns.
public struct ReceiptMails: Sendable {
    /// Most sendings of one list.
    public static let maximumListed = 200
    /// Most bytes of a note that is kept.
    static let maximumNote = 500

    private let store: any RecordStore
    private let records: Records<ReceiptMail>

    /// Those of a store.
    public init(_ store: any RecordStore) {
        self.store = store
        records = Records(store)
    }

    /// Records that a receipt is about to be sent; the mail server may be asked after it.
    /// - Returns: `false`, and nothing is written, if a living process sends this receipt there at this moment.
    func begin(_ mail: ReceiptMail) async throws(JournalError) -> Bool {
        let place = ReceiptMails.place(of: mail)
        let known = try await store.record(place)
        switch known?.holder {
        case .thisProcess, .anotherProcess: return false
        case nil, .nobody, .deadProcess: break
        }
        // Of several that begin at once one has the place.
        let taken = Record(place, body: Array(mail.id.utf8), isHeld: true)
        do throws(JournalError) {
            try await store.change([.insert(mail.record), .put(taken, over: known)])
            return true
        } catch {
            guard case .recordConflict(place, _) = error else { throw error }
            return false
        }
    }

    /// Records how it ended.
    func end(_ mail: ReceiptMail, as state: ReceiptMail.State, note: String) async throws(JournalError) {
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

    /// The sendings of a payment's receipt, oldest first. One that a dead process was sending may have been sent.
    public func mails(of payment: PaymentID) async throws(JournalError) -> [ReceiptMail] {
        try await records.list(matching: RecordMatch("payment", payment.rawValue), limit: ReceiptMails.maximumListed)
    }

    /// Held by the process that sends this receipt there.
    private static func place(of mail: ReceiptMail) -> RecordID {
        RecordID("receipt_mail_under_way", "\(mail.payment)/\(mail.to)")
    }
}
