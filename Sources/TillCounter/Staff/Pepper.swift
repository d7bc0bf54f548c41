package import Crypto
package import Foundation
import Synchronization
package import TillCore

/// A random key, stored in a file beside the journal, that enters every PIN and password hash and seals one-time-code
/// secrets. The journal file alone therefore allows neither offline guessing of PINs and passwords nor access to those
/// secrets.
package final class Pepper: Sendable {
    /// The length of a pepper, in bytes.
    package static let bytes = 32
    /// The length of the mark that identifies a pepper, in bytes.
    private static let markBytes = 4

    private struct Known {
        let key: SymmetricKey
        let mark: [UInt8]

        init(_ bytes: [UInt8]) {
            key = SymmetricKey(data: bytes)
            let code = HMAC<SHA256>.authenticationCode(for: Data("till/pepper/mark".utf8), using: key)
            mark = Array(code.prefix(Pepper.markBytes))
        }
    }

    private let known = Mutex<Known?>(nil)
    private let file: String

    /// The pepper of a journal, created on first use and readable only by the journal's owner.
    package init(besideJournal path: String) { file = path + "-pepper" }

    private func read() throws(StaffError) -> Known {
        if let read = known.withLock({ $0 }) { return read }
        let found: [UInt8]?
        do throws(UntrustedFile) { found = try SecretFile.bytes(at: file, "pepper", count: Pepper.bytes) } catch {
            throw .untrusted(error)
        }
        guard let bytes = found else { throw .pepperFile(file) }
        let read = Known(bytes)
        known.withLock { $0 = read }
        return read
    }

    /// The identifier of this pepper; reveals nothing about its bytes.
    package var mark: [UInt8] { get throws(StaffError) { try read().mark } }

    /// Returns the HMAC-SHA-256 of `bytes` under the pepper.
    package func code(of bytes: some DataProtocol) throws(StaffError) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: try read().key))
    }

    /// Derives a key for one purpose. Keys for different purposes are independent.
    package func key(for purpose: Purpose) throws(StaffError) -> SymmetricKey {
        SymmetricKey(data: try code(of: Data("till/pepper/\(purpose.rawValue)".utf8)))
    }

    /// The purposes of derived keys.
    package enum Purpose: String, Sendable {
        case sealing
        case challenges
        /// The names under which customers' e-mail addresses are stored.
        case guests
    }

    /// Returns the HMAC-SHA-256 of a text under the key for a purpose: a name that cannot be tried out without the
    /// pepper.
    package func code(of text: String, for purpose: Purpose) throws(StaffError) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: try key(for: purpose)))
    }

    /// Seals a secret for the journal with AES-256-GCM, with its owner as authenticated data.
    package func seal(_ secret: Secret<[UInt8]>, for owner: String) throws(StaffError) -> [UInt8] {
        let key = try key(for: .sealing)
        do {
            let box = try AES.GCM.seal(secret.reveal(), using: key, authenticating: Data(owner.utf8))
            guard let bytes = box.combined else { throw StaffError.hashing }
            return try mark + Array(bytes)
        } catch { throw (error as? StaffError) ?? .hashing }
    }

    /// Opens a sealed secret.
    /// - Throws: ``StaffError/pepperMissing`` if it was sealed under another pepper or for another owner, or has been
    ///   modified.
    package func open(_ sealed: [UInt8], for owner: String) throws(StaffError) -> Secret<[UInt8]> {
        guard sealed.prefix(Pepper.markBytes).elementsEqual(try mark) else { throw .pepperMissing }
        let key = try key(for: .sealing)
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Pepper.markBytes))
            return Secret(Array(try AES.GCM.open(box, using: key, authenticating: Data(owner.utf8))))
        } catch { throw .pepperMissing }
    }
}
