public import TillCore

/// The payment section of a receipt. Values not sent by the provider are `nil`, never invented. There is no field for
/// an expiry date or a full card number.
public struct ReceiptTransaction: Hashable, Sendable {
    /// The kind of the transaction.
    public enum Kind: String, Hashable, Sendable {
        /// Money captured, or requested.
        case sale
        /// Money returned to the customer.
        case refund
        case void
        /// Money held on the card and not captured.
        case authorization
        /// A store-and-forward transaction: the card was read offline and is submitted later; not paid.
        case offlineStored = "offline_stored"
    }

    /// The response of the issuer, or the outcome at the cash drawer.
    public enum Outcome: String, Hashable, Sendable {
        /// Approved by the issuer.
        case approved
        /// Partially approved.
        case partial
        /// Declined by the issuer or the provider; no money moved.
        case declined
        /// Canceled by the customer or the shop before a response.
        case canceled = "cancelled"
        /// The outcome is unknown; the receipt makes no claim of payment.
        case pending
        /// No authorization was requested, as with cash.
        case none
    }

    /// The type of an application cryptogram.
    public enum CryptogramType: String, Hashable, Sendable {
        /// Transaction certificate: approved offline by the card.
        case tc = "TC"
        /// Application authentication cryptogram: declined.
        case aac = "AAC"
        /// Authorization request cryptogram: sent online.
        case arqc = "ARQC"
    }

    /// The kind of the transaction.
    public var kind: Kind
    /// The response of the issuer or the card.
    public var outcome: Outcome
    /// `card`, `reader`, `cash`; `nil` if nothing was presented.
    public var tender: TenderKind?
    /// The brand, as the provider spells it: `visa`.
    public var brand: ReceiptText?
    /// The processing network, if it differs from the brand.
    public var network: ReceiptText?
    /// The last four digits of the card.
    public var lastFour: LastFour?
    /// The entry mode: `contact_emv`, `contactless_emv`, `keyed`, …
    public var entryMode: ReceiptText?
    /// The label of the reader at which the card was presented.
    public var reader: ReceiptText?
    /// The preferred name (9F12) or label of the EMV application.
    public var applicationName: ReceiptText?
    /// The application identifier (84).
    public var aid: ReceiptText?
    /// The account type: `credit`, `checking`, `savings`, …
    public var accountType: ReceiptText?
    /// The issuer's authorization code.
    public var authorizationCode: ReceiptText?
    /// The authorization response code (8A), the ARC.
    public var authorizationResponseCode: ReceiptText?
    /// The application cryptogram (9F26), hex.
    public var cryptogram: ReceiptText?
    /// The type of the cryptogram, if reported.
    public var cryptogramType: CryptogramType?
    /// Terminal verification results (95), hex: TVR.
    public var terminalVerificationResults: ReceiptText?
    /// Transaction status information (9B), hex: TSI.
    public var transactionStatusInformation: ReceiptText?
    /// Cardholder verification method: CVM.
    public var verification: CardVerification?
    /// The amount approved by the issuer, if less than requested.
    public var approvedAmount: Money?

    /// Creates a transaction with the known minimum; set the remaining properties afterwards.
    public init(_ kind: Kind, _ outcome: Outcome, tender: TenderKind? = nil) {
        self.kind = kind
        self.outcome = outcome
        self.tender = tender
    }

    /// Copies the values of a card summary.
    public mutating func take(_ card: CardSummary?) {
        func opaque(_ text: String?) -> ReceiptText? {
            text.map { ReceiptText(verbatim: $0) }.flatMap { $0.plain.isEmpty ? nil : $0 }
        }
        brand = ReceiptText(nonEmpty: card?.brand)
        network = card?.network == card?.brand ? nil : ReceiptText(nonEmpty: card?.network)
        lastFour = LastFour(card?.lastFour)
        entryMode = ReceiptText(nonEmpty: card?.entryMode)
        let emv = card?.emv
        applicationName = ReceiptText(nonEmpty: emv?.applicationPreferredName)
        aid = opaque(emv?.dedicatedFileName)
        accountType = ReceiptText(nonEmpty: emv?.accountType)
        authorizationCode = ReceiptText(nonEmpty: emv?.authorizationCode)
        authorizationResponseCode = ReceiptText(nonEmpty: emv?.authorizationResponseCode)
        cryptogram = opaque(emv?.applicationCryptogram)
        terminalVerificationResults = opaque(emv?.terminalVerificationResults)
        transactionStatusInformation = opaque(emv?.transactionStatusInformation)
        verification = ReceiptText(nonEmpty: emv?.cardholderVerificationMethod).map {
            CardVerification(rawValue: $0.plain)
        }
    }

    init(_ payment: Payment) {
        let taken = payment.captures.last { $0.state.isSucceeded }
        let attempt =
            payment.attempts.first { $0.id == taken?.attempt } ?? payment.currentAttempt ?? payment.attempts.last
        self.init(
            ReceiptTransaction.kind(payment, attempt), ReceiptTransaction.outcome(payment, attempt),
            tender: attempt?.tender.kind)
        take(attempt?.tender.card)
        reader = ReceiptText(nonEmpty: attempt?.tender.reader)
        if let authorized = attempt?.approved, authorized != attempt?.amount {
            approvedAmount = authorized
            if outcome == .approved { outcome = .partial }
        }
    }

    private static func kind(_ payment: Payment, _ attempt: Attempt?) -> Kind {
        switch payment.status {
        // Card data belongs to the sale; a refund is listed below it and has a receipt of its own.
        case .succeeded, .partiallyCaptured, .refunded, .partiallyRefunded: return .sale
        case .requiresCapture, .expired: return .authorization
        case .stored: return .offlineStored
        case .requiresPaymentMethod, .declined, .requiresAction, .processing, .unknown, .canceled, .captureFailed:
            break
        }
        if case .voided? = attempt?.state { return .void }
        return payment.captureMode == .manual ? .authorization : .sale
    }

    private static func outcome(_ payment: Payment, _ attempt: Attempt?) -> Outcome {
        switch attempt?.state {
        case .authorized, .voided, .expired: .approved
        case .declined: .declined
        case .inFlight, .unknown, .requiresAction: .pending
        case .stored: Outcome.none
        case .notSent, nil: payment.status == .canceled ? .canceled : .none
        }
    }
}

extension ReceiptTransaction {
    /// The human-readable tender: `Visa **** 4242`, `Cash`; `nil` if nothing was presented.
    public var tenderText: ReceiptText? { tenderText(.english) }

    func tenderText(_ labels: ReceiptLabels) -> ReceiptText? {
        guard let tender else { return nil }
        switch tender {
        case .cash: return labels[.cash]
        case .payPal: return ReceiptText("PayPal")
        case .card, .reader:
            let name = brandName ?? labels[.card].plain
            return ReceiptText(own: lastFour.map { "\(name) **** \($0.digits)" } ?? name)
        default: return ReceiptText(tender.rawValue)
        }
    }

    private var brandName: String? {
        guard let brand else { return nil }
        return switch brand.plain {
        case "visa": "Visa"
        case "mastercard": "Mastercard"
        case "amex": "American Express"
        case "discover": "Discover"
        case "diners": "Diners Club"
        case "jcb": "JCB"
        case "unionpay": "UnionPay"
        case "interac": "Interac"
        case "eftpos_au": "eftpos"
        case "unknown": nil
        default: brand.plain
        }
    }
}
