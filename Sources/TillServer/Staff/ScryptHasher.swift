import CryptoExtras
import Foundation
public import TillCore

/// Makes and checks what is kept of PINs and passwords, the accounts in turn.
public final class ScryptHasher: Sendable {
    private let queue = ScryptQueue()
    let pepper: Pepper

    /// With the pepper beside a journal.
    public convenience init(besideJournal path: String) { self.init(Pepper(besideJournal: path)) }

    init(_ pepper: Pepper) { self.pepper = pepper }

    /// What is to be kept of a PIN or a password.
    public func hash(_ secret: Secret<String>, of account: AccountID) async throws(StaffError) -> ScryptHash {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<ScryptHash.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return ScryptHash(
            cost: .standard, salt: salt, hash: try await derived(secret, salt, .standard, account),
            pepper: try pepper.mark)
    }

    /// Whether it is the PIN or the password. Compared in constant time.
    /// - Throws: ``StaffError/pepperMissing`` if it was set with another pepper.
    func matches(
        _ secret: Secret<String>, _ kept: ScryptHash, of account: AccountID
    ) async throws(StaffError) -> Bool {
        guard kept.pepper == (try pepper.mark) else { throw .pepperMissing }
        return equalInConstantTime(try await derived(secret, kept.salt, kept.cost, account), kept.hash)
    }

    /// Does the work of a check, for a name that nobody has: no password matches it.
    func matchesNothing(_ secret: Secret<String>, of account: AccountID) async throws(StaffError) -> Bool {
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
