/// A wallet's single-payment token, opened here or sealed for the provider.
public struct WalletPayment: Sendable {
    /// An opened token: an account number of the wallet's own, with proof that the customer's device took part.
    public struct NetworkToken: Sendable {
        public enum Proof: Sendable {
            /// A 3-D Secure cryptogram. The indicator is passed on if, and only if, the wallet gave one.
            case threeDSecure(cryptogram: Secret<String>, eciIndicator: String?)
            /// EMV data, and the PIN where the region has one.
            case emv(data: Secret<String>, pin: Secret<String>?)
        }

        /// The wallet's account number, which differs from the number printed on the card.
        public let number: Secret<String>
        /// The month and year after which the number is invalid.
        public let expiry: Secret<CardExpiry>
        /// Proof that the customer's device took part.
        public let proof: Proof
        /// The cardholder's name, if the wallet gave it.
        public let holder: Secret<String>?
        /// The manufacturer of the device, as the wallet spells it.
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

    /// The wallet's name, such as `apple_pay`.
    public let wallet: String
    /// The wallet's transaction identifier.
    public let transaction: String
    /// The opened token; `nil` if only the provider can open it.
    public let networkToken: NetworkToken?
    /// The token as received from the wallet, JSON, for providers that open it themselves.
    public let sealed: Secret<[UInt8]>
    /// The wallet's description of the card, such as `Visa 1234`. Not signed.
    public let instrumentName: String?
    /// The card's network, as the wallet names it. Not signed.
    public let network: String?
    /// The brand and last four digits.
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
