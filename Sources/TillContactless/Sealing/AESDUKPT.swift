import Crypto
import CryptoExtras
public import TillCore

/// A key for each transaction, derived from one that a terminal was given: AES DUKPT. An option for providers who
/// expect it; the card's data go sealed by ``CardEnvelope`` otherwise. Source: ANSI X9.24-3-2017.
///
/// The serial number of a key, which goes in the clear with what it sealed, is the terminal's key identifier (eight
/// bytes) and a count of 32 bits. The count skips numbers with more than ``mostOnes`` bits set.
public struct AESDUKPT: Sendable {
    /// The most bits that may be set in a count.
    public static let mostOnes = 16
    /// The transaction counter after which a device needs a new key.
    public static let lastCount: UInt32 = 0xFFFF_0000

    /// What a key is for.
    public enum Usage: UInt16, Hashable, Sendable {
        /// A key that wraps another key.
        case keyEncryption = 0x0002
        /// A key for PIN blocks.
        case pinEncryption = 0x1000
        /// Authenticating, terminal to host.
        case messageAuthentication = 0x2000
        /// Checking, host to terminal.
        case messageVerification = 0x2001
        /// A key for message authentication, both ways.
        case messageBothWays = 0x2002
        /// Data, terminal to host.
        case dataEncryption = 0x3000
        /// Data, host to terminal.
        case dataDecryption = 0x3001
        /// A key for data, both ways.
        case dataBothWays = 0x3002
    }

    /// The lengths of AES keys.
    public enum Length: UInt16, Hashable, Sendable {
        /// AES with a key of 16 bytes.
        case aes128 = 128
        /// AES with a key of 24 bytes.
        case aes192 = 192
        /// AES with a key of 32 bytes.
        case aes256 = 256

        /// 2, 3 and 4.
        fileprivate var algorithm: UInt16 { rawValue / 64 }
    }

    private enum Purpose {
        case initial, derivation
        case use(Usage)
        var code: UInt16 {
            switch self {
            case .initial: 0x8001
            case .derivation: 0x8000
            case .use(let usage): usage.rawValue
            }
        }
    }

    /// The terminal's key identifier, eight bytes.
    public let identifier: [UInt8]
    /// How long the terminal's own keys are.
    public let length: Length
    private let initial: Secret<[UInt8]>

    /// From the key that a terminal was given.
    /// - Returns: nil for a key that is not one, or an identifier that has not eight bytes.
    public init?(initialKey: Secret<[UInt8]>, identifier: [UInt8]) {
        guard let length = UInt16(exactly: initialKey.reveal().count * 8).flatMap({ Length(rawValue: $0) }),
            identifier.count == 8
        else { return nil }
        (initial, self.identifier, self.length) = (initialKey, identifier, length)
    }

    /// From the key that the host derives all terminals' keys from. Only the host has it.
    public init?(baseKey: Secret<[UInt8]>, identifier: [UInt8]) {
        guard let length = UInt16(exactly: baseKey.reveal().count * 8).flatMap({ Length(rawValue: $0) }),
            identifier.count == 8,
            let made = AESDUKPT.derive(
                baseKey.reveal(), AESDUKPT.context(.initial, length, identifier, count: 0), length)
        else { return nil }
        (initial, self.identifier, self.length) = (Secret(made), identifier, length)
    }

    /// The key that a terminal is given. A secret.
    public var initialKey: Secret<[UInt8]> { initial }

    /// The serial number of a count's keys.
    public func serialNumber(_ count: UInt32) -> [UInt8] { identifier + TerminalData.bigEndian(UInt64(count), 4) }

    /// A key of a count; nil for a count that is not used.
    public func key(_ usage: Usage, _ length: Length, count: UInt32) -> Secret<[UInt8]>? {
        guard let parent = derivationKey(count) else { return nil }
        return AESDUKPT.derive(
            parent.reveal(), AESDUKPT.context(.use(usage), length, identifier, count: count), length
        ).map { Secret($0) }
    }

    /// The key that a count's keys are derived from; nil for a count that is not used.
    public func derivationKey(_ count: UInt32) -> Secret<[UInt8]>? {
        guard count > 0, count <= AESDUKPT.lastCount, count.nonzeroBitCount <= AESDUKPT.mostOnes else { return nil }
        var key = initial.reveal()
        var reached: UInt32 = 0
        for bit in (0..<32).reversed() where count & (1 << UInt32(bit)) != 0 {
            reached |= 1 << UInt32(bit)
            guard
                let next = AESDUKPT.derive(
                    key, AESDUKPT.context(.derivation, length, identifier, count: reached), length)
            else { return nil }
            key = next
        }
        return Secret(key)
    }

    /// The next count that is used; nil at the end of a terminal's key, when it needs another.
    public static func next(after count: UInt32) -> UInt32? {
        var next = count
        repeat {
            guard next < lastCount else { return nil }
            // With too many bits set, whole runs are passed over at once.
            next =
                next.nonzeroBitCount >= mostOnes && next != 0
                ? next &+ (1 << UInt32(next.trailingZeroBitCount)) : next + 1
        } while next.nonzeroBitCount > mostOnes
        return next <= lastCount ? next : nil
    }

    private static func context(
        _ purpose: Purpose, _ length: Length, _ identifier: [UInt8], count: UInt32
    ) -> [UInt8] {
        let tail: [UInt8] =
            if case .initial = purpose { identifier } else {
                Array(identifier.suffix(4)) + TerminalData.bigEndian(UInt64(count), 4)
            }
        return [0x01, 0x01] + TerminalData.bigEndian(UInt64(purpose.code), 2)
            + TerminalData.bigEndian(UInt64(length.algorithm), 2)
            + TerminalData.bigEndian(UInt64(length.rawValue), 2) + tail
    }

    /// Blocks of the context, numbered from 1, each enciphered alone.
    private static func derive(_ key: [UInt8], _ context: [UInt8], _ length: Length) -> [UInt8]? {
        let wanted = Int(length.rawValue) / 8
        var made: [UInt8] = []
        var number: UInt8 = 1
        while made.count < wanted {
            var block = context
            block[1] = number
            guard (try? AES.permute(&block, key: SymmetricKey(data: key))) != nil else { return nil }
            made += block
            number += 1
        }
        return Array(made.prefix(wanted))
    }
}
