import CryptoExtras
import Dispatch
import Foundation
import Synchronization
public import TillCore

/// Makes and checks what is kept of PINs and passwords, one at a time and off the threads that answer requests, so that
/// many who sign in at once take no more memory than one.
public final class ScryptHasher: Sendable {
    /// Secrets that wait at most; more are refused at once.
    static let maximumWaiting = 16

    private let queue = DispatchQueue(label: "till.scrypt")
    private let waiting = Mutex(0)
    let pepper: Pepper

    /// With the pepper beside a journal.
    public convenience init(besideJournal path: String) { self.init(Pepper(besideJournal: path)) }

    init(_ pepper: Pepper) { self.pepper = pepper }

    /// What is to be kept of a PIN or a password.
    public func hash(_ secret: Secret<String>) async throws(StaffError) -> ScryptHash {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<ScryptHash.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return ScryptHash(
            cost: .standard, salt: salt, hash: try await derived(secret, salt, .standard), pepper: try pepper.mark)
    }

    /// Whether it is the PIN or the password. Compared in constant time.
    /// - Throws: ``StaffError/pepperMissing`` if it was set with another pepper.
    func matches(_ secret: Secret<String>, _ kept: ScryptHash) async throws(StaffError) -> Bool {
        guard kept.pepper == (try pepper.mark) else { throw .pepperMissing }
        return equalInConstantTime(try await derived(secret, kept.salt, kept.cost), kept.hash)
    }

    /// Does the work of a check, for a name that nobody has: no password matches it.
    func matchesNothing(_ secret: Secret<String>) async throws(StaffError) -> Bool {
        _ = try await derived(secret, Array(repeating: 0, count: ScryptHash.saltBytes), .standard)
        return false
    }

    private func derived(
        _ secret: Secret<String>, _ salt: [UInt8], _ cost: ScryptHash.Cost
    ) async throws(StaffError) -> [UInt8] {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < ScryptHasher.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { throw .busy }
        defer { waiting.withLock { $0 -= 1 } }
        let code = try pepper.code(of: Array(secret.reveal().utf8))
        let result: [UInt8]? = await withCheckedContinuation { continuation in
            queue.async {
                do {
                    let key = try KDF.Scrypt.deriveKey(
                        from: Data(code), salt: salt, outputByteCount: ScryptHash.hashBytes, rounds: cost.rounds,
                        blockSize: cost.blockSize, parallelism: cost.parallelism)
                    continuation.resume(returning: key.withUnsafeBytes { Array($0) })
                } catch { continuation.resume(returning: nil) }
            }
        }
        guard let result else { throw .hashing }
        return result
    }
}
