/// What a wallet hands over: a token that is valid for one payment, opened here or sealed for the provider.
public struct WalletPayment: Sendable {
    /// An opened token: an account number of the wallet's own, with proof that the customer's device took part.
    public struct NetworkToken: Sendable {
        public enum Proof: Sendable {
            /// A cryptogram of 3-D Secure. The indicator is passed on if, and only if, the wallet gave one.
            case threeDSecure(cryptogram: Secret<String>, eciIndicator: String?)
            /// A chip's data, and the PIN where the region has one.
            case emv(data: Secret<String>, pin: Secret<String>?)
        }

        /// The account number, which is not the one printed on the card.
        public let number: Secret<String>
        /// Month and year after which the number is not good.
        public let expiry: Secret<CardExpiry>
        /// Proof that the customer's device took part.
        public let proof: Proof
        /// The cardholder's name, if the wallet gave it.
        public let holder: Secret<String>?
        /// Who made the device, as the wallet writes it.
        public let deviceManufacturer: String?

        public init(
            number: Secret<String>, expiry: Secret<CardExpiry>, proof: Proof, holder: Secret<String>? = nil,
            deviceManufacturer: String? = nil
        ) {
            self.number = number
            self.expiry = expiry
            self.proof = proof
            self.holder = holder
            self.deviceManufacturer = deviceManufacturer
        }
    }

    /// The wallet, as `apple_pay`.
    public let wallet: String
    /// The wallet's identifier of the transaction.
    public let transaction: String
    /// The opened token; `nil` if only the provider can open it.
    public let networkToken: NetworkToken?
    /// The token as the wallet gave it, JSON, for providers that open it themselves.
    public let sealed: Secret<[UInt8]>
    /// What the wallet says of the card, such as `Visa 1234`. Nobody signed it.
    public let instrumentName: String?
    /// The card's network in the wallet's words. Nobody signed it.
    public let network: String?
    /// Brand and last four digits.
    public let card: CardSummary

    public init(
        wallet: String, transaction: String, networkToken: NetworkToken?, sealed: Secret<[UInt8]>,
        instrumentName: String? = nil, network: String? = nil, card: CardSummary
    ) {
        self.wallet = wallet
        self.transaction = transaction
        self.networkToken = networkToken
        self.sealed = sealed
        self.instrumentName = instrumentName
        self.network = network
        self.card = card
    }
}
