/// How the holder of a card was verified: the CVM. Open: what is not known keeps its raw value.
public struct CardVerification: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A PIN that the chip checked.
    public static let offlinePIN = CardVerification(rawValue: "offline_pin")
    /// A PIN that the chip checked, and a signature.
    public static let offlinePINAndSignature = CardVerification(rawValue: "offline_pin_and_signature")
    /// A PIN that the issuer checked.
    public static let onlinePIN = CardVerification(rawValue: "online_pin")
    /// A signature on paper.
    public static let signature = CardVerification(rawValue: "signature")
    /// Checked by the customer's device.
    public static let onDevice = CardVerification(rawValue: "approval")
    /// The customer was not asked to prove anything.
    public static let none = CardVerification(rawValue: "none")
    /// Asked for and failed.
    public static let failure = CardVerification(rawValue: "failure")

    /// The merchant copy needs a line to sign on.
    public var asksForSignature: Bool { self == .signature || self == .offlinePINAndSignature }

    /// What a receipt calls it; `nil` if it is one that we do not know.
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
