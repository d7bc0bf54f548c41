public import Foundation
public import TillCore
public import TillHardware
public import TillReceipts

extension ReceiptContent {
    /// Creates the receipt of an intent that was paid at a reader, without a journal: for an app that only talks to a
    /// provider's SDK.
    ///
    /// ```swift
    /// import TillHardware
    /// import TillReceipts
    ///
    /// let store = StoreDetails(name: "Corner shop")
    /// let slip = try ReceiptContent(paid, order: order, reader: reader, store: store, isTest: true)
    /// print(ReceiptRenderer.text(slip))
    /// ```
    ///
    /// The verdict follows the intent's status: a hold is not a payment, and a status that is not understood says that
    /// the outcome is not known.
    /// - Parameters:
    ///   - order: The order with its lines; without one the receipt has one line.
    ///   - reader: The reader at which the card was presented.
    ///   - date: The time of the payment; the intent's creation by default.
    ///   - isTest: `true` if no money moved because of test credentials.
    /// - Throws: `ReceiptError.noCardPresent` if the intent has no card that was presented at a reader,
    ///   and `ReceiptError.doesNotAddUp` or `.mixedCurrencies` if the intent's amount is not that of the order and its
    ///   tip.
    public init(
        _ intent: PaymentIntent, order: Order? = nil, reader: CardReader? = nil, store: StoreDetails,
        date: Timestamp? = nil, isTest: Bool, locale: Locale = .current
    ) throws(ReceiptError) {
        guard
            let parameters = CardPresentReceiptParameters(
                intent, storeName: store.name.plain, date: date ?? intent.created ?? SystemClock().now(),
                reader: reader)
        else { throw .noCardPresent }
        try self.init(
            parameters, payment: PaymentID(rawValue: intent.id.rawValue), verdict: ReceiptVerdict(intent),
            captured: intent.captured, tip: intent.tip, order: order, store: store, isTest: isTest, locale: locale)
    }

    /// Creates the receipt of a payment at a reader from its data.
    /// - Parameters:
    ///   - payment: The identifier printed on the receipt.
    ///   - captured: The amount captured so far.
    ///   - tip: The part of the amount that is a tip.
    /// - Throws: `ReceiptError.doesNotAddUp` or `.mixedCurrencies` if the amount is not that of the order and its tip.
    public init(
        _ parameters: CardPresentReceiptParameters, payment: PaymentID, verdict: ReceiptVerdict, captured: Money,
        tip: Money? = nil, order: Order? = nil, store: StoreDetails, isTest: Bool, locale: Locale = .current
    ) throws(ReceiptError) {
        var transaction = ReceiptTransaction(
            verdict == .held ? .authorization : .sale, ReceiptTransaction.Outcome(verdict), tender: .reader)
        transaction.take(parameters.cardDetails.summary)
        transaction.reader = ReceiptText(nonEmpty: parameters.reader)
        let goods = tip.flatMap { parameters.amount.subtracting(ifExact: $0) } ?? parameters.amount
        let lines: [ReceiptLineItem]
        var rows: [ReceiptSummaryRow]
        if let order {
            guard order.currency == parameters.amount.currency else { throw .mixedCurrencies }
            guard order.total == goods else { throw .doesNotAddUp(expected: order.total, found: goods) }
            (lines, rows) = ReceiptContent.body(of: order, locale: locale)
        } else {
            (lines, rows) = ReceiptContent.body(ofAmount: goods, locale: locale)
        }
        if let tip { rows.append(ReceiptSummaryRow(.tip, amount: tip)) }
        self.init(
            store: store, locale: locale, paymentID: payment,
            orderNumber: order?.number ?? parameters.order?.rawValue ?? payment.rawValue, date: parameters.date,
            verdict: verdict, lineItems: lines, summary: rows, total: parameters.amount, transaction: transaction,
            captured: captured, refunded: .zero(parameters.amount.currency))
        self.isTest = isTest
        try check()
    }
}

extension PaymentIntent {
    /// The amount captured: of the charges that were, or all of an intent that is paid.
    var captured: Money {
        let taken = charges.last { $0.isCaptured && $0.status == .succeeded }
        guard status == .succeeded else { return .zero(amount.currency) }
        return taken?.amount ?? amount
    }
}

extension ReceiptVerdict {
    /// Creates the verdict of an intent.
    init(_ intent: PaymentIntent) {
        switch intent.status {
        case .succeeded: self = intent.captured == intent.amount ? .paid : .partlyPaid
        case .requiresCapture: self = .held
        case .canceled, .requiresPaymentMethod: self = .notPaid
        default: self = .notConfirmed
        }
    }
}

extension ReceiptTransaction.Outcome {
    init(_ verdict: ReceiptVerdict) {
        switch verdict {
        case .paid, .partlyRefunded, .refunded, .held: self = .approved
        case .partlyPaid: self = .partial
        case .storedOffline: self = .none
        case .notPaid: self = .declined
        case .notConfirmed: self = .pending
        }
    }
}
