/// The cardholder verification method (CVM). Open: an unknown value keeps its raw text.
public struct CardVerification: RawRepresentable, Hashable, Sendable {
    /// The raw text, unchanged.
    public let rawValue: String
    /// Wraps the text unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Offline PIN, verified by the chip.
    public static let offlinePIN = CardVerification(rawValue: "offline_pin")
    /// Offline PIN, verified by the chip, and a signature.
    public static let offlinePINAndSignature = CardVerification(rawValue: "offline_pin_and_signature")
    /// Online PIN, verified by the issuer.
    public static let onlinePIN = CardVerification(rawValue: "online_pin")
    /// Signature on paper.
    public static let signature = CardVerification(rawValue: "signature")
    /// Verified on the customer's device.
    public static let onDevice = CardVerification(rawValue: "approval")
    /// No cardholder verification was requested.
    public static let none = CardVerification(rawValue: "none")
    /// Cardholder verification was requested and failed.
    public static let failure = CardVerification(rawValue: "failure")

    /// `true` if the merchant copy needs a signature line.
    public var asksForSignature: Bool { self == .signature || self == .offlinePINAndSignature }

    /// The label on a receipt; `nil` for an unknown method.
    var label: ReceiptLabel? {
        switch self {
        case .offlinePIN: .pinOffline
        case .offlinePINAndSignature: .pinAndSignature
        case .onlinePIN: .pinOnline
        case .signature: .signatureMethod
        case .onDevice: .verifiedOnDevice
        case .none: .noVerification
        case .failure: .verificationFailed
        default: nil
        }
    }
}
