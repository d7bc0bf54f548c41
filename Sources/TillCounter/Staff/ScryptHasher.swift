import CryptoExtras
import Foundation
public import TillCore

/// Hashes and verifies PINs and passwords, alternating between accounts.
public final class ScryptHasher: Sendable {
    private let queue = ScryptQueue()
    package let pepper: Pepper

    /// Uses the pepper stored beside a journal.
    public convenience init(besideJournal path: String) { self.init(Pepper(besideJournal: path)) }

    package init(_ pepper: Pepper) { self.pepper = pepper }

    /// Hashes a PIN or a password for storage.
    public func hash(_ secret: Secret<String>, of account: AccountID) async throws(StaffError) -> ScryptHash {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<ScryptHash.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return ScryptHash(
            cost: .standard, salt: salt, hash: try await derived(secret, salt, .standard, account),
            pepper: try pepper.mark)
    }

    /// Returns `true` if the PIN or password matches. Compares in constant time.
    /// - Throws: ``StaffError/pepperMissing`` if the hash was made with another pepper.
    package func matches(
        _ secret: Secret<String>, _ kept: ScryptHash, of account: AccountID
    ) async throws(StaffError) -> Bool {
        guard kept.pepper == (try pepper.mark) else { throw .pepperMissing }
        return equalInConstantTime(try await derived(secret, kept.salt, kept.cost, account), kept.hash)
    }

    /// Spends the time of a verification for an unknown name, and returns `false`.
    package func matchesNothing(_ secret: Secret<String>, of account: AccountID) async throws(StaffError) -> Bool {
        _ = try await derived(secret, Array(repeating: 0, count: ScryptHash.saltBytes), .standard, account)
        return false
    }

    private func derived(
        _ secret: Secret<String>, _ salt: [UInt8], _ cost: ScryptHash.Cost, _ account: AccountID
    ) async throws(StaffError) -> [UInt8] {
        let code = try pepper.code(of: Array(secret.reveal().utf8))
        let derived = try await queue.run(for: account) { () -> [UInt8]? in
            let key = try? KDF.Scrypt.deriveKey(
                from: Data(code), salt: salt, outputByteCount: ScryptHash.hashBytes, rounds: cost.rounds,
                blockSize: cost.blockSize, parallelism: cost.parallelism)
            return key.map { $0.withUnsafeBytes { Array($0) } }
        }
        guard let derived else { throw .hashing }
        return derived
    }
}
