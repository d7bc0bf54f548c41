public import Foundation
public import TillCore

/// A request to read a card for an amount.
public struct PaymentCardTransactionRequest: Hashable, Sendable {
    /// The amount in major units, as in Apple's API. ``money()`` returns it exact in minor units.
    public var amount: Decimal
    /// ISO 4217, three letters.
    public var currencyCode: String
    public var type: TransactionType
    /// Preferred application identifiers in order, for cards with more than one. iOS 16.4.
    public var preferredAIDList: [Data] = []
    /// The language of the sheet, such as `fr-CA`; nil: the device's. iOS 17.
    public var userInterfaceLanguage: String?
    /// The composition of the amount. iOS 18.
    public var transactionDescription: TransactionAmountDescription?
    /// The payment that the read is for. Till's drivers seal it into the card data, so that they are valid for this
    /// payment only. Not in Apple's API, which ignores it.
    public var reference: String?

    /// The maximum number of preferred applications.
    public static let mostPreferredAIDs = 16

    /// Creates a request in Apple's form.
    public init(amount: Decimal, currencyCode: String, for type: TransactionType = .purchase) {
        (self.amount, self.currencyCode, self.type) = (amount, currencyCode, type)
    }

    /// Creates a request for an exact amount.
    public init(_ money: Money, for type: TransactionType = .purchase, reference: String? = nil) {
        // Every exact amount is a decimal number of at most 19 digits, which a Decimal holds exactly.
        amount = Decimal(string: money.decimalString, locale: Locale(identifier: "en_US_POSIX")) ?? Decimal.nan
        currencyCode = money.currency.code
        self.type = type
        self.reference = reference
    }

    /// Returns the amount, exact in minor units.
    /// - Throws: ``PaymentCardReaderSession/ReadError/invalidCurrencyCode``, or
    ///   ``PaymentCardReaderSession/ReadError/invalidAmount`` for an amount that is not above zero, has more decimal
    ///   places than the currency, or does not fit.
    public func money() throws(PaymentCardReaderSession.ReadError) -> Money {
        let money = try Money(exactly: amount, currencyCode: currencyCode)
        guard money.isPositive else { throw .invalidAmount }
        return money
    }

    /// Checks all fields before a reader is called.
    func check() throws(PaymentCardReaderSession.ReadError) {
        _ = try money()
        guard preferredAIDList.count <= PaymentCardTransactionRequest.mostPreferredAIDs,
            preferredAIDList.allSatisfy({ (5...16).contains($0.count) })
        else { throw .invalidPreferredAID }
    }
}
