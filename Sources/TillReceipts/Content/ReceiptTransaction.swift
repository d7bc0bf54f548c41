public import TillCore

/// The payment part of a receipt. What the provider did not send is `nil`, never made up. There is no place for an
/// expiry date or a whole card number.
public struct ReceiptTransaction: Hashable, Sendable {
    /// What the transaction did with the customer's money.
    public enum Kind: String, Hashable, Sendable {
        /// Money taken, or asked for.
        case sale
        /// Money goes back to the customer.
        case refund
        case void
        /// Money is held on the card and not taken.
        case authorization
        /// A card read without a connection: kept to be sent later, not paid.
        case offlineStored = "offline_stored"
    }

    /// What the issuer or the drawer said.
    public enum Outcome: String, Hashable, Sendable {
        /// The issuer said yes.
        case approved
        /// Yes, to a part of it.
        case partial
        /// The issuer or the provider said no; no money moved.
        case declined
        /// Ended by the customer or the shop before an answer.
        case canceled = "cancelled"
        /// The answer is not known: the receipt does not say that it was paid.
        case pending
        /// Nobody was asked, as with cash.
        case none
    }

    /// What a cryptogram says.
    public enum CryptogramType: String, Hashable, Sendable {
        /// The card approved offline (transaction certificate).
        case tc = "TC"
        /// Application authentication cryptogram: declined.
        case aac = "AAC"
        /// Authorization request cryptogram: asked online.
        case arqc = "ARQC"
    }

    /// What the transaction did with the money.
    public var kind: Kind
    /// What the issuer or the card answered.
    public var outcome: Outcome
    /// `card`, `reader`, `cash`; `nil` if nothing was presented.
    public var tender: TenderKind?
    /// As the provider spells it: `visa`.
    public var brand: ReceiptText?
    /// The network that carried it, if that is not the brand.
    public var network: ReceiptText?
    /// The last four digits of the card.
    public var lastFour: LastFour?
    /// `contact_emv`, `contactless_emv`, `keyed`, …
    public var entryMode: ReceiptText?
    /// The label of the reader at which the card was presented.
    public var reader: ReceiptText?
    /// The application's preferred name (9F12) or label.
    public var applicationName: ReceiptText?
    /// The application identifier (84).
    public var aid: ReceiptText?
    /// `credit`, `checking`, `savings`, …
    public var accountType: ReceiptText?
    /// The issuer's authorization code.
    public var authorizationCode: ReceiptText?
    /// The authorization response code (8A), the ARC.
    public var authorizationResponseCode: ReceiptText?
    /// The application cryptogram (9F26), hex.
    public var cryptogram: ReceiptText?
    /// What the cryptogram says, if it was reported.
    public var cryptogramType: CryptogramType?
    /// Terminal verification results (95), hex: TVR.
    public var terminalVerificationResults: ReceiptText?
    /// Transaction status information (9B), hex: TSI.
    public var transactionStatusInformation: ReceiptText?
    /// Cardholder verification method: CVM.
    public var verification: CardVerification?
    /// What the issuer approved, when it is less than what was asked for.
    public var approvedAmount: Money?

    /// A transaction of which only this is known; set the rest.
    public init(_ kind: Kind, _ outcome: Outcome, tender: TenderKind? = nil) {
        self.kind = kind
        self.outcome = outcome
        self.tender = tender
    }

    /// What a card's summary tells.
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
        // What the card said was said at the sale; a refund is listed below it and has a paper of its own.
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
    /// How it was paid, for people: `Visa **** 4242`, `Cash`; `nil` if nothing was presented.
    public var tenderText: ReceiptText? { tenderText(.english) }

    func tenderText(_ labels: ReceiptLabels) -> ReceiptText? {
        guard let tender else { return nil }
        switch tender {
        case .cash: return labels[.cash]
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
