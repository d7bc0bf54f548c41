public import Foundation
public import TillCore

extension Money {
    /// Converts a decimal number of major units to exact minor units without rounding.
    /// - Throws: ``PaymentCardReaderSession/ReadError/invalidCurrencyCode`` or
    ///   ``PaymentCardReaderSession/ReadError/invalidAmount``.
    public init(exactly amount: Decimal, currencyCode: String) throws(PaymentCardReaderSession.ReadError) {
        guard let currency = Currency(ifValid: currencyCode) else { throw .invalidCurrencyCode }
        guard amount.isFinite, let money = Money(ifValid: amount.description, currency: currency) else {
            throw .invalidAmount
        }
        self = money
    }
}
