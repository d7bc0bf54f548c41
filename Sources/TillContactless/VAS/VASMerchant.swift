import Crypto
import Foundation

/// A merchant's loyalty pass, as requested by a reader.
public struct VASMerchant: Hashable, Sendable {
    /// The pass type identifier, such as `pass.com.example.loyalty`.
    public let passTypeIdentifier: String
    /// The sign-up URL for customers without the pass; https, at most 190 bytes.
    public let signUpURL: String?

    /// The longest sign-up URL that fits into a short command with the other fields.
    static let longestURL = 190
    /// The longest identifier accepted, in bytes.
    public static let longestIdentifier = 256

    /// Returns `nil` for an empty or overlong identifier, or a URL that is not https or too long.
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

    /// SHA-256 of the identifier, sent to the phone in place of the name.
    public var identifierHash: [UInt8] { Array(SHA256.hash(data: Array(passTypeIdentifier.utf8))) }
}

/// The combination of pass and payment in one tap.
public enum VASMode: UInt8, Hashable, Sendable {
    /// Pass or payment, whichever comes first.
    case passOrPayment = 0x00
    /// Both, if the wallet has both.
    case passAndPayment = 0x01
    /// Pass only; no payment follows.
    case passOnly = 0x02
    /// Payment only; no pass is requested.
    case paymentOnly = 0x03
}

/// The wallet's status for one pass. Raw values match the status of a read entry in Apple's interface.
public enum VASStatus: Int, Hashable, Sendable {
    /// The pass was read.
    case success = 0
    /// The wallet does not have the pass.
    case vasDataNotFound = 1
    /// The device is locked, or the pass awaits confirmation on the device.
    case vasDataNotActivated = 2
    /// The command's parameters were wrong.
    case wrongP1P2 = 3
    /// The command's length was wrong.
    case wrongCommandLength = 4
    /// The customer must act on the device.
    case userInterventionRequired = 5
    /// The command's data were wrong.
    case incorrectData = 6
    /// The wallet uses another protocol version.
    case unsupportedApplicationVersion = 7

    /// Returns the status for a status word; `nil` if unknown.
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
