/// What a wallet hands over: an account number of its own with a cryptogram that is good for one payment.
public struct WalletPayment: Sendable {
    /// The wallet, as `apple_pay`.
    public let wallet: String
    /// The wallet's own account number, which is not the one printed on the card.
    public let number: Secret<String>
    /// Month and year after which the number is not good.
    public let expiry: Secret<CardExpiry>
    /// Proof that the customer's device took part.
    public let cryptogram: Secret<String>
    /// The electronic commerce indicator, passed on if, and only if, the wallet gave one.
    public let eciIndicator: String?
    /// The token as the wallet gave it, for providers that open it themselves.
    public let sealed: Secret<[UInt8]>
    /// Brand and last four digits.
    public let card: CardSummary

    /// Makes one.
    public init(
        wallet: String, number: Secret<String>, expiry: Secret<CardExpiry>, cryptogram: Secret<String>,
        eciIndicator: String?, sealed: Secret<[UInt8]>, card: CardSummary
    ) {
        self.wallet = wallet
        self.number = number
        self.expiry = expiry
        self.cryptogram = cryptogram
        self.eciIndicator = eciIndicator
        self.sealed = sealed
        self.card = card
    }
}
