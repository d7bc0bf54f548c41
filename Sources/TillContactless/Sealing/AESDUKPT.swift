import Crypto
import CryptoExtras
public import TillCore

/// AES DUKPT: a unique key per transaction, derived from a terminal's initial key. An option for providers that require
/// it; otherwise card data are sealed with ``CardEnvelope``. Source: ANSI X9.24-3-2017.
///
/// A key serial number, sent in the clear with the encrypted data, consists of the terminal's key identifier (eight
/// bytes) and a 32-bit transaction counter. The counter skips numbers with more than ``mostOnes`` bits set.
public struct AESDUKPT: Sendable {
    /// Maximum number of bits set in a counter.
    public static let mostOnes = 16
    /// The transaction counter after which a device needs a new key.
    public static let lastCount: UInt32 = 0xFFFF_0000

    /// The usage of a key.
    public enum Usage: UInt16, Hashable, Sendable {
        /// Key encryption.
        case keyEncryption = 0x0002
        /// PIN block encryption.
        case pinEncryption = 0x1000
        /// Message authentication, terminal to host.
        case messageAuthentication = 0x2000
        /// Message verification, host to terminal.
        case messageVerification = 0x2001
        /// Message authentication, both ways.
        case messageBothWays = 0x2002
        /// Data encryption, terminal to host.
        case dataEncryption = 0x3000
        /// Data decryption, host to terminal.
        case dataDecryption = 0x3001
        /// Data encryption, both ways.
        case dataBothWays = 0x3002
    }

    /// AES key lengths.
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
    /// The length of the terminal's own keys.
    public let length: Length
    private let initial: Secret<[UInt8]>

    /// Creates the derivation from a terminal's initial key.
    /// - Returns: `nil` for a key of invalid length, or an identifier that is not eight bytes long.
    public init?(initialKey: Secret<[UInt8]>, identifier: [UInt8]) {
        guard let length = UInt16(exactly: initialKey.reveal().count * 8).flatMap({ Length(rawValue: $0) }),
            identifier.count == 8
        else { return nil }
        (initial, self.identifier, self.length) = (initialKey, identifier, length)
    }

    /// Creates the derivation from the base derivation key, which only the host has.
    public init?(baseKey: Secret<[UInt8]>, identifier: [UInt8]) {
        guard let length = UInt16(exactly: baseKey.reveal().count * 8).flatMap({ Length(rawValue: $0) }),
            identifier.count == 8,
            let made = AESDUKPT.derive(
                baseKey.reveal(), AESDUKPT.context(.initial, length, identifier, count: 0), length)
        else { return nil }
        (initial, self.identifier, self.length) = (Secret(made), identifier, length)
    }

    /// The terminal's initial key. A secret.
    public var initialKey: Secret<[UInt8]> { initial }

    /// Returns the key serial number for a counter.
    public func serialNumber(_ count: UInt32) -> [UInt8] { identifier + TerminalData.bigEndian(UInt64(count), 4) }

    /// Returns a working key for a counter; `nil` for a counter that is skipped.
    public func key(_ usage: Usage, _ length: Length, count: UInt32) -> Secret<[UInt8]>? {
        guard let parent = derivationKey(count) else { return nil }
        return AESDUKPT.derive(
            parent.reveal(), AESDUKPT.context(.use(usage), length, identifier, count: count), length
        ).map { Secret($0) }
    }

    /// Returns the derivation key for a counter; `nil` for a counter that is skipped.
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

    /// Returns the next valid counter; `nil` when the terminal's key is exhausted.
    public static func next(after count: UInt32) -> UInt32? {
        var next = count
        repeat {
            guard next < lastCount else { return nil }
            // With too many bits set, whole runs are skipped at once.
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

    /// Derives a key: blocks of the context, numbered from 1, each encrypted separately.
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
