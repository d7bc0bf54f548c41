internal import Crypto
internal import Foundation
internal import TillCore
internal import TillHardware

/// The name of one payment request at a terminal, with all that is needed to query for it.
struct AdyenTerminalSale: Hashable {
    let terminal: String
    /// The mark of the till: the terminal tells each till of its own requests only.
    let till: String
    /// The request's id at the terminal.
    let name: String
    let amount: Money

    init(terminal: String, till: String, amount: Money, key: IdempotencyKey) {
        self.terminal = terminal
        self.till = AdyenTerminalSale.mark(of: till)
        self.amount = amount
        name = AdyenTerminalConversation.requestName("\(terminal)/\(self.till)/\(amount)/\(key)", "pay")
    }

    /// Parses an intent's id: terminal, till, request, minor units and currency.
    init?(_ id: ProviderReference) {
        let parts = id.rawValue.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count >= 5, let minorUnits = Int64(parts[parts.count - 2]), minorUnits > 0,
            let currency = Currency(ifValid: parts[parts.count - 1])
        else { return nil }
        terminal = parts.dropLast(4).joined(separator: ".")
        till = parts[parts.count - 4]
        name = parts[parts.count - 3]
        amount = Money(minorUnits: minorUnits, currency: currency)
        guard !terminal.isEmpty, (1...AdyenTerminal.longestName).contains(name.utf8.count) else { return nil }
    }

    var id: ProviderReference {
        ProviderReference(rawValue: "\(terminal).\(till).\(name).\(amount.minorUnits).\(amount.currency.code)")
    }

    /// Returns a till's mark: a till's name may have any characters.
    static func mark(of till: String) -> String { Hex.text(Array(SHA256.hash(data: Array(till.utf8)).prefix(8))) }
}

extension PaymentIntent {
    /// Creates the intent of a payment request, as the terminal tells of it.
    init(
        _ sale: AdyenTerminalSale, _ standing: AdyenTerminalConversation.Standing, _ account: AccountID,
        _ order: OrderID?
    ) throws(CardReaderFailure) {
        let status: PaymentIntentStatus
        var charges: [Charge] = []
        var last: Decline?
        switch standing {
        case .taken(let authorization):
            status = .succeeded
            charges = [
                Charge(
                    id: authorization.reference, amount: authorization.amount, status: .succeeded,
                    paymentMethod: PaymentMethod(authorization.card), isCaptured: true)
            ]
        case .refused(let decline):
            status = .canceled
            last = decline
            charges = [
                Charge(id: sale.id, amount: sale.amount, status: .failed, paymentMethod: PaymentMethod(decline.card))
            ]
        case .neverCame: status = .requiresPaymentMethod
        case .open: status = .processing
        }
        try self.init(
            id: sale.id, account: account, order: order, status: status, amount: sale.amount, charges: charges,
            lastDecline: last)
    }
}

extension PaymentMethod {
    fileprivate init?(_ card: CardSummary?) {
        guard let card else { return nil }
        self = .cardPresent(
            details: CardPresentTransactionDetails(brand: CardBrand(rawValue: card.brand), lastFour: card.lastFour))
    }
}

extension CardReaderFailure {
    init(_ error: AdyenTerminalError) {
        switch error {
        case .notSent: self.init(.readerOffline)
        case .unknown: self.init(.requestTimedOut)
        case .malformed, .otherKey, .brokenSeal, .otherMessage: self.init(.processorResponseUnreadable)
        }
        details.message = error.reason
    }

    /// A request that may have been carried out.
    init(open reason: String) {
        self.init(.requestTimedOut)
        details.message = reason
    }

    /// Maps a terminal's refusal.
    init(_ decline: Decline, intent: PaymentIntent) {
        switch decline.reason {
        case .canceledAtReader: self.init(.commandCanceled, intent: intent)
        case .readerUnavailable: self.init(.readerBusy, intent: intent)
        case .invalidRequest: self.init(.processorAPIError, intent: intent)
        default: self.init(.paymentDeclinedByPaymentProcessor, intent: intent)
        }
        details.decline = decline
        details.message = decline.message
        details.providerCode = decline.code.map { .api($0) }
    }
}
