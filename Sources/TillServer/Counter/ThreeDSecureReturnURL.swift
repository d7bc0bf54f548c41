import Crypto
import Foundation
import TillCards
import TillCore
import TillProvider

/// The addresses of this counter to which a bank's page sends a customer back, one for each attempt, each with a state
/// that nobody else can make. Nothing is stored: the state is made again from the key beside the journal.
public struct ThreeDSecureReturnURL: Sendable {
    /// What every such address begins with, below the counter's own.
    static let path = "/back/"

    private let base: String
    private let key: SymmetricKey

    /// - Parameters:
    ///   - base: where customers find the counter, without a slash at its end.
    ///   - journal: the journal beside which the key is kept, the one of receipts' links.
    init(base: String, besideJournal journal: String) throws(ReceiptLinkError) {
        self.base = base
        key = try ReceiptLink(besideJournal: journal).key
    }

    /// Where the customer of an attempt comes back to: 128 bits of HMAC-SHA-256 are its state.
    @Sendable func address(of attempt: AttemptID) -> ReturnAddress {
        let code = HMAC<SHA256>.authenticationCode(for: Data("challenge/1/\(attempt)".utf8), using: key)
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return ReturnAddress(
            base: base + ThreeDSecureReturnURL.path + attempt.rawValue,
            state: (number(code.prefix(8)), number(code.dropFirst(8).prefix(8))))
    }

    /// Whose customer came back to an address of the counter; `nil` for a state that is not that attempt's.
    func attempt(path: String, query: String?) -> AttemptID? {
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
