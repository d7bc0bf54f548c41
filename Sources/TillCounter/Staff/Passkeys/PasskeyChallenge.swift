package import TillCore
package import TillJournal

/// A challenge for a passkey's signature, valid once: random bytes and their time, authenticated by this counter's
/// HMAC. Unused challenges therefore need no storage; used ones are recorded.
package struct PasskeyChallenge: Hashable, Sendable {
    /// The lifetime of a challenge.
    package static let lifetime = Span.minutes(5)
    private static let randomBytes = 16
    private static let headBytes = randomBytes + 8
    private static let codeBytes = 32

    package let bytes: [UInt8]
    private let made: Timestamp

    /// The purpose of a challenge; it is invalid for another purpose or session.
    package enum Purpose: Hashable, Sendable {
        case signIn
        /// Adds a passkey in the session with this hash.
        case register(session: [UInt8])
        /// Enrolls a passkey by the invitation with this hash.
        case enrol(invitation: [UInt8])

        fileprivate var word: [UInt8] {
            switch self {
            case .signIn: Array("sign-in".utf8)
            case .register(let session): Array("register/".utf8) + session
            case .enrol(let invitation): Array("enrol/".utf8) + invitation
            }
        }
    }

    package static func make(
        for purpose: Purpose, at now: Timestamp, _ pepper: Pepper
    ) throws(StaffError) -> PasskeyChallenge {
        var generator = SystemRandomNumberGenerator()
        var head = (0..<randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        head += withUnsafeBytes(of: now.milliseconds.bigEndian) { Array($0) }
        return PasskeyChallenge(bytes: head + (try code(of: head, purpose, pepper)), made: now)
    }

    private init(bytes: [UInt8], made: Timestamp) { (self.bytes, self.made) = (bytes, made) }

    /// Verifies a returned challenge.
    /// - Throws: ``PasskeyFault/challenge`` if it is of another counter or purpose, expired or from the future.
    package init(_ bytes: [UInt8], for purpose: Purpose, at now: Timestamp, _ pepper: Pepper) throws {
        guard bytes.count == PasskeyChallenge.headBytes + PasskeyChallenge.codeBytes else {
            throw PasskeyFault.challenge
        }
        let head = Array(bytes[..<PasskeyChallenge.headBytes])
        let code = try PasskeyChallenge.code(of: head, purpose, pepper)
        guard equalInConstantTime(code, bytes[PasskeyChallenge.headBytes...]) else { throw PasskeyFault.challenge }
        let time = head[PasskeyChallenge.randomBytes...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        self.init(bytes: bytes, made: Timestamp(milliseconds: time))
        let age = now.since(made)
        guard age >= .milliseconds(0), age < PasskeyChallenge.lifetime else { throw PasskeyFault.challenge }
    }

    private static func code(
        of head: [UInt8], _ purpose: Purpose, _ pepper: Pepper
    ) throws(StaffError) -> [UInt8] {
        try pepper.code(of: Array("till/pepper/\(Pepper.Purpose.challenges.rawValue)/".utf8) + head + purpose.word)
    }

    // MARK: Single use

    private static let collection: RecordCollection = "passkey_challenge"

    /// Returns the changes that record its use; they conflict if it was used before.
    package func spent(at now: Timestamp, isInDoubt: Bool) -> [RecordChange] {
        let record = Record(id, body: Array("{}".utf8), due: made.adding(PasskeyChallenge.lifetime))
        return [.insert(record)] + (isInDoubt ? [] : [.forget(PasskeyChallenge.collection, dueBy: now)])
    }

    package var id: RecordID { RecordID(PasskeyChallenge.collection, Hex.lowercase(digest(bytes))) }
}
