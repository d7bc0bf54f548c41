public import Crypto
import Synchronization
import TillContactless
public import TillCore
public import TillTapToPay

/// A loyalty program in memory: holds the shop's key, decrypts passes, refuses expired and repeated ones, and counts
/// visits.
public final class SandboxLoyalty: LoyaltyProgram {
    fileprivate struct State {
        var window = VASReplayWindow()
        var visits: [[UInt8]: Int] = [:]
    }
    private let keys: [P256.KeyAgreement.PrivateKey]
    private let clock: any TillClock
    private let state = Mutex(State())

    /// Creates a program with the keys of the shop's passes; by default that of the example pass.
    public init(keys: [P256.KeyAgreement.PrivateKey]? = nil, clock: any TillClock) {
        self.keys = keys ?? VirtualPass.exampleKey.map { [$0] } ?? []
        self.clock = clock
    }

    /// Decrypts the pass and counts the visit. Members are stored as hashes of their numbers.
    /// - Throws: `VASError`.
    public func recordVisit(_ pass: VASReadResult.ReadEntry) async throws -> LoyaltyVisit {
        guard let data = pass.customerVASData, let cryptogram = VASCryptogram(Array(data)) else {
            throw VASError.malformed
        }
        let message = try cryptogram.open(keys: keys, passTypeIdentifier: pass.id)
        let member = message.message.reveal()
        let count = try state.withLock { state throws(VASError) in
            try state.window.take(cryptogram, message, at: clock.now())
            return state.count(Array(SHA256.hash(data: member)))
        }
        let shown = String(decoding: member.suffix(4).filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
        return LoyaltyVisit(pass: pass.id, text: "Member ••\(shown), visit \(count)")
    }

    /// The number of counted visits.
    package var visitCount: Int { state.withLock { $0.visits.values.reduce(0, +) } }
}

extension SandboxLoyalty.State {
    fileprivate mutating func count(_ member: [UInt8]) -> Int {
        visits[member, default: 0] += 1
        return visits[member] ?? 0
    }
}
