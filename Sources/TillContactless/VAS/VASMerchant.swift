import Crypto
import Foundation

/// A shop's loyalty pass as a reader asks for it.
public struct VASMerchant: Hashable, Sendable {
    /// The pass type identifier, such as `pass.com.example.loyalty`.
    public let passTypeIdentifier: String
    /// Where a customer without the pass may get it; https, at most 190 bytes.
    public let signUpURL: String?

    /// The longest sign-up address that one short command can carry beside the rest.
    static let longestURL = 190
    /// The longest identifier that is taken, in bytes.
    public static let longestIdentifier = 256

    /// Nil for an empty or too long identifier, or an address that is not https or is too long.
    public init?(passTypeIdentifier: String, signUpURL: String? = nil) {
        guard (1...VASMerchant.longestIdentifier).contains(passTypeIdentifier.utf8.count) else { return nil }
        if let signUpURL {
            guard signUpURL.hasPrefix("https://"), signUpURL.utf8.count <= VASMerchant.longestURL,
                URL(string: signUpURL)?.host() != nil
            else { return nil }
        }
        self.passTypeIdentifier = passTypeIdentifier
        self.signUpURL = signUpURL
    }

    /// SHA-256 of the identifier: what goes to the phone instead of the name.
    public var identifierHash: [UInt8] { Array(SHA256.hash(data: Array(passTypeIdentifier.utf8))) }
}

/// How pass and payment go together in one tap.
public enum VASMode: UInt8, Hashable, Sendable {
    /// The pass or the payment, whichever comes first.
    case passOrPayment = 0x00
    /// Both, where the wallet has both.
    case passAndPayment = 0x01
    /// The pass alone; no payment follows.
    case passOnly = 0x02
    /// The payment alone; no pass is asked for.
    case paymentOnly = 0x03
}

/// What a wallet said about one pass. The numbers are those of the status of a read entry in Apple's interface.
public enum VASStatus: Int, Hashable, Sendable {
    /// The pass was read.
    case success = 0
    /// The wallet has no such pass.
    case vasDataNotFound = 1
    /// The device is locked or the pass waits for its owner.
    case vasDataNotActivated = 2
    /// The command's parameters were wrong.
    case wrongP1P2 = 3
    /// The command's length was wrong.
    case wrongCommandLength = 4
    /// The owner must do something.
    case userInterventionRequired = 5
    /// The command's data were wrong.
    case incorrectData = 6
    /// The wallet speaks another version.
    case unsupportedApplicationVersion = 7

    /// The status of a status word; nil for one that is not known.
    public init?(_ word: StatusWord) {
        switch word.rawValue {
        case 0x9000: self = .success
        case 0x6A83: self = .vasDataNotFound
        case 0x6287: self = .vasDataNotActivated
        case 0x6B00: self = .wrongP1P2
        case 0x6700: self = .wrongCommandLength
        case 0x6984: self = .userInterventionRequired
        case 0x6A80: self = .incorrectData
        case 0x6340: self = .unsupportedApplicationVersion
        default: return nil
        }
    }
}
