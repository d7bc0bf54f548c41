public import TillCore

/// The payment part of a receipt. What the provider did not send is `nil`, never made up.
public struct ReceiptTransaction: Hashable, Sendable {
    /// What was done.
    public enum Kind: String, Hashable, Sendable {
        /// Money taken, or asked for.
        case sale
        /// Money given back.
        case refund
        /// A hold let go.
        case void
        /// Money held.
        case authorization
    }

    /// What the issuer or the drawer said.
    public enum Outcome: String, Hashable, Sendable {
        /// Yes.
        case approved
        /// No.
        case declined
        /// Not known yet.
        case pending
        /// Nobody was asked.
        case none
    }

    /// What was done.
    public let kind: Kind
    /// What was answered.
    public let outcome: Outcome
    /// `card`, `reader`, `cash`; `nil` if nothing was presented.
    public let tender: TenderKind?
    /// As the provider spells it: `visa`.
    public let brand: ReceiptText?
    /// The last four digits of the card.
    public let lastFour: ReceiptText?
    /// `contact_emv`, `contactless_emv`, `keyed`, …
    public let entryMode: ReceiptText?
    /// The reader's label.
    public let reader: ReceiptText?
    /// The application's preferred name (9F12) or label.
    public let applicationName: ReceiptText?
    /// The application identifier (84).
    public let aid: ReceiptText?
    /// `credit`, `checking`, `savings`, …
    public let accountType: ReceiptText?
    /// The issuer's authorization code.
    public let authorizationCode: ReceiptText?
    /// The authorization response code (8A), the ARC.
    public let authorizationResponseCode: ReceiptText?
    /// The application cryptogram (9F26), hex.
    public let cryptogram: ReceiptText?
    /// Terminal verification results (95), hex: TVR.
    public let terminalVerificationResults: ReceiptText?
    /// Transaction status information (9B), hex: TSI.
    public let transactionStatusInformation: ReceiptText?
    /// Cardholder verification method: CVM.
    public let cardholderVerificationMethod: ReceiptText?
    /// What the issuer approved, when it is less than what was asked for.
    public let approvedAmount: Money?

    init(_ payment: Payment) {
        let taken = payment.captures.last { $0.state.isSucceeded }
        let attempt =
            payment.attempts.first { $0.id == taken?.attempt } ?? payment.currentAttempt ?? payment.attempts.last
        kind = ReceiptTransaction.kind(payment, attempt)
        outcome = ReceiptTransaction.outcome(attempt)
        tender = attempt?.tender.kind
        let card = attempt?.tender.card
        brand = ReceiptText(nonEmpty: card?.brand)
        lastFour = ReceiptText(nonEmpty: card?.lastFour)
        entryMode = ReceiptText(nonEmpty: card?.entryMode)
        reader = ReceiptText(nonEmpty: attempt?.tender.reader)
        let emv = card?.emv
        applicationName = ReceiptText(nonEmpty: emv?.applicationPreferredName)
        aid = ReceiptText(nonEmpty: emv?.dedicatedFileName)
        accountType = ReceiptText(nonEmpty: emv?.accountType)
        authorizationCode = ReceiptText(nonEmpty: emv?.authorizationCode)
        authorizationResponseCode = ReceiptText(nonEmpty: emv?.authorizationResponseCode)
        cryptogram = ReceiptText(nonEmpty: emv?.applicationCryptogram)
        terminalVerificationResults = ReceiptText(nonEmpty: emv?.terminalVerificationResults)
        transactionStatusInformation = ReceiptText(nonEmpty: emv?.transactionStatusInformation)
        cardholderVerificationMethod = ReceiptText(nonEmpty: emv?.cardholderVerificationMethod)
        if let authorized = attempt?.authorization?.amount, authorized != attempt?.amount {
            approvedAmount = authorized
        } else {
            approvedAmount = nil
        }
    }

    private static func kind(_ payment: Payment, _ attempt: Attempt?) -> Kind {
        switch payment.status {
        case .refunded, .partiallyRefunded: return .refund
        case .succeeded, .partiallyCaptured: return .sale
        case .requiresCapture, .expired: return .authorization
        case .requiresPaymentMethod, .declined, .requiresAction, .processing, .unknown, .canceled: break
        }
        if case .voided? = attempt?.state { return .void }
        return payment.captureMode == .manual ? .authorization : .sale
    }

    private static func outcome(_ attempt: Attempt?) -> Outcome {
        switch attempt?.state {
        case .authorized, .voided, .expired: .approved
        case .declined: .declined
        case .inFlight, .unknown, .requiresAction: .pending
        case .notSent, nil: .none
        }
    }
}

extension ReceiptTransaction {
    /// How it was paid, for people: `Visa **** 4242`, `Cash`; `nil` if nothing was presented.
    public var tenderText: ReceiptText? {
        guard let tender else { return nil }
        switch tender {
        case .cash: return ReceiptText("Cash")
        case .card, .reader:
            let name = brandName ?? "Card"
            return ReceiptText(lastFour.map { "\(name) **** \($0.plain)" } ?? name)
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
        case "eftpos_au": "eftpos Australia"
        case "unknown": "Card"
        default: brand.plain
        }
    }

    /// Label and value of all that is known of it, in the order of a receipt.
    var facts: [(label: StaticString, value: ReceiptText)] {
        func words(_ code: ReceiptText?) -> ReceiptText? {
            code.map { code in
                switch code.plain {
                case "contact_emv": ReceiptText("Chip")
                case "contactless_emv", "contactless_magstripe_mode": ReceiptText("Contactless")
                case "magnetic_stripe_track2", "magnetic_stripe_fallback": ReceiptText("Swiped")
                case "keyed": ReceiptText("Typed in")
                default: ReceiptText(code.plain.replacing("_", with: " "))
                }
            }
        }
        let kindText =
            switch kind {
            case .sale: ReceiptText("Sale")
            case .refund: ReceiptText("Refund")
            case .void: ReceiptText("Void")
            case .authorization: ReceiptText("Authorization")
            }
        let outcomeText: ReceiptText? =
            switch outcome {
            case .approved: ReceiptText("Approved")
            case .declined: ReceiptText("Declined")
            case .pending: ReceiptText("Not known yet")
            case .none: nil
            }
        let all: [(StaticString, ReceiptText?)] = [
            ("Transaction", kindText), ("Result", outcomeText), ("Paid with", tenderText),
            ("Entry", words(entryMode)), ("Application", applicationName), ("AID", aid),
            ("Account", words(accountType)), ("Authorization code", authorizationCode),
            ("ARC", authorizationResponseCode), ("Cryptogram", cryptogram), ("TVR", terminalVerificationResults),
            ("TSI", transactionStatusInformation), ("CVM", words(cardholderVerificationMethod)),
        ]
        return all.compactMap { label, value in
            guard let value else { return nil }
            // Nothing was paid with a card that was declined.
            let isPaid = outcome == .approved
            return (label.description == "Paid with" && !isPaid ? "Presented" : label, value)
        }
    }
}
