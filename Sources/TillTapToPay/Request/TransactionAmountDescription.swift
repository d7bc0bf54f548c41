public import Foundation

extension PaymentCardTransactionRequest {
    /// The composition or purpose of an amount. iOS 18.
    public enum TransactionAmountDescription: Hashable, Sendable {
        /// A surcharge of this many hundredths of a percent: 250 is 2.5 %. Apple uses a floating-point percentage here.
        case surcharge(basisPoints: Int)
        /// A surcharge in major units.
        case surchargeAmount(Decimal)
        /// One of several payments.
        case installment(PaymentCycle, amount: Decimal, payments: Int)
        /// A membership's price per period.
        case membership(PaymentCycle)
        /// A hold of this amount.
        case preauthorizationAmount(Decimal)
        case preauthorization
        /// The release of a hold.
        case preauthorizationRelease
    }

    public enum PaymentCycle: String, Hashable, Sendable {
        case weekly
        case monthly
        case yearly
    }
}
