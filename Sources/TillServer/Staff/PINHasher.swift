import Crypto
import CryptoExtras
import Dispatch
import Foundation
import Synchronization
public import TillCore

/// Makes and checks what is kept of PINs, one at a time and off the threads that answer requests, so that many who sign
/// in at once take no more memory than one.
public final class PINHasher: Sendable {
    /// PINs that wait at most; more are refused at once.
    static let maximumWaiting = 16
    /// Bytes of the pepper.
    static let pepperBytes = 32
    /// Bytes by which a pepper is told from another.
    private static let markBytes = 4

    private struct Pepper {
        let key: SymmetricKey
        let mark: [UInt8]

        init(_ bytes: [UInt8]) {
            key = SymmetricKey(data: bytes)
            let code = HMAC<SHA256>.authenticationCode(for: Data("till/pepper/mark".utf8), using: key)
            mark = Array(code.prefix(PINHasher.markBytes))
        }
    }

    private let queue = DispatchQueue(label: "till.pins")
    private let waiting = Mutex(0)
    private let known = Mutex<Pepper?>(nil)
    private let file: String

    /// With the pepper beside a journal, made at the first use; only the owner of the journal may read it.
    public init(besideJournal path: String) { file = path + "-pepper" }

    private func pepper() throws(StaffError) -> Pepper {
        if let pepper = known.withLock({ $0 }) { return pepper }
        guard let bytes = SecretFile.bytes(at: file, count: PINHasher.pepperBytes) else { throw .pepperFile(file) }
        let pepper = Pepper(bytes)
        known.withLock { $0 = pepper }
        return pepper
    }

    /// What is to be kept of a PIN.
    public func hash(_ pin: Secret<String>) async throws(StaffError) -> PINHash {
        var generator = SystemRandomNumberGenerator()
        let pepper = try pepper()
        let salt = (0..<PINHash.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let hash = try await derived(pin, salt, .standard, pepper.key)
        return PINHash(cost: .standard, salt: salt, hash: hash, pepper: pepper.mark)
    }

    /// Whether it is the PIN. Compared in constant time.
    /// - Throws: ``StaffError/pepperMissing`` if it was set with another pepper.
    func matches(_ pin: Secret<String>, _ kept: PINHash) async throws(StaffError) -> Bool {
        let pepper = try pepper()
        guard kept.pepper == pepper.mark else { throw .pepperMissing }
        return equalInConstantTime(try await derived(pin, kept.salt, kept.cost, pepper.key), kept.hash)
    }

    private func derived(
        _ pin: Secret<String>, _ salt: [UInt8], _ cost: PINHash.Cost, _ pepper: SymmetricKey
    ) async throws(StaffError) -> [UInt8] {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < PINHasher.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { throw .busy }
        defer { waiting.withLock { $0 -= 1 } }
        let code = Array(HMAC<SHA256>.authenticationCode(for: Data(pin.reveal().utf8), using: pepper))
        let result: [UInt8]? = await withCheckedContinuation { continuation in
            queue.async {
                do {
                    let key = try KDF.Scrypt.deriveKey(
                        from: Data(code), salt: salt, outputByteCount: PINHash.hashBytes, rounds: cost.rounds,
                        blockSize: cost.blockSize, parallelism: cost.parallelism)
                    continuation.resume(returning: key.withUnsafeBytes { Array($0) })
                } catch { continuation.resume(returning: nil) }
            }
        }
        guard let result else { throw .hashing }
        return result
    }
}
