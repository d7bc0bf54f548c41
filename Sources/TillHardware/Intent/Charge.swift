public import TillCore

/// One try to take the money of an intent, with what it was paid with.
public struct Charge: Hashable, Sendable {
    /// The provider's name for it.
    public let id: ProviderReference
    public let amount: Money
    public let status: ChargeStatus
    public let description: String?
    /// The metadata that the provider has of it.
    public let metadata: [String: String]
    /// What was paid with.
    public let paymentMethod: PaymentMethod?
    /// Whether the money was taken, or is only held.
    public let isCaptured: Bool
    /// Until when held money can be taken.
    public let captureBefore: Timestamp?
    /// The issuer's code for the authorization.
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

/// How a charge ended. Open: a status that is not known keeps its raw value and is not a failure.
public struct ChargeStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The issuer authorized it.
    public static let succeeded = ChargeStatus(rawValue: "succeeded")
    /// The provider does not know yet how it ended.
    public static let pending = ChargeStatus(rawValue: "pending")
    /// The issuer declined it.
    public static let failed = ChargeStatus(rawValue: "failed")
}
