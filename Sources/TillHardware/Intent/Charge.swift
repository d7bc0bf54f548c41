public import TillCore

/// One attempt to charge an intent, with the payment method used.
public struct Charge: Hashable, Sendable {
    /// The provider's identifier.
    public let id: ProviderReference
    public let amount: Money
    public let status: ChargeStatus
    public let description: String?
    /// The metadata stored by the provider.
    public let metadata: [String: String]
    /// The payment method used.
    public let paymentMethod: PaymentMethod?
    /// `true` if the money was captured, `false` if it is only held.
    public let isCaptured: Bool
    /// The deadline for capturing held money.
    public let captureBefore: Timestamp?
    /// The issuer's authorization code.
    public let authorizationCode: String?

    public init(
        id: ProviderReference, amount: Money, status: ChargeStatus, description: String? = nil,
        metadata: [String: String] = [:], paymentMethod: PaymentMethod? = nil, isCaptured: Bool = false,
        captureBefore: Timestamp? = nil, authorizationCode: String? = nil
    ) {
        self.id = id
        self.amount = amount
        self.status = status
        self.description = description
        self.metadata = metadata
        self.paymentMethod = paymentMethod
        self.isCaptured = isCaptured
        self.captureBefore = captureBefore
        self.authorizationCode = authorizationCode
    }
}

/// The outcome of a charge. Open: an unknown status keeps its raw value and is not a failure.
public struct ChargeStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The issuer authorized it.
    public static let succeeded = ChargeStatus(rawValue: "succeeded")
    /// The provider does not know the outcome yet.
    public static let pending = ChargeStatus(rawValue: "pending")
    /// The issuer declined it.
    public static let failed = ChargeStatus(rawValue: "failed")
}
