import HTTPTypes
package import TillCore
package import TillJournal

/// The notes on payments. A note and its entry in the audit log are one commit.
package struct PaymentNotes: Sendable {
    /// The maximum length of a note, in characters and in bytes.
    package static let maximumCharacters = 1_000
    package static let maximumBytes = 4_000
    /// The maximum size of a request's body, in bytes.
    package static let maximumBodyBytes = 16 << 10
    /// The maximum number of notes on one payment.
    package static let maximumOfPayment = 100

    private let store: any RecordStore
    private let clock: any TillClock

    package init(_ store: any RecordStore, clock: any TillClock) { (self.store, self.clock) = (store, clock) }

    /// Adds a note. It is durable on return; the same key again returns the note that it made.
    /// - Parameter text: What is kept: without card numbers, within the limits.
    /// - Throws: ``Problem`` for a key of another note, and for a payment with as many notes as it may have.
    package func add(
        _ text: String, to payment: Payment, key: String, by author: Attribution
    ) async throws -> PaymentNote {
        let request = PaymentNote.request(on: payment.id, key: key)
        var by = author
        // As with events: the address is in the audit log only.
        by.address = nil
        // Of two requests at the same moment the journal takes one note of a number, and the other counts anew: there
        // is one more each time.
        for _ in 0...PaymentNotes.maximumOfPayment {
            let notes = try await self.notes(on: payment.id)
            if let known = notes.first(where: { $0.request == request }) {
                guard known.text == text else { throw PaymentNotes.mismatch }
                return known
            }
            guard notes.count < PaymentNotes.maximumOfPayment else { throw PaymentNotes.tooMany }
            let note = PaymentNote(
                id: PaymentNote.id(of: payment.id, number: notes.count), request: request, account: payment.account,
                payment: payment.id, text: text, at: clock.now(), by: by)
            let entry = AuditNote(
                .paymentNoted, by: author, account: payment.account, subject: payment.id.rawValue,
                changes: [AuditChange("note", to: note.id)])
            do throws(JournalError) {
                try await store.change([.insert(note.record)], noting: [entry])
                return note
            } catch { guard case .recordConflict = error else { throw error } }
        }
        throw PaymentNotes.tooMany
    }

    /// Returns the notes on a payment, oldest first.
    package func notes(on payment: PaymentID) async throws(JournalError) -> [PaymentNote] {
        try await Records<PaymentNote>(store).list(
            matching: PaymentNote.of(payment), limit: PaymentNotes.maximumOfPayment)
    }

    private static let mismatch = Problem(
        .unprocessableContent, "idempotency_mismatch", "This Idempotency-Key belongs to another note.",
        next: "Use a new key.")
    private static let tooMany = Problem(
        .conflict, "too_many_notes", "The payment has \(maximumOfPayment) notes, and no more are kept.",
        next: "Keep what is to be said elsewhere.")
}
