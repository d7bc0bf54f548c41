public import TillCore
public import TillJournal
import TillMail
public import TillReceipts

/// Sends receipts by e-mail: recorded first with the address masked, sent once, and reported as uncertain if delivery
/// is unknown. An e-mail never affects its payment.
public struct ReceiptPost: Sendable {
    private let mails: ReceiptMails
    private let mail: ReceiptSetup.Mail
    private let clock: any TillClock

    /// Creates a sender from the settings.
    /// - Throws: ``ReceiptPostError/notConfigured``
    public init(
        journal: any RecordStore, setup: ReceiptSetup, clock: any TillClock = SystemClock()
    ) throws(ReceiptPostError) {
        guard let mail = setup.mail else { throw .notConfigured }
        mails = ReceiptMails(journal)
        self.mail = mail
        self.clock = clock
    }

    /// Sends one receipt and waits for the mail server's final response.
    /// - Returns: The final state. Mail server failures are not thrown.
    public func send(_ receipt: ReceiptContent, to address: EmailAddress) async throws -> ReceiptMail {
        let now = clock.now()
        let name = PaymentID.make(at: now, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        var job = ReceiptMail(
            id: "mail_" + name.rawValue.dropFirst(4), payment: receipt.paymentID, to: address.masked, at: now)
        let document = ReceiptDocument(receipt)
        let letter = MailMessage(
            from: mail.from, fromName: receipt.store.name.plain, to: address, subject: document.title.plain,
            text: ReceiptRenderer.text(receipt),
            html: String(decoding: ReceiptRenderer.htmlBytes(document), as: UTF8.self),
            identifier: job.id.replacing("_", with: "-"), date: now)
        guard try await mails.begin(job) else { throw ReceiptPostError.underWay(address.masked) }
        do throws(SMTPError) {
            try await SMTPClient(mail.server).send(letter)
            job.state = .sent
            job.note = "The receipt was sent to \(job.to)."
        } catch {
            if case .mayHaveBeenSent = error { job.state = .mayHaveBeenSent } else { job.state = .failed }
            job.note = "\(error.what) \(error.next)"
        }
        try await mails.end(job, as: job.state, note: job.note)
        return job
    }
}

/// An error for a receipt that was not attempted to be sent.
public enum ReceiptPostError: ExplainedError, Hashable {
    /// No mail server is configured.
    case notConfigured
    /// The receipt is being sent to this address right now.
    case underWay(String)
    /// The address is invalid.
    case address

    public var code: String {
        switch self {
        case .notConfigured: "mail_not_configured"
        case .underWay: "mail_under_way"
        case .address: "invalid_address"
        }
    }
    public var what: String {
        switch self {
        case .notConfigured: "This shop sends no receipts: no mail server is set."
        case .underWay(let masked): "This receipt is being sent to \(masked) at this moment."
        case .address: "This is no e-mail address that a receipt can be sent to."
        }
    }
    /// An e-mail moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step for the caller.
    public var next: String {
        switch self {
        case .notConfigured: "Set smtp.host and smtp.from; `till doctor` lists every setting."
        case .underWay: "Wait for it."
        case .address: "Correct it; letters beyond ASCII in its domain must be written as xn--…."
        }
    }
}
