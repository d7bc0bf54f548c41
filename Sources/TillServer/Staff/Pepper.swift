import Crypto
import Foundation
import Synchronization
import TillCore

/// The random bytes beside a journal without which nothing that staff sign in with is worth anything: whoever has the
/// journal's file alone cannot try PINs and passwords, and cannot read the secrets of one-time codes.
final class Pepper: Sendable {
    /// Bytes of a pepper.
    static let bytes = 32
    /// Bytes by which a pepper is distinguished from another.
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

    /// That of a journal, made at the first use; only the owner of the journal may read it.
    init(besideJournal path: String) { file = path + "-pepper" }

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

    /// What tells it from another; it says nothing of its bytes.
    var mark: [UInt8] { get throws(StaffError) { try read().mark } }

    /// HMAC-SHA-256 of some bytes under it.
    func code(of bytes: some DataProtocol) throws(StaffError) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: try read().key))
    }

    /// A key of its own for one purpose, so that what is made for one is worth nothing for another.
    func key(for purpose: Purpose) throws(StaffError) -> SymmetricKey {
        SymmetricKey(data: try code(of: Data("till/pepper/\(purpose.rawValue)".utf8)))
    }

    /// What keys are derived for.
    enum Purpose: String, Sendable {
        case sealing
        case challenges
    }

    /// Seals a secret for the journal: AES-256-GCM, bound to what it is the secret of.
    func seal(_ secret: Secret<[UInt8]>, for owner: String) throws(StaffError) -> [UInt8] {
        let key = try key(for: .sealing)
        do {
            let box = try AES.GCM.seal(secret.reveal(), using: key, authenticating: Data(owner.utf8))
            guard let bytes = box.combined else { throw StaffError.hashing }
            return try mark + Array(bytes)
        } catch { throw (error as? StaffError) ?? .hashing }
    }

    /// Opens what was sealed.
    /// - Throws: ``StaffError/pepperMissing`` if it was sealed under another pepper or for another owner, or changed.
    func open(_ sealed: [UInt8], for owner: String) throws(StaffError) -> Secret<[UInt8]> {
        guard sealed.prefix(Pepper.markBytes).elementsEqual(try mark) else { throw .pepperMissing }
        let key = try key(for: .sealing)
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Pepper.markBytes))
            return Secret(Array(try AES.GCM.open(box, using: key, authenticating: Data(owner.utf8))))
        } catch { throw .pepperMissing }
    }
}
