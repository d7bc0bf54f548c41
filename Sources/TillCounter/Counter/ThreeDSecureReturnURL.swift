import Crypto
import Foundation
import TillCards
package import TillCore
package import TillProvider

/// The 3-D Secure return URLs of this counter: one for each attempt, with an unforgeable state. Nothing is stored: the
/// state is recomputed from the key beside the journal.
public struct ThreeDSecureReturnURL: Sendable {
    /// The path prefix of every return URL, below the counter's own.
    package static let path = "/back/"

    private let base: String
    private let key: SymmetricKey

    /// - Parameters:
    ///   - base: The counter's public URL, without a trailing slash.
    ///   - journal: The journal beside which the key is stored; the key is shared with receipt links.
    package init(base: String, besideJournal journal: String) throws(ReceiptLinkError) {
        self.base = base
        key = try ReceiptLink(besideJournal: journal).key
    }

    /// Returns the return URL of an attempt. The state is 128 bits of HMAC-SHA-256.
    @Sendable package func address(of attempt: AttemptID) -> ReturnAddress {
        let code = HMAC<SHA256>.authenticationCode(for: Data("challenge/1/\(attempt)".utf8), using: key)
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return ReturnAddress(
            base: base + ThreeDSecureReturnURL.path + attempt.rawValue,
            state: (number(code.prefix(8)), number(code.dropFirst(8).prefix(8))))
    }

    /// Returns the attempt of a return URL; `nil` if the state does not belong to it.
    package func attempt(path: String, query: String?) -> AttemptID? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, path.hasPrefix(ThreeDSecureReturnURL.path),
            let attempt = AttemptID(ifValid: String(parts[2]))
        else { return nil }
        let own = address(of: attempt)
        let read = try? ChallengeReturn(base: own.base, random: own.state)
            .read(base + path + (query.map { "?" + $0 } ?? ""))
        return read == nil ? nil : attempt
    }
}
