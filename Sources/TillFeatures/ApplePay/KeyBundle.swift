import NIOSSL
public import TillCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate with its private key from one PKCS #12 file, the export format of key chains.
public struct KeyBundle: Sendable {
    /// The certificate, in PEM.
    public let certificate: [UInt8]
    /// The private key, in PEM, not encrypted.
    public let key: Secret<[UInt8]>

    /// Opens a bundle; `nil` if the passphrase does not open it. Without one, the empty passphrase is tried as well.
    public init?(pkcs12 bytes: [UInt8], passphrase: String?) {
        let given = passphrase.map { Array($0.utf8) }
        guard
            let bundle = given.map({ try? NIOSSLPKCS12Bundle(buffer: bytes, passphrase: $0) })
                ?? (try? NIOSSLPKCS12Bundle(buffer: bytes))
                    ?? (try? NIOSSLPKCS12Bundle(buffer: bytes, passphrase: [])),
            let first = bundle.certificateChain.first
        else { return nil }
        do {
            certificate = Self.pem("CERTIFICATE", try first.toDERBytes())
            key = Secret(Self.pem("PRIVATE KEY", try bundle.privateKey.derBytes))
        } catch { return nil }
    }

    /// Returns `true` if a file is a bundle: a sequence in DER or BER that begins with the number 3 (RFC 7292, 4).
    public static func isBundle(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 8, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return bytes.dropFirst(2 + lengthBytes).starts(with: [0x02, 0x01, 0x03])
    }

    /// Decrypts a private key in PEM (PKCS #8, or OpenSSL's older form).
    /// - Returns: the key in PEM, not encrypted; `nil` if the passphrase is wrong.
    public static func decrypted(key pem: [UInt8], passphrase: String) -> Secret<[UInt8]>? {
        do {
            let key = try NIOSSLPrivateKey(bytes: pem, format: .pem) { setter in setter(Array(passphrase.utf8)) }
            return Secret(Self.pem("PRIVATE KEY", try key.derBytes))
        } catch { return nil }
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
        let text = Data(der).base64EncodedString(options: .lineLength64Characters)
        return Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
    }
}
